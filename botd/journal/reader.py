"""The one read-only way into a journal, also while a daemon writes it.

    with JournalReader(Path("botd.sqlite3")) as journal:
        for summary in journal.matches(MatchQuery(opponent="anna", limit=10)):
            record = journal.record(summary.key)

A file of an older schema is read through a private copy; see `botd.journal.read_only`.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from botd.addresses import as_server
from botd.engine.types import EngineMode
from botd.journal import records as r
from botd.journal.match_record import GameRecord, Sitting, load_games, load_sittings
from botd.journal.read_only import JournalReadError, open_read_only, read_error
from botd.journal.store import parse_timestamp
from botd.printable import printable

__all__ = [
    "JournalReadError",
    "JournalReader",
    "MatchNotFoundError",
    "MatchQuery",
    "MatchRecord",
    "MatchSummary",
]

MATCH_STATES = ("playing", "suspended", "finished", "discarded")
_MOST = 2**63 - 1
LEAST_PREFIX = 4
"""Characters of a match's key that name it, if no other key begins so."""


class MatchNotFoundError(JournalReadError):
    """No match, or several, go by that name; one line that says so."""


@dataclass(frozen=True, slots=True)
class MatchQuery:
    """Which matches; None is any. Names are compared without regard to case."""

    server: str | None = None
    """`host:port`, or the host alone."""
    account: str | None = None
    opponent: str | None = None
    since: date | None = None
    until: date | None = None
    """First and last day (UTC) on which the match may have begun."""
    state: str | None = None
    """One of MATCH_STATES."""
    length: int | None = None
    """Points; 0 is unlimited."""
    limit: int | None = None
    """The newest so many."""
    before: int | None = None
    """Only matches whose number is smaller."""


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match in one row. Scores are (ours, theirs)."""

    number: int
    """Small and for people: 1, 2, 3, ... in the order in which the matches began."""
    key: r.MatchKey
    server: str
    account: str
    opponent: str
    length: int
    """Points; 0 is unlimited."""
    started_at: float
    ended_at: float | None
    """Of the last sitting; None while it is played (or after a kill)."""
    state: str
    """One of MATCH_STATES. A match that ran when the program was killed is still `playing`."""
    winner: r.Side | None
    score: tuple[int, int]
    games: int
    """Begun."""
    sittings: int
    seconds: float
    """Played, over all sittings: without the time in which the match was suspended."""
    moves: int
    """Decisions of ours."""
    mode: EngineMode | None
    level: str | None
    """That of the first and the last decision; None where they differ (or, of the level, there is none)."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """All that the journal knows of a match."""

    summary: MatchSummary
    crawford: bool
    jacoby: bool
    first_score: tuple[int, int]
    """When the journal first saw the match; other than 0-0 if it had begun before."""
    sittings: tuple[Sitting, ...]
    games: tuple[GameRecord, ...]


class JournalReader:
    """A journal opened for reading. One thread at a time may use it, any thread."""

    def __init__(self, path: Path | str) -> None:
        """Raises JournalReadError for a file that is absent, foreign, damaged or from a newer program."""
        self.path = Path(path)
        with contextlib.ExitStack() as cleanup:
            self.connection = open_read_only(self.path, cleanup)
            """Read-only, for `load_history`, `json_lines` and questions of one's own."""
            self._cleanup = cleanup.pop_all()

    def close(self) -> None:
        self._cleanup.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The file as it is now, for several questions that belong together.

        What SQLite or the content of a row has against it becomes a JournalReadError.
        """
        try:
            if self.connection.in_transaction:
                yield self.connection
                return
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
        except (sqlite3.Error, ValueError, TypeError, OverflowError, msgspec.MsgspecError) as error:
            raise read_error(self.path, error) from error

    def matches(self, query: MatchQuery = MatchQuery()) -> list[MatchSummary]:
        """The matches asked for, newest last."""
        where, values = _conditions(query)
        limit = _storable(-1 if query.limit is None else query.limit)
        with self.reading() as connection:
            rows = connection.execute(
                f"{_SUMMARY} WHERE {where} ORDER BY number DESC LIMIT ?",
                (*values, limit),
            ).fetchall()
            return [self._summary(row) for row in reversed(rows)]

    def find(self, name: str) -> MatchSummary:
        """The match of a number, a key or its beginning (LEAST_PREFIX characters or more), `last`, or
        `last-2` for the second before the last. Raises MatchNotFoundError."""
        text = str(_storable(name.strip().removeprefix("#")))
        with self.reading() as connection:
            for sql, values in _names(text):
                rows = connection.execute(f"{_SUMMARY} WHERE {sql}", values).fetchmany(4)
                if len(rows) == 1:
                    return self._summary(rows[0])
                if rows:
                    keys = ", ".join(printable(row[1]) for row in rows[:3])
                    raise MatchNotFoundError(
                        f"match {text[:60]!r}: several begin so ({keys}{', ...' if len(rows) > 3 else ''})"
                    )
            known = connection.execute("SELECT count(*) FROM matches").fetchone()[0]
        raise MatchNotFoundError(
            f"match {text[:60]!r}: not in {printable(self.path)}; expected a number, the first "
            f"{LEAST_PREFIX} or more characters of a match's name,"
            f" last or last-2 (`botd matches` lists the {known} there are)"
        )

    def record(self, match: r.MatchKey) -> MatchRecord:
        """Everything about a match. Raises MatchNotFoundError."""
        with self.reading() as connection:
            row = connection.execute(f"{_SUMMARY} WHERE match = ?", (match,)).fetchone()
            if row is None:
                raise MatchNotFoundError(f"match {match[:60]!r}: not in {printable(self.path)}")
            crawford, jacoby, ours, theirs = connection.execute(
                "SELECT crawford, jacoby, first_score_us, first_score_opponent FROM matches WHERE match = ?",
                (match,),
            ).fetchone()
            sittings = load_sittings(connection, match)
            return MatchRecord(
                summary=self._summary(row),
                crawford=bool(crawford),
                jacoby=bool(jacoby),
                first_score=(int(ours), int(theirs)),
                sittings=sittings,
                games=load_games(connection, match, sittings),
            )

    def _summary(self, row: tuple[Any, ...]) -> MatchSummary:
        (number, key, server, account, opponent, length, began, ended, state, winner) = row[:10]
        (ours, theirs, games, sittings, seconds, moves, first_mode, last_mode, first_level, last_level) = row[
            10:
        ]
        return msgspec.convert(
            {
                "number": number,
                "key": key,
                "server": server,
                "account": account,
                "opponent": opponent,
                "length": length,
                "started_at": parse_timestamp(began),
                "ended_at": None if ended is None or state == "playing" else parse_timestamp(ended),
                "state": state,
                "winner": winner,
                "score": (ours, theirs),
                "games": games,
                "sittings": sittings,
                "seconds": seconds,
                "moves": moves,
                "mode": first_mode if first_mode == last_mode else None,
                "level": first_level if first_level == last_level else None,
            },
            MatchSummary,
        )


def _one_decision(column: str, order: str) -> str:
    return (
        f"(SELECT {column} FROM decisions d WHERE d.match = m.match"  # noqa: S608 - our own text
        f" ORDER BY game {order}, seq {order} LIMIT 1)"
    )


_LEVEL = "json_extract(settings, '$.level')"
_LAST_EVENT = " UNION ALL ".join(
    f"SELECT max(at) AS at FROM {table} WHERE match = m.match"  # noqa: S608 - our own names
    for table in ("rolls", "moves", "cube_actions", "resignations", "decisions")
)
_SECONDS = (
    "(SELECT coalesce(sum(max(0, (julianday(coalesce(s.ended_at,"  # noqa: S608 - our own text
    f" (SELECT max(at) FROM ({_LAST_EVENT})), s.started_at)) - julianday(s.started_at)) * 86400.0)), 0.0)"
    " FROM sittings s WHERE s.match = m.match)"
)
_SUMMARY = (
    "SELECT number, match, server, account, opponent, length, started_at, ended_at, state, winner, score_us,"  # noqa: S608 - our own text
    " score_opponent,"
    " (SELECT count(*) FROM games g WHERE g.match = m.match),"
    " (SELECT count(*) FROM sittings s WHERE s.match = m.match),"
    f" {_SECONDS},"
    " (SELECT count(*) FROM decisions d WHERE d.match = m.match),"
    f" {_one_decision('mode', 'ASC')}, {_one_decision('mode', 'DESC')},"
    f" {_one_decision(_LEVEL, 'ASC')}, {_one_decision(_LEVEL, 'DESC')}"
    " FROM matches m"
)


def _conditions(query: MatchQuery) -> tuple[str, tuple[object, ...]]:
    given: list[tuple[str, tuple[object, ...]]] = []
    if query.server is not None:
        given.append(
            (
                "(server = ? COLLATE NOCASE OR substr(server, 1, ?) = ? COLLATE NOCASE)",
                (server := as_server(query.server), len(server) + 1, f"{server}:"),
            )
        )
    for column, name in (("account", query.account), ("opponent", query.opponent)):
        if name is not None:
            given.append((f"{column} = ? COLLATE NOCASE", (name,)))
    if query.since is not None:
        given.append(("started_at >= ?", (query.since.isoformat(),)))
    if query.until is not None and query.until < date.max:
        given.append(("started_at < ?", ((query.until + timedelta(days=1)).isoformat(),)))
    if query.state is not None:
        given.append(("state = ?", (query.state,)))
    if query.length is not None:
        given.append(("length = ?", (query.length,)))
    if query.before is not None:
        given.append(("number < ?", (query.before,)))
    where = " AND ".join(text for text, _ in given) or "1"
    return where, tuple(_storable(value) for _, values in given for value in values)


def _storable(value: object) -> object:
    """The nearest value that SQLite can be asked for: what it cannot hold is in no file."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return max(-_MOST, min(value, _MOST)) if isinstance(value, int) else value


def _names(text: str) -> Iterator[tuple[str, tuple[object, ...]]]:
    """What a name may mean, as SQL conditions, the likeliest first."""
    if (last := re.fullmatch(r"last(?:-([0-9]{1,9}))?", text)) is not None:
        back = int(last[1] or 0)
        yield "match = (SELECT match FROM matches ORDER BY number DESC LIMIT 1 OFFSET ?)", (back,)
        return
    if text.isascii() and text.isdigit() and len(text) < 10:
        yield "number = ?", (int(text),)
    yield "match = ?", (text,)
    if len(text) >= LEAST_PREFIX:
        yield "substr(match, 1, ?) = ?", (len(text), text)
