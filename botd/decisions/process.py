"""One worker process as the daemon sees it: start it, ask it, end it. Nothing here blocks the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from enum import StrEnum
from typing import Protocol

from botd.decisions import wire
from botd.engine.types import EngineInfo


class Loss(StrEnum):
    """Why a worker was lost; a label of metrics."""

    CRASHED = "crashed"
    HUNG = "hung"
    GARBAGE = "garbage"
    """It wrote something that is no answer to what it was asked."""
    FAILED = "failed"
    """The engine raised an error that it should not."""
    START_FAILED = "start_failed"


class WorkerLostError(Exception):
    """The worker cannot be used any more."""

    def __init__(self, loss: Loss, detail: str) -> None:
        super().__init__(f"worker {loss.value.replace('_', ' ')}: {detail}")
        self.loss = loss


class Process(Protocol):
    """What is needed of an operating system's process."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    async def wait(self) -> int: ...
    def send_signal(self, number: signal.Signals, /) -> None: ...


class Spawns(Protocol):
    """Where processes of workers come from; see `Spawner`."""

    async def spawn(self, channel: socket.socket) -> Process: ...


class WorkerProcess:
    """A running worker whose engine is loaded. One question at a time."""

    def __init__(
        self,
        process: Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._info: EngineInfo | None = None

    @classmethod
    async def start(cls, spawner: Spawns, *, timeout_s: float) -> WorkerProcess:
        """Start a worker; returns once it says that it is ready.

        Raises WorkerLostError (START_FAILED) saying why it did not start.
        """
        ours, theirs = socket.socketpair()
        try:
            process = await spawner.spawn(theirs)
            reader, writer = await asyncio.open_connection(sock=ours)
        except BaseException as error:
            ours.close()  # which ends a worker that nobody waits for any more
            if isinstance(error, OSError):
                raise WorkerLostError(Loss.START_FAILED, str(error)) from error
            raise
        worker = cls(process, reader, writer)
        try:
            worker._info = await worker._wait_until_ready(timeout_s)
        except BaseException:
            await worker.kill()
            raise
        return worker

    @property
    def info(self) -> EngineInfo:
        assert self._info is not None, "start() returns ready workers only"
        return self._info

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ask(self, question: wire.Question, timeout_s: float) -> wire.Reply:
        """The reply to `question`. Raises WorkerLostError; then kill the worker."""
        try:
            async with asyncio.timeout(timeout_s):
                self._writer.write(wire.frame(question))
                await self._writer.drain()
                reply = await self._receive()
        except TimeoutError:
            raise WorkerLostError(Loss.HUNG, f"pid {self.pid}, no answer after {timeout_s:.1f} s") from None
        except (EOFError, ConnectionError):
            raise WorkerLostError(Loss.CRASHED, await obituary(self._process)) from None
        except wire.WireError as error:
            raise WorkerLostError(Loss.GARBAGE, f"pid {self.pid}, {error}") from error
        if isinstance(reply, wire.Ready) or reply.id != question.id:
            raise WorkerLostError(
                Loss.GARBAGE, f"pid {self.pid}, {type(reply).__name__} is no answer to question {question.id}"
            )
        if isinstance(question, wire.Ping) != isinstance(reply, wire.Pong):
            raise WorkerLostError(
                Loss.GARBAGE, f"pid {self.pid}, {type(reply).__name__} to the wrong question"
            )
        return reply

    async def wait_lost(self) -> WorkerLostError:
        """Wait until the process ends by itself while nobody asks it anything, and say how."""
        await self._process.wait()
        return WorkerLostError(Loss.CRASHED, await obituary(self._process))

    async def stop(self, grace_s: float) -> None:
        """Ask the process to end, then kill it. Returns once it is gone."""
        self._send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(grace_s):
                await self._process.wait()
        except TimeoutError:
            pass
        finally:
            await self.kill()

    async def kill(self) -> None:
        """End the process now. Returns once it is gone, also when cancelled meanwhile."""
        self._send_signal(signal.SIGKILL)
        self._writer.close()
        waiting = asyncio.ensure_future(self._process.wait())
        try:
            await asyncio.shield(waiting)
        except asyncio.CancelledError:
            await waiting  # killed for certain, so this is a matter of milliseconds
            raise
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()

    def _send_signal(self, number: signal.Signals) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    async def _wait_until_ready(self, timeout_s: float) -> EngineInfo:
        try:
            async with asyncio.timeout(timeout_s):
                reply = await self._receive()
        except TimeoutError:
            raise WorkerLostError(Loss.START_FAILED, f"not ready after {timeout_s:.0f} s") from None
        except (EOFError, ConnectionError):
            raise WorkerLostError(Loss.START_FAILED, await obituary(self._process)) from None
        except wire.WireError as error:
            raise WorkerLostError(Loss.START_FAILED, str(error)) from error
        if not isinstance(reply, wire.Ready):
            raise WorkerLostError(Loss.START_FAILED, f"unexpected {type(reply).__name__}")
        return reply.info

    async def _receive(self) -> wire.Reply:
        header = await self._reader.readexactly(wire.HEADER.size)
        return wire.decode_reply(await self._reader.readexactly(wire.body_length(header)))


async def obituary(process: Process) -> str:
    """How a process ended whose other end of a socket is closed."""
    try:
        async with asyncio.timeout(1.0):
            code = await process.wait()
    except TimeoutError:
        return f"pid {process.pid} closed its connection"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"pid {process.pid} ended by {signal.Signals(-code).name}"
    return f"pid {process.pid} ended with status {code}"
