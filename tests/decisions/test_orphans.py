"""Workers never outlive the daemon, however it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

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
    print(*service.worker_pids, flush=True)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()
    await service.stop()
    await asyncio.gather(asking, return_exceptions=True)
    print("stopped", flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_no_worker_survives(number: signal.Signals) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, SPEC + "slow", stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    pids = [int(word) for word in (await parent.stdout.readline()).split()]
    assert len(pids) == 2
    assert all(alive(pid) for pid in pids)
    parent.send_signal(number)
    rest = await parent.stdout.read()
    await parent.wait()
    assert rest == (b"stopped\n" if number is signal.SIGTERM else b"")
    await until(lambda: not any(alive(pid) for pid in pids))


async def test_a_signal_for_a_worker_does_not_reach_the_daemons_handler() -> None:
    """A child that inherited the wake-up descriptor would write into the daemon's."""
    code = PARENT.replace(
        "    await stop.wait()\n", "    await stop.wait()\n    print('woken', flush=True)\n"
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, SPEC + "slow", stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    pids = [int(word) for word in (await parent.stdout.readline()).split()]
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
    await until(lambda: not any(alive(pid) for pid in pids))
    assert alive(parent.pid)
    parent.kill()
    assert await parent.stdout.read() == b""
    await parent.wait()
