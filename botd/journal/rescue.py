"""What can still be read of a damaged journal, copied into a new one.

Tables are read along their rows; where a page is damaged the rows behind it are found by their numbers. Rows
that belong to a match that is lost are left out. A game of which something is missing gets a gap there, so
that nothing is told of it that is not known.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from botd.journal import rows
from botd.journal.history import consistent_prefix, game_events
from botd.journal.read_only import open_as_is
from botd.journal.records import GameKey, MatchKey
from botd.journal.retention import FORGOTTEN
from botd.journal.schema import SCHEMA_VERSION, migrate
from botd.journal.transaction import transaction

_REASON = "lost in a damaged file"
_MOST_ROW_ID = 2**62
_ATTEMPTS = 200_000
"""To find rows behind damaged pages, for each table."""
_COPYING = 0.9
"""The part of the time that copying takes."""
_TABLES = ("matches", *rows.OF_A_MATCH, "ratings", "asked", "meta")


class RescueError(Exception):
    """Nothing can be rescued; one line that says why."""


@dataclass(slots=True)
class Rescued:
    file: str
    rows: dict[str, int] = field(default_factory=dict)
    """Copied, by table."""
    damaged: list[str] = field(default_factory=list)
    """Tables of which something could not be read."""
    left_out: int = 0
    """Rows that do not fit: of a match that is lost, or twice there."""
    gaps: int = 0
    """Games that have got a gap."""


def rescue(path: Path, to: Path, progress: Callable[[float, str], None] = lambda done, what: None) -> Rescued:
    """Copy what can be read to the new file `to`. Raises RescueError and JournalReadError."""
    try:
        os.close(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise RescueError(f"{to}: cannot be made: {error.strerror}") from error
    try:
        with contextlib.ExitStack() as cleanup:
            source = open_as_is(path, cleanup, even_cut_off=True)
            rows.keep_any_text(source)
            target = cleanup.enter_context(contextlib.closing(sqlite3.connect(to, isolation_level=None)))
            result = _copy(source, target, progress)
            progress(_COPYING, "gaps")
            migrate(target)
            _mend(target, result)
    except BaseException as error:
        to.unlink()
        if isinstance(error, sqlite3.Error):
            raise RescueError(f"{to}: cannot be written: {error}") from error
        raise
    result.file = str(to)
    return result


def _copy(
    source: sqlite3.Connection, target: sqlite3.Connection, progress: Callable[[float, str], None]
) -> Rescued:
    (version,) = source.execute("PRAGMA user_version").fetchone()
    version = version if 0 < version <= SCHEMA_VERSION else SCHEMA_VERSION
    target.execute("PRAGMA auto_vacuum = INCREMENTAL")
    migrate(target, version)
    result = Rescued("")
    with transaction(target):
        if "meta" in {row[0] for row in target.execute("SELECT name FROM sqlite_master")}:
            target.execute("DELETE FROM meta")
        for number, table in enumerate(_TABLES):
            progress(_COPYING * number / len(_TABLES), table)
            columns = _columns(target, table)
            if not columns:
                continue  # of a later version
            result.rows[table] = 0
            reading = _Reading(source, table, [name for name in columns if name in _columns(source, table)])
            insert = (
                f"INSERT OR IGNORE INTO {table} (rowid, {', '.join(reading.columns)})"  # noqa: S608 - our own names
                f" VALUES ({', '.join('?' * (1 + len(reading.columns)))})"
            )
            for row in reading.rows():
                done = target.execute(insert, row).rowcount
                result.rows[table] += done
                result.left_out += 1 - done
            if reading.damaged:
                result.damaged.append(table)
        for table in rows.OF_A_MATCH:
            lost = target.execute(
                f"DELETE FROM {table} WHERE match NOT IN (SELECT match FROM matches)"  # noqa: S608 - our own names
            ).rowcount
            result.rows[table] -= lost
            result.left_out += lost
    return result


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


class _Reading:
    """The rows of a table, each with its rowid first, as far as they can be read."""

    def __init__(self, connection: sqlite3.Connection, table: str, columns: list[str]) -> None:
        self.columns = columns
        self.damaged = False
        self._connection = connection
        self._sql = f"SELECT rowid, {', '.join(columns)} FROM {table} NOT INDEXED"  # noqa: S608 - our own names
        self._attempts = 0

    def rows(self) -> Iterator[tuple[object, ...]]:
        if self.columns:
            yield from self._between(0, self._last() or _MOST_ROW_ID)

    def _last(self) -> int | None:
        try:
            row = self._connection.execute(f"{self._sql} ORDER BY rowid DESC LIMIT 1").fetchone()
        except sqlite3.Error:
            return None
        return None if row is None else int(row[0])

    def _between(self, first: int, last: int) -> Iterator[tuple[object, ...]]:
        """Rows with these numbers, in order; a range that stops at a damaged page is read from both ends of
        its halves, down to single rows."""
        todo = [(first, last)]
        while todo:
            low, high = todo.pop()
            if low > high:
                continue
            self._attempts += 1
            if self._attempts > _ATTEMPTS:
                self.damaged = True
                return
            try:
                for row in self._connection.execute(
                    f"{self._sql} WHERE rowid BETWEEN ? AND ? ORDER BY rowid", (low, high)
                ):
                    low = int(row[0]) + 1
                    if any(isinstance(value, str) and not rows.is_text(value) for value in row):
                        self.damaged = True  # a page of a long row
                        continue
                    yield row
            except sqlite3.Error:
                self.damaged = True
                if low < high:
                    middle = (low + high) // 2
                    todo += [(middle + 1, high), (low, middle)]


def _mend(connection: sqlite3.Connection, result: Rescued) -> None:
    """Say where something is missing."""
    with transaction(connection):
        connection.execute(
            "INSERT INTO meta (key, value) SELECT 'last_number', coalesce(max(number), 0) FROM matches"
            " WHERE true ON CONFLICT DO UPDATE"
            " SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))"
        )
        for column in ("candidates", "settings"):
            connection.execute(
                f"UPDATE decisions SET {column} = ? WHERE NOT json_valid({column})",  # noqa: S608 - our own names
                (FORGOTTEN,),
            )
        games = connection.execute("SELECT match, game, gap_seq FROM games").fetchall()
        for match, number, gap in games:
            missing = _first_missing(connection, GameKey(MatchKey(match), number), gap)
            if missing is not None:
                result.gaps += 1
                connection.execute(
                    "UPDATE games SET complete = 0, gap = coalesce(gap || '; ', '') || ?, gap_seq = ?"
                    " WHERE match = ? AND game = ?",
                    (_REASON, missing, match, number),
                )


def _first_missing(connection: sqlite3.Connection, game: GameKey, gap: int | None) -> int | None:
    """The first seq before the gap that is not there or does not follow; None if all is well."""
    seqs = sorted(
        row[0]
        for table in rows.EVENTS
        for row in connection.execute(
            f"SELECT seq FROM {table} WHERE match = ? AND game = ?",  # noqa: S608 - our own names
            (game.match, game.number),
        )
    )
    sound = 1
    for seq in seqs:
        if seq != sound:
            break
        sound += 1
    broken = sound if seqs and sound <= seqs[-1] else None
    try:
        events = [event for event in game_events(connection, game) if broken is None or event[0] < broken]
    except ValueError:
        return 0
    whole = consistent_prefix([event for _, event in events])
    if whole < len(events):
        broken = events[whole][0]
    return None if broken is None or (gap is not None and gap <= broken) else broken
