"""A small HTTP server for operators: `/metrics`, `/healthz`, `/readyz` and a page of links.

It only reads, serves GET and HEAD, closes after each answer, and gives nobody much: limits on the size of a
request, on the time to send it and to take the answer, and on the number of connections.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from types import TracebackType
from typing import Final

import structlog

from botd.metrics.registry import Metrics

log = structlog.get_logger("botd.metrics")

MAX_REQUEST: Final = 8192
"""Bytes of request line and headers."""
REQUEST_TIMEOUT_S: Final = 5.0
RESPONSE_TIMEOUT_S: Final = 10.0
MAX_CONNECTIONS: Final = 32
CHECK_TIMEOUT_S: Final = 8.0
READY_CACHE_S: Final = 1.0
"""Readiness is looked at no more often than this, however often it is asked for."""

ReadinessCheck = Callable[[], Awaitable[str | None]]
"""None if ready, else the reason why not, in words. An error counts as a reason."""

_JSON = "application/json"
_PAGE = b"""<!doctype html><html lang="en"><title>botd</title><h1>botd</h1>
<ul><li><a href="/metrics">metrics</a> for Prometheus</li>
<li><a href="/healthz">healthz</a>: the daemon runs</li>
<li><a href="/readyz">readyz</a>: the daemon can play</li></ul></html>
"""


class MetricsServer:
    """Serves one `Metrics`. `async with` it, or `start` and `stop`."""

    def __init__(self, metrics: Metrics, host: str = "127.0.0.1", port: int = 0) -> None:
        """host: name or address, IPv6 too; port 0 lets the system choose."""
        self._metrics = metrics
        self._host = host
        self._port = port
        self._checks: dict[str, ReadinessCheck] = {}
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._ready_lock = asyncio.Lock()
        self._ready_at = float("-inf")
        self._ready: dict[str, str] = {}
        self._started = time.monotonic()

    def add_check(self, name: str, check: ReadinessCheck) -> None:
        """Not ready unless this check says so."""
        self._checks[name] = check

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
    def open_connections(self) -> int:
        return len(self._connections)

    async def __aenter__(self) -> MetricsServer:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def readiness(self) -> dict[str, str]:
        """Reasons for not being ready, by check; empty if ready."""
        async with self._ready_lock:
            now = time.monotonic()
            if now - self._ready_at >= READY_CACHE_S:
                reasons = await asyncio.gather(*(_run(check) for check in self._checks.values()))
                self._ready = {
                    name: reason
                    for name, reason in zip(self._checks, reasons, strict=True)
                    if reason is not None
                }
                self._ready_at = time.monotonic()
            return self._ready

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= MAX_CONNECTIONS:
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            method, response = await self._respond(reader)
            async with asyncio.timeout(RESPONSE_TIMEOUT_S):
                writer.write(_encode(response, with_body=method != "HEAD"))
                await writer.drain()
                writer.close()
                await writer.wait_closed()
        except (ConnectionError, TimeoutError, EOFError):
            pass  # the other side went away or is too slow: its own business
        except Exception:
            log.exception("metrics server: request failed")
        finally:
            writer.transport.abort()

    async def _respond(self, reader: asyncio.StreamReader) -> tuple[str, Response]:
        """(method, response). Raises EOFError, ConnectionError if the client went away."""
        try:
            async with asyncio.timeout(REQUEST_TIMEOUT_S):
                head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            return "", _text(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        except TimeoutError:
            return "", _text(HTTPStatus.REQUEST_TIMEOUT)
        try:
            method, target, version = head.split(b"\r\n", 1)[0].decode("ascii").split(" ")
        except ValueError:
            return "", _text(HTTPStatus.BAD_REQUEST)
        if not version.startswith("HTTP/1."):
            return "", _text(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
        if method not in ("GET", "HEAD"):
            return method, _text(HTTPStatus.METHOD_NOT_ALLOWED)
        return method, await self._page(target.partition("?")[0])

    async def _page(self, path: str) -> Response:
        match path:
            case "/metrics":
                return HTTPStatus.OK, self._metrics.content_type, self._metrics.render()
            case "/healthz":
                seconds = round(time.monotonic() - self._started, 1)
                return _json(HTTPStatus.OK, {"status": "ok", "uptime_seconds": seconds})
            case "/readyz":
                reasons = await self.readiness()
                status = HTTPStatus.SERVICE_UNAVAILABLE if reasons else HTTPStatus.OK
                return _json(status, {"ready": not reasons, "reasons": reasons})
            case "/":
                return HTTPStatus.OK, "text/html; charset=utf-8", _PAGE
            case _:
                return _text(HTTPStatus.NOT_FOUND)


Response = tuple[HTTPStatus, str, bytes]
"""Status, content type, body."""


async def _run(check: ReadinessCheck) -> str | None:
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S):
            return await check()
    except TimeoutError:
        return f"no answer within {CHECK_TIMEOUT_S:g} s"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _text(status: HTTPStatus) -> Response:
    return status, "text/plain; charset=utf-8", f"{status.value} {status.phrase}\n".encode()


def _json(status: HTTPStatus, value: object) -> Response:
    return status, _JSON, json.dumps(value).encode() + b"\n"


def _encode(response: Response, *, with_body: bool) -> bytes:
    status, content_type, body = response
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
    ]
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        lines.append("Allow: GET, HEAD")
    head = "\r\n".join(lines).encode("ascii") + b"\r\n\r\n"
    return head + body if with_body else head
