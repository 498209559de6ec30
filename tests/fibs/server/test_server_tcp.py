"""The TCP shell and `botd serve`, on loopback."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from botd.cli import serve
from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_accounts import ServerConfig
from botd_protocols.fibs.server_tcp import FibsTcpServer
from botd_protocols.server_dice import ScriptedDice

from .brute_force import legal_plays


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def log_in(cls, port: int, name: str) -> Client:
        client = cls(*await asyncio.open_connection("127.0.0.1", port))
        await client.reader.readuntil(b"login: ")
        await client.ask(f"login raw_1 1008 {name} pw", "6")
        await client.ask("set boardstyle 3", "Value of 'boardstyle' set to 3.")
        await client.ask("toggle ready", "6")
        return client

    async def until(self, wanted: str) -> list[str]:
        lines: list[str] = []
        async with asyncio.timeout(30):
            while not lines or not lines[-1].startswith(wanted):
                raw = await self.reader.readuntil(b"\r\n")
                lines.append(raw.decode().rstrip())
        return lines

    async def ask(self, line: str, wanted: str) -> list[str]:
        self.writer.write(line.encode() + b"\r\n")
        return await self.until(wanted)

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


async def test_two_clients_play_and_one_is_lost() -> None:
    server = FibsServer(ServerConfig(open_accounts=True), ScriptedDice([(3, 1), (6, 5)]), legal_plays)
    async with FibsTcpServer(server, port=0) as shell:
        assert shell.port
        me, anna = await Client.log_in(shell.port, "mybot"), await Client.log_in(shell.port, "anna")
        await me.ask("invite anna 3", "** You invited anna")
        await anna.ask("join mybot", "board:")
        await me.until("board:You:anna:3:")
        await me.ask("move 8-5 6-5", "board:")
        await anna.until("It's your turn. Please roll or double")
        await anna.ask("roll", "Please move 2 pieces.")
        await anna.close()
        await me.until("anna drops connection. The game was saved.")
        listing = await me.ask("show saved", "  anna")
        assert listing[-1].split() == ["anna", "3", "0", "-", "0"]
        await me.close()


async def test_shutdown_announces_and_closes() -> None:
    server = FibsServer(ServerConfig(open_accounts=True), ScriptedDice([]), legal_plays)
    shell = FibsTcpServer(server, port=0)
    await shell.start()
    me = await Client.log_in(shell.port, "mybot")
    await shell.close()
    async with asyncio.timeout(30):
        rest = await me.reader.read()
    assert b"System administrator causes shutdown" in rest
    await me.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_serve_stops_cleanly_and_keeps_passwords_out_of_the_log(number: signal.Signals) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "botd.cli.serve", "--open", "--port", "0", "--seed", "1", "--verbose",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    async with asyncio.timeout(60):
        first = (await process.stdout.readline()).decode()
        assert first.startswith("listening on 127.0.0.1 port ")
        port = int(first.split()[-1])
        client = Client(*await asyncio.open_connection("127.0.0.1", port))
        await client.reader.readuntil(b"login: ")
        await client.ask("login raw_1 1008 mybot s3cretpw", "6")
        process.send_signal(number)
        _, log = await process.communicate()
    await client.close()
    assert process.returncode == 0
    assert b"login raw_1 1008 mybot" in log
    assert b"s3cretpw" not in log


async def test_a_port_in_use_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    taken = await asyncio.start_server(lambda _r, w: w.close(), "127.0.0.1", 0)
    port = taken.sockets[0].getsockname()[1]
    code = await asyncio.to_thread(serve.main, ["--open", "--port", str(port)])
    taken.close()
    await taken.wait_closed()
    assert code == 1
    assert f"cannot listen on 127.0.0.1 port {port}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected at least one line"),
        ("anna = 3\n", "anna: expected a password"),
        ('"9x" = "secret"\n', "name '9x'"),
        ("anna = \n", "not valid TOML"),
    ],
)
def test_bad_account_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, complaint: str
) -> None:
    path = tmp_path / "accounts.toml"
    path.write_text(text)
    assert serve.main(["--accounts", str(path)]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert "secret" not in error
