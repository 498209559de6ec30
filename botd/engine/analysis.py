"""Judging what was played: skill, luck, errors on the cube, by GNU Backgammon's rules.

Works with any engine. Equities are normalised ones, seen by the player on roll. Formulas: gnubg's definitions
of luck and skill, described in docs/engine.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from botd.engine.core_arguments import cube_state, other_side
from botd.engine.protocol import ConfigurableEngine, Engine
from botd.engine.settings import SearchSettings
from botd.engine.types import (
    STARTING_BOARD,
    Board,
    CubeDecision,
    GameContext,
    PlayDecision,
    RankedPlay,
)

__all__ = [
    "LUCK_LIMITS",
    "SKILL_LIMITS",
    "CubeActionTaken",
    "CubeAnalysis",
    "Luck",
    "LuckRating",
    "PlayAnalysis",
    "Skill",
    "analyse_cube",
    "analyse_play",
    "cube_loss",
    "luck",
    "luck_rating",
    "skill_of",
]


class Skill(StrEnum):
    """How bad an error is; gnubg's ratings."""

    NONE = "none"
    DOUBTFUL = "doubtful"
    BAD = "bad"
    VERY_BAD = "very_bad"


class LuckRating(StrEnum):
    """How lucky a roll was; gnubg's ratings."""

    VERY_UNLUCKY = "very_unlucky"
    UNLUCKY = "unlucky"
    NONE = "none"
    LUCKY = "lucky"
    VERY_LUCKY = "very_lucky"


class CubeActionTaken(StrEnum):
    """What a side did about the cube: the player on roll before the roll, or the other one to a double."""

    NO_DOUBLE = "no_double"
    DOUBLE = "double"
    TAKE = "take"
    PASS = "pass"  # noqa: S105 - the move, not a secret


SKILL_LIMITS = ((-0.12, Skill.VERY_BAD), (-0.06, Skill.BAD), (-0.03, Skill.DOUBTFUL))
"""Below each equity difference a play has the rating beside it."""
LUCK_LIMITS = (0.03, 0.06)
"""Beyond these a roll is lucky, very lucky; beyond their negatives unlucky, very unlucky. gnubg compares ten
times the luck per move with 0.3 and 0.6; its ratings of single rolls in tests/data follow this."""


@runtime_checkable
class AssessingEngine(Engine, Protocol):
    """An engine whose search leaves plays at lower depths and can bring one of them to the full depth."""

    def assess_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        played: Board,
        *,
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayDecision:
        """As `choose_play`, the play that leads to `played` searched as deeply as the best one."""
        ...


@dataclass(frozen=True, slots=True)
class PlayAnalysis:
    """A play against the best one, seen by the player who made it; equities in points per cube."""

    decision: PlayDecision
    """Ranked plays, the played one searched as deeply as the best."""
    rank: int
    """Of the play made, from 1."""
    played: RankedPlay
    best: RankedPlay
    equity_loss: float
    """0 or negative."""
    skill: Skill


@dataclass(frozen=True, slots=True)
class CubeAnalysis:
    """What a cube action cost, in points per cube."""

    cube: CubeDecision | None
    """None where there is no decision: the cube is not available, or the game has just begun."""
    equity_loss: float
    """0 or negative, of the side that acted."""
    skill: Skill


@dataclass(frozen=True, slots=True)
class Luck:
    """How much a roll was worth to the player who rolled it, in points per cube."""

    value: float
    """Equity of the best play of the roll less the average over all rolls, both at 0-ply."""
    rating: LuckRating


def skill_of(equity_loss: float) -> Skill:
    """The rating of an equity difference (0 or negative)."""
    return next((skill for limit, skill in SKILL_LIMITS if equity_loss < limit), Skill.NONE)


def luck_rating(value: float) -> LuckRating:
    """The rating of a roll worth `value` more than the average one."""
    some, much = LUCK_LIMITS
    if value > some:
        return LuckRating.VERY_LUCKY if value > much else LuckRating.LUCKY
    if value < -some:
        return LuckRating.VERY_UNLUCKY if value < -much else LuckRating.UNLUCKY
    return LuckRating.NONE


