"""Processes that have become children of ours: in a container without an init process we reap them."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterable


async def reap_adopted(pids: Iterable[int]) -> None:
    """Reap each of these processes that is a child of ours, once it has ended.

    To be called when their parent is gone and they are about to end. Where an init process has adopted them,
    this returns at once.
    """
    await asyncio.gather(*(_reap(pid) for pid in pids))


async def _reap(pid: int) -> None:
    with contextlib.suppress(ChildProcessError, ProcessLookupError):
        _look_at(pid)
        descriptor = os.pidfd_open(pid)
        try:
            await _readable(descriptor)
            _look_at(pid, and_reap=True)
        finally:
            os.close(descriptor)


def _look_at(pid: int, *, and_reap: bool = False) -> None:
    """Never waits. Raises ChildProcessError unless it is a child of ours."""
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | (0 if and_reap else os.WNOWAIT))


async def _readable(descriptor: int) -> None:
    """A process's descriptor is readable as soon as the process has ended."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(descriptor, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(descriptor)
