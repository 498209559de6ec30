"""WebSocket connections for a `BgammonServer`, with TLS only, and the read-only pages on the same port."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from http import HTTPStatus

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from botd_protocols.server_driver import ServerDriver

from .server import BgammonServer
from .server_web import page

_CLOSE_S = 2.0


def _quiet() -> logging.Logger:
    """What strangers send to the port is no news for the operator; a fault of our own is."""
    logger = logging.getLogger("botd_protocols.bgammon.server_websocket")
    logger.addFilter(_is_own_fault)
    return logger


def _is_own_fault(record: logging.LogRecord) -> bool:
    return record.getMessage() == "connection handler failed"


class _WebSocketSink:
    """Frames wait here for the task that sends them, one text frame per event."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._queued = 0

    def send(self, data: bytes) -> None:
        self._queued += len(data)
        self._queue.put_nowait(data.decode("utf-8", "replace"))

    def close(self) -> None:
        self._queue.put_nowait(None)

    @property
    def unsent(self) -> int:
        return self._queued

    def abort(self) -> None:
        self._connection.transport.abort()

    async def run(self) -> None:
        """Send until closed."""
        with contextlib.suppress(ConnectionClosed):
            while (text := await self._queue.get()) is not None:
                await self._connection.send(text)
                self._queued -= len(text.encode())
            await self._connection.close()


class WebSocketListener:
    """Accepts WebSocket connections on one address."""

    def __init__(
        self, driver: ServerDriver, server: BgammonServer, host: str, port: int, tls: ssl.SSLContext
    ) -> None:
        self._driver = driver
        self._server = server
        self._host = host
        self.port = port
        """The port listened on; the real one after `start` with port 0."""
        self._tls = tls
        self._listener: Server | None = None

    async def start(self) -> None:
        """Listen; `OSError` if the address cannot be had."""
        self._listener = await serve(
            self._serve,
            self._host,
            self.port,
            ssl=self._tls,
            max_size=self._server.max_frame,
            ping_interval=None,  # the protocol has pings of its own
            close_timeout=_CLOSE_S,
            process_request=self._answer,
            logger=_quiet(),
            server_header=None,
        )
        self.port = next(iter(self._listener.sockets)).getsockname()[1]

    def stop_accepting(self) -> None:
        if self._listener is not None:
            self._listener.close(close_connections=False)

    async def close(self) -> None:
        """Close what is still open and wait for it."""
        if self._listener is not None:
            for connection in self._listener.connections:
                connection.transport.abort()
            await self._listener.wait_closed()
            self._listener = None

    async def _serve(self, connection: ServerConnection) -> None:
        sink = _WebSocketSink(connection)
        sender = asyncio.create_task(sink.run(), name="websocket-sender")
        peer = connection.remote_address
        host = str(peer[0]) if peer else "-"
        conn_id = self._driver.opened(sink, lambda i, now: self._server.connect(i, now, host, framed=True))
        try:
            async for message in connection:
                if isinstance(message, str):  # binary frames are ignored
                    self._driver.received(conn_id, message.encode("utf-8", "replace"))
        except ConnectionClosed:
            pass
        finally:
            self._driver.lost(conn_id)
            sender.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sender

    def _answer(self, _connection: ServerConnection, request: Request) -> Response | None:
        """The page for a plain GET; None lets the WebSocket handshake go on."""
        if "upgrade" in request.headers.get("Connection", "").lower():
            return None
        found = page(self._server, request.path)
        status = HTTPStatus.OK if found is not None else HTTPStatus.NOT_FOUND
        kind, text = found or ("text/plain; charset=utf-8", "not found\n")
        body = text.encode()
        headers = Headers({"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"})
        return Response(status.value, status.phrase, headers, body)
