"""The journal's front: records go in without waiting, one thread of its own writes them.

The event loop only appends to a bounded buffer. The thread commits in batches. If the file cannot be written
(disk full, locked by another program, ...) the trouble is logged and counted, records wait in the buffer, and
once that is full new ones are dropped and counted: play never stops for the journal.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import dataclasses
import os
import secrets
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import structlog

from botd.engine.types import EngineInfo, Step
from botd.journal import records as r
from botd.journal.housekeeping import Housekeeper
from botd.journal.opening import open_file
from botd.journal.schema import SchemaError
from botd.journal.store import Store
from botd.journal.transaction import transaction

T = TypeVar("T")

_BATCH = 1000
_LINGER = 0.1
"""Seconds a record may wait for company before the commit."""
_BUSY_TIMEOUT = 2.0
_RETRY_FIRST, _RETRY_MOST = 0.5, 30.0
_TEMPORARY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}

log = structlog.get_logger("botd.journal")


class JournalError(Exception):
    """The journal cannot be opened, read or exported; says which file and why."""


@dataclass(frozen=True, slots=True)
class _Question:
    """Something to be done in the journal's thread, after all records given before it."""

    run: Callable[[sqlite3.Connection], Any]
    answer: concurrent.futures.Future[Any]


def new_match_key(at: float) -> r.MatchKey:
    """A name for a match starting now: sorts by time, unique by 32 random bits."""
    return r.MatchKey(f"{datetime.fromtimestamp(at, UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}")


