"""Positions to measure with: drawn from whole games, none repeated."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from botd import _core
from botd.engine.engine import SageEngine
from botd.engine.rules import game_result, mirrored
from botd.engine.types import STARTING_BOARD, Board, GameContext

MONEY = GameContext()


@dataclass(frozen=True, slots=True)
class Task:
    """A position before the roll, in the view of the player on roll, and a roll for it."""

    board: Board
    dice: tuple[int, int]


def has_choice(task: Task) -> bool:
    """Whether the roll can be played in more than one way; some engines do nothing at all otherwise."""
    return len(_core.legal_plays(task.board, *task.dice)) > 1


def tasks_from_games(engine: SageEngine, seed: int) -> Iterator[Task]:
    """Yield positions of self-played 0-ply money games without end, each board
    once.

    A third of the plays is the second or third best, so that games differ and also visit odd positions.
    """
    rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
    seen: set[Board] = set()
    while True:
        board = STARTING_BOARD
        while game_result(board) == 0:
            dice = (rng.randint(1, 6), rng.randint(1, 6))
            # A few positions of each game, so that even a small sample sees all kinds.
            if board not in seen and rng.random() < 0.15:
                seen.add(board)
                yield Task(board, dice)
            plays = engine.choose_play(board, MONEY, dice, ply=0).plays
            pick = rng.choice((0, 0, 0, 0, 1, 2))
            board = mirrored(plays[min(pick, len(plays) - 1)].play.board)
