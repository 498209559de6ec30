"""Retention by hand, on a journal that no daemon has open: all at once, and the file is made small."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from botd.journal import retention
from botd.journal.opening import open_file
from botd.journal.schema import SchemaError
from botd.journal.store import timestamp
from botd.journal.transaction import transaction
from botd.printable import printable

_DAY = 86_400.0
_REMOVING = 0.8
"""The part of the time that this takes; the rest is the vacuum."""


class PruneError(Exception):
    """It cannot be done, or not in full; one line that says why. What was removed until then is removed."""


@dataclass(frozen=True, slots=True)
class Pruned:
    matches: int
    decisions: int
    """That lost their candidates, those of removed matches aside."""
    bytes_before: int
    bytes_after: int


def preview(connection: sqlite3.Connection, days: float | None, decisions_days: float | None) -> Pruned:
    """What `prune` would do; None is no limit. The size afterwards is not known. Raises sqlite3.Error."""
    amount = retention.would_remove(connection, _before(days), _before(decisions_days))
    size, _ = retention.file_bytes(connection)
    return Pruned(amount.matches, amount.decisions, size, size)


def prune(
    path: Path,
    days: float | None,
    decisions_days: float | None,
    *,
    vacuum: bool = True,
    progress: Callable[[float, str], None] = lambda done, what: None,
) -> Pruned:
    """Remove matches over for so many days, and the candidates of decisions of matches over for so many.

    The caller holds the lock of the journal. Raises PruneError.
    """
    try:
        with closing(open_file(path, busy_timeout=5.0)) as connection:
            return _prune(connection, _before(days), _before(decisions_days), vacuum, progress)
    except SchemaError as error:
        raise PruneError(f"journal {printable(path)} {error}") from error
    except sqlite3.Error as error:
        raise PruneError(f"journal {printable(path)}: {error}") from error


def _prune(
    connection: sqlite3.Connection,
    before: str | None,
    candidates_before: str | None,
    vacuum: bool,
    progress: Callable[[float, str], None],
) -> Pruned:
    size, _ = retention.file_bytes(connection)
    old = [] if before is None else retention.old_matches(connection, before)
    thick = (
        []
        if candidates_before is None
        else sorted(set(retention.matches_with_candidates(connection, candidates_before)) - set(old))
    )
    steps = max(1, len(old) + len(thick))
    decisions = 0
    for number, match in enumerate(old):
        with transaction(connection):
            retention.remove_match(connection, match)
        progress(_REMOVING * number / steps, "removing matches")
    for number, match in enumerate(thick, len(old)):
        with transaction(connection):
            decisions += retention.drop_candidates(connection, match)
        progress(_REMOVING * number / steps, "removing candidates")
    if vacuum:
        progress(_REMOVING, "making the file small")
        connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return Pruned(len(old), decisions, size, retention.file_bytes(connection)[0])


def _before(days: float | None) -> str | None:
    return None if days is None else timestamp(time.time() - days * _DAY)
