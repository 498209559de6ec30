"""What a journal forgets: old matches as a whole, or sooner what was considered in old decisions.

Only matches that are over (`finished`, `discarded`) ever are old; those that run or may be resumed stay, and
so do ratings. Match files (`.mat`) are never touched. The caller owns the transaction.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from botd.journal.records import MatchKey

FORGOTTEN = "{}"
"""In `decisions.candidates` where they have been dropped."""
_OVER = "state IN ('finished', 'discarded') AND coalesce(ended_at, started_at)"
_TABLES = (
    *("rolls", "moves", "cube_actions", "resignations", "decisions"),
    *("scores", "games", "sittings", "matches"),
)


@dataclass(frozen=True, slots=True)
class Amount:
    """What a retention rule would remove, or has removed."""

    matches: int = 0
    decisions: int = 0
    """That lost their candidates, those of removed matches aside."""


def old_matches(connection: sqlite3.Connection, before: str) -> list[MatchKey]:
    """Matches over before that time (as the tables write times), the oldest first. Raises sqlite3.Error."""
    rows = connection.execute(
        f"SELECT match FROM matches WHERE {_OVER} < ? ORDER BY coalesce(ended_at, started_at)",  # noqa: S608 - our own text
        (before,),
    )
    return [row[0] for row in rows]


def remove_match(connection: sqlite3.Connection, match: MatchKey) -> None:
    """All rows of a match. Its number is not given again."""
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table} WHERE match = ?", (match,))  # noqa: S608 - our own names


def matches_with_candidates(connection: sqlite3.Connection, before: str, since: str = "") -> list[MatchKey]:
    """Matches over before that time whose decisions still have candidates, the oldest first.

    Those over before `since` are known to have none, but for discarded ones: they may have become so later.
    """
    rows = connection.execute(
        f"SELECT match FROM matches AS m WHERE {_OVER} < ?"  # noqa: S608 - our own text
        " AND (coalesce(ended_at, started_at) >= ? OR state = 'discarded')"
        " AND EXISTS (SELECT 1 FROM decisions AS d WHERE d.match = m.match AND d.candidates <> ?)"
        " ORDER BY coalesce(ended_at, started_at)",
        (before, since, FORGOTTEN),
    )
    return [row[0] for row in rows]


def drop_candidates(connection: sqlite3.Connection, match: MatchKey) -> int:
    """Forget what was considered in a match's decisions; the number of decisions that lost something."""
    return connection.execute(
        "UPDATE decisions SET candidates = ? WHERE match = ? AND candidates <> ?",
        (FORGOTTEN, match, FORGOTTEN),
    ).rowcount


def would_remove(
    connection: sqlite3.Connection, matches_before: str | None, candidates_before: str | None
) -> Amount:
    """What `old_matches` and `matches_with_candidates` of these times come to; None is no limit."""
    old = set() if matches_before is None else set(old_matches(connection, matches_before))
    decisions = 0
    if candidates_before is not None:
        for match in matches_with_candidates(connection, candidates_before):
            if match not in old:
                decisions += connection.execute(
                    "SELECT count(*) FROM decisions WHERE match = ? AND candidates <> ?", (match, FORGOTTEN)
                ).fetchone()[0]
    return Amount(len(old), decisions)


def file_bytes(connection: sqlite3.Connection) -> tuple[int, int]:
    """Size of the database, and how much of that is unused."""
    (page,) = connection.execute("PRAGMA page_size").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    return page * pages, page * free
