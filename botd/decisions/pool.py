"""A fixed number of worker processes, each kept alive by a task of its own.

A lost worker is replaced; what it was asked is *not* repeated here, its caller learns of the loss. Questions
wait in one queue, urgent ones first.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import structlog

from botd.decisions import wire
from botd.decisions.process import Loss, WorkerLostError, WorkerProcess
from botd.decisions.requests import Request
from botd.decisions.spawner import Spawner
from botd.engine.types import EngineInfo

log = structlog.get_logger("botd.decisions")

BACKOFF_S = 0.25
MAX_BACKOFF_S = 30.0
FAILING_AFTER = 3
"""Losses in a row, without an answer between them, after which a worker counts as failing."""
STOP_GRACE_S = 1.0


class PoolStartError(RuntimeError):
    """No worker could be started; says why (missing weights, for example)."""


class PoolStoppedError(RuntimeError):
    """The pool is not running."""


class PoolUnavailableError(RuntimeError):
    """The pool cannot answer at present; says why."""


class WorkerState(StrEnum):
    STARTING = "starting"
    IDLE = "idle"
    BUSY = "busy"
    DEAD = "dead"
    """Lost, and waiting to be started again."""


@dataclass(frozen=True, slots=True)
class PoolReply:
    reply: wire.Reply
    queue_s: float
    info: EngineInfo


@dataclass(slots=True, eq=False)
class _Job:
    request: Request | None
    """None for a ping."""
    deadline: float
    """Loop time by which the worker should answer."""
    asked: float
    done: asyncio.Future[PoolReply]
    begun: bool = False

    def fail(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)

    def expire(self) -> None:
        """The deadline is over. A worker that has begun is watched by its own task."""
        if not self.begun:
            self.fail(TimeoutError("no worker was free in time"))

    def forget(self) -> None:
        """The caller has its result or does not want it any more."""
        if not self.done.cancel() and not self.done.cancelled():
            self.done.exception()  # seen, so that asyncio does not complain about it


@dataclass(slots=True, eq=False)
class _Slot:
    """Place of one worker; the worker in it changes."""

    state: WorkerState = WorkerState.STARTING
    worker: WorkerProcess | None = None
    losses_in_a_row: int = 0
    last_error: str = ""
    task: asyncio.Task[None] | None = None
    first_attempt: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class PoolStatus:
    """A snapshot for health checks and logs."""

    workers: int
    states: dict[WorkerState, int]
    restarts: int
    failing: int
    """Workers lost again and again without an answer in between."""
    last_error: str


class WorkerPool:
    """Keeps `workers` processes with the engine `spec` and passes questions to them.

    grace_s: a worker that has not answered so long after the deadline hangs, and is killed.
    on_state, on_loss: called on the loop with the count of workers by state, and for each worker lost.
    """

    def __init__(
        self,
        spec: str,
        workers: int,
        *,
        grace_s: float = 2.0,
        start_timeout_s: float = 60.0,
        on_state: Callable[[dict[WorkerState, int]], None] | None = None,
        on_loss: Callable[[Loss], None] | None = None,
    ) -> None:
        if workers < 1:
            raise ValueError(f"workers: expected 1 or more, got {workers}")
        self._spawner = Spawner(spec, timeout_s=start_timeout_s)
        self._grace_s = grace_s
        self._start_timeout_s = start_timeout_s
        self._on_state = on_state
        self._on_loss = on_loss
        self._slots = [_Slot() for _ in range(workers)]
        self._queue: asyncio.PriorityQueue[tuple[int, int, _Job]] = asyncio.PriorityQueue()
        self._order = itertools.count()
        self._ids = itertools.count(1)
        self._jobs: set[_Job] = set()
        self._restarts = 0
        self._answers = 0
        self._last_error = ""
        self._running = False

    async def start(self) -> EngineInfo:
        """Start all workers; returns once one is ready. Raises PoolStartError if none could be started."""
        assert not self._running, "already started"
        self._running = True
        for number, slot in enumerate(self._slots, start=1):
            slot.task = asyncio.create_task(self._keep(slot), name=f"botd worker {number}")
        try:
            while True:
                for slot in self._slots:
                    if slot.worker is not None:
                        return slot.worker.info
                attempts = [slot for slot in self._slots if not slot.first_attempt.is_set()]
                if not attempts:
                    raise PoolStartError(f"no worker process could be started: {self._last_error}")
                waits = [asyncio.create_task(slot.first_attempt.wait()) for slot in attempts]
                try:
                    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for wait in waits:
                        wait.cancel()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """End all workers, gently and then by force; open questions get PoolStoppedError."""
        self._running = False
        for job in list(self._jobs):
            job.fail(PoolStoppedError("the pool was stopped"))
        tasks = [slot.task for slot in self._slots if slot.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._spawner.stop()

    async def ask(self, request: Request | None, time_s: float, *, urgent: bool = False) -> PoolReply:
        """Let a worker answer `request` (None: a ping) within `time_s` seconds, waiting included.

        Raises TimeoutError if no worker was free in time, WorkerLostError if the worker was lost while it
        worked on this, PoolStoppedError. If the caller is cancelled, a worker that has begun finishes first.
        """
        if not self._running:
            raise PoolStoppedError("the pool is not running")
        loop = asyncio.get_running_loop()
        now = loop.time()
        job = _Job(request, now + time_s, now, loop.create_future())
        self._jobs.add(job)
        self._queue.put_nowait((0 if urgent else 1, next(self._order), job))
        expiry = loop.call_at(job.deadline, job.expire)
        try:
            return await job.done
        finally:
            expiry.cancel()
            job.forget()
            self._jobs.discard(job)

    async def ping(self, timeout_s: float) -> float:
        """A round trip through a worker, in seconds.

        While every worker is busy with a decision that is not overdue, an answer to any of these proves the
        same, and the lack of one proves nothing: a hanging worker is replaced after its deadline.
        Raises PoolUnavailableError otherwise.
        """
        loop = asyncio.get_running_loop()
        began, answers = loop.time(), self._answers
        try:
            await self.ask(None, timeout_s, urgent=True)
        except (TimeoutError, WorkerLostError, PoolStoppedError) as error:
            busy = self.status().states[WorkerState.BUSY]
            if self._running and (self._answers > answers or busy):
                return loop.time() - began
            reason = self._last_error or str(error) or f"no answer within {timeout_s:g} s"
            raise PoolUnavailableError(f"no worker answers: {reason}") from error
        return loop.time() - began

    def status(self) -> PoolStatus:
        counts = Counter(slot.state for slot in self._slots)
        failing = [slot for slot in self._slots if slot.losses_in_a_row >= FAILING_AFTER]
        return PoolStatus(
            workers=len(self._slots),
            states={state: counts[state] for state in WorkerState},
            restarts=self._restarts,
            failing=len(failing),
            last_error=self._last_error,
        )

    @property
    def pids(self) -> list[int]:
        """Processes of the workers that are up."""
        return [slot.worker.pid for slot in self._slots if slot.worker is not None]

    @property
    def server_pid(self) -> int | None:
        """Process that the workers are forks of, if it is up."""
        return self._spawner.pid

    async def _keep(self, slot: _Slot) -> None:
        """Start the slot's worker, pass questions to it, replace it when lost; until cancelled."""
        try:
            while True:
                try:
                    self._set_state(slot, WorkerState.STARTING)
                    slot.worker = await WorkerProcess.start(self._spawner, timeout_s=self._start_timeout_s)
                    log.debug("worker started", pid=slot.worker.pid)
                    slot.first_attempt.set()
                    await self._serve(slot, slot.worker)
                except WorkerLostError as lost:
                    await self._bury(slot, lost)
                slot.first_attempt.set()
                await asyncio.sleep(_backoff(slot.losses_in_a_row))
        finally:
            if slot.worker is not None:
                await slot.worker.stop(STOP_GRACE_S)
                slot.worker = None
            self._set_state(slot, WorkerState.DEAD)

    async def _bury(self, slot: _Slot, lost: WorkerLostError) -> None:
        slot.losses_in_a_row += 1
        self._last_error = str(lost)
        self._restarts += 1
        report = log.error if slot.losses_in_a_row >= FAILING_AFTER else log.warning
        report(
            "worker lost, will be replaced", reason=lost.loss.value, error=str(lost), row=slot.losses_in_a_row
        )
        if self._on_loss is not None:
            self._on_loss(lost.loss)
        worker, slot.worker = slot.worker, None
        self._set_state(slot, WorkerState.DEAD)
        if worker is not None:
            await worker.kill()

    async def _serve(self, slot: _Slot, worker: WorkerProcess) -> None:
        """Pass questions to the worker until it is lost. Raises WorkerLostError."""
        end = asyncio.create_task(worker.wait_lost())
        try:
            while True:
                self._set_state(slot, WorkerState.IDLE)
                job = await self._next_job(end)
                self._set_state(slot, WorkerState.BUSY)
                await self._work(slot, worker, job)
        finally:
            end.cancel()

    async def _next_job(self, end: asyncio.Task[WorkerLostError]) -> _Job:
        """The next question still wanted. Raises WorkerLostError if the worker ends while it waits."""
        while True:
            if not self._queue.empty() and not end.done():  # a turn of the loop less, when many wait
                job = self._queue.get_nowait()[2]
                if not job.done.done():
                    return job
                continue
            waiting = asyncio.create_task(self._queue.get())
            try:
                await asyncio.wait({waiting, end}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                waiting.cancel()  # does nothing if it is done
            if end.done():
                if waiting.done() and not waiting.cancelled():
                    self._queue.put_nowait(waiting.result())
                raise end.result()
            job = waiting.result()[2]
            if not job.done.done():
                return job

    async def _work(self, slot: _Slot, worker: WorkerProcess, job: _Job) -> None:
        now = asyncio.get_running_loop().time()
        left = job.deadline - now
        if left <= 0:
            job.expire()
            return
        job.begun = True
        id_ = next(self._ids)
        question = wire.Ping(id_) if job.request is None else wire.Decide(id_, job.request, left)
        try:
            reply = await worker.ask(question, left + self._grace_s)
            if isinstance(reply, wire.Failed):
                raise WorkerLostError(Loss.FAILED, f"pid {worker.pid}, {reply.error}")
        except WorkerLostError as lost:
            job.fail(lost)
            raise
        slot.losses_in_a_row = 0
        self._answers += 1
        if not job.done.done():
            job.done.set_result(PoolReply(reply, now - job.asked, worker.info))

    def _set_state(self, slot: _Slot, state: WorkerState) -> None:
        slot.state = state
        if self._on_state is not None:
            self._on_state(self.status().states)


def _backoff(losses: int) -> float:
    """Seconds before the next start: none after a first loss, then doubling, with jitter, up to the cap."""
    if losses <= 1:
        return 0.0
    longest = min(MAX_BACKOFF_S, BACKOFF_S * 2.0 ** min(losses - 2, 20))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, not cryptography
