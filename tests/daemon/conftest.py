"""A real server on this machine, and the real daemon as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from botd.engine.rules import legal_plays
from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_accounts import ServerConfig
from botd_protocols.fibs.server_tcp import FibsTcpServer
from botd_protocols.server_dice import SeededDice
from tests.daemon.daemon_process import DaemonProcess, soon

PASSWORDS = {name: f"{name}-s3cret-pw" for name in ("anna", "bert", "carl", "dora")}


def new_server(seed: int) -> FibsServer:
    return FibsServer(
        ServerConfig(accounts=PASSWORDS, strict=True),
        SeededDice(seed),
        lambda board, dice: [(play.steps, play.board) for play in legal_plays(board, dice)],
    )


@dataclass
class RunningServer:
    core: FibsServer
    shell: FibsTcpServer

    @property
    def port(self) -> int:
        return self.shell.port

    def violations(self) -> list[object]:
        """What we should not have sent; logging out in a match is what a stop does."""
        return [found for found in self.core.violations if found.kind != "conduct"]

    async def saved(self, name: str) -> list[str]:
        """What `show saved` tells this account, asked over a connection of its own."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"login probe_1 1008 {name} {PASSWORDS[name]}\r\n".encode())
        while (await reader.readline()).strip() != b"6":
            assert not reader.at_eof()
        writer.write(b"show saved\r\n")
        text = ""
        while "no saved games" not in text and " - " not in text:
            text += (await reader.readline()).decode()
        writer.write(b"bye\r\n")
        text += (await reader.read()).decode()
        writer.close()
        await writer.wait_closed()
        rows = [line.strip(" *\r") for line in text.splitlines()]
        return [row for row in rows if row.startswith(tuple(PASSWORDS)) and " - " in row]


@dataclass
class Person:
    """Somebody at a terminal: types lines, reads what comes."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    seen: str = ""

    def type(self, line: str) -> None:
        self.writer.write(f"{line}\r\n".encode())

    async def read(self, pattern: str) -> re.Match[str]:
        """Read on to a line in which this is found."""
        while True:
            line = (await soon(self.reader.readline(), pattern, self.seen)).decode("latin-1")
            assert line, f"the server closed the connection before {pattern!r}:\n{self.seen}"
            self.seen += line
            if found := re.search(pattern, line.rstrip()):
                return found

    async def leave(self) -> str:
        """Log out; everything seen."""
        self.type("bye")
        self.seen += (await self.reader.read()).decode("latin-1")
        self.writer.close()
        await self.writer.wait_closed()
        return self.seen


def _write_config(folder: Path, accounts: str, engine: str, drain_s: float, socket: Path) -> Path:
    for name, password in PASSWORDS.items():
        path = folder / f"{name}.password"
        path.write_text(password)
        path.chmod(0o600)
    config = folder / "botd.toml"
    config.write_text(
        f"[engine]\n{engine}\n"
        "[metrics]\nport = 0\n[status_page]\nport = 0\n"
        '[journal]\npath = "journal.sqlite3"\nmat_directory = "matches"\n'
        f'[daemon]\nstate_directory = "state"\ndrain_s = {drain_s}\n[control]\npath = "{socket}"\n'
        '[log]\nlevel = "debug"\nformat = "json"\n'
        f"{accounts}"
    )
    return config


def account(name: str, port: int, policy: str = "") -> str:
    return (
        f'[[accounts]]\nhost = "127.0.0.1"\nport = {port}\nname = "{name}"\n'
        f'password_file = "{name}.password"\nreconnect_s = 0.2\n'
        f"[accounts.policy]\nthink_time_s = 0\ncommand_gap_s = 0\n{policy}\n"
    )


@dataclass
class World:
    """A folder, a server, and daemons that play on it."""

    folder: Path
    server: RunningServer
    socket: Path
    """Of `botd ctl`."""
    daemons: list[DaemonProcess] = field(default_factory=list)

    def account(self, name: str, policy: str = "") -> str:
        """A table of the configuration."""
        return account(name, self.server.port, policy)

    def two_accounts(self, length: int, policy: str) -> str:
        """anna invites bert."""
        invite = f'invite = {{ opponent = "bert", length = {length} }}'
        return self.account("anna", f"{policy}\n{invite}") + self.account("bert", policy)

    def config(self, accounts: str, *, engine: str = "ply = 0\nworkers = 1", drain_s: float = 0) -> Path:
        return _write_config(self.folder, accounts, engine, drain_s, self.socket)

    async def ctl(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        """Run `botd ctl`: its exit status and its reply."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "botd.cli.main", "ctl", "--socket", str(self.socket), "--json"),
            *arguments,
            stdout=asyncio.subprocess.PIPE,
        )
        output, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, json.loads(output) if output else {}

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the journal."""
        with contextlib.closing(sqlite3.connect(self.folder / "journal.sqlite3")) as connection:
            return [tuple(row) for row in connection.execute(sql)]

    def files(self) -> str:
        """Everything the daemon has written."""
        paths = (*self.folder.glob("journal*"), *self.folder.glob("matches/*"))
        return "".join(path.read_bytes().decode("latin-1") for path in paths)

    async def person(self, name: str) -> Person:
        """Logged in and ready to play."""
        person = Person(*await asyncio.open_connection("127.0.0.1", self.server.port))
        person.type(f"login person_1 1008 {name} {PASSWORDS[name]}")
        is_ready = (await person.read(rf"^5 {name} - - ([01])"))[1] == "1"
        await person.read("^6$")
        person.type("set boardstyle 3")
        await person.read("boardstyle")
        if not is_ready:
            person.type("toggle ready")
            await person.read("ready to invite")
        return person

    async def start(self, config: Path, environment: dict[str, str] | None = None) -> DaemonProcess:
        self.daemons.append(await DaemonProcess.start(config, environment))
        return self.daemons[-1]

    async def end(self) -> None:
        for daemon in self.daemons:
            await daemon.kill()


@pytest.fixture
def socket_folder() -> Iterator[Path]:
    """With a short name: the kernel allows a socket 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="botd-") as folder:
        yield Path(folder)


@pytest.fixture
async def world(tmp_path: Path, socket_folder: Path) -> AsyncIterator[World]:
    async with FibsTcpServer(core := new_server(seed=5), port=0) as shell:
        world = World(tmp_path, RunningServer(core, shell), socket_folder / "botd.sock")
        try:
            yield world
        finally:
            await world.end()
