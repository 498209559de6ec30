"""Judging all games of some matches, those judged before excepted, in one process or several.

Work goes out and comes back in pieces of a few events, and each piece is kept at once: an interrupted
analysis goes on where it stopped.
"""

from __future__ import annotations

import multiprocessing
import signal
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace

from botd import _core
from botd.engine.met import default_met_path, load_met
from botd.engine.protocol import Engine, load_engine
from botd.engine.types import Scoring
from botd.journal import records as r
from botd.journal.history import GameHistory, MatchHistory, load_history
from botd.journal.reader import JournalReader, MatchSummary
from botd.stats.analysis_file import AnalysisFile, GameState
from botd.stats.judging import Judged, ServerRules, UnjudgeableError, judge_game

PIECE = 16
"""Events judged at a time."""
MAX_JOBS = 256
_WAITING_PER_JOB = 2


class AnalysisError(Exception):
    """The analysis cannot go on; one line for people."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some events of a game to judge."""

    match: MatchHistory
    """Without its games."""
    game: GameHistory
    rules_of: ServerRules
    first: int
    last: int
    recorded: int
    ply: int

    @property
    def key(self) -> r.GameKey:
        return r.GameKey(self.match.match, self.game.number)


@dataclass(frozen=True, slots=True)
class JudgedPiece:
    piece: Piece
    judged: list[Judged]
    reason: str | None


class Judge:
    """An engine with what else judging needs."""

    def __init__(self, spec: str) -> None:
        """Raises what `load_engine` does."""
        self.engine: Engine = load_engine(spec)
        self._table: _core.MatchEquityTable = load_met(default_met_path()).table()

    def __call__(self, piece: Piece) -> JudgedPiece:
        try:
            judged = list(
                judge_game(
                    self.engine,
                    piece.match,
                    piece.game,
                    self._table,
                    ply=piece.ply,
                    rules_of=piece.rules_of,
                    first=piece.first,
                    last=piece.last,
                )
            )
        except UnjudgeableError as error:
            return JudgedPiece(piece, [], str(error))
        return JudgedPiece(piece, judged, None)


def analyse(
    journal: JournalReader,
    matches: Sequence[MatchSummary],
    file: AnalysisFile,
    judge: Judge,
    *,
    spec: str,
    ply: int,
    jobs: int = 1,
    progress: Callable[[float, str], None] = lambda done, what: None,
) -> None:
    """Judge what is not judged yet, both sides, and keep it in `file`.

    `judge` has the engine `spec`, which other processes load themselves if `jobs` is more than 1. `progress`
    gets the part done and what is being looked at. Raises JournalReadError, AnalysisFileError, AnalysisError.
    """
    pieces = _pieces(journal, matches, file, ply, progress)
    if jobs == 1:
        for piece in pieces:
            _keep(file, judge(piece))
        return
    # Started afresh: forking a process that has threads is not safe.
    context = multiprocessing.get_context("spawn")
    try:
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker, initargs=(spec,))
    except OSError as error:
        raise AnalysisError(
            f"--jobs {jobs}: semaphores in /dev/shm cannot be made: {error.strerror}"
        ) from error
    with pool:
        try:
            for judged in _in_order(pool, pieces, jobs * _WAITING_PER_JOB):
                _keep(file, judged)
        except BrokenProcessPool as error:
            raise AnalysisError(
                "a process of the analysis ended by itself; what it had judged is kept"
            ) from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _pieces(
    journal: JournalReader,
    matches: Sequence[MatchSummary],
    file: AnalysisFile,
    ply: int,
    progress: Callable[[float, str], None],
) -> Iterator[Piece]:
    for number, match in enumerate(matches):
        what = f"match {match.number}"
        progress(number / len(matches), what)
        todo = list(_match_pieces(journal, match.key, file, ply))
        for place, piece in enumerate(todo):
            progress((number + place / len(todo)) / len(matches), what)
            yield piece


def _match_pieces(journal: JournalReader, key: r.MatchKey, file: AnalysisFile, ply: int) -> Iterator[Piece]:
    states = file.states(key)
    with journal.reading() as connection:
        recorded = dict(
            connection.execute(
                "SELECT game, sum(n) FROM ("
                " SELECT game, count(*) AS n FROM rolls WHERE match = ?1 GROUP BY game"
                " UNION ALL SELECT game, count(*) FROM moves WHERE match = ?1 GROUP BY game"
                " UNION ALL SELECT game, count(*) FROM cube_actions WHERE match = ?1 GROUP BY game"
                " UNION ALL SELECT game, count(*) FROM resignations WHERE match = ?1 GROUP BY game"
                ") GROUP BY game",
                (key,),
            )
        )
        if all(
            game in states and states[game].done and states[game].recorded == n
            for game, n in recorded.items()
        ):
            return
        history = load_history(connection, key)
        rules_of = _rules(connection, key)
    match = replace(history, games=())
    for game in history.games:
        state = states.get(game.number)
        sound = len(game.events)
        if state is not None and state.reason is not None:
            continue
        first = 0 if state is None else min(state.judged, sound)
        if first == sound:
            file.add(r.GameKey(key, game.number), GameState(sound, sound, recorded.get(game.number, 0)), ())
        for start in range(first, sound, PIECE):
            last = min(start + PIECE, sound)
            yield Piece(match, game, rules_of, start, last, recorded.get(game.number, 0), ply)


def _rules(connection: sqlite3.Connection, key: r.MatchKey) -> ServerRules:
    """What our decisions were made with; the usual rules where none is on record."""
    row = connection.execute(
        "SELECT json_extract(settings, '$.scoring'), json_extract(settings, '$.max_cube') FROM decisions"
        " WHERE match = ? LIMIT 1",
        (key,),
    ).fetchone()
    scoring, max_cube = row or (None, None)
    return ServerRules(
        next((known for known in Scoring if known == scoring), Scoring.STANDARD),
        max_cube if isinstance(max_cube, int) and max_cube > 0 else None,
    )


def _keep(file: AnalysisFile, done: JudgedPiece) -> None:
    piece = done.piece
    state = GameState(piece.last, len(piece.game.events), piece.recorded, done.reason)
    file.add(piece.key, state, done.judged)


def _in_order(pool: ProcessPoolExecutor, pieces: Iterator[Piece], most: int) -> Iterator[JudgedPiece]:
    """Judge with all processes, never holding more than `most` pieces."""
    waiting: deque[Future[JudgedPiece]] = deque()
    for piece in pieces:
        if len(waiting) >= most:
            yield waiting.popleft().result()
        waiting.append(pool.submit(_judge_here, piece))
    while waiting:
        yield waiting.popleft().result()


_judge_of_worker: Judge | None = None


def _start_worker(spec: str) -> None:
    """An interrupt from the terminal ends a worker at once, without a traceback of its own."""
    global _judge_of_worker  # noqa: PLW0603 - one for each process
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _judge_of_worker = Judge(spec)


def _judge_here(piece: Piece) -> JudgedPiece:
    assert _judge_of_worker is not None
    return _judge_of_worker(piece)
