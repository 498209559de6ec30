"""A journal checked as a whole: the file, its schema, and every match in it."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from botd.journal import records as r
from botd.journal import rows
from botd.journal.check_match import Finding, check_match
from botd.journal.read_only import JournalReadError, open_as_is, open_read_only
from botd.journal.schema import SCHEMA_VERSION, migrate

_MOST_OF_SQLITE = 100
"""Messages of SQLite's own check."""
_FILE_PART = 0.2
"""The part of the time that the file takes; the rest is for matches."""
_STEPS_BETWEEN_CALLS = 500_000
_SQLITES_OWN = ("sqlite_stat1", "sqlite_stat4", "sqlite_sequence")

Progress = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class Checked:
    file: str
    schema: int
    """Version; 0 if it cannot be told."""
    matches: int
    games: int
    decisions: int
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """Nothing is wrong; notes do not count."""
        return all(finding.note for finding in self.findings)


def check(path: Path, progress: Progress = lambda done, what: None) -> Checked:
    """Check the file and everything in it.

    Raises JournalReadError for a file that cannot be opened at all or is no journal.
    """
    findings: list[Finding] = []
    with contextlib.ExitStack() as cleanup:
        try:
            connection = open_as_is(path, cleanup)
        except JournalReadError:
            connection = open_as_is(path, cleanup, even_cut_off=True)
            findings.append(
                Finding("the file is damaged: it is cut off, or what it says of its tables is spoilt")
            )
        schema = int(connection.execute("PRAGMA user_version").fetchone()[0])
        findings += _guarded(lambda: _check_pages(connection, progress))
        findings += _guarded(lambda: _check_schema(connection, schema))
        if schema < SCHEMA_VERSION:
            try:
                connection = open_read_only(path, cleanup)
            except JournalReadError as error:
                findings.append(Finding(f"its content cannot be checked: {error}"))
                return Checked(str(path), schema, 0, 0, 0, tuple(findings))
        rows.keep_any_text(connection)
        with _one_view(connection):
            findings += _guarded(lambda: _check_tables(connection))
        matches, games, decisions = 0, 0, 0
        try:
            keys = [
                row[0] for row in connection.execute("SELECT match FROM matches NOT INDEXED ORDER BY rowid")
            ]
        except sqlite3.Error as error:
            findings.append(Finding(f"table matches cannot be read: {error}"))
            keys = []
        now = time.time()
        for number, key in enumerate(keys):
            progress(_FILE_PART + (1 - _FILE_PART) * number / len(keys), "matches")
            if not isinstance(key, str):
                findings.append(Finding(f"matches: a row has the key {key!r}"))
                continue
            try:
                with _one_view(connection):
                    checked = check_match(connection, r.MatchKey(key), now)
            except sqlite3.Error as error:
                findings.append(Finding(f"cannot be read: {error}", key))
                continue
            matches += 1
            games += checked.games
            decisions += checked.decisions
            findings += checked.findings
    return Checked(str(path), schema, matches, games, decisions, tuple(findings))


@contextlib.contextmanager
def _one_view(connection: sqlite3.Connection) -> Iterator[None]:
    """Several questions about the file as it is now: the daemon may be writing."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _guarded(part: Callable[[], Iterator[Finding]]) -> list[Finding]:
    """What a part finds; that it cannot go on for the damage is a finding, too."""
    found: list[Finding] = []
    try:
        for finding in part():
            found.append(finding)  # those before an error count, too
    except sqlite3.Error as error:
        found.append(Finding(f"the file cannot be read on: {error}"))
    return found


def _check_pages(connection: sqlite3.Connection, progress: Progress) -> Iterator[Finding]:
    """SQLite's own check of pages, indexes and constraints."""
    progress(0.0, "the file")
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(_FILE_PART * (1 - 1 / (1 + done / 20)), "the file")

    connection.set_progress_handler(step, _STEPS_BETWEEN_CALLS)
    try:
        for (text,) in connection.execute(f"PRAGMA integrity_check({_MOST_OF_SQLITE})"):
            if text != "ok":
                for line in str(text).splitlines():
                    yield Finding(f"the file is damaged: {line}")
    finally:
        connection.set_progress_handler(None, 0)


def _check_schema(connection: sqlite3.Connection, version: int) -> Iterator[Finding]:
    """Tables, indexes and views as `migrate` makes them."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        if not 0 < version <= SCHEMA_VERSION:
            yield Finding(f"has schema version {version}, expected 1 to {SCHEMA_VERSION}")
            return
        migrate(model, version)
        expected = _objects(model)
    found = _objects(connection)
    for name, (kind, sql) in expected.items():
        if name not in found:
            yield Finding(f"{kind} {name} is missing")
        elif found[name] != (kind, sql):
            yield Finding(f"{kind} {name} is not as botd makes it")
    for name, (kind, _) in found.items():
        if name not in expected and name not in _SQLITES_OWN:
            yield Finding(f"{kind} {name} is not of botd", note=kind != "trigger")


def _objects(connection: sqlite3.Connection) -> dict[str, tuple[str, str]]:
    return {
        str(name): (str(kind), " ".join(str(sql).split()))
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master")
    }


def _check_tables(connection: sqlite3.Connection) -> Iterator[Finding]:
    """What belongs to no match, and numbers."""
    for table in rows.OF_A_MATCH:
        for match, number in connection.execute(
            f"SELECT match, count(*) FROM {table}"  # noqa: S608 - our own names
            " WHERE match NOT IN (SELECT match FROM matches) GROUP BY match"
        ):
            yield Finding(f"{number} rows of {table} are of a match that is not there", str(match))
    (last,) = connection.execute(
        "SELECT (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last_number')"
    ).fetchone()
    (highest,) = connection.execute("SELECT max(number) FROM matches").fetchone()
    if last is None:
        yield Finding("the last number of a match is not kept (meta)")
    elif isinstance(highest, int) and highest > last:
        yield Finding(f"a match has number {highest}, but {last} is said to be the last")
    for table, kind in (("ratings", rows.RatingRow), ("asked", rows.AskedRow)):
        for row in rows.read(connection, table, kind):
            if isinstance(row, str):
                yield Finding(row)
