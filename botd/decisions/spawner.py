"""Starting worker processes, as the daemon sees it: through a fork server that has the engine loaded.

A lost fork server takes its workers with it; the next start of a worker starts another one.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
import socket
import sys
from typing import Any

from botd.decisions import wire
from botd.decisions.adopted import reap_adopted
from botd.decisions.process import Loss, WorkerLostError, obituary

_PACKET = 1 << 18
"""Bytes; the longest report names every file of an engine."""
PATIENCE_S = 2.0
"""A fork server that has not told of the end of a worker so long after its SIGKILL is killed itself."""


class SpawnedProcess:
    """A worker's process, which is a child of the fork server."""

    def __init__(self, server: _Server, pid: int) -> None:
        self._server = server
        self._end: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.pid = pid

    @property
    def returncode(self) -> int | None:
        """Exit status, negative for a signal; None while it runs."""
        return self._end.result() if self._end.done() else None

    async def wait(self) -> int:
        """Wait for its end."""
        return await asyncio.shield(self._end)

    def send_signal(self, number: signal.Signals) -> None:
        if self.returncode is None:
            self._server.order(wire.Signal(self.pid, number))
            if number is signal.SIGKILL:
                asyncio.get_running_loop().call_later(PATIENCE_S, self._insist)

    def ended(self, status: int) -> None:
        if not self._end.done():
            self._end.set_result(status)

    def _insist(self) -> None:
        if self.returncode is None:
            self._server.kill()


