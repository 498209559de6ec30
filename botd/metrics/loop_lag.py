"""Measures how late the event loop is: the first sign that something blocks it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NoReturn

INTERVAL_S = 0.1
MAX_CATCH_UP = 1000
"""Reports after one long stop, such as that of a debugger."""


async def watch_loop_lag(report: Callable[[float], None], interval_s: float = INTERVAL_S) -> NoReturn:
    """Report every `interval_s` by how many seconds a timer due then was late. Runs until cancelled.

    If the loop stands still for several intervals, each timer that would have fallen due meanwhile is
    reported with its own lateness. One report for the whole stop would hide most of it in the quantiles.
    """
    loop = asyncio.get_running_loop()
    due = loop.time() + interval_s
    while True:
        await asyncio.sleep(due - loop.time())
        now = loop.time()
        due = max(due, now - MAX_CATCH_UP * interval_s)
        while due <= now:
            report(now - due)
            due += interval_s
