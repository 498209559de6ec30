"""`botd register` with real servers: the account is made, the password is kept, refusals are clear."""

from __future__ import annotations

import asyncio
import os
import pty
import socket
import stat
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
import trustme

from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig as BgammonConfig
from botd_protocols.bgammon.server_net import BgammonNetServer, server_tls
from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_accounts import ServerConfig
from botd_protocols.fibs.server_tcp import FibsTcpServer
from botd_protocols.server_dice import SeededDice


@dataclass
class Fibs:
    """A server on an IPv6 address."""

    core: FibsServer
    port: int


@pytest_asyncio.fixture(name="fibs")
async def _fibs() -> AsyncIterator[Fibs]:
    core = FibsServer(ServerConfig(accounts={"taken": "pw"}), SeededDice(1), lambda board, dice: [])
    shell = FibsTcpServer(core, "::1", 0)
    await shell.start()
    yield Fibs(core, shell.port)
    await shell.close()


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def register(folder: Path, *arguments: str, given: str = "") -> tuple[int, str]:
    """Exit status and standard error of `botd register`."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "botd.cli.main", "register", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=folder,
    )
    out, _ = await process.communicate(given.encode())
    assert process.returncode is not None
    assert b"Traceback" not in out
    return process.returncode, out.decode()


async def test_an_account_on_fibs(fibs: Fibs, tmp_path: Path) -> None:
    server = f"[::1]:{fibs.port}"
    status, text = await register(tmp_path, "--server", server, "my_bot", "--generate", "--consent")
    assert status == 0, text
    file = tmp_path / "my_bot.password"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    password = file.read_text().strip()
    assert len(password) == 20
    assert password not in text
    assert f"botd init --server '{server}' --protocol fibs --account my_bot" in text
    assert fibs.core.accounts["my_bot"].accepts(password)

    status, text = await register(tmp_path, "--server", server, "my_bot", "--consent")
    assert status == 1
    assert f"botd register: {server}: name taken: Please use another name." in text
    assert file.read_text().strip() == password  # it was there before

    status, text = await register(
        tmp_path, "--server", server, "other", "--password-file", "pw", "--consent", given="my-s3cret\n"
    )
    assert status == 0, text
    assert "my-s3cret" not in text
    assert fibs.core.accounts["other"].accepts("my-s3cret")


async def test_a_refused_password_is_not_kept(fibs: Fibs, tmp_path: Path) -> None:
    status, text = await register(
        tmp_path, "--server", f"[::1]:{fibs.port}", "taken", "--generate", "--consent"
    )
    assert status == 1
    assert "name taken" in text
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (["my_bot2"], "", "letters and underscores only"),
        (["my_bot", "--server", "a:b:c"], "", "--server: expected an IPv6 address"),
        (["my_bot", "--server", "host:99999"], "", "expected a port from 1 to 65535"),
        (["my_bot", "--email", "a@b.c"], "", "--email: only with --protocol bgammon"),
        (["my_bot", "--protocol", "bgammon", "--email", "a@b.c"], "", "begins with BOT_"),
        (["BOT_x", "--protocol", "bgammon"], "", "--email: bgammon asks for an address"),
        (["my_bot"], "", "expected password for my_bot on standard input, which has ended"),
        (["my_bot"], "a:b:c:d\n", "password: expected no colon"),
        (["my_bot"], "abc\n", "password: expected 4 to 60 characters"),
        (["my_bot", "--password-file", "/proc/x/pw"], "abcd\n", "/proc/x/pw: cannot be written"),
    ],
)
async def test_arguments_that_cannot_be(arguments: list[str], given: str, said: str, tmp_path: Path) -> None:
    status, text = await register(tmp_path, "--server", "127.0.0.1:1", *arguments, "--consent", given=given)
    assert status == 2, text
    assert said in text
    assert files(tmp_path) == []


async def test_nobody_agrees_to_the_rules(tmp_path: Path) -> None:
    status, text = await register(tmp_path, "--server", "127.0.0.1:1", "my_bot", given="secret\n")
    assert status == 2
    assert "One account for each person" in text
    assert "say so with --consent" in text


async def test_a_closed_port_and_a_server_that_hangs_up(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        status, text = await register(
            tmp_path, "--server", f"127.0.0.1:{port}", "my_bot", "--generate", "--consent"
        )
    assert status == 1
    assert f"127.0.0.1:{port}: Connection refused" in text
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        status, text = await register(
            tmp_path, "--server", f"127.0.0.1:{port}", "my_bot", "--generate", "--consent"
        )
    assert status == 1
    assert "connection closed" in text
    assert files(tmp_path) == []


async def test_an_account_on_bgammon_over_tls(tmp_path: Path) -> None:
    authority = trustme.CA()
    pair = authority.issue_cert("::1", "127.0.0.1")
    pair.private_key_and_cert_chain_pem.write_to_path(tmp_path / "server.pem")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    core = BgammonServer(BgammonConfig(), SeededDice(1))
    tls = server_tls(str(tmp_path / "server.pem"), str(tmp_path / "server.pem"))
    shell = BgammonNetServer(core, "::1", 0, ws_port=0, tls=tls)
    await shell.start()
    try:
        port = dict(shell.endpoints)["WebSocket"]
        arguments = ["--server", f"[::1]:{port}", "--protocol", "bgammon", "--email", "me@example.org"]
        status, text = await register(tmp_path, *arguments, "BOT_x", "--generate", "--consent")
        assert status == 1
        assert "its certificate is not accepted: unable to get local issuer" in text  # not trusted
        arguments += ["--tls-ca-file", "ca.pem"]
        status, text = await register(tmp_path, *arguments, "BOT_x", "--generate", "--consent")
        assert status == 0, text
        assert "account BOT_x is made" in text
    finally:
        await shell.close()


async def test_at_a_terminal_the_password_is_asked_for_without_echo(fibs: Fibs, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "botd.cli.main", "register", "--server", f"[::1]:{fibs.port}", "typed"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        start_new_session=True,
    )
    os.close(theirs)
    seen = b""
    for prompt, answer in (
        (b"[y/N] ", b"y\n"),
        (b"(not shown): ", b"abc\n"),
        (b"another one", b""),
        (b"(not shown): ", b"my-s3cret\n"),
        (b"once more: ", b"my-s3cret\n"),
        (b"is made", b""),
    ):
        while prompt not in seen:
            seen += await asyncio.to_thread(os.read, ours, 4096)
        everything, seen = seen, seen.partition(prompt)[2]
        assert b"s3cret" not in everything
        os.write(ours, answer)
    assert await process.wait() == 0
    os.close(ours)
    assert fibs.core.accounts["typed"].accepts("my-s3cret")
