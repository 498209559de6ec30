"""TCP in front of `FibsServer`: sockets and the clock, nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time

from .server import FibsServer

_READ = 16 * 1024
_MAX_UNSENT = 1024 * 1024
_CLOSE_S = 2.0


class FibsTcpServer:
    """Serves a `FibsServer` on one address.

        shell = FibsTcpServer(server, port=0)
        await shell.start()      # shell.port is the real port
        ...
        await shell.close()

    Saved matches live as long as the `FibsServer` does.
    """

    def __init__(self, server: FibsServer, host: str = "127.0.0.1", port: int = 4321) -> None:
        self._server = server
        self._host = host
        self._port = port
        self._listener: asyncio.Server | None = None
        self._writers: dict[int, asyncio.StreamWriter] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._ids = itertools.count(1)
        self._wake = asyncio.Event()
        self._clock: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        """The port listened on; the real one after `start` with port 0."""
        return self._port

    async def start(self) -> None:
        """Listen; `OSError` if the address cannot be had."""
        self._listener = await asyncio.start_server(self._serve, self._host, self._port)
        self._port = self._listener.sockets[0].getsockname()[1]
        self._clock = asyncio.create_task(self._tick(), name="fibs-server-clock")

    async def close(self) -> None:
        """Tell everybody, close all connections, stop listening."""
        if self._listener is not None:
            self._listener.close()
        if self._clock is not None:
            self._clock.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._clock
            self._clock = None
        self._server.shutdown(time.time())
        self._flush()
        for writer in list(self._writers.values()):
            writer.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CLOSE_S)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._listener is not None:
            await self._listener.wait_closed()
            self._listener = None

    async def __aenter__(self) -> FibsTcpServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        conn_id = next(self._ids)
        peer = writer.get_extra_info("peername")
        self._writers[conn_id] = writer
        try:
            self._server.connect(conn_id, time.time(), str(peer[0]) if peer else "-")
            self._flush()
            while data := await reader.read(_READ):
                self._server.receive(conn_id, data, time.time())
                self._flush()
        except (ConnectionError, TimeoutError):
            pass
        finally:
            self._writers.pop(conn_id, None)
            self._server.disconnect(conn_id, time.time())
            self._flush()
            writer.close()
            with contextlib.suppress(ConnectionError, TimeoutError):
                await writer.wait_closed()
            self._tasks.discard(task)

    def _flush(self) -> None:
        self._send_due()
        self._wake.set()

    def _send_due(self) -> None:
        for conn_id, data, close in self._server.take_output():
            writer = self._writers.get(conn_id)
            if writer is None or writer.is_closing():
                continue
            if data:
                writer.write(data)
            if writer.transport.get_write_buffer_size() > _MAX_UNSENT:
                # A peer that does not read must not fill our memory.
                writer.transport.abort()
            elif close:
                writer.close()

    async def _tick(self) -> None:
        """Call `advance` when something is due, and look again whenever something happened."""
        while True:
            self._wake.clear()
            deadline = self._server.next_deadline
            delay = None if deadline is None else max(0.01, deadline - time.time())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self._wake.wait()
            self._server.advance(time.time())
            self._send_due()
