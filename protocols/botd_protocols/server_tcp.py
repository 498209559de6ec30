"""TCP connections for a `ServerDriver`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from .server_driver import ServerDriver

_READ = 16 * 1024
_CLOSE_S = 2.0


class _TcpSink:
    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def send(self, data: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(data)

    def close(self) -> None:
        self._writer.close()

    @property
    def unsent(self) -> int:
        return self._writer.transport.get_write_buffer_size()

    def abort(self) -> None:
        self._writer.transport.abort()


class TcpListener:
    """Accepts connections on one address; `connect(conn_id, now, host)` tells the core of each."""

    def __init__(
        self, driver: ServerDriver, connect: Callable[[int, float, str], None], host: str, port: int
    ) -> None:
        self._driver = driver
        self._connect = connect
        self._host = host
        self.port = port
        """The port listened on; the real one after `start` with port 0."""
        self._listener: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen; `OSError` if the address cannot be had."""
        self._listener = await asyncio.start_server(self._serve, self._host, self.port)
        self.port = self._listener.sockets[0].getsockname()[1]

    def stop_accepting(self) -> None:
        if self._listener is not None:
            self._listener.close()

    async def close(self) -> None:
        """Wait for the open connections, which the driver has told to close, and then no longer."""
        self.stop_accepting()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CLOSE_S)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._listener is not None:
            await self._listener.wait_closed()
            self._listener = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        peer = writer.get_extra_info("peername")
        host = str(peer[0]) if peer else "-"
        conn_id = self._driver.opened(_TcpSink(writer), lambda i, now: self._connect(i, now, host))
        try:
            while data := await reader.read(_READ):
                self._driver.received(conn_id, data)
        except (ConnectionError, TimeoutError):
            pass
        finally:
            self._driver.lost(conn_id)
            writer.close()
            with contextlib.suppress(ConnectionError, TimeoutError):
                await writer.wait_closed()
            self._tasks.discard(task)
