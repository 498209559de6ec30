"""What every server's sockets share: its connections, whatever carries them, and its clock."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Callable
from typing import Protocol

from .server_core import ServerCore

MAX_UNSENT = 1024 * 1024
"""Bytes kept for a peer that does not read; with more his connection is cut."""


class Sink(Protocol):
    """Where the bytes for one connection go."""

    def send(self, data: bytes) -> None: ...

    def close(self) -> None:
        """Close once everything sent has gone out."""

    @property
    def unsent(self) -> int:
        """Bytes not yet taken by the peer."""

    def abort(self) -> None:
        """Close now; what was not sent is lost."""


class ServerDriver:
    """Hands bytes and times to a core, its output to the connections, and wakes it when something is due."""

    def __init__(self, core: ServerCore, keep: Callable[[], None] = lambda: None) -> None:
        """`keep` is called before anything is sent, to make safe whatever the core has to remember."""
        self._core = core
        self._keep = keep
        self._sinks: dict[int, Sink] = {}
        self._ids = itertools.count(1)
        self._wake = asyncio.Event()
        self._wall_at_start, self._started = time.time(), time.monotonic()
        self._clock: asyncio.Task[None] | None = None

    def _now(self) -> float:
        """Seconds since 1970 by the clock as it was at the start: setting it must not end anybody's wait."""
        return self._wall_at_start + (time.monotonic() - self._started)

    def start(self) -> None:
        self._clock = asyncio.create_task(self._tick(), name="server-clock")

    async def stop(self) -> None:
        """Stop the clock, tell everybody the server's last words and close all connections."""
        if self._clock is not None:
            self._clock.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._clock
            self._clock = None
        self._core.shutdown(self._now())
        self._send_due()
        for sink in list(self._sinks.values()):
            sink.close()

    def opened(self, sink: Sink, connect: Callable[[int, float], None]) -> int:
        """A new connection; `connect(conn_id, now)` tells the core. The id for the calls below."""
        conn_id = next(self._ids)
        self._sinks[conn_id] = sink
        connect(conn_id, self._now())
        self._flush()
        return conn_id

    def received(self, conn_id: int, data: bytes) -> None:
        self._core.receive(conn_id, data, self._now())
        self._flush()

    def lost(self, conn_id: int) -> None:
        """The connection is over, whoever ended it."""
        self._sinks.pop(conn_id, None)
        self._core.disconnect(conn_id, self._now())
        self._flush()

    def _flush(self) -> None:
        self._send_due()
        self._wake.set()

    def _send_due(self) -> None:
        output = self._core.take_output()
        if output:
            self._keep()
        for conn_id, data, close in output:
            sink = self._sinks.get(conn_id)
            if sink is None:
                continue
            if data:
                sink.send(data)
            if sink.unsent > MAX_UNSENT:
                # A peer that does not read must not fill our memory.
                sink.abort()
            elif close:
                sink.close()

    async def _tick(self) -> None:
        """Call `advance` when something is due, and look again whenever something happened."""
        while True:
            self._wake.clear()
            deadline = self._core.next_deadline
            delay = None if deadline is None else max(0.01, deadline - self._now())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self._wake.wait()
            self._core.advance(self._now())
            self._send_due()
