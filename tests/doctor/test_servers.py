"""Servers that are away, mute, of another kind, or have bad certificates; and log-ins."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from botd.daemon.locks import account_lock
from botd.doctor import servers
from botd.doctor.findings import State
from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig as BgammonConfig
from botd_protocols.bgammon.server_net import BgammonNetServer, server_tls
from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_accounts import ServerConfig
from botd_protocols.fibs.server_tcp import FibsTcpServer
from botd_protocols.server_dice import SeededDice
from tests.doctor.patients import PASSWORD, account, bgammon, found, only, patient

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def fibs_server(**accounts: str) -> AsyncIterator[FibsTcpServer]:
    core = FibsServer(ServerConfig(accounts=accounts or {"anna": PASSWORD}), SeededDice(1), lambda b, d: [])
    async with FibsTcpServer(core, "127.0.0.1", 0) as shell:
        yield shell


@asynccontextmanager
async def saying(words: bytes, *, close: bool = True) -> AsyncIterator[int]:
    """A port where these words are said to everybody."""
    writers = []

    def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(words)
        writers.append(writer)
        if close:
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
        for writer in writers:
            writer.transport.abort()


async def test_a_fibs_server(tmp_path: Path) -> None:
    async with fibs_server() as shell:
        finding = await only(servers.servers, patient(tmp_path, account(shell.port)))
    assert finding.state is State.OK
    assert finding.text == "reached (IPv4), speaks fibs over tcp"


async def test_a_closed_port_and_a_name_that_is_none(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        closed = probe.getsockname()[1]
        finding = await only(servers.servers, patient(tmp_path, account(closed)))
        assert (finding.state, finding.text) == (State.PROBLEM, "Connection refused")
    text = account(4321).replace("127.0.0.1", "no.such.host.invalid")
    finding = await only(servers.servers, patient(tmp_path, text))
    assert finding.state is State.PROBLEM
    assert "the name cannot be resolved" in finding.text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (b"SSH-2.0-OpenSSH\r\n", "no greeting of a fibs server; it says: SSH-2.0-OpenSSH"),
        (b"", "no greeting of a fibs server"),
        (b"The server will shutdown. \x1b[2J\r\n", "it says: The server will shutdown."),
        (b"x" * 200_000, "no greeting of a fibs server"),
    ],
)
async def test_another_kind_of_server(words: bytes, said: str, tmp_path: Path) -> None:
    async with saying(words) as port:
        finding = await only(servers.servers, patient(tmp_path, account(port)))
    assert finding.state is State.PROBLEM
    assert said in finding.text


@pytest.mark.parametrize("make", [account, lambda port: bgammon("127.0.0.1", port, 'transport = "tcp"')])
async def test_a_mute_server(
    make: Callable[[int], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "REACH_S", 0.5)
    async with saying(b"", close=False) as port:
        finding = await only(servers.servers, patient(tmp_path, make(port)))
    assert finding.state is State.PROBLEM
    assert "says nothing" in finding.text


@asynccontextmanager
async def bgammon_server(folder: Path, ends: datetime | None = None) -> AsyncIterator[int]:
    """Its WebSocket port; `ends` is when its certificate does. ca.pem is the authority."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    issued = authority.issue_cert("127.0.0.1", not_after=ends)
    issued.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
    tls = server_tls(str(folder / "server.pem"), str(folder / "server.pem"))
    core = BgammonServer(BgammonConfig(accounts={"BOT_anna": PASSWORD}), SeededDice(1))
    async with BgammonNetServer(core, "127.0.0.1", 0, ws_port=0, tls=tls) as shell:
        yield dict(shell.endpoints)["WebSocket"]


CA = 'tls_ca_file = "ca.pem"'


async def test_a_bgammon_server_with_its_certificate(tmp_path: Path) -> None:
    async with bgammon_server(tmp_path) as port:
        who = patient(tmp_path, bgammon("127.0.0.1", port, CA))
        server, certificate = await found(servers.servers, who)
    assert (server.state, certificate.state) == (State.OK, State.OK)
    assert server.text == "reached (IPv4), speaks bgammon over websocket"
    assert certificate.text.startswith("valid until ")


