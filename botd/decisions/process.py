"""One worker process as the daemon sees it: start it, ask it, end it. Nothing here blocks the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from enum import StrEnum

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


class WorkerProcess:
    """A running worker whose engine is loaded. One question at a time."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._info: EngineInfo | None = None

    @classmethod
    async def start(cls, spec: str, *, timeout_s: float) -> WorkerProcess:
        """Start a worker with the engine `spec`; returns once the engine is loaded.

        A fresh interpreter is started rather than this process copied: a copy would inherit locks held by
        other threads and the daemon's signal handling.

        Raises WorkerLostError (START_FAILED) saying why it did not start.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-P",  # the folder the daemon was started in is no place to import from
                    "-m",
                    "botd.decisions.worker",
                    str(theirs.fileno()),
                    str(os.getpid()),
                    spec,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,  # Ctrl-C in a terminal is for the daemon alone
                )
            reader, writer = await asyncio.open_connection(sock=ours)
        except BaseException as error:
            ours.close()
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
            raise WorkerLostError(Loss.CRASHED, await self._obituary()) from None
        except wire.WireError as error:
            raise WorkerLostError(Loss.GARBAGE, f"pid {self.pid}, {error}") from error
        if isinstance(reply, wire.Ready | wire.NotReady) or reply.id != question.id:
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
        return WorkerLostError(Loss.CRASHED, await self._obituary())

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
            raise WorkerLostError(Loss.START_FAILED, await self._obituary()) from None
        except wire.WireError as error:
            raise WorkerLostError(Loss.START_FAILED, str(error)) from error
        if isinstance(reply, wire.NotReady):
            raise WorkerLostError(Loss.START_FAILED, reply.error)
        if not isinstance(reply, wire.Ready):
            raise WorkerLostError(Loss.START_FAILED, f"unexpected {type(reply).__name__}")
        return reply.info

    async def _receive(self) -> wire.Reply:
        header = await self._reader.readexactly(wire.HEADER.size)
        return wire.decode_reply(await self._reader.readexactly(wire.body_length(header)))

    async def _obituary(self) -> str:
        """How the process ended (it may have closed its socket only: then it is killed first)."""
        try:
            async with asyncio.timeout(1.0):
                code = await self._process.wait()
        except TimeoutError:
            return f"pid {self.pid} closed its connection"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"pid {self.pid} ended by {signal.Signals(-code).name}"
        return f"pid {self.pid} ended with status {code}"
