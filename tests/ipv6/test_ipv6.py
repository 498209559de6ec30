"""Everything over IPv6: servers, metrics, status page, broker; and servers whose IPv6 is dead."""

from __future__ import annotations

import asyncio
import json
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from botd.addresses import bare_host, endpoint, is_loopback, is_public, split_endpoint
from botd.daemon.connection import HAPPY_EYEBALLS_DELAY, Connection
from botd.journal.reader import JournalReader, MatchQuery
from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig as BgammonConfig
from botd_protocols.bgammon.server_net import BgammonNetServer, server_tls
from botd_protocols.fibs.server_tcp import FibsTcpServer
from botd_protocols.server_dice import SeededDice
from tests.daemon.bgammon_world import GUEST, HOST, BgammonWorld, Endpoint
from tests.daemon.bgammon_world import PASSWORD as BGAMMON_PASSWORD
from tests.daemon.conftest import RunningServer, World, new_server, socket_folder
from tests.daemon.server_process import ServerProcess
from tests.mqtt.broker import broker, free_port, listener

__all__ = ["socket_folder"]


async def fetch(url: str) -> bytes:
    def get() -> bytes:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return bytes(answer.read())

    return await asyncio.to_thread(get)


async def test_a_match_on_fibs_with_everything_on_ipv6(tmp_path: Path, socket_folder: Path) -> None:
    port = free_port()
    async with (
        broker(tmp_path, f"allow_anonymous true\nlistener {port} ::1\nallow_anonymous true\n"),
        FibsTcpServer(core := new_server(seed=5), "::1", 0) as shell,
        listener(port, host="::1") as heard,
    ):
        world = World(tmp_path, RunningServer(core, shell), socket_folder / "botd.sock")
        accounts = world.two_accounts(1, "max_matches = 1").replace("127.0.0.1", "[::1]")
        config = world.config(accounts)
        text = config.read_text().replace("[metrics]\n", '[metrics]\nhost = "[::1]"\n')
        text = text.replace("[status_page]\n", '[status_page]\nhost = "::1"\n')
        config.write_text(f'[mqtt]\nenabled = true\nhost = "[::1]"\nport = {port}\n{text}')
        daemon = await world.start(config)
        try:
            metrics = (await daemon.wait_for("metrics"))["addresses"]
            page = (await daemon.wait_for("status_page"))["addresses"]
            assert [url.startswith("http://[::1]:") for url in (*metrics, *page)] == [True, True]
            await daemon.wait_for("started")
            assert (await heard.wait_for("/status"))["status"] == "online"
            exposed = (await fetch(f"{metrics[0]}metrics")).decode()
            assert f'server="[::1]:{shell.port}"' in exposed
            live = json.loads(await fetch(f"{page[0]}api/live"))
            assert {each["server"] for each in live["accounts"]} == {f"[::1]:{shell.port}"}
            assert await daemon.finish() == 0, daemon.raw
        finally:
            await world.end()
        assert world.server.violations() == []
        rows = world.query("SELECT DISTINCT server, state FROM matches")
        assert rows == [(f"[::1]:{shell.port}", "finished")]
        with JournalReader(tmp_path / "journal.sqlite3") as journal:
            for server in ("::1", "[::1]", f"[::1]:{shell.port}"):
                assert len(journal.matches(MatchQuery(server=server))) == 2
        assert f'"broker": "[::1]:{port}"' in daemon.raw


async def test_a_match_on_bgammon_over_websocket(tmp_path: Path, socket_folder: Path) -> None:
    authority = trustme.CA()
    authority.issue_cert("::1").private_key_and_cert_chain_pem.write_to_path(tmp_path / "server.pem")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    tls = server_tls(str(tmp_path / "server.pem"), str(tmp_path / "server.pem"))
    accounts = {HOST: BGAMMON_PASSWORD, GUEST: BGAMMON_PASSWORD}
    server = BgammonServer(BgammonConfig(accounts=accounts, bots_may_join=True), SeededDice(3))
    async with BgammonNetServer(server, "::1", 0, ws_port=0, tls=tls) as shell:
        port = dict(shell.endpoints)["WebSocket"]
        world = BgammonWorld(
            tmp_path, socket_folder / "botd.sock", Endpoint("websocket", port, tmp_path / "ca.pem")
        )
        config = world.two_accounts("[1]", "max_matches = 1")
        config.write_text(config.read_text().replace('"localhost"', '"::1"'))
        daemon = await world.start(config)
        try:
            assert await daemon.finish() == 0, daemon.raw
        finally:
            await world.end()
        world.check_finished_matches(daemon, {1})
        assert world.query("SELECT DISTINCT server FROM matches") == [(f"[::1]:{port}",)]