def analyse_play(
    engine: Engine,
    board: Board,
    context: GameContext,
    dice: tuple[int, int],
    played: Board,
    *,
    ply: int,
) -> PlayAnalysis:
    """The play that leads to `played` against the best one.

    Where a filter leaves the play at a lower depth than the best, it is searched again: by itself if the
    engine can do that, else with all others, without a filter. Raises ValueError if no legal play leads to
    `played`.
    """
    if isinstance(engine, AssessingEngine):
        decision = engine.assess_play(board, context, dice, played, ply=ply)
    else:
        decision = engine.choose_play(board, context, dice, ply=ply)
        if isinstance(engine, ConfigurableEngine) and decision.plays[_place(decision, played)].ply < ply:
            unfiltered = engine.configured(SearchSettings(filter="none"))
            decision = unfiltered.choose_play(board, context, dice, ply=ply)
    rank = _place(decision, played) + 1
    made, best = decision.plays[rank - 1], decision.best
    # Equal plays of different depth may stand in either order: nothing was lost then.
    loss = min(0.0, made.equity - best.equity)
    return PlayAnalysis(
        decision=decision,
        rank=rank,
        played=made,
        best=best,
        equity_loss=loss,
        skill=skill_of(loss),
    )


def analyse_cube(
    engine: Engine, board: Board, context: GameContext, action: CubeActionTaken, *, ply: int
) -> CubeAnalysis:
    """What a cube action cost the side that took it: `no_double`, `double` the player on roll, `take` and
    `pass` the other one."""
    if not cube_state(context).may_double or tuple(board) == STARTING_BOARD:
        return CubeAnalysis(cube=None, equity_loss=0.0, skill=Skill.NONE)
    cube = engine.cube_action(board, context, ply=ply)
    loss = cube_loss(cube, action)
    return CubeAnalysis(cube=cube, equity_loss=loss, skill=skill_of(loss))


def cube_loss(cube: CubeDecision, action: CubeActionTaken) -> float:
    """Equity lost by an action, 0 or negative, seen by the side that took it."""
    match action:
        case CubeActionTaken.NO_DOUBLE:
            loss = cube.no_double - cube.optimal
        case CubeActionTaken.DOUBLE:
            loss = min(cube.double_take, cube.double_pass) - cube.optimal
        case CubeActionTaken.TAKE:
            loss = cube.double_pass - cube.double_take
        case CubeActionTaken.PASS:
            loss = cube.double_take - cube.double_pass
    return min(0.0, loss)


def luck(engine: Engine, board: Board, context: GameContext, dice: tuple[int, int]) -> Luck:
    """How lucky a roll was, by 0-ply equities.

    The opening roll (starting position, two different dice) is compared with the 15 opening rolls of either
    side.
    """
    actual = _best_equity(engine, board, context, dice)
    if tuple(board) == STARTING_BOARD and dice[0] != dice[1]:
        values = [_best_equity(engine, board, context, roll) for roll in _rolls() if roll[0] != roll[1]]
        other = other_side(context)
        values += [-_best_equity(engine, board, other, roll) for roll in _rolls() if roll[0] != roll[1]]
        average = sum(values) / len(values)
    else:
        average = (
            sum((1 if a == b else 2) * _best_equity(engine, board, context, (a, b)) for a, b in _rolls()) / 36
        )
    return Luck(value=actual - average, rating=luck_rating(actual - average))


def _place(decision: PlayDecision, played: Board) -> int:
    """Index of the play that leads to `played`."""
    for place, entry in enumerate(decision.plays):
        if entry.play.board == played:
            return place
    raise ValueError(f"move: expected one of the {decision.legal_count} legal plays")


def _rolls() -> list[tuple[int, int]]:
    return [(a, b) for a in range(1, 7) for b in range(1, a + 1)]


def _best_equity(engine: Engine, board: Board, context: GameContext, dice: tuple[int, int]) -> float:
    return engine.choose_play(board, context, dice, ply=0).best.equity
