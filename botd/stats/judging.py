"""What each roll was worth and each decision cost: a recorded game judged by an engine, both sides alike.

Equities are normalised to the cube (equivalent to money: -1 is to lose, 1 to win what the cube shows) and
seen by the side that rolled or acted. Definitions are those of GNU Backgammon, as its manual gives them
(section 8.4.3, Statistics) and `botd.engine.analysis` carries them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from botd import _core
from botd.engine import analysis, rules
from botd.engine.protocol import Engine
from botd.engine.types import CubeDecision, CubeOwner, GameContext, Scoring
from botd.journal import records as r
from botd.journal.history import GameHistory, MatchHistory, Replay

CLOSE = 0.16
"""Not to double counts as a decision if a double would have lost less than this. GNU Backgammon 1.07 counts
so (its manual, 8.4.3.3, says 0.25): see tests/stats/test_gnubg_statistics.py."""


class JudgedKind(StrEnum):
    ROLL = "roll"
    PLAY = "play"
    NO_DOUBLE = "no_double"
    DOUBLE = "double"
    TAKE = "take"
    PASS = "pass"  # noqa: S105 - the action, not a secret


@dataclass(frozen=True, slots=True)
class Judged:
    """A roll or a decision of one side."""

    event: int
    """Index into `GameHistory.events`; of a decision not to double that of the roll made instead."""
    kind: JudgedKind
    side: r.Side
    value: float
    """Luck of a roll, of any sign; of a decision what it lost, 0 or negative."""
    stake: float
    """What an equity of 1 was worth then: points in unlimited games, else a part of the match."""
    counted: bool
    """A decision that error rates count: one of several plays, a close or an actual cube decision."""


@dataclass(frozen=True, slots=True)
class ServerRules:
    """What a Match ID does not tell of a server's rules."""

    scoring: Scoring = Scoring.STANDARD
    max_cube: int | None = None


class UnjudgeableError(ValueError):
    """The engine knows nothing of such games; the message says why."""


def judge_game(
    engine: Engine,
    match: MatchHistory,
    game: GameHistory,
    table: _core.MatchEquityTable,
    *,
    ply: int,
    rules_of: ServerRules = ServerRules(),
    first: int = 0,
    last: int | None = None,
) -> Iterator[Judged]:
    """Judge the events from index `first` up to but not including `last`; those before are replayed only.
    Rolls are judged at 0-ply.

    `table` values the stakes of a match. A move that the engine's rules do not know (the server is right) is
    passed over. Raises UnjudgeableError.
    """
    state = _Game(match, game, table, rules_of)
    for index, event in enumerate(game.events[:last]):
        if index >= first:
            try:
                yield from _judge(engine, state, index, event, ply)
            except ValueError as error:
                raise UnjudgeableError(str(error)) from error
        state.apply(event)


class _Game:
    """Board, cube and score while a game is replayed."""

    def __init__(
        self, match: MatchHistory, game: GameHistory, table: _core.MatchEquityTable, rules_of: ServerRules
    ) -> None:
        self.replay = Replay()
        self.cube = 1
        self.owner: r.Side | None = None
        self._match, self._game, self._table, self._rules = match, game, table, rules_of

    def context(self, side: r.Side) -> GameContext:
        """As seen by `side`; with a double open, the cube as it was before."""
        scores = self._game.score if side is r.Side.US else self._game.score[::-1]
        owner = CubeOwner.PLAYER if self.owner is side else CubeOwner.OPPONENT
        return GameContext(
            match_length=self._match.length,
            score_player=scores[0],
            score_opponent=scores[1],
            cube_value=self.cube,
            cube_owner=CubeOwner.CENTERED if self.owner is None else owner,
            crawford=self._game.crawford,
            jacoby=self._match.jacoby,
            max_cube=self._rules.max_cube,
            scoring=self._rules.scoring,
            seat=0 if side is r.Side.US else 1,
        )

    def stake(self) -> float:
        """What an equity of 1 is worth: points in unlimited games, else half of what the match is won by
        winning rather than losing what the cube shows."""
        length = self._match.length
        if length == 0:
            return float(self.cube)
        ours, theirs = (length - points for points in self._game.score)
        later = self._game.crawford or 1 in (ours, theirs)
        won = self._table.chances(ours - self.cube, theirs, later, 0)
        lost = self._table.chances(ours, theirs - self.cube, later, 0)
        return (won - lost) / 2

    def apply(self, event: r.Rolled | r.Moved | r.CubeAction | r.Resignation) -> None:
        self.replay.apply(event)
        match event:
            case r.CubeAction(action=r.CubeActionKind.TAKE, cube=cube) if cube == self.cube:
                pass  # the doubler lives with a beaver
            case r.CubeAction(action=r.CubeActionKind.TAKE | r.CubeActionKind.BEAVER, cube=cube, side=side):
                self.cube, self.owner = cube, side
            case r.CubeAction(action=r.CubeActionKind.AUTOMATIC, cube=cube):
                self.cube = cube
            case _:
                pass


