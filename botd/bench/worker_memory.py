"""Memory that one more worker takes: what it has for itself alone (USS) after a 2-ply decision.

Ours are the workers of the daemon's own pool, peers are processes of a Python that has imported them; of
either kind several run at once, so that what they share is shared.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from botd.bench.fresh_process import Decider, deciders
from botd.decisions.pool import WorkerPool, WorkerState
from botd.decisions.requests import PlayRequest
from botd.engine.types import STARTING_BOARD, GameContext

PLY = 2
_LIMIT_S = 300.0
_QUESTION = PlayRequest(STARTING_BOARD, GameContext(), PLY, (3, 1))


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of one process."""

    uss: int
    """Its own alone, clean or not."""
    pss: int
    """With its share of what it shares."""


@dataclass(frozen=True, slots=True)
class WorkerMemory:
    name: str
    own: bool
    workers: int
    """How many ran at once."""
    each: Memory
    """Medians over the workers."""
    server: Memory | None = None
    """Of the process that ours are forks of."""


def worker_memories(*, workers: int = 2, peers: bool = True) -> list[WorkerMemory]:
    """Of our engines and of installed peers; a peer that fails is left out.

    Raises OSError where the kernel does not tell (`/proc/PID/smaps_rollup`).
    """
    found = []
    for decider in deciders(peers=peers):
        if decider.spec is not None:
            found.append(asyncio.run(own_memory(decider.spec, workers)))
        elif (memory := peer_memory(decider, workers)) is not None:
            found.append(memory)
    return found


async def own_memory(spec: str, workers: int) -> WorkerMemory:
    """Of a pool with this engine, every worker of which has decided."""
    pool = WorkerPool(spec, workers)
    await pool.start()
    try:
        async with asyncio.timeout(_LIMIT_S):
            while pool.status().states[WorkerState.IDLE] < workers:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        # As many questions at once as workers, so that each of them gets one.
        await asyncio.gather(*(pool.ask(_QUESTION, _LIMIT_S) for _ in range(workers)))
        each = [memory_of(pid) for pid in pool.pids]
        server = None if pool.server_pid is None else memory_of(pool.server_pid)
    finally:
        await pool.stop()
    return WorkerMemory(spec, own=True, workers=workers, each=_median(each), server=server)


def peer_memory(peer: Decider, workers: int) -> WorkerMemory | None:
    """Of processes that have decided and wait; None if one fails."""
    command = peer.command(PLY)
    command[-1] += "\nimport sys\nsys.stdin.read()\n"
    with contextlib.ExitStack() as stack:
        processes = []
        for _ in range(workers):
            process = subprocess.Popen(  # noqa: S603 - a command of ours
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            processes.append(process)
        for process in processes:
            assert process.stdout is not None
            if not process.stdout.readline():
                return None
        each = [memory_of(process.pid) for process in processes]
    return WorkerMemory(peer.name, own=False, workers=workers, each=_median(each))


def memory_of(pid: int) -> Memory:
    """Raises OSError if there is no such process, or if the kernel does not tell."""
    sizes: dict[str, int] = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, _, rest = line.partition(":")
        sizes[name] = int(rest.split()[0]) * 1024
    return Memory(sizes["Private_Clean"] + sizes["Private_Dirty"], sizes["Pss"])


def _median(each: Sequence[Memory]) -> Memory:
    return Memory(
        round(statistics.median(memory.uss for memory in each)),
        round(statistics.median(memory.pss for memory in each)),
    )
