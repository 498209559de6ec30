"""Workers never outlive the daemon, however it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.decisions.processes import alive
from tests.decisions.unruly_engines import SPEC
from tests.waiting import until

PARENT = """
import asyncio, signal, sys
import structlog
from botd.decisions.service import DecisionService, ServiceConfig
from botd.decisions.pool import WorkerState
from botd.engine.types import STARTING_BOARD, GameContext

structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))

async def main():
    service = DecisionService(ServiceConfig(engine=sys.argv[1], workers=2, deadline_s=300))
    await service.start()
    while len(service.worker_pids) < 2:
        await asyncio.sleep(0.01)
    asking = asyncio.create_task(service.choose_play(STARTING_BOARD, GameContext(), (6, 6), ply=0))
    while service.status().states[WorkerState.BUSY] != 1:
        await asyncio.sleep(0.01)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    print(*service.worker_pids, flush=True)
    await stop.wait()
    await service.stop()
    await asyncio.gather(asking, return_exceptions=True)
    print("stopped", flush=True)

asyncio.run(main())
"""


@asynccontextmanager
async def daemon(
    code: str,
) -> AsyncIterator[tuple[asyncio.subprocess.Process, asyncio.StreamReader, list[int]]]:
    """A process with two workers, one of them at work: (process, its output, the workers' pids)."""
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, SPEC + "slow", stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    try:
        pids = [int(word) for word in (await parent.stdout.readline()).split()]
        assert len(pids) == 2
        assert all(alive(pid) for pid in pids)
        yield parent, parent.stdout, pids
    finally:
        if parent.returncode is None:
            parent.kill()
        await parent.wait()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_no_worker_survives(number: signal.Signals) -> None:
    async with daemon(PARENT) as (parent, output, pids):
        parent.send_signal(number)
        assert await output.read() == (b"stopped\n" if number is signal.SIGTERM else b"")
        await until(lambda: not any(alive(pid) for pid in pids))


async def test_a_signal_for_a_worker_does_not_reach_the_daemons_handler() -> None:
    """A child that inherited the wake-up descriptor would write into the daemon's."""
    code = PARENT.replace(
        "    await stop.wait()\n", "    await stop.wait()\n    print('woken', flush=True)\n"
    )
    async with daemon(code) as (parent, output, pids):
        for pid in pids:
            os.kill(pid, signal.SIGTERM)
        await until(lambda: not any(alive(pid) for pid in pids))
        assert alive(parent.pid)
        parent.kill()
        assert await output.read() == b""
