"""HTTP as bytes and server-sent events as they come, so that nothing of a browser's manners hides a fault."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from botd.web.server import HttpServer

Address = tuple[str, int]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def exchange(address: Address, request: bytes, *, eof: bool = False) -> bytes:
    """Everything the server answers to `request` until it closes; with `eof` nothing follows the request."""
    reader, writer = await asyncio.open_connection(*address)
    try:
        writer.write(request)
        if eof:
            writer.write_eof()
        await writer.drain()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        await hang_up(writer)


async def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


def request(path: str, method: str = "GET", **headers: str) -> bytes:
    given = {"Host": "localhost"} | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode()


async def get(server: HttpServer, path: str, method: str = "GET", **headers: str) -> Answer:
    return parsed(await exchange(server.addresses[0], request(path, method, **headers)))


def parsed(answer: bytes) -> Answer:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return Answer(int(first.split()[1]), headers, body)


@dataclass(frozen=True)
class ServerEvent:
    kind: str
    id: str
    data: Any


class EventReader:
    """A plain client of server-sent events over chunked HTTP."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._text = b""

    async def next(self) -> ServerEvent:
        """Raises EOFError once the stream is over."""
        while True:
            block, found, rest = self._text.partition(b"\n\n")
            if not found:
                self._text += await self._chunk()
                continue
            self._text = rest
            fields = dict(line.split(": ", 1) for line in block.decode().split("\n"))
            if "event" in fields:
                return ServerEvent(fields["event"], fields["id"], json.loads(fields["data"]))

    async def _chunk(self) -> bytes:
        size = await self._reader.readline()
        if not size.strip() or int(size, 16) == 0:
            raise EOFError
        chunk = await self._reader.readexactly(int(size, 16))
        await self._reader.readexactly(2)
        return chunk

    async def end(self) -> None:
        """Read on until the stream is over."""
        with contextlib.suppress(EOFError, ConnectionError):
            while True:
                await self.next()


@asynccontextmanager
async def events(address: Address, path: str = "/api/events", **headers: str) -> AsyncIterator[EventReader]:
    reader, writer = await asyncio.open_connection(*address, limit=1 << 24)
    try:
        writer.write(request(path, **headers))
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        assert b"Content-Type: text/event-stream" in head
        yield EventReader(reader)
    finally:
        await hang_up(writer)
