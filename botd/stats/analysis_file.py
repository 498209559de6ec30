"""The side file of analyses, `JOURNAL.analysis.sqlite3`: what an engine thinks of the games of a journal.

It lies beside the journal because only the daemon writes a journal. It can be deleted at any time; what it
held is computed again. Judgements are kept by engine (evaluator, weights, mode, ply, version), so that
figures of different engines never mix.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from botd.engine.types import EngineInfo
from botd.journal import records as r
from botd.journal.transaction import transaction
from botd.printable import printable
from botd.stats.judging import Judged, JudgedKind

_APPLICATION_ID = 0x62746461  # "btda"
_VERSION = 1
_BUSY_TIMEOUT = 10.0
_TABLES = (
    """
CREATE TABLE engines (
    id             INTEGER PRIMARY KEY,
    version        TEXT NOT NULL,
    evaluator      TEXT NOT NULL,
    weights_sha256 TEXT NOT NULL,
    mode           TEXT NOT NULL,
    met            TEXT NOT NULL,
    ply            INTEGER NOT NULL,
    UNIQUE (version, evaluator, weights_sha256, mode, met, ply)
)""",
    """
CREATE TABLE games (
    engine   INTEGER NOT NULL,
    match    TEXT NOT NULL,
    game     INTEGER NOT NULL,
    judged   INTEGER NOT NULL,      -- events judged so far, from the first on
    sound    INTEGER NOT NULL,      -- events that follow one from another, from the first on
    recorded INTEGER NOT NULL,      -- events in the journal
    reason   TEXT,                  -- why the engine cannot judge such a game; NULL: it can
    PRIMARY KEY (engine, match, game)
) WITHOUT ROWID""",
    """
CREATE TABLE judged (
    engine  INTEGER NOT NULL,
    match   TEXT NOT NULL,
    game    INTEGER NOT NULL,
    event   INTEGER NOT NULL,       -- index of the event in the game
    kind    TEXT NOT NULL,          -- roll, play, no_double, double, take, pass
    side    TEXT NOT NULL,
    value   REAL NOT NULL,          -- luck of a roll; what a decision lost, 0 or negative; normalised equity
    stake   REAL NOT NULL,          -- points, or part of the match, that an equity of 1 was worth
    counted INTEGER NOT NULL,       -- a decision that error rates count
    PRIMARY KEY (engine, match, game, event, kind)
) WITHOUT ROWID""",
)


_UNWRITABLE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}


class AnalysisFileError(Exception):
    """The side file cannot be used; one line that names it."""

    unwritable = False
    """It, or its folder, is not ours to write into."""


@dataclass(frozen=True, slots=True)
class EngineId:
    """What a judgement depends on."""

    version: str
    evaluator: str
    weights_sha256: str
    mode: str
    met: str
    ply: int

    @classmethod
    def of(cls, info: EngineInfo, ply: int) -> EngineId:
        return cls(info.version, info.evaluator, info.weights_sha256, info.mode.value, info.met, ply)


@dataclass(frozen=True, slots=True)
class GameState:
    """How far the judging of a game has come. Numbers of events, from the first on."""

    judged: int
    sound: int
    """That follow one from another, as far as they were judged or will be."""
    recorded: int
    """In the journal when the game was looked at."""
    reason: str | None = None
    """Why the engine cannot judge such a game; None: it can."""

    @property
    def done(self) -> bool:
        return self.reason is not None or self.judged == self.sound

    @property
    def whole(self) -> bool:
        """Judged to its last recorded event."""
        return self.reason is None and self.judged == self.recorded


def analysis_path(journal: Path) -> Path:
    """Where the analyses of a journal lie."""
    return journal.with_name(f"{journal.name}.analysis.sqlite3")


class AnalysisFile:
    """The judgements of one engine. Use it from one thread; several processes may have the file open."""

    def __init__(self, path: Path | None, engine: EngineId) -> None:
        """Open or create the file; None keeps everything in memory. Raises AnalysisFileError."""
        self._path = path
        self._name = "analyses in memory" if path is None else f"analysis file {printable(path)}"
        with self._errors():
            self._connection = sqlite3.connect(
                ":memory:" if path is None else path, timeout=_BUSY_TIMEOUT, isolation_level=None
            )
            try:
                self._prepare()
                self._engine = self._engine_row(engine)
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def states(self, match: r.MatchKey) -> dict[int, GameState]:
        """How far the judging of each game has come."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT game, judged, sound, recorded, reason FROM games WHERE engine = ? AND match = ?",
                (self._engine, match),
            )
            return {game: GameState(*state) for game, *state in rows}

    def add(self, game: r.GameKey, state: GameState, judged: Iterable[Judged]) -> None:
        """More judgements of a game, and how far it is judged with them. All is written, or nothing."""
        key = (self._engine, game.match, game.number)
        with self._errors(), transaction(self._connection):
            self._connection.executemany(
                "INSERT OR REPLACE INTO judged VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((*key, j.event, j.kind, j.side, j.value, j.stake, j.counted) for j in judged),
            )
            self._connection.execute(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " judged = excluded.judged, sound = excluded.sound, recorded = excluded.recorded,"
                " reason = coalesce(reason, excluded.reason)",
                (*key, *astuple(state)),
            )

    def reasons(self, matches: Iterable[r.MatchKey]) -> dict[str, int]:
        """Why games of these matches cannot be judged, and how many."""
        counted: dict[str, int] = {}
        for match in matches:
            for state in self.states(match).values():
                if state.reason is not None:
                    counted[state.reason] = counted.get(state.reason, 0) + 1
        return counted

    def judged(self, match: r.MatchKey) -> list[tuple[int, Judged]]:
        """All judgements of a match, each with the number of its game, in order."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT game, event, kind, side, value, stake, counted FROM judged"
                " WHERE engine = ? AND match = ? ORDER BY game, event, kind",
                (self._engine, match),
            )
            return [
                (game, Judged(event, JudgedKind(kind), r.Side(side), value, stake, bool(counted)))
                for game, event, kind, side, value, stake, counted in rows
            ]

    def _prepare(self) -> None:
        connection = self._connection
        with transaction(connection):
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if not empty and application != _APPLICATION_ID:
                raise AnalysisFileError(f"{self._name}: holds something else; name another with --analysis")
            if not empty and version != _VERSION:
                raise AnalysisFileError(
                    f"{self._name}: expected version {_VERSION}, got {version}; delete it to judge anew"
                )
            if empty:
                for statement in _TABLES:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("PRAGMA journal_mode = WAL")

    def _engine_row(self, engine: EngineId) -> int:
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR IGNORE INTO engines (version, evaluator, weights_sha256, mode, met, ply)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                astuple(engine),
            )
        [number] = self._connection.execute(
            "SELECT id FROM engines WHERE version = ? AND evaluator = ? AND weights_sha256 = ? AND mode = ?"
            " AND met = ? AND ply = ?",
            astuple(engine),
        ).fetchone()
        return int(number)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            failure = AnalysisFileError(f"{self._name}: {error}")
            failure.unwritable = getattr(error, "sqlite_errorcode", 0) & 0xFF in _UNWRITABLE
            raise failure from error
        except ValueError as error:
            raise AnalysisFileError(f"{self._name}: holds what botd has not written: {error}") from error
