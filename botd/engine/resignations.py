"""Judging an offered resignation by what playing on is worth, whatever the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from botd.engine.core_arguments import inverted, other_side
from botd.engine.rules import mirrored
from botd.engine.types import Board, CubeDecision, GameContext, Probabilities, ResignationDecision

TIE = 1e-6
"""Equities this close are equal."""


class DecidesCubes(Protocol):
    def cube_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision: ...


@dataclass(frozen=True, slots=True)
class PlayingOn:
    """What the game is worth to the side that judges, the cube included."""

    equity: float
    probabilities: Probabilities | None
    ply: int
    """How deep it was searched."""


def checked_level(level: int) -> int:
    """The level of an offer; ValueError unless it is 1, 2 or 3."""
    if level not in (1, 2, 3):
        raise ValueError(f"resignation: expected level 1, 2 or 3, got {level!r}")
    return level


def playing_on(
    engine: DecidesCubes,
    board: Board,
    context: GameContext,
    *,
    on_roll: bool,
    ply: int,
    deadline_s: float | None,
) -> PlayingOn:
    """Board and context are seen by the side that judges; `on_roll`: it rolls next, not the opponent."""
    if on_roll:
        cube = engine.cube_action(board, context, ply=ply, deadline_s=deadline_s)
        return PlayingOn(cube.optimal, cube.probabilities, cube.ply)
    cube = engine.cube_action(mirrored(board), other_side(context), ply=ply, deadline_s=deadline_s)
    return PlayingOn(-cube.optimal, inverted(cube.probabilities), cube.ply)


def verdict(level: int, offered: float, game: PlayingOn) -> ResignationDecision:
    """Accepted if `offered`, the equity of a game won at `level`, is worth at least as much as playing on."""
    return ResignationDecision(
        level=level,
        accept=offered >= game.equity - TIE,
        equity=game.equity,
        resign_equity=offered,
        probabilities=game.probabilities,
        ply=game.ply,
    )