class Journal:
    """Where the daemon's matches are written. `async with Journal(path) as journal: ...`

    Every method for a record returns at once and never raises for trouble with the file. `after_match` runs
    in the journal's thread once a match has ended or is suspended and all its records are written (see
    `botd.journal.export.MatWriter`).
    """

    def __init__(
        self,
        path: Path | str,
        *,
        buffer: int = 20_000,
        clock: Callable[[], float] = time.time,
        after_match: Callable[[sqlite3.Connection, r.MatchKey], None] | None = None,
        housekeeper: Housekeeper | None = None,
    ) -> None:
        self.path = Path(path)
        self._buffer = buffer
        self._clock = clock
        self._after_match = after_match
        self._housekeeper = housekeeper
        self._queue: deque[r.Record | _Question] = deque()
        self._wake = threading.Condition()
        self._stopping = False
        self._stop_by = 0.0
        self._flush = False
        self._thread: threading.Thread | None = None
        self._opened: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._written = self._dropped = self._errors = self._in_hand = 0
        self._last_error = ""
        self._failing = False
        self._files: dict[Path, os.stat_result] = {}
        """Those that are written, as they were when they were opened."""

    # -- life ------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Open (or create, or migrate) the file.

        Raises JournalError if it can never work: no such folder and not creatable, no permission, not a
        database, damaged, written by a newer program. A full disk or a lock is only reported; the thread
        keeps trying.
        """
        self.launch()
        await asyncio.wrap_future(self._opened)

    async def stop(self, patience: float = 10.0) -> None:
        """Write what is pending, close the file, end the thread; after `patience` s give up what is left."""
        await asyncio.get_running_loop().run_in_executor(None, self.close, patience)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def launch(self) -> None:
        """`start` without waiting for the file to be open."""
        if self._thread is not None:
            raise JournalError(f"journal {self.path}: started twice")
        self._thread = threading.Thread(target=self._main, name="botd-journal", daemon=True)
        self._thread.start()

    def close(self, patience: float = 10.0) -> None:
        """`stop` for callers without an event loop; blocks. Harmless if never started or already closed."""
        if self._thread is None:
            return
        with self._wake:
            self._stopping = True
            self._stop_by = time.monotonic() + patience
            self._wake.notify_all()
        self._thread.join(patience + 2 * _BUSY_TIMEOUT)

    def status(self) -> r.JournalStatus:
        with self._wake:
            pending = sum(not isinstance(item, _Question) for item in self._queue) + self._in_hand
            return r.JournalStatus(
                written=self._written,
                dropped=self._dropped,
                pending=pending,
                errors=self._errors,
                last_error=self._last_error,
                failing=self._failing,
                matches_removed=0 if self._housekeeper is None else self._housekeeper.matches_removed,
            )

    # -- records ---------------------------------------------------------------------------------------------

    def record(self, record: r.Record) -> None:
        """Append one record; the methods below make them."""
        if record.at is None:
            record = dataclasses.replace(record, at=self._clock())
        with self._wake:
            if len(self._queue) + self._in_hand >= self._buffer:
                self._dropped += 1
                if self._dropped == 1 or self._dropped % 1000 == 0:
                    log.error("journal_records_dropped", file=str(self.path), dropped=self._dropped)
                return
            self._queue.append(record)
            self._wake.notify_all()

    def match_started(
        self,
        *,
        server: str,
        account: str,
        opponent: str,
        length: int,
        crawford: bool = True,
        jacoby: bool = False,
        score: tuple[int, int] = (0, 0),
    ) -> r.MatchKey:
        """A match that is new to the journal (`find_resumable` tells); `length` 0 is unlimited."""
        match = new_match_key(self._clock())
        self.record(
            r.MatchStarted(match, server, account, opponent, length, crawford, jacoby, score),
        )
        return match

    def match_resumed(self, match: r.MatchKey, score: tuple[int, int]) -> None:
        self.record(r.MatchResumed(match, score))

    def game_started(
        self,
        match: r.MatchKey,
        number: int,
        score: tuple[int, int],
        *,
        crawford: bool = False,
        complete: bool = True,
    ) -> r.GameKey:
        """`number` counts from 1 within the match; `complete` False if play had begun before we looked."""
        game = r.GameKey(match, number)
        self.record(r.GameStarted(game, score, crawford, complete))
        return game

    def gap(self, game: r.GameKey, reason: str) -> None:
        """Events of this game were missed, for example before a resumption."""
        self.record(r.GameGap(game, reason))

    def opening_rolled(self, game: r.GameKey, ours: int, theirs: int) -> None:
        """Both dice of the opening; call it for equal dice too."""
        side = None if ours == theirs else r.Side.US if ours > theirs else r.Side.OPPONENT
        self.record(r.Rolled(game, side, (ours, theirs), opening=True))

    def rolled(self, game: r.GameKey, side: r.Side, dice: r.Dice) -> None:
        self.record(r.Rolled(game, side, dice))

    def moved(
        self,
        game: r.GameKey,
        side: r.Side,
        dice: r.Dice,
        steps: tuple[Step, ...],
        notation: str,
        *,
        position_id: str = "",
        automatic: bool = False,
    ) -> None:
        """`steps` in the mover's numbering, empty for a dance (record that too)."""
        self.record(r.Moved(game, side, dice, tuple(steps), notation, position_id, automatic))

    def cube_action(self, game: r.GameKey, side: r.Side | None, action: r.CubeActionKind, cube: int) -> None:
        """`cube` is the value on offer or just refused; after a take the value in force."""
        self.record(r.CubeAction(game, side, action, cube))

    def resignation(self, game: r.GameKey, side: r.Side, action: r.ResignationAction, level: int) -> None:
        """`side` offers or answers; `level` 1, 2, 3 (single, gammon, backgammon)."""
        self.record(r.Resignation(game, side, action, level))

    def decision(
        self,
        game: r.GameKey,
        kind: r.DecisionKind,
        *,
        position_id: str,
        match_id: str,
        dice: r.Dice | None,
        chosen: str,
        decision: r.Decision,
        engine: EngineInfo,
        duration: float,
        source: str = "search",
        settings: dict[str, object] | None = None,
    ) -> None:
        self.record(
            r.DecisionMade(
                game,
                kind,
                position_id,
                match_id,
                dice,
                chosen,
                decision,
                engine,
                duration,
                source,
                dict(settings or {}),
            )
        )

    def game_ended(
        self, game: r.GameKey, winner: r.Side, points: int, how: r.GameEnd, score: tuple[int, int]
    ) -> None:
        """`points` with the cube counted in; `score` after the game."""
        self.record(r.GameEnded(game, winner, points, how, score))

    def match_ended(self, match: r.MatchKey, winner: r.Side, score: tuple[int, int]) -> None:
        self.record(r.MatchEnded(match, winner, score))

    def match_suspended(self, match: r.MatchKey, reason: r.Suspension, score: tuple[int, int]) -> None:
        self.record(r.MatchSuspended(match, reason, score))

    def matches_abandoned(self, *, server: str, account: str) -> None:
        self.record(r.MatchesAbandoned(server, account))

    def player_asked(self, *, server: str, account: str, player: str) -> None:
        self.record(r.PlayerAsked(server, account, player))

    def rating_seen(
        self,
        *,
        server: str,
        account: str,
        rating: float,
        experience: int | None,
        match: r.MatchKey | None = None,
    ) -> None:
        self.record(r.RatingSeen(server, account, rating, experience, match))

    # -- questions -------------------------------------------------------------------------------------------

    async def find_resumable(
        self, *, server: str, account: str, opponent: str, length: int
    ) -> r.Resumable | None:
        """The newest unfinished match with this opponent and length. Raises JournalError if unreadable."""
        return await self.ask(
            lambda connection: Store(connection).find_resumable(server, account, opponent, length)
        )

    async def lately(self, *, server: str, account: str, seconds: float, most: int) -> r.Lately:
        """Whom the account has played and asked within so many seconds. Raises JournalError if unreadable."""
        since = self._clock() - seconds
        return await self.ask(lambda connection: Store(connection).lately(server, account, since, most))

    async def ask(self, run: Callable[[sqlite3.Connection], T]) -> T:
        """Run `run` in the journal's thread once everything recorded so far is written.

        It must only read. Raises JournalError if the journal is not running or its file fails.
        """
        question = _Question(run, concurrent.futures.Future())
        with self._wake:
            if self._thread is None or self._stopping:
                raise JournalError(f"journal {self.path}: not running")
            self._queue.append(question)
            self._flush = True
            self._wake.notify_all()
        answer: T = await asyncio.wrap_future(question.answer)
        return answer

    async def flush(self) -> None:
        """Wait until everything recorded so far is in the file. Raises JournalError if that fails."""
        await self.ask(lambda connection: None)

    # -- the thread ------------------------------------------------------------------------------------------

    def _main(self) -> None:
        connection: sqlite3.Connection | None = None
        batch: list[r.Record] = []
        question: _Question | None = None
        retry = _RETRY_FIRST
        try:
            while True:
                try:
                    if connection is None:
                        connection = self._open()
                        store = Store(connection, self._clock)
                    self._set_opened(None)
                    if not batch:
                        work = self._take()
                        if work is None:
                            return
                        batch, question = work
                        if not batch and question is None and self._housekeeper is not None:
                            self._housekeeper.step(connection)
                    if (batch or question is not None) and self._is_elsewhere(self.path):
                        self._leave(connection)
                        connection = None
                        raise JournalError(
                            f"journal {self.path}: was moved away, replaced or removed while it was written;"
                            " what comes now goes into the file that is there, or a new one"
                        )
                    if batch:
                        self._write(connection, store, batch)
                        finished = _finished_matches(batch)
                        batch = []
                        for match in finished:
                            self._export(connection, match)
                    if question is not None:
                        self._answer(connection, question)
                        question = None
                    self._failing = False
                    retry = _RETRY_FIRST
                except JournalError as error:
                    if not self._opened.done():
                        self._set_opened(error)
                        return
                    self._report(error, question)
                    question = None
                    if self._pause(retry):
                        return
                    retry = min(2 * retry, _RETRY_MOST)
                except sqlite3.Error as error:
                    self._report(error, question)
                    question = None
                    self._set_opened(None)
                    if connection is not None and _lost(error):
                        connection.close()
                        connection = None
                    if self._pause(retry):
                        return
                    retry = min(2 * retry, _RETRY_MOST)
        finally:
            self._wind_up(connection)

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise JournalError(f"journal {self.path}: cannot create its folder: {error}") from error
        try:
            connection = open_file(self.path, busy_timeout=_BUSY_TIMEOUT)
        except SchemaError as error:
            raise JournalError(f"journal {self.path} {error}") from error
        except sqlite3.Error as error:
            if _temporary(error):
                raise
            raise JournalError(f"journal {self.path}: cannot be used: {error}") from error
        try:
            self._files = {file: file.stat() for file in (self.path, *self._beside()) if file.exists()}
        except OSError as error:
            connection.close()
            raise JournalError(f"journal {self.path}: has vanished: {error.strerror}") from error
        return connection

    def _beside(self) -> list[Path]:
        """SQLite's log and the index of it."""
        return [self.path.with_name(self.path.name + ending) for ending in ("-wal", "-shm")]

    def _is_elsewhere(self, file: Path) -> bool:
        """Whether one of the files that are written has lost its name: SQLite does not mind."""
        try:
            return file not in self._files or not os.path.samestat(file.stat(), self._files[file])
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def _leave(self, connection: sqlite3.Connection) -> None:
        """Fold the log into the file that was written: SQLite would leave it to the next of that name."""
        with contextlib.suppress(sqlite3.Error):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with contextlib.suppress(sqlite3.Error):
            connection.close()
        for file in self._beside():
            if not self._is_elsewhere(file):
                with contextlib.suppress(OSError):
                    file.unlink()

    def _set_opened(self, error: JournalError | None) -> None:
        if not self._opened.done():
            if error is None:
                self._opened.set_result(None)
            else:
                self._opened.set_exception(error)

    def _take(self) -> tuple[list[r.Record], _Question | None] | None:
        """Wait for work: records up to the next question, and that question. Neither: time for housekeeping.

        None: it is time to stop.
        """
        with self._wake:
            while not self._queue and not self._stopping:
                wait = None if self._housekeeper is None else self._housekeeper.wait
                if wait == 0:
                    return [], None
                self._wake.wait(wait)
            if not self._queue:
                return None
            if not self._stopping and not self._flush:
                self._wake.wait_for(
                    lambda: self._stopping or self._flush or len(self._queue) >= _BATCH, _LINGER
                )
            batch: list[r.Record] = []
            question = None
            while self._queue and len(batch) < _BATCH:
                item = self._queue.popleft()
                if isinstance(item, _Question):
                    question = item
                    break
                batch.append(item)
            self._flush = any(isinstance(item, _Question) for item in self._queue)
            self._in_hand = len(batch)
            return batch, question

    def _write(self, connection: sqlite3.Connection, store: Store, batch: list[r.Record]) -> None:
        """One transaction; a record that SQLite refuses for its content is dropped, the others stay."""
        refused = 0
        with transaction(connection):
            for record in batch:
                try:
                    store.apply(record)
                except (
                    sqlite3.IntegrityError,
                    sqlite3.ProgrammingError,
                    OverflowError,
                    ValueError,
                    TypeError,
                ) as error:
                    refused += 1
                    log.error(
                        "journal_record_refused",
                        file=str(self.path),
                        record=type(record).__name__,
                        error=str(error),
                    )
        with self._wake:
            self._written += len(batch) - refused
            self._dropped += refused
            self._in_hand = 0

    def _export(self, connection: sqlite3.Connection, match: r.MatchKey) -> None:
        if self._after_match is None:
            return
        try:
            self._after_match(connection, match)
        except Exception as error:
            self._report(error)

    def _answer(self, connection: sqlite3.Connection, question: _Question) -> None:
        if not question.answer.set_running_or_notify_cancel():
            return
        try:
            question.answer.set_result(question.run(connection))
        except sqlite3.Error as error:
            question.answer.set_exception(JournalError(f"journal {self.path}: {error}"))
        except Exception as error:
            question.answer.set_exception(error)

    def _refuse(self, question: _Question, why: object) -> None:
        if question.answer.set_running_or_notify_cancel():
            question.answer.set_exception(JournalError(f"journal {self.path}: {why}"))

    def _report(self, error: Exception, question: _Question | None = None) -> None:
        with self._wake:
            self._errors += 1
            repeated = self._failing and str(error) == self._last_error
            self._last_error = str(error)
            self._failing = True
            unanswered = [item for item in self._queue if isinstance(item, _Question)]
            for item in unanswered:  # nobody shall wait for a disk to be cleaned up
                self._queue.remove(item)
            if question is not None:
                unanswered.append(question)
            self._flush = False
        if not repeated:
            log.error("journal_write_failed", file=str(self.path), error=str(error))
        for item in unanswered:
            self._refuse(item, error)

    def _pause(self, seconds: float) -> bool:
        """Wait before the next try; True if it is time to give up."""
        with self._wake:
            if self._stopping:
                left = self._stop_by - time.monotonic()
                if left <= 0:
                    return True
                seconds = min(seconds, left)
                self._wake.wait(seconds)
            else:
                self._wake.wait_for(lambda: self._stopping or self._flush, seconds)
            return False

    def _wind_up(self, connection: sqlite3.Connection | None) -> None:
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()
        with self._wake:
            self._stopping = True
            left = list(self._queue)
            self._queue.clear()
            lost = self._in_hand + sum(not isinstance(item, _Question) for item in left)
            self._in_hand = 0
            self._dropped += lost
        if lost:
            log.error("journal_records_lost", file=str(self.path), records=lost)
        for item in left:
            if isinstance(item, _Question):
                self._refuse(item, "stopped")
        self._set_opened(JournalError(f"journal {self.path}: stopped before it was open"))


def _finished_matches(batch: list[r.Record]) -> list[r.MatchKey]:
    ended = [record.match for record in batch if isinstance(record, r.MatchEnded | r.MatchSuspended)]
    return list(dict.fromkeys(ended))


def _temporary(error: sqlite3.Error) -> bool:
    """Whether trying again later can help. The low byte of SQLite's code is the basic kind."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code & 0xFF) in _TEMPORARY


def _lost(error: sqlite3.Error) -> bool:
    """Whether the connection is better opened anew."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is None or (code & 0xFF) not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
