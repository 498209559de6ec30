"""GNU Backgammon's Position ID, such as `4HPwATDgc/ABMA`: a board with the player on roll as second side."""

from __future__ import annotations

from botd import _core
from botd.engine.types import Board

__all__ = ["decode", "encode"]


def encode(board: Board) -> str:
    """The identifier of a board seen by the player on roll; ValueError if the board is impossible."""
    return _core.position_id(board)


def decode(text: str) -> Board:
    """The board seen by the player on roll; ValueError, saying what is wrong, if `text` holds none."""
    if not text.isascii():
        raise ValueError("position ID: expected 14 characters of A-Z a-z 0-9 + /, got other text")
    return _core.board_from_position_id(text)
