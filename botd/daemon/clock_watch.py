"""Notices that the system's clock was set, or that the machine was asleep.

Nothing in the daemon depends on the wall clock but the times it writes down: whatever waits or lasts goes by
the steady clock, which nobody can set. So a jump costs nothing; but records then have odd times, and whoever
reads them should know why.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import NoReturn

import structlog

INTERVAL_S = 1.0
LEAST_JUMP_S = 1.0
"""What keeps clocks right makes smaller steps, or none."""
LEAST_SLEEP_S = 1.0

log = structlog.get_logger("botd.daemon")


class ClockWatch:
    """Compares three clocks: one that people set (`wall`), one that nobody can set (`steady`), and one that
    goes on while the machine sleeps as well (`boot`). All give seconds."""

    def __init__(
        self,
        jumped: Callable[[float], None],
        *,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        boot: Callable[[], float] = lambda: time.clock_gettime(time.CLOCK_BOOTTIME),
    ) -> None:
        """`jumped` is told by how many seconds the clock was set, forward or (negative) backward."""
        self._jumped = jumped
        self._clocks = wall, steady, boot
        self._wall, self._steady, self._boot = (clock() for clock in self._clocks)

    def look(self) -> None:
        """Log what has happened since the last look, once."""
        wall, steady, boot = (clock() for clock in self._clocks)
        passed = steady - self._steady
        slept = (boot - self._boot) - passed
        jump = (wall - self._wall) - passed - max(0.0, slept)
        self._wall, self._steady, self._boot = wall, steady, boot
        if slept >= LEAST_SLEEP_S:
            log.warning("machine_was_asleep", seconds=round(slept, 1))
        if abs(jump) >= LEAST_JUMP_S:
            log.warning(
                "clock_jumped",
                seconds=round(jump, 3),
                hint="times of records are by the new clock; waits and durations do not depend on it",
            )
            self._jumped(jump)

    async def run(self, interval_s: float = INTERVAL_S) -> NoReturn:
        """Look again and again until cancelled."""
        while True:
            await asyncio.sleep(interval_s)
            self.look()