@pytest.mark.parametrize(
    ("days", "state", "said"), [(3, State.WARNING, "only"), (-1, State.PROBLEM, "certificate has expired")]
)
async def test_a_certificate_that_ends(days: int, state: State, said: str, tmp_path: Path) -> None:
    ends = datetime.now(UTC) + timedelta(days=days)
    async with bgammon_server(tmp_path, ends) as port:
        findings = await found(servers.servers, patient(tmp_path, bgammon("127.0.0.1", port, CA)))
    assert findings[-1].state is state
    assert said in findings[-1].text
    assert findings[-1].advice


async def test_a_certificate_that_nobody_vouches_for(tmp_path: Path) -> None:
    async with bgammon_server(tmp_path) as port:
        finding = await only(servers.servers, patient(tmp_path, bgammon("127.0.0.1", port)))
    assert finding.state is State.PROBLEM
    assert "its certificate is not accepted: " in finding.text


async def test_tls_where_there_is_none_and_http_without_websocket(tmp_path: Path) -> None:
    async with saying(b"hello\r\n") as port:
        finding = await only(servers.servers, patient(tmp_path, bgammon("127.0.0.1", port)))
    assert finding.state is State.PROBLEM
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

    server = await asyncio.start_server(talk, "127.0.0.1", 0, ssl=context)
    async with server:
        port = server.sockets[0].getsockname()[1]
        findings = await found(servers.servers, patient(tmp_path, bgammon("127.0.0.1", port, CA)))
    assert findings[0].state is State.PROBLEM
    assert "no WebSocket there" in findings[0].text


def test_the_clock_of_a_server() -> None:
    server = servers.Server("h", 1, "bgammon", "websocket", None)
    now = datetime.now(UTC)
    right = servers._clock(server, f"{now:%a, %d %b %Y %H:%M:%S} GMT")
    (wrong,) = servers._clock(server, f"{now - timedelta(minutes=10):%a, %d %b %Y %H:%M:%S} GMT")
    assert right == []
    assert wrong.state is State.WARNING
    assert "ahead of its own" in wrong.text
    assert servers._clock(server, "tomorrow") == []


async def test_logging_in_and_out(tmp_path: Path) -> None:
    async with fibs_server(anna=PASSWORD) as shell:
        quiet = await only(servers.logins, patient(tmp_path, account(shell.port)))
        assert quiet.state is State.NOT_TRIED
        finding = await only(servers.logins, patient(tmp_path, account(shell.port), login=True))
        assert (finding.state, finding.text) == (State.OK, "let in as anna, and out again")
    async with fibs_server(anna="another-password") as shell:
        finding = await only(servers.logins, patient(tmp_path, account(shell.port), login=True))
        assert finding.state is State.PROBLEM
        assert "refused" in finding.text
        assert PASSWORD not in finding.text
    async with bgammon_server(tmp_path) as port:
        who = patient(tmp_path, bgammon("127.0.0.1", port, CA), login=True)
        finding = await only(servers.logins, who)
        assert (finding.state, finding.text) == (State.OK, "let in as BOT_anna, and out again")
        (tmp_path / "anna.pw").write_text("wrong")
        who = patient(tmp_path, bgammon("127.0.0.1", port, CA), login=True)
    finding = await only(servers.logins, who)
    assert finding.state is State.PROBLEM  # and nobody listens there any more


async def test_a_running_daemon_is_not_thrown_out(tmp_path: Path) -> None:
    who = patient(tmp_path, account(1), login=True)
    assert who.config is not None
    with account_lock(tmp_path / "state", who.config.accounts[0]):
        finding = await only(servers.logins, who)
    assert finding.state is State.NOT_TRIED
    assert "already in use by process" in finding.text
