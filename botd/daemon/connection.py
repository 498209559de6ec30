"""One TCP connection to a server: the thin shell around a sans-I/O protocol client.

The client never sees a socket or a clock: this module hands it bytes and times, writes what it wants written
and wakes it when its next timer is due. All calls happen on the event loop and none waits, so the order of
events is the order of the bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

import structlog

EventT = TypeVar("EventT")
EventT_co = TypeVar("EventT_co", covariant=True)

CONNECT_TIMEOUT = 30.0
HAPPY_EYEBALLS_DELAY = 0.25
"""Seconds (RFC 8305) before the next address of a host is tried beside the first."""
MAX_UNSENT = 1 << 20
"""A server that stopped reading gets no more than this."""

log = structlog.get_logger("botd.connection")


class ProtocolClient(Protocol[EventT_co]):
    """What a sans-I/O client offers; times are seconds of the event loop's clock."""

    def receive_data(self, data: bytes, now: float) -> Iterable[EventT_co]: ...
    def receive_eof(self, now: float) -> Iterable[EventT_co]: ...
    def advance(self, now: float) -> Iterable[EventT_co]: ...
    def next_timer(self) -> float | None: ...
    def data_to_send(self) -> bytes: ...


class Connection(asyncio.Protocol, Generic[EventT]):
    """Moves bytes and times between a socket and a client until either side is done.

    `handle` gets every event of the client in order. It must not block; if it raises, the connection is
    closed and `wait_closed` raises what it raised.
    """

    def __init__(self, client: ProtocolClient[EventT], handle: Callable[[EventT], None]) -> None:
        self._client = client
        self._handle = handle
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closed: asyncio.Future[str] = self._loop.create_future()
        self.last_data = self._loop.time()
        """When bytes last came, by the event loop's clock."""

    async def open(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> None:
        """Connect, encrypted with `tls`. Raises OSError (TimeoutError among them) if there is no way."""
        async with asyncio.timeout(CONNECT_TIMEOUT):
            await self._loop.create_connection(
                lambda: self,
                host,
                port,
                ssl=tls,
                server_hostname=None if tls is None else host,
                # A host with a dead IPv6 address and a living IPv4 one is not waited for until the time-out.
                happy_eyeballs_delay=HAPPY_EYEBALLS_DELAY,
            )

    async def wait_closed(self) -> str:
        """Wait until the connection is gone; tells why."""
        return await asyncio.shield(self._closed)

    def pump(self) -> None:
        """Let the client look at the time and send what it has; call this after acting on the client."""
        if not self._closed.done():
            self._deliver(lambda: self._client.advance(self._loop.time()))

    def close(self, reason: str) -> None:
        """Send what is waiting, then close."""
        if self._transport is not None and not self._closed.done():
            self._transport.write(self._client.data_to_send())
            self._transport.close()
        self._finish(reason)

    def abort(self, reason: str) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()
        self._finish(reason)

    # -- called by the event loop ----------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        _keep_alive(transport.get_extra_info("socket"))
        self.pump()

    def data_received(self, data: bytes) -> None:
        self.last_data = self._loop.time()
        self._deliver(lambda: self._client.receive_data(data, self.last_data))

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._closed.done():
            self._deliver(lambda: self._client.receive_eof(self._loop.time()))
        self._finish(f"connection lost: {exc}" if exc is not None else "closed by the server")

    # -- inside ----------------------------------------------------------------------------------------------

    def _deliver(self, events: Callable[[], Iterable[EventT]]) -> None:
        try:
            for event in events():
                self._handle(event)
            self._write()
        except Exception as error:
            # A fault of ours. Whoever waits for the end of the connection hears of it and decides.
            if not self._closed.done():
                self._closed.set_exception(error)
            self.abort("internal error")

    def _write(self) -> None:
        if self._transport is None or self._closed.done():
            return
        data = self._client.data_to_send()
        if data:
            self._transport.write(data)
            if self._transport.get_write_buffer_size() > MAX_UNSENT:
                self.abort("the server does not read what we send")
                return
        self._set_timer()

    def _set_timer(self) -> None:
        due = self._client.next_timer()
        if self._timer is not None:
            if self._timer.when() == due:
                return
            self._timer.cancel()
            self._timer = None
        if due is not None:
            self._timer = self._loop.call_at(due, self._timer_due)

    def _timer_due(self) -> None:
        self._timer = None
        self.pump()

    def _finish(self, reason: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._closed.done():
            self._closed.set_result(reason)


def connect_reason(error: OSError) -> str:
    """Why a connection could not be opened, in words."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, socket.gaierror):
        return f"the name cannot be resolved ({error.strerror})"
    if isinstance(error, ssl.SSLError):
        said = getattr(error, "verify_message", "")
        return f"its certificate is not accepted: {said}" if said else f"no TLS: {error.reason}"
    if error.errno is not None:
        return os.strerror(error.errno)
    return str(error)  # several addresses, each with its own trouble


def _keep_alive(connection: socket.socket) -> None:
    """Let the kernel find out about a dead peer within minutes; send small commands at once."""
    for level, option, value in (
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60),
        (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 20),
        (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
        (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    ):
        with contextlib.suppress(OSError):  # an option this system lacks is no reason not to play
            connection.setsockopt(level, option, value)