async def test_botd_serve_on_ipv6(tmp_path: Path) -> None:
    server = ServerProcess(("--open", "--host", "::1"), tmp_path / "errors")
    await server.start()
    try:
        reader, writer = await asyncio.open_connection("::1", server.port)
        assert b"login: " in await reader.readuntil(b"login: ")
        writer.close()
        await writer.wait_closed()
    finally:
        await server.stop()


@pytest.fixture(name="deaf")
def _deaf() -> Iterator[int]:
    """A port at which ::1 answers nothing, as behind a broken route: its queue of connections is full."""
    with socket.socket(socket.AF_INET6) as deaf:
        deaf.bind(("::1", 0))
        deaf.listen(0)
        port = deaf.getsockname()[1]
        waiting = []
        try:
            while True:
                one = socket.socket(socket.AF_INET6)
                waiting.append(one)
                one.settimeout(0.5)
                try:
                    one.connect(("::1", port))
                except TimeoutError:
                    break
            yield port
        finally:
            for one in waiting:
                one.close()


class Hears:
    """A client that says nothing, to see whether it gets a connection."""

    def __init__(self) -> None:
        self.heard = b""

    def receive_data(self, data: bytes, now: float) -> list[Any]:
        self.heard += data
        return []

    def receive_eof(self, now: float) -> list[Any]:
        return []

    def advance(self, now: float) -> list[Any]:
        return []

    def next_timer(self) -> float | None:
        return None

    def data_to_send(self) -> bytes:
        return b""


async def test_a_dead_ipv6_address_is_not_waited_for(deaf: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async def both(host: str, port: int, **_: object) -> list[Any]:
        """A name with an IPv6 and an IPv4 address, in this order; /etc/hosts is not ours to write."""
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", port, 0, 0)),
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port)),
        ]

    def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()

    loop = asyncio.get_running_loop()
    async with await asyncio.start_server(greet, "127.0.0.1", deaf):
        monkeypatch.setattr(loop, "getaddrinfo", both)
        client = Hears()
        connection: Connection[Any] = Connection(client, lambda event: None)
        await connection.open("dual.example", deaf)
        await connection.wait_closed()
    assert client.heard == b"hello"
    assert HAPPY_EYEBALLS_DELAY < 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("fibs.com:4321", ("fibs.com", 4321)),
        ("fibs.com", ("fibs.com", 7)),
        ("[::1]:4321", ("::1", 4321)),
        ("[::1]", ("::1", 7)),
        ("::1", ("::1", 7)),
        ("127.0.0.1:1", ("127.0.0.1", 1)),
        ("[fe80::1%eth0]:5", ("fe80::1%eth0", 5)),
    ],
)
def test_endpoints(text: str, found: tuple[str, int]) -> None:
    assert split_endpoint(text, 7) == found
    assert split_endpoint(endpoint(*found)) == found
    assert bare_host(found[0]) == found[0]


@pytest.mark.parametrize(
    "text",
    ["", ":1", "a:", "a:x", "a:0", "a:65536", "[::1", "::1]:4", "a:b:c", "[a]:1", "a b:1", "u@h:1", "a:١"],
)
def test_what_is_no_endpoint(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        split_endpoint(text, 7)


def test_how_far_away_a_host_is() -> None:
    assert all(map(is_loopback, ("::1", "[::1]", "127.0.0.9", "localhost", "LOCALHOST")))
    assert not any(map(is_loopback, ("::", "0.0.0.0", "10.0.0.1", "fibs.com")))
    assert all(map(is_public, ("fibs.com", "8.8.8.8", "2001:4860:4860::8888")))
    assert not any(map(is_public, ("::1", "10.1.2.3", "fd00::1", "server", "bot.lan", "localhost")))
