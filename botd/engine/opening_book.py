"""The opening rolls whose play nobody doubts: 3-1, 6-1 and 4-2 make the point."""

from __future__ import annotations

from botd.engine.notation import parse_play
from botd.engine.types import STARTING_BOARD, Board, Play

BOOK = {(3, 1): "8/5 6/5", (6, 1): "13/7 8/7", (4, 2): "8/4 6/4"}
"""Play by roll, the larger die first."""


def book_play(board: Board, dice: tuple[int, int]) -> Play | None:
    """The play of the book; None for other rolls and on any board but the untouched starting position."""
    notation = BOOK.get((max(dice), min(dice)))
    if notation is None or tuple(board) != STARTING_BOARD:
        return None
    return parse_play(notation, STARTING_BOARD, dice)
