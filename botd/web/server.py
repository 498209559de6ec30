"""A small HTTP server: answers GET and HEAD, reads only the head of a request, closes after each answer.

It gives nobody much: limits on the size of a request, on the time to send it and to take the answer, and on
the number of connections. Streams (an answer that goes on) have a limit of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl, unquote

import h11
import msgspec
import structlog

from botd.addresses import endpoint

log = structlog.get_logger("botd.web")

MAX_REQUEST: Final = 8192
"""Bytes of request line and headers."""
REQUEST_TIMEOUT_S: Final = 5.0
RESPONSE_TIMEOUT_S: Final = 10.0
"""Also for every part of a stream."""
MAX_CONNECTIONS: Final = 32
MAX_STREAMS: Final = 16

TEXT: Final = "text/plain; charset=utf-8"
JSON: Final = "application/json"
_METHODS: Final = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    """`GET` or `HEAD`."""
    path: str
    """Decoded; begins with a slash."""
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By name in small letters; of a name given twice the first."""


@dataclass(frozen=True, slots=True)
class Response:
    status: HTTPStatus
    content_type: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    """Others than length, type and what every answer has."""


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer without an end of its own."""

    content_type: str
    parts: Callable[[], AsyncGenerator[bytes]]
    headers: tuple[tuple[str, str], ...] = ()


Handler = Callable[[Request], Awaitable[Response | Stream]]


def text(status: HTTPStatus, words: str = "", headers: tuple[tuple[str, str], ...] = ()) -> Response:
    """An answer in plain words; by default those of the status."""
    return Response(status, TEXT, f"{words or f'{status.value} {status.phrase}'}\n".encode(), headers)


def json(status: HTTPStatus, value: object) -> Response:
    return Response(status, JSON, msgspec.json.encode(value) + b"\n")


@dataclass(slots=True)
class _Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    http: h11.Connection = field(
        default_factory=lambda: h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_REQUEST)
    )

    async def send(self, *events: h11.Event) -> None:
        """Raises TimeoutError if the client does not take it."""
        for event in events:
            if data := self.http.send(event):
                self.writer.write(data)
        async with asyncio.timeout(RESPONSE_TIMEOUT_S):
            await self.writer.drain()


class HttpServer:
    """Passes requests to a handler. `async with` it, or `start` and `stop`."""

    def __init__(
        self,
        handler: Handler,
        host: str,
        port: int,
        *,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """host: name or address, IPv6 too; port 0 lets the system choose. `headers` go with every answer,
        errors included."""
        self._handler = handler
        self._host = host
        self._port = port
        self._headers = headers
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._streams = 0

    async def start(self) -> None:
        """Raises OSError if the address cannot be used."""
        self._server = await asyncio.start_server(
            self._accept, self._host, self._port, limit=MAX_REQUEST, backlog=MAX_CONNECTIONS
        )

    async def stop(self) -> None:
        """Stop listening and close all connections. May be called twice."""
        if self._server is None:
            return
        self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """(address, port) of every socket listened on."""
        sockets = self._server.sockets if self._server is not None else ()
        return [(name[0], name[1]) for name in (socket.getsockname() for socket in sockets)]

    @property
    def urls(self) -> list[str]:
        return [f"http://{endpoint(host, port)}/" for host, port in self.addresses]

    @property
    def open_connections(self) -> int:
        return len(self._connections)

    @property
    def open_streams(self) -> int:
        return self._streams

    # -- inside ----------------------------------------------------------------------------------------------

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) - self._streams >= MAX_CONNECTIONS:
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve(_Connection(reader, writer)))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, connection: _Connection) -> None:
        writer = connection.writer
        try:
            method, answer = await self._answer(connection)
            if isinstance(answer, Response):
                await self._respond(connection, answer, with_body=method != "HEAD")
            elif method == "HEAD":
                nothing = Response(HTTPStatus.OK, answer.content_type, b"", answer.headers)
                await self._respond(connection, nothing, with_body=False)
            else:
                await self._stream(connection, answer)
            async with asyncio.timeout(RESPONSE_TIMEOUT_S):
                writer.close()
                await writer.wait_closed()
        except (ConnectionError, TimeoutError, EOFError):
            pass  # the other side went away or is too slow: its own business
        except Exception:
            log.exception("request_failed")
        finally:
            writer.transport.abort()

    async def _answer(self, connection: _Connection) -> tuple[str, Response | Stream]:
        """(method, answer). Raises EOFError, ConnectionError if the client went away."""
        try:
            async with asyncio.timeout(REQUEST_TIMEOUT_S):
                head = await _head(connection)
        except TimeoutError:
            return "", text(HTTPStatus.REQUEST_TIMEOUT)
        except h11.RemoteProtocolError as error:
            return "", text(HTTPStatus(error.error_status_hint))
        method = head.method.decode("ascii")
        if not head.http_version.startswith(b"1."):
            return method, text(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
        if method not in _METHODS:
            allowed = (("Allow", ", ".join(_METHODS)),)
            return method, text(HTTPStatus.METHOD_NOT_ALLOWED, headers=allowed)
        request = _request(method, head)
        if request is None:
            return method, text(HTTPStatus.BAD_REQUEST)
        try:
            return method, await self._handler(request)
        except Exception:
            log.exception("request_failed", path=request.path)
            return method, text(HTTPStatus.INTERNAL_SERVER_ERROR)

    async def _respond(self, connection: _Connection, response: Response, *, with_body: bool = True) -> None:
        length = ("Content-Length", str(len(response.body)))
        head = self._start_of(response.status, response.content_type, (length, *response.headers))
        body = (h11.Data(data=response.body),) if with_body else ()
        await connection.send(head, *body, h11.EndOfMessage())

    async def _stream(self, connection: _Connection, stream: Stream) -> None:
        if self._streams >= MAX_STREAMS:
            later = (("Retry-After", "5"),)
            await self._respond(
                connection, text(HTTPStatus.SERVICE_UNAVAILABLE, "503 too many readers", later)
            )
            return
        self._streams += 1
        leaving = asyncio.create_task(_gone(connection.reader))
        me = asyncio.current_task()
        assert me is not None
        leaving.add_done_callback(lambda task: None if task.cancelled() else me.cancel())
        try:
            await connection.send(self._start_of(HTTPStatus.OK, stream.content_type, stream.headers))
            async with contextlib.aclosing(stream.parts()) as parts:
                async for part in parts:
                    await connection.send(h11.Data(data=part))
        except asyncio.CancelledError:
            if not leaving.done() or leaving.cancelled():
                raise  # we are being stopped
        finally:
            leaving.cancel()
            self._streams -= 1

    def _start_of(
        self, status: HTTPStatus, content_type: str, headers: tuple[tuple[str, str], ...]
    ) -> h11.Response:
        given = {name.lower() for name, _ in headers}
        usual = (
            ("Content-Type", content_type),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Connection", "close"),
        )
        others = [(name, value) for name, value in (*usual, *self._headers) if name.lower() not in given]
        return h11.Response(status_code=status.value, reason=status.phrase, headers=[*others, *headers])


async def _head(connection: _Connection) -> h11.Request:
    """Raises h11.RemoteProtocolError, EOFError."""
    while True:
        event = connection.http.next_event()
        if event is h11.NEED_DATA:
            connection.http.receive_data(await connection.reader.read(MAX_REQUEST))
        elif isinstance(event, h11.Request):
            return event
        else:  # closed before anything was sent
            raise EOFError


def _request(method: str, head: h11.Request) -> Request | None:
    """None for a target that is none."""
    try:
        path, _, query = head.target.decode("ascii").partition("?")
        path = unquote(path, errors="strict")
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=20)
    except ValueError:
        return None
    if not path.startswith("/") or not path.isprintable():
        return None
    headers: dict[str, str] = {}
    for key, value in head.headers:
        headers.setdefault(key.decode("ascii"), value.decode("latin-1"))
    fields: dict[str, str] = {}
    for name, given in pairs:
        fields.setdefault(name, given)
    return Request(method, path, fields, headers)


async def _gone(reader: asyncio.StreamReader) -> None:
    """Returns once the client has gone; whatever else it sends is ignored."""
    try:
        while await reader.read(MAX_REQUEST):
            pass
    except ConnectionError:
        pass
