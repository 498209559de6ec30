"""Retention while the daemon runs: small steps in the journal's thread, whenever no record waits."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import structlog

from botd.journal import retention
from botd.journal.store import timestamp
from botd.journal.transaction import transaction

FIRST_AFTER = 60.0
"""Seconds after the start, when accounts have logged in."""
EVERY = 3600.0
BETWEEN_STEPS = 0.05
"""Seconds: other work of this machine comes first."""
_DAY = 86_400.0
_PAGES_A_STEP = 256
_SPARE_PAGES = 256
"""Unused pages left in the file for the records to come."""
_CLOCK_MAY_DRIFT = 3600.0
_INCREMENTAL = 2
_THINNED_BEFORE = "candidates_dropped_before"

log = structlog.get_logger("botd.journal")


@dataclass(frozen=True, slots=True)
class Retention:
    """How long to keep what; 0 is for ever."""

    matches_days: float = 0.0
    candidates_days: float = 0.0
    vacuum: bool = True
    """Give the room that became free back to the file system."""


class Housekeeper:
    """One for a journal, for its thread alone (the counters aside, which anybody may read)."""

    def __init__(
        self,
        rules: Retention,
        *,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        first_after: float = FIRST_AFTER,
    ) -> None:
        self._rules = rules
        self._wall = wall
        self._steady = steady
        self._offset = wall() - steady()
        self._due = steady() + first_after
        self._work: Iterator[None] | None = None
        self._told_clock = self._told_vacuum = False
        self.matches_removed = 0
        self.decisions_thinned = 0

    @property
    def wait(self) -> float:
        """Seconds until the next step is due."""
        return max(0.0, self._due - self._steady())

    def step(self, connection: sqlite3.Connection) -> None:
        """Do a little: remove one match, say. Trouble is logged and put off, never raised."""
        if self._work is None:
            self._work = self._round(connection)
        try:
            next(self._work)
            self._due = self._steady() + BETWEEN_STEPS
        except StopIteration:
            self._rest()
        except sqlite3.Error as error:
            log.warning("journal_housekeeping_failed", error=str(error))
            self._rest()

    def _rest(self) -> None:
        self._work = None
        self._due = self._steady() + EVERY

    def _round(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Everything there is to do now; yields after each step."""
        removed, thinned, given_back = 0, 0, 0
        now = self._present(connection)
        if now is not None and self._rules.matches_days:
            before = timestamp(now - self._rules.matches_days * _DAY)
            for match in retention.old_matches(connection, before):
                with transaction(connection):
                    retention.remove_match(connection, match)
                removed += 1
                self.matches_removed += 1
                yield
        if now is not None and self._rules.candidates_days:
            before = timestamp(now - self._rules.candidates_days * _DAY)
            for match in retention.matches_with_candidates(connection, before, _thinned_before(connection)):
                with transaction(connection):
                    number = retention.drop_candidates(connection, match)
                thinned += number
                self.decisions_thinned += number
                yield
            with transaction(connection):
                connection.execute(
                    "INSERT INTO meta (key, value) VALUES (?, ?)"
                    " ON CONFLICT DO UPDATE SET value = max(value, excluded.value)",
                    (_THINNED_BEFORE, before),
                )
            yield
        if self._rules.vacuum and (self._rules.matches_days or self._rules.candidates_days):
            for pages in self._give_back(connection):
                given_back += pages
                yield
        if removed or thinned or given_back:
            size, unused = retention.file_bytes(connection)
            log.info(
                "journal_pruned",
                matches=removed,
                decisions_without_candidates=thinned,
                pages_given_back=given_back,
                bytes=size,
                unused_bytes=unused,
            )

    def _give_back(self, connection: sqlite3.Connection) -> Iterator[int]:
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        if free <= 2 * _SPARE_PAGES:
            return
        if connection.execute("PRAGMA auto_vacuum").fetchone() != (_INCREMENTAL,):
            if not self._told_vacuum:
                self._told_vacuum = True
                log.info(
                    "journal_cannot_shrink",
                    unused_pages=free,
                    hint="the file is from before botd could; new records use the room, or stop botd and"
                    " run `botd prune` once",
                )
            return
        while free > _SPARE_PAGES:
            pages = min(_PAGES_A_STEP, free - _SPARE_PAGES)
            connection.execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
            (left,) = connection.execute("PRAGMA freelist_count").fetchone()
            if left >= free:
                return
            yield free - left
            free = left

    def _present(self, connection: sqlite3.Connection) -> float | None:
        """From when age counts: the newest match, so that nothing is forgotten while nobody plays.

        None while the clock cannot be trusted: one that has jumped ahead would make everything old.
        """
        if self._wall() - self._steady() - self._offset > _CLOCK_MAY_DRIFT:
            if not self._told_clock:
                self._told_clock = True
                log.warning(
                    "journal_keeps_everything",
                    reason="the clock has jumped ahead since botd was started",
                    hint="if the clock is right now, restart botd",
                )
            return None
        (age,) = connection.execute(
            "SELECT (julianday(?) - julianday(max(started_at))) * 86400 FROM matches",
            (timestamp(self._wall()),),
        ).fetchone()
        return None if age is None else self._wall() - max(0.0, float(age))


def _thinned_before(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_THINNED_BEFORE,)).fetchone()
    return "" if row is None else str(row[0])