def _judge(
    engine: Engine,
    state: _Game,
    index: int,
    event: r.Rolled | r.Moved | r.CubeAction | r.Resignation,
    ply: int,
) -> Iterator[Judged]:
    match event:
        case r.Rolled(side=r.Side() as side, dice=dice):
            board, context, stake = state.replay.boards[side], state.context(side), state.stake()
            if not event.opening:
                held = analysis.analyse_cube(
                    engine, board, context, analysis.CubeActionTaken.NO_DOUBLE, ply=ply
                )
                if held.cube is not None:
                    yield Judged(
                        index, JudgedKind.NO_DOUBLE, side, held.equity_loss, stake, is_close(held.cube)
                    )
            luck = analysis.luck(engine, board, context, dice)
            yield Judged(index, JudgedKind.ROLL, side, luck.value, stake, False)
        case r.Moved(side=side):
            yield from _judge_play(engine, state, index, event, ply)
        case r.CubeAction(side=r.Side() as side, action=r.CubeActionKind.DOUBLE):
            offered = analysis.analyse_cube(
                engine,
                state.replay.boards[side],
                state.context(side),
                analysis.CubeActionTaken.DOUBLE,
                ply=ply,
            )
            if offered.cube is not None:
                yield Judged(index, JudgedKind.DOUBLE, side, offered.equity_loss, state.stake(), True)
        case r.CubeAction(side=r.Side() as side) if state.replay.turn is side.other:
            yield from _judge_answer(engine, state, index, event, ply)
        case _:
            pass


def _judge_play(engine: Engine, state: _Game, index: int, event: r.Moved, ply: int) -> Iterator[Judged]:
    side, board = event.side, state.replay.boards[event.side]
    played = rules.apply_steps(board, event.steps)
    if played not in ([play.board for play in rules.legal_plays(board, event.dice)] or [board]):
        return
    judged = analysis.analyse_play(engine, board, state.context(side), event.dice, played, ply=ply)
    unforced = judged.decision.legal_count > 1
    loss = judged.equity_loss if unforced else 0.0
    yield Judged(index, JudgedKind.PLAY, side, loss, state.stake(), unforced)


def _judge_answer(
    engine: Engine, state: _Game, index: int, event: r.CubeAction, ply: int
) -> Iterator[Judged]:
    """The answer to a double; to beaver is to take."""
    assert event.side is not None
    doubler = event.side.other
    passing = event.action is r.CubeActionKind.PASS
    action = analysis.CubeActionTaken.PASS if passing else analysis.CubeActionTaken.TAKE
    answered = analysis.analyse_cube(
        engine, state.replay.boards[doubler], state.context(doubler), action, ply=ply
    )
    if answered.cube is not None:
        kind = JudgedKind.PASS if passing else JudgedKind.TAKE
        yield Judged(index, kind, event.side, answered.equity_loss, state.stake(), True)


def is_close(cube: CubeDecision) -> bool:
    """Whether not doubling was a decision worth counting."""
    return cube.optimal - min(cube.double_take, cube.double_pass) < CLOSE