class Spawner:
    """Starts workers with the engine `spec`, each in a few milliseconds once the first one is there."""

    def __init__(self, spec: str, *, timeout_s: float) -> None:
        """`timeout_s`: for loading the engine, and for each start of a worker."""
        self._spec = spec
        self._timeout_s = timeout_s
        self._server: _Server | None = None
        self._starting: asyncio.Task[_Server] | None = None

    async def spawn(self, channel: socket.socket) -> SpawnedProcess:
        """A new worker that answers at the other end of `channel`, which is closed here.

        Raises WorkerLostError (START_FAILED) saying why there is none.
        """
        with channel:
            server = await self._ready_server()
            return await server.spawn(channel, self._timeout_s)

    async def stop(self) -> None:
        """End the fork server, and with it every worker that is left."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        if self._server is not None:
            await self._server.stop()

    @property
    def pid(self) -> int | None:
        """Process number of the fork server, if there is one."""
        return None if self._server is None or self._server.lost else self._server.pid

    async def _ready_server(self) -> _Server:
        if self._server is not None and not self._server.lost:
            return self._server
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._start_server(), name="botd fork server")
        return await asyncio.shield(self._starting)

    async def _start_server(self) -> _Server:
        if self._server is not None:
            await self._server.stop()
        self._server = await _Server.start(self._spec, self._timeout_s)
        return self._server


class _Server:
    def __init__(self, process: asyncio.subprocess.Process, control: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        self._process = process
        self._control = control
        self._ids = itertools.count(1)
        self._ready: asyncio.Future[None] = loop.create_future()
        self._awaited: dict[int, asyncio.Future[SpawnedProcess]] = {}
        self._workers: dict[int, SpawnedProcess] = {}
        self._obituary: asyncio.Task[str] | None = None
        self._burial: asyncio.Task[None] | None = None
        self.lost = False
        control.setblocking(False)
        loop.add_reader(control.fileno(), self._receive)

    @classmethod
    async def start(cls, spec: str, timeout_s: float) -> _Server:
        """A fresh interpreter with the engine loaded; a copy of this process would inherit locks held by
        other threads and the daemon's signal handling. Raises WorkerLostError (START_FAILED)."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-P",  # the folder the daemon was started in is no place to import from
                    "-m",
                    "botd.decisions.forkserver",
                    str(theirs.fileno()),
                    str(os.getpid()),
                    spec,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,  # Ctrl-C in a terminal is for the daemon alone
                )
        except BaseException as error:
            ours.close()
            if isinstance(error, OSError):
                raise WorkerLostError(Loss.START_FAILED, str(error)) from error
            raise
        server = cls(process, ours)
        try:
            async with asyncio.timeout(timeout_s):
                await server._ready
        except TimeoutError:
            await server.stop()
            raise WorkerLostError(Loss.START_FAILED, f"not ready after {timeout_s:.0f} s") from None
        except BaseException:
            await server.stop()
            raise
        return server

    @property
    def pid(self) -> int:
        return self._process.pid

    async def spawn(self, channel: socket.socket, timeout_s: float) -> SpawnedProcess:
        if self.lost:
            raise WorkerLostError(Loss.START_FAILED, f"pid {self.pid}, the fork server has ended")
        id_ = next(self._ids)
        awaited: asyncio.Future[SpawnedProcess] = asyncio.get_running_loop().create_future()
        self._awaited[id_] = awaited
        try:
            self.order(wire.Spawn(id_), channel)
            async with asyncio.timeout(timeout_s):
                return await awaited
        except TimeoutError:
            self._lose(f"pid {self.pid}, no worker after {timeout_s:.0f} s")
            raise WorkerLostError(Loss.START_FAILED, f"no worker after {timeout_s:.0f} s") from None
        finally:
            del self._awaited[id_]

    def order(self, order: wire.Order, channel: socket.socket | None = None) -> None:
        """Send an order. One that cannot be sent ends the server, which fails what waits for it."""
        if self.lost:
            return
        try:
            socket.send_fds(
                self._control, [wire.packet(order)], [] if channel is None else [channel.fileno()]
            )
        except OSError as error:
            self._lose(f"pid {self.pid}, {error}")

    def kill(self) -> None:
        """End the server and with it all its workers."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def stop(self) -> None:
        """Returns once it is gone, also when cancelled meanwhile."""
        self._lose("stopped")
        waiting = asyncio.ensure_future(self._process.wait())
        try:
            await asyncio.shield(waiting)
        except asyncio.CancelledError:
            await waiting  # killed for certain, so this is a matter of milliseconds
            raise

    def _receive(self) -> None:
        try:
            while not self.lost:
                body = self._control.recv(_PACKET)
                if not body:
                    self._lose_with_obituary()
                    return
                self._take(wire.decode_report(body))
        except (BlockingIOError, InterruptedError):
            pass
        except (OSError, wire.WireError) as error:
            self._lose(f"pid {self.pid}, {error}")

    def _take(self, report: wire.Report) -> None:
        match report:
            case wire.Ready():
                if not self._ready.done():
                    self._ready.set_result(None)
            case wire.NotReady(error=error):
                self._lose(error)
            case wire.Spawned(id=id_, pid=pid):
                worker = self._workers[pid] = SpawnedProcess(self, pid)
                awaited = self._awaited.get(id_)
                if awaited is not None and not awaited.done():
                    awaited.set_result(worker)
            case wire.NotSpawned(id=id_, error=error):
                awaited = self._awaited.get(id_)
                if awaited is not None and not awaited.done():
                    awaited.set_exception(WorkerLostError(Loss.START_FAILED, error))
            case wire.Ended(pid=pid, status=status):
                if (ended := self._workers.pop(pid, None)) is not None:
                    ended.ended(status)

    def _lose_with_obituary(self) -> None:
        """The other end is closed: say how the process ended, as soon as that is known."""
        asyncio.get_running_loop().remove_reader(self._control.fileno())
        self._obituary = asyncio.create_task(obituary(self._process))
        self._obituary.add_done_callback(lambda done: self._lose("" if done.cancelled() else done.result()))

    def _lose(self, reason: str) -> None:
        """Nothing more is expected of this server; its workers are killed by the kernel when it ends."""
        if self.lost:
            return
        self.lost = True
        asyncio.get_running_loop().remove_reader(self._control.fileno())
        self._control.close()
        self.kill()
        waiting: list[asyncio.Future[Any]] = [self._ready, *self._awaited.values()]
        for future in waiting:
            if not future.done():
                future.set_exception(WorkerLostError(Loss.START_FAILED, reason))
                future.exception()  # seen, whether somebody waits or not
        for worker in self._workers.values():
            worker.ended(-signal.SIGKILL)
        if self._workers:
            self._burial = asyncio.create_task(self._bury(list(self._workers)))
        self._workers.clear()

    async def _bury(self, workers: list[int]) -> None:
        """Nobody reaps the workers of a dead fork server if the daemon is process 1, as in a container."""
        await self._process.wait()
        await reap_adopted(workers)
