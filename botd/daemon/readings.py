"""Brings up to date, whenever the metrics are read, what nobody reports when it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from botd.daemon.fleet import Fleet
from botd.daemon.happenings import Happenings
from botd.journal import Journal
from botd.metrics.registry import Metrics

SIZE_INTERVAL_S = 15.0
"""Between two looks at the size of the journal."""


class Readings:
    """What a reading of the metrics asks for; cheap, and never waits."""

    def __init__(self, metrics: Metrics, fleet: Fleet, journal: Journal, happenings: Happenings) -> None:
        self._metrics = metrics
        self._fleet = fleet
        self._journal = journal
        self._happenings = happenings

    def take(self) -> None:
        """Once for each reading."""
        self._metrics.set_accounts(
            (seat.account.server, seat.account.name, seat.state) for seat in self._fleet.seats
        )
        self._metrics.journal(self._journal.status())
        self._metrics.display_dropped(self._happenings.dropped)


async def watch_journal_size(
    path: Path, report: Callable[[int], None], interval_s: float = SIZE_INTERVAL_S
) -> NoReturn:
    """Report the size of the journal's files for ever; the disk may be slow, so a thread looks."""
    while True:
        report(await asyncio.to_thread(_size, path))
        await asyncio.sleep(interval_s)


def _size(path: Path) -> int:
    total = 0
    for suffix in ("", "-wal"):
        try:
            total += path.with_name(path.name + suffix).stat().st_size
        except OSError:  # there is none, or not yet
            continue
    return total
