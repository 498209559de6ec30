"""An engine that plays at a named level, whatever engine is behind it."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Sequence

from botd.engine.core_arguments import cube_state
from botd.engine.cube_names import DECISION_TEXTS
from botd.engine.fast_engine import FastEngine
from botd.engine.forwarding import Asked, ForwardingEngine
from botd.engine.levels import DoublingHabit, Level, PlayingLevel, SearchLevel
from botd.engine.modes import mode_for
from botd.engine.opening_book import book_play
from botd.engine.protocol import ConfigurableEngine, Engine, UnsupportedGame
from botd.engine.settings import FilterStage, MoveFilter, SearchSettings
from botd.engine.types import (
    Board,
    CubeDecision,
    CubeOwner,
    EngineInfo,
    EngineMode,
    GameContext,
    PlayDecision,
    Probabilities,
    RankedPlay,
    ResignationDecision,
    TakeAction,
)


class LevelPlayer:
    """Plays as a `PlayingLevel` says, evaluating with `engine`. The `ply` of a call is not used.

    The same seed, score, position and roll give the same play in any process; give each match a seed of its
    own. Equities reported are those of `engine`, without noise: the play on top need not have the highest.
    """

    def __init__(
        self, engine: Engine, level: PlayingLevel, seed: int = 0, *, settings: SearchSettings | None = None
    ) -> None:
        """`settings` are those of the engine's search, except the filter, which is the level's."""
        self._engine = engine
        self._level = level
        self._seed = seed
        self._settings = settings or SearchSettings()
        self._info = dataclasses.replace(engine.info, evaluator=f"{engine.info.evaluator}@{level.name}")

    @property
    def info(self) -> EngineInfo:
        return self._info

    def choose_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayDecision:
        """All legal plays, the chosen one first; its `source` is `book` if it is known by heart."""
        clock = _Clock(deadline_s)
        static = self._engine.choose_play(board, context, dice, ply=0, deadline_s=clock.left())
        if static.legal_count < 2:
            return static
        if self._level.book and (known := book_play(board, dice)) is not None:
            plays = sorted(static.plays, key=lambda entry: entry.play.board != known.board)
            return dataclasses.replace(static, plays=tuple(plays), source="book")
        if self._level.candidates is not None and self._level.plies > 0:
            return self._deeper(board, context, dice, static, clock)
        if self._level.easy_noise > 0.0:
            return dataclasses.replace(static, plays=self._shaken(board, context, dice, static.plays))
        return static

    def cube_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """Doubles and takes by habit; the equities are the engine's at 0-ply."""
        cube = self._engine.cube_action(board, context, ply=0, deadline_s=deadline_s)
        chances = cube.probabilities
        if chances is None:
            raise UnsupportedGame(
                f"level {self._level.name}: expected an evaluator with probabilities, "
                f"got {self._engine.info.evaluator}"
            )
        if not cube_state(context).may_double:
            return dataclasses.replace(cube, double=False, response=self._response(chances))
        response = self._response(chances)
        habit = self._level.doubling
        double = habit is not None and _doubles(habit, chances)
        name = _decision_name(
            double=double, response=response, owned=context.cube_owner is not CubeOwner.CENTERED
        )
        takes = min(cube.double_take, cube.double_pass) if double else cube.no_double
        return dataclasses.replace(
            cube,
            optimal=takes,
            decision=name,
            decision_text=DECISION_TEXTS[name],
            double=double,
            response=response,
        )

    def take_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """The answer to a double, seen by the doubler; never a beaver."""
        return self.cube_action(board, context, ply=ply, deadline_s=deadline_s)

    def offer_resignation(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> ResignationDecision:
        """As the engine at 0-ply: only what is lost for certain."""
        return self._engine.offer_resignation(board, context, ply=0, deadline_s=deadline_s)

    def judge_resignation(
        self,
        board: Board,
        context: GameContext,
        level: int,
        *,
        on_roll: bool,
        ply: int,
        deadline_s: float | None = None,
    ) -> ResignationDecision:
        """As the engine at 0-ply."""
        return self._engine.judge_resignation(
            board, context, level, on_roll=on_roll, ply=0, deadline_s=deadline_s
        )

    def _deeper(
        self, board: Board, context: GameContext, dice: tuple[int, int], static: PlayDecision, clock: _Clock
    ) -> PlayDecision:
        """The best plays at 0-ply compared at the level's depth, then the rest."""
        count = self._level.candidates or len(static.plays)
        engine = self._engine
        if isinstance(engine, ConfigurableEngine):
            best_few = MoveFilter(((FilterStage(accept=count),),))
            engine = engine.configured(dataclasses.replace(self._settings, filter=best_few))
        deep = engine.choose_play(board, context, dice, ply=self._level.plies, deadline_s=clock.left())
        candidates = {entry.play.board for entry in static.plays[:count]}
        return dataclasses.replace(
            deep,
            plays=(
                *(entry for entry in deep.plays if entry.play.board in candidates),
                *(entry for entry in static.plays if entry.play.board not in candidates),
            ),
        )

    def _shaken(
        self, board: Board, context: GameContext, dice: tuple[int, int], plays: Sequence[RankedPlay]
    ) -> tuple[RankedPlay, ...]:
        equities = [entry.equity for entry in plays]
        sigma = self._level.easy_noise * (max(equities) - min(equities))
        score = (context.score_player, context.score_opponent)
        key = (self._seed, score, tuple(board), min(dice), max(dice))
        noise = random.Random(repr(key))  # noqa: S311 - play, not cryptography
        shaken = {
            entry.play.board: entry.equity + noise.gauss(0.0, sigma)
            for entry in sorted(plays, key=lambda entry: entry.play.board)
        }
        return tuple(sorted(plays, key=lambda entry: -shaken[entry.play.board]))

    def _response(self, doubler: Probabilities) -> TakeAction:
        least = self._level.least_take_wins
        return TakeAction.TAKE if least is None or 1.0 - doubler.win >= least else TakeAction.PASS


class FixedDepthPlayer(ForwardingEngine):
    """An engine that always searches to the same depth. The `ply` of a call is not used."""

    def __init__(self, engine: Engine, level: SearchLevel) -> None:
        self._engine = engine
        self._ply = level.plies
        self._info = dataclasses.replace(engine.info, evaluator=f"{engine.info.evaluator}@{level.name}")

    @property
    def info(self) -> EngineInfo:
        return self._info

    def _asked(self, context: GameContext, ply: int, deadline_s: float | None) -> Asked:
        return Asked(self._engine, self._ply, deadline_s)


def at_level(engine: Engine, level: Level, seed: int = 0) -> Engine:
    """A player of this level that evaluates with `engine`. `seed` matters for levels that play with noise.

    In fast mode a level that has figures of its own (noise, a filter, candidates) is played by the exact
    engine underneath, so that they mean what they say.

    Raises ValueError if the engine lacks what the level needs.
    """
    if isinstance(engine, FastEngine):
        if isinstance(level, SearchLevel) and mode_for(level, EngineMode.FAST) is EngineMode.FAST:
            return FixedDepthPlayer(engine, level)
        engine = engine.base
    if isinstance(level, PlayingLevel):
        return LevelPlayer(engine, level, seed)
    if isinstance(engine, ConfigurableEngine):
        settings = SearchSettings(filter=level.filter, prune=level.prune, noise=level.noise)
        return FixedDepthPlayer(engine.configured(settings), level)
    if level.noise > 0.0 or level.filter is not None:
        raise ValueError(f"expected a level without {'noise' if level.noise > 0.0 else 'move filter'}")
    return FixedDepthPlayer(engine, level)


class _Clock:
    """Several searches under one deadline."""

    def __init__(self, deadline_s: float | None) -> None:
        self._end = None if deadline_s is None else time.monotonic() + deadline_s

    def left(self) -> float | None:
        return None if self._end is None else max(0.0, self._end - time.monotonic())


def _doubles(habit: DoublingHabit, chances: Probabilities) -> bool:
    if chances.win > habit.too_good_wins and chances.win_gammon > habit.too_good_gammons:
        return False
    return habit.least_wins <= chances.win <= habit.most_wins


def _decision_name(*, double: bool, response: TakeAction, owned: bool) -> str:
    """gnubg's name of what is done: a hand that is not doubled though it would be passed is `too good`."""
    passes = response is TakeAction.PASS
    if double:
        return f"{'REDOUBLE' if owned else 'DOUBLE'}_{'PASS' if passes else 'TAKE'}"
    if passes:
        return "TOOGOODRE_PASS" if owned else "TOOGOOD_PASS"
    return "NO_REDOUBLE_TAKE" if owned else "NODOUBLE_TAKE"
