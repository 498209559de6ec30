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
from botd.printable import printable
from botd.stats.judging import Judged, JudgedKind

_APPLICATION_ID = 0x62746461  # "btda"
_VERSION = 1
_BUSY_TIMEOUT = 10.0
_TABLES = """
CREATE TABLE engines (
    id             INTEGER PRIMARY KEY,
    version        TEXT NOT NULL,
    evaluator      TEXT NOT NULL,
    weights_sha256 TEXT NOT NULL,
    mode           TEXT NOT NULL,
    met            TEXT NOT NULL,
    ply            INTEGER NOT NULL,
    UNIQUE (version, evaluator, weights_sha256, mode, met, ply)
);
CREATE TABLE games (
    engine INTEGER NOT NULL,
    match  TEXT NOT NULL,
    game   INTEGER NOT NULL,
    events INTEGER NOT NULL,        -- judged so far, from the first on
    reason TEXT,                    -- why the engine cannot judge such a game; NULL: it can
    PRIMARY KEY (engine, match, game)
) WITHOUT ROWID;
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
) WITHOUT ROWID;
"""


class AnalysisFileError(Exception):
    """The side file cannot be used; one line that names it."""


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

    def events_judged(self, match: r.MatchKey) -> dict[int, int]:
        """For each game the number of its events that need no judging any more."""
        with self._errors():
            return dict(
                self._connection.execute(
                    "SELECT game, events FROM games WHERE engine = ? AND match = ?", (self._engine, match)
                )
            )

    def add(self, game: r.GameKey, events: int, judged: Iterable[Judged], reason: str | None = None) -> None:
        """The game is judged up to this number of events. All of it is written, or nothing."""
        key = (self._engine, game.match, game.number)
        with self._errors(), self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO judged VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((*key, j.event, j.kind, j.side, j.value, j.stake, j.counted) for j in judged),
            )
            self._connection.execute(
                "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?)", (*key, events, reason)
            )

    def judged(self, match: r.MatchKey) -> list[tuple[int, Judged]]:
        """All judgements of a match, with the number of the game."""
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

    def reasons(self, match: r.MatchKey) -> dict[int, str]:
        """The games of a match that the engine could not judge, and why."""
        with self._errors():
            return dict(
                self._connection.execute(
                    "SELECT game, reason FROM games WHERE engine = ? AND match = ? AND reason IS NOT NULL",
                    (self._engine, match),
                )
            )

    def _prepare(self) -> None:
        connection = self._connection
        connection.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if (application, version) == (_APPLICATION_ID, _VERSION):
                return
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise AnalysisFileError(
                    f"{self._name}: expected analyses of version {_VERSION}, found another file; delete it,"
                    " or name one with --analysis"
                )
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")

    def _engine_row(self, engine: EngineId) -> int:
        with self._transaction():
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
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise AnalysisFileError(f"{self._name}: {error}") from error
        except ValueError as error:
            raise AnalysisFileError(f"{self._name}: holds what botd has not written: {error}") from error
