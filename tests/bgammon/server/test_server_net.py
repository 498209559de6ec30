"""Both transports and `botd serve --protocol bgammon`, on loopback."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import ssl
import sys
from pathlib import Path
from typing import Any

import pytest
import trustme
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError

from botd.cli import serve
from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig
from botd_protocols.bgammon.server_net import BgammonNetServer, server_tls
from botd_protocols.server_dice import ScriptedDice


class Certificate:
    def __init__(self, folder: Path) -> None:
        authority = trustme.CA()
        issued = authority.issue_cert("127.0.0.1")
        self.cert, self.key = folder / "cert.pem", folder / "key.pem"
        self.cert.write_bytes(b"".join(pem.bytes() for pem in issued.cert_chain_pems))
        self.key.write_bytes(issued.private_key_pem.bytes())
        self.client = ssl.create_default_context()
        authority.configure_trust(self.client)

    def server(self) -> ssl.SSLContext:
        return server_tls(str(self.cert), str(self.key))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return Certificate(tmp_path_factory.mktemp("tls"))


class LineClient:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def log_in(cls, port: int, name: str) -> LineClient:
        client = cls(*await asyncio.open_connection("127.0.0.1", port))
        greeting = await client.reader.readline()
        assert greeting.startswith(b"hello ")
        await client.ask(f"lj raw-1/en {name}", "welcome")
        return client

    async def until(self, kind: str) -> dict[str, Any]:
        async with asyncio.timeout(30):
            while True:
                event: dict[str, Any] = json.loads(await self.reader.readline())
                if event["Type"] == kind:
                    return event

    async def ask(self, command: str, kind: str) -> dict[str, Any]:
        self.writer.write(command.encode() + b"\r\n")
        return await self.until(kind)

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


class FrameClient:
    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def until(self, kind: str) -> dict[str, Any]:
        async with asyncio.timeout(30):
            while True:
                message = await self.connection.recv()
                assert isinstance(message, str)
                assert not message.endswith("\n")
                event: dict[str, Any] = json.loads(message)
                if event["Type"] == kind:
                    return event

    async def ask(self, command: str, kind: str) -> dict[str, Any]:
        await self.connection.send(command)
        return await self.until(kind)


async def test_a_line_client_plays_a_frame_client(certificate: Certificate) -> None:
    server = BgammonServer(ServerConfig(strict=True), ScriptedDice([(3, 1), (6, 5)], [True]))
    shell = BgammonNetServer(server, port=0, ws_port=0, tls=certificate.server())
    async with shell:
        assert shell.ws_port
        me = await LineClient.log_in(shell.port, "BOT_acme")
        async with connect(f"wss://127.0.0.1:{shell.ws_port}/", ssl=certificate.client) as connection:
            alice = FrameClient(connection)
            await connection.send(b"binary frames are ignored")
            welcome = await alice.ask("lj web-1/en alice", "welcome")
            assert welcome["PlayerName"] == "Guest_alice"
            await me.ask("create public 1 0", "joined")
            await alice.ask("join BOT_acme", "joined")
            await me.ask("roll", "rolled")
            await alice.ask("roll", "rolled")
            assert (await me.ask("move 8/5", "moved"))["Moves"] == [[8, 5]]
            await me.ask("move 6/5", "moved")
            assert (await alice.until("moved"))["Moves"] == [[17, 20]]
            await me.ask("ok", "rolled")
            rolled = await alice.until("rolled")
            assert (rolled["Player"], rolled["Roll1"], rolled["Roll2"]) == ("Guest_alice", 6, 5)
        assert (await me.until("left"))["Player"] == "Guest_alice"
        await me.close()
    assert server.violations == ()


async def test_an_oversized_frame_ends_the_connection(certificate: Certificate) -> None:
    server = BgammonServer(ServerConfig(), ScriptedDice([]))
    async with (
        BgammonNetServer(server, port=0, ws_port=0, tls=certificate.server()) as shell,
        connect(f"wss://127.0.0.1:{shell.ws_port}/", ssl=certificate.client) as connection,
    ):
        await FrameClient(connection).ask("lj web-1/en alice", "welcome")
        await connection.send("say " + "x" * 32_768)
        with pytest.raises(ConnectionClosedError):
            await FrameClient(connection).until("never")


async def test_a_refused_frame_client_is_told_and_then_closed(certificate: Certificate) -> None:
    server = BgammonServer(ServerConfig(close_delay_s=0.05), ScriptedDice([]))
    async with (
        BgammonNetServer(server, port=0, ws_port=0, tls=certificate.server()) as shell,
        connect(f"wss://127.0.0.1:{shell.ws_port}/", ssl=certificate.client) as connection,
    ):
        refusal = await FrameClient(connection).ask("lj web-1/en alice wrong", "notice")
        assert refusal["Message"].startswith("Connection terminated: No account was found")
        async with asyncio.timeout(30):
            await connection.wait_closed()


async def _get(port: int, tls: ssl.SSLContext, path: str) -> tuple[str, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    async with asyncio.timeout(30):
        answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.split(b"\r\n")[0].decode(), body


async def test_pages_on_the_websocket_port(certificate: Certificate) -> None:
    server = BgammonServer(ServerConfig(), ScriptedDice([]))
    async with BgammonNetServer(server, port=0, ws_port=0, tls=certificate.server()) as shell:
        assert shell.ws_port
        me = await LineClient.log_in(shell.port, "BOT_acme")
        await me.ask("create public 5 0 five points", "joined")
        bob = await LineClient.log_in(shell.port, "bob")
        await bob.ask("create private secret 5 0", "joined")
        status, body = await _get(shell.ws_port, certificate.client, "/matches.json")
        assert status == "HTTP/1.1 200 OK"
        assert [match["Name"] for match in json.loads(body)] == ["five points"]
        status, _ = await _get(shell.ws_port, certificate.client, "/etc/passwd")
        assert status == "HTTP/1.1 404 Not Found"
        for path in (
            "/stats.json",
            "/dice",
            "/stats/bot_acme.json",
            "/leaderboard-casual-backgammon-multi.json",
        ):
            assert (await _get(shell.ws_port, certificate.client, path))[0] == "HTTP/1.1 200 OK"
        await me.close()
        await bob.close()


@pytest.mark.parametrize("framed", [False, True])
async def test_a_peer_that_does_not_read_is_cut_off(certificate: Certificate, framed: bool) -> None:
    server = BgammonServer(ServerConfig(), ScriptedDice([], [True]))
    async with BgammonNetServer(server, port=0, ws_port=0, tls=certificate.server()) as shell:
        me = await LineClient.log_in(shell.port, "BOT_acme")
        await me.ask("create public 1 0", "joined")
        if framed:
            connection = await connect(
                f"wss://127.0.0.1:{shell.ws_port}/", ssl=certificate.client, max_queue=1
            )
            await FrameClient(connection).ask("lj web-1/en alice", "welcome")
            await connection.send("join 1")
        else:
            deaf = await LineClient.log_in(shell.port, "alice")
            deaf.writer.write(b"join 1\n")
        await me.until("joined")
        gone = asyncio.create_task(me.until("left"))
        # Text that does not compress, since WebSocket compresses.
        noise = random.Random(1).randbytes(24_000).hex()
        async with asyncio.timeout(60):
            while not gone.done():
                me.writer.write(f"say {noise}\n".encode())
                await me.writer.drain()
                await asyncio.sleep(0)
        assert (await gone)["Player"] == "Guest_alice"
        if framed:
            connection.transport.abort()
        else:
            deaf.writer.transport.abort()
        await me.close()


async def test_closing_ends_all_connections(certificate: Certificate) -> None:
    server = BgammonServer(ServerConfig(), ScriptedDice([]))
    shell = BgammonNetServer(server, port=0, ws_port=0, tls=certificate.server())
    await shell.start()
    me = await LineClient.log_in(shell.port, "BOT_acme")
    connection = await connect(f"wss://127.0.0.1:{shell.ws_port}/", ssl=certificate.client)
    await FrameClient(connection).ask("lj web-1/en alice", "welcome")
    await shell.close()
    async with asyncio.timeout(30):
        await me.reader.read()
        await connection.wait_closed()
    await me.close()


async def test_serve_plays_both_transports_and_hides_passwords(certificate: Certificate) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "botd.cli.serve", "--protocol", "bgammon", "--open", "--port", "0",
        "--ws-port", "0", "--cert", str(certificate.cert), "--key", str(certificate.key), "--verbose",
        "--strict", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    async with asyncio.timeout(60):
        first = (await process.stdout.readline()).decode()
        second = (await process.stdout.readline()).decode()
        assert first.startswith("listening on 127.0.0.1 port ")
        assert second.endswith(" (WebSocket)\n")
        client = await LineClient.log_in(int(first.split()[-1]), "bob s3cretpw")
        uri = f"wss://127.0.0.1:{second.split()[-2]}/"
        async with connect(uri, ssl=certificate.client) as connection:
            await FrameClient(connection).ask("lj web-1/en BOT_acme s3cretpw", "welcome")
            await connection.send("fly")
            await FrameClient(connection).until("notice")
        process.send_signal(signal.SIGTERM)
        _, log = await process.communicate()
    await client.close()
    assert process.returncode == 0
    assert b"lj web-1/en BOT_acme ****" in log
    assert b"s3cretpw" not in log
    assert b"violation: BOT_acme: format: 'fly': an unknown command" in log


async def test_serve_plays_the_dice_of_a_file_with_doubles_capped(tmp_path: Path) -> None:
    dice = tmp_path / "dice.txt"
    dice.write_text("creator 1\n3 1\n4 4\n2 6\n")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "botd.cli.serve", "--protocol", "bgammon", "--port", "0", "--dice", str(dice),
        "--max-doubles-per-player", "0", stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    async with asyncio.timeout(60):
        port = int((await process.stdout.readline()).split()[-1])
        me, alice = await LineClient.log_in(port, "BOT_acme"), await LineClient.log_in(port, "alice")
        await me.ask("create public 1 0", "joined")
        await alice.ask("join 1", "joined")
        await alice.ask("roll", "rolled")
        await me.ask("roll", "rolled")
        await me.ask("move 8/5", "moved")
        await me.ask("move 6/5", "moved")
        rolled = await me.ask("ok", "rolled")
        assert (rolled["Player"], rolled["Roll1"], rolled["Roll2"]) == ("Guest_alice", 4, 6)
        await me.close()
        await alice.close()
        process.terminate()
        await process.wait()
    assert process.returncode == 0


async def test_strangers_at_both_ports_leave_no_trace(certificate: Certificate) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "botd.cli.serve", "--protocol", "bgammon", "--port", "0", "--ws-port", "0",
        "--cert", str(certificate.cert), "--key", str(certificate.key),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    async with asyncio.timeout(60):
        ports = [int((await process.stdout.readline()).split()[4]) for _ in range(2)]
        for port in ports:
            for data in (
                b"",
                b"\n",
                b"GET / HTTP/1.1\r\n\r\n",
                b"\x16\x03\x01\x00\xff\xff",
                bytes(range(256)) * 300,
            ):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(data)
                writer.close()
        for data in (
            b"",
            b"junk\r\n\r\n",
            b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", ports[1], ssl=certificate.client)
            writer.write(data)
            if data:
                await reader.read()
            writer.transport.abort()
        async with connect(f"wss://127.0.0.1:{ports[1]}/", ssl=certificate.client) as connection:
            await FrameClient(connection).ask("lj web-1/en alice", "welcome")
            connection.transport.abort()
        client = await LineClient.log_in(ports[0], "alice")
        await client.close()
        process.send_signal(signal.SIGINT)
        _, log = await process.communicate()
    assert process.returncode == 0
    assert log == b""


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--port", "70000"], "--port: expected 0 to 65535"),
        (["--cert", "x"], "--cert and --key: expected both or neither"),
        (["--cert", "/nowhere/c", "--key", "/nowhere/k"], "--cert: cannot read /nowhere/c"),
        (["--ws-port", "1"], "--ws-port: needs --cert and --key"),
        (["--max-doubles-per-player", "-1"], "--max-doubles-per-player: expected 0 or more"),
    ],
)
def test_bad_arguments(capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str) -> None:
    assert serve.main(["--protocol", "bgammon", *arguments]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--bots-may-join", "--keep-matches", "--cert=x"])
def test_options_of_the_other_protocol_are_refused(capsys: pytest.CaptureFixture[str], option: str) -> None:
    assert serve.main(["--open", option]) == 2
    assert "only with --protocol bgammon" in capsys.readouterr().err


def test_fibs_still_needs_to_know_who_may_log_in(capsys: pytest.CaptureFixture[str]) -> None:
    assert serve.main([]) == 2
    assert "--accounts FILE or --open is needed" in capsys.readouterr().err


def test_an_unusable_key_is_named(
    tmp_path: Path, certificate: Certificate, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "key.pem"
    broken.write_text("-----BEGIN PRIVATE KEY-----\nnothing\n-----END PRIVATE KEY-----\n")
    arguments = ["--protocol", "bgammon", "--cert", str(certificate.cert), "--key", str(broken)]
    assert serve.main(arguments) == 2
    assert "not usable" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["9", "Guest_bob", "guest7", "a" * 19, "a-b"])
def test_bad_account_names(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    path = tmp_path / "accounts.toml"
    path.write_text(f'"{name}" = "secret"\n')
    assert serve.main(["--protocol", "bgammon", "--accounts", str(path)]) == 2
    error = capsys.readouterr().err
    assert f"name '{name}'" in error
    assert "secret" not in error
