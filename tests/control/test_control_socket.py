"""The control socket: who may use it, what it does with impolite callers."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from botd.control import socket as control_socket
from botd.control.client import ControlError, ask
from botd.control.commands import MAX_REQUEST, Commands
from botd.control.messages import Pause, Status
from botd.control.socket import MAX_CALLERS, ControlServer, ControlSocketError, default_path
from tests.control.test_commands import Diary


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="botd-") as name:
        yield Path(name)


@pytest.fixture
async def server(folder: Path) -> AsyncIterator[ControlServer]:
    server = ControlServer(Commands(Diary()), folder / "botd.sock")
    await server.start()
    yield server
    await server.stop()


async def say(server: ControlServer, data: bytes) -> list[dict[str, Any]]:
    """Send this, then nothing more; everything that comes back."""
    reader, writer = await asyncio.open_unix_connection(server.path)
    writer.write(data)
    writer.write_eof()
    answer = b""
    try:
        while part := await reader.read(4096):
            answer += part
    except ConnectionResetError:  # it did not read all of it
        pass
    writer.close()
    return [json.loads(line) for line in answer.splitlines()]


def left(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


async def test_one_reply_for_each_line(server: ControlServer) -> None:
    replies = await say(
        server, b'{"command": "drain", "id": "1"}\n\nnonsense\n{"command": "resume", "id": "2"}\r\n'
    )
    assert [(reply["ok"], reply.get("id")) for reply in replies] == [(True, "1"), (False, None), (True, "2")]


async def test_half_a_line_is_no_request(server: ControlServer) -> None:
    assert await say(server, b'{"command": "drain"}') == []


async def test_an_endless_line_is_refused_and_the_caller_sent_away(server: ControlServer) -> None:
    replies = await say(server, b"x" * (MAX_REQUEST + 100) + b'\n{"command": "drain"}\n')
    assert [reply["error"] for reply in replies] == ["the request is longer than 4096 bytes"]


async def test_the_client_gets_its_reply(server: ControlServer) -> None:
    reply = await asyncio.to_thread(ask, server.path, Pause(account="anna", id="x"), timeout_s=10)
    assert (reply.ok, reply.command, reply.id) == (True, "pause", "x")
    status = await asyncio.to_thread(ask, server.path, Status(), timeout_s=10)
    assert status.result["accounts"][0]["account"] == "anna"


async def test_only_the_owner_may_open_the_file(server: ControlServer) -> None:
    status = server.path.lstat()
    assert stat.S_ISSOCK(status.st_mode)
    assert stat.S_IMODE(status.st_mode) == 0o600


async def test_another_user_is_sent_away_even_if_the_file_is_open_to_all(
    server: ControlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_socket, "_user_of", lambda writer: 4242)  # we cannot become another user here
    assert await say(server, b'{"command": "drain"}\n') == []


async def test_callers_are_bounded_and_make_room_when_they_go(server: ControlServer) -> None:
    idle = [await asyncio.open_unix_connection(server.path) for _ in range(MAX_CALLERS)]
    for reader, writer in idle:  # all are being served
        writer.write(b'{"command": "drain"}\n')
        assert json.loads(await reader.readline())["ok"]
    assert (await say(server, b'{"command": "drain"}\n'))[0]["error"] == "too many callers at once; try again"
    for _, writer in idle:
        writer.close()
        await writer.wait_closed()
    while not (await say(server, b'{"command": "drain"}\n'))[0]["ok"]:  # noqa: ASYNC110 - no event tells
        await asyncio.sleep(0.01)


async def test_silent_callers_and_those_who_do_not_read_are_dropped(
    server: ControlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_socket, "IDLE_LIMIT", 0.2)
    silent, writer = await asyncio.open_unix_connection(server.path)
    deaf = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    deaf.connect(str(server.path))
    deaf.setblocking(False)
    assert await silent.read() == b""
    loop = asyncio.get_running_loop()

    async def talk() -> None:
        while True:
            await loop.sock_sendall(deaf, b'{"command": "status"}\n' * 100)

    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        await talk()
    deaf.close()
    writer.close()
    assert (await say(server, b'{"command": "drain"}\n'))[0]["ok"]


async def test_stop_ends_conversations_and_removes_the_file(folder: Path) -> None:
    server = ControlServer(Commands(Diary()), folder / "botd.sock")
    await server.start()
    reader, writer = await asyncio.open_unix_connection(server.path)
    writer.write(b'{"command": "drain"}\n')
    await reader.readline()
    await server.stop()
    await server.stop()
    assert await reader.read() == b""
    writer.close()
    assert left(folder) == []


async def test_what_a_killed_process_left_is_replaced(folder: Path) -> None:
    path = folder / "botd.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(path))
    server = ControlServer(Commands(Diary()), path)
    await server.start()
    assert (await say(server, b'{"command": "drain"}\n'))[0]["ok"]
    await server.stop()


async def test_a_second_daemon_is_told_who_has_the_socket(server: ControlServer) -> None:
    with pytest.raises(ControlSocketError, match=rf"already in use by process {os.getpid()} "):
        await ControlServer(Commands(Diary()), server.path).start()
    assert (await say(server, b'{"command": "drain"}\n'))[0]["ok"]


async def test_a_foreign_program_keeps_its_socket(folder: Path) -> None:
    path = folder / "botd.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as foreign:
        foreign.bind(str(path))
        foreign.listen()
        with pytest.raises(ControlSocketError, match="another program listens there"):
            await ControlServer(Commands(Diary()), path).start()
    assert left(folder) == ["botd.sock"]


async def test_a_file_that_is_no_socket_is_kept(folder: Path) -> None:
    path = folder / "botd.sock"
    path.write_text("precious")
    with pytest.raises(ControlSocketError, match="a file that is no socket"):
        await ControlServer(Commands(Diary()), path).start()
    assert path.read_text() == "precious"


async def test_impossible_places_are_named(folder: Path) -> None:
    with pytest.raises(ControlSocketError, match="longer than 107 bytes"):
        await ControlServer(Commands(Diary()), folder / ("x" * 107)).start()
    (folder / "file").touch()
    with pytest.raises(ControlSocketError, match="cannot open the lock file"):
        await ControlServer(Commands(Diary()), folder / "file" / "botd.sock").start()


def test_the_client_says_what_is_wrong(folder: Path) -> None:
    path = folder / "botd.sock"
    with pytest.raises(ControlError, match="no botd listens there"):
        ask(path, Status(), timeout_s=5)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as mute:
        mute.bind(str(path))
        mute.listen()
        with pytest.raises(ControlError, match=r"no answer within 0\.1 s"):
            ask(path, Status(), timeout_s=0.1)
    with pytest.raises(ControlError, match="no botd listens there"):
        ask(path, Status(), timeout_s=5)


@pytest.mark.parametrize(
    ("environment", "path"),
    [
        ({"RUNTIME_DIRECTORY": "/run/botd", "XDG_RUNTIME_DIR": "/run/user/1"}, "/run/botd/botd.sock"),
        ({"RUNTIME_DIRECTORY": "/run/botd:/run/other"}, "/run/botd/botd.sock"),
        ({"XDG_RUNTIME_DIR": "/run/user/1"}, "/run/user/1/botd.sock"),
        ({"XDG_RUNTIME_DIR": "relative"}, None),
        ({}, None),
    ],
)
def test_where_the_socket_is(environment: dict[str, str], path: str | None) -> None:
    assert default_path(environment) == (None if path is None else Path(path))
