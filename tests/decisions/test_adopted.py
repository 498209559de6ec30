"""Reaping what others have left to us, and nothing else."""

from __future__ import annotations

import asyncio
import os
import sys

from botd.decisions.adopted import reap_adopted
from tests.decisions.processes import adopting, alive, exists
from tests.waiting import until

PARENT = """
import os, time
pid = os.fork()
if pid == 0:
    os.close(1)
    time.sleep(600)
print(pid, flush=True)
"""
"""Ends at once and leaves a child that sleeps."""


async def orphan() -> int:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await parent.communicate()
    return int(output)


async def test_an_orphan_is_reaped_when_it_ends() -> None:
    with adopting():
        pid = await orphan()
        reaping = asyncio.create_task(reap_adopted([pid]))
        await asyncio.sleep(0)
        assert not reaping.done()
        os.kill(pid, 9)
        await reaping
        assert not exists(pid)


async def test_one_that_is_dead_already_is_reaped() -> None:
    with adopting():
        pid = await orphan()
        os.kill(pid, 9)
        await until(lambda: not alive(pid))
        assert exists(pid)
        await reap_adopted([pid])
        assert not exists(pid)


async def test_processes_of_others_are_left_alone() -> None:
    pid = await orphan()
    try:
        await reap_adopted([pid, os.getppid(), 1])
        assert alive(pid)
    finally:
        os.kill(pid, 9)


async def test_a_child_that_is_waited_for_elsewhere_keeps_its_status() -> None:
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "raise SystemExit(7)")
    assert await child.wait() == 7
    await reap_adopted([child.pid])
