"""Measures how late the event loop is: the first sign that something blocks it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NoReturn

INTERVAL_S = 0.5


async def watch_loop_lag(report: Callable[[float], None], interval_s: float = INTERVAL_S) -> NoReturn:
    """Sleep again and again and report how many seconds too late each sleep ended. Runs until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + interval_s
        await asyncio.sleep(interval_s)
        report(max(0.0, loop.time() - due))
