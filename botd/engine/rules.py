"""The rules of the game: legal plays and what can be read off a board.

Boards are those of `botd.engine.types.Board`, seen by the player on roll. Every function refuses an
impossible board with a ValueError that says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from botd import _core
from botd.engine.notation import format_steps
from botd.engine.types import BAR, OFF, Board, Play, Step

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "Dice",
    "apply_steps",
    "borne_off",
    "check_board",
    "game_result",
    "is_bearoff",
    "is_race",
    "legal_boards_batch",
    "legal_plays",
    "legal_results",
    "mirrored",
    "no_play",
    "perft",
    "pip_counts",
]

Dice = tuple[int, int]
"""Two numbers 1 to 6; their order never changes which plays are legal."""


def check_board(board: Sequence[int]) -> None:
    """Raise ValueError unless `board` is 26 integers that form a possible position."""
    _core.check_board(board)


def legal_plays(board: Board, dice: Dice) -> list[Play]:
    """Every distinct position the player on roll may reach, each with one way there; empty for a dance."""
    return [Play(steps, result, format_steps(board, steps)) for steps, result in legal_results(board, dice)]


def legal_results(board: Board, dice: Dice) -> list[tuple[tuple[Step, ...], Board]]:
    """Steps and board of every play of `legal_plays`; without its notation, which costs most there."""
    die1, die2 = dice
    return _core.legal_plays(board, die1, die2)


def legal_boards_batch(boards: Buffer, dice: Buffer) -> tuple[memoryview, memoryview]:
    """The results of many rolls at once: (results, offsets), for whole arrays instead of single positions.

    `boards` is an int8 buffer of shape (n, 26), `dice` a uint8 buffer of shape (n, 2), such as numpy arrays.
    The distinct boards that `boards[i]` may become with `dice[i]`, in its own view and in the order of
    `legal_plays`, are `results[offsets[i]:offsets[i + 1]]`; a dance has none. `results` is int8 of shape
    (m, 26), `offsets` int64 of shape (n + 1,); `numpy.asarray` takes both without copying. Raises ValueError
    for other types and shapes and for impossible boards and dice, naming the row.
    """
    return _core.legal_boards_batch(boards, dice)


def no_play(board: Board) -> Play:
    """The play of a roll that cannot be played: no steps, the board as it is."""
    return Play((), board, "")


def apply_steps(board: Board, steps: Sequence[Step]) -> Board:
    """The board after `steps` in this order, hits included; ValueError for a step that no die could make.

    Whether the steps together are a legal play of some roll is not looked at: see `legal_plays`.
    """
    check_board(board)
    points = list(board)
    for origin, target in steps:
        if not (1 <= origin <= BAR and OFF <= target < origin and origin - target <= 6):
            raise ValueError(f"step {origin}/{target}: expected a move of 1 to 6 pips towards the own home")
        if points[origin] < 1:
            raise ValueError(f"step {origin}/{target}: no checker of the player on roll on {origin}")
        if target != OFF and points[target] < -1:
            raise ValueError(f"step {origin}/{target}: point {target} is blocked")
        points[origin] -= 1
        if target == OFF:
            continue
        if points[target] == -1:
            points[target] = 0
            points[0] += 1
        points[target] += 1
    return tuple(points)


def mirrored(board: Board) -> Board:
    """The same position seen by the other side."""
    return _core.mirrored(board)


def pip_counts(board: Board) -> tuple[int, int]:
    """Pips of the player on roll and of the opponent."""
    return _core.pips(board)


def borne_off(board: Board) -> tuple[int, int]:
    """Checkers borne off by the player on roll and by the opponent."""
    return _core.borne_off(board)


def is_race(board: Board) -> bool:
    """Whether contact is broken and nobody is on the bar."""
    return _core.is_race(board)


def is_bearoff(board: Board) -> bool:
    """Whether all checkers of both sides are in their home boards or off."""
    return _core.is_bearoff(board)


def game_result(board: Board) -> int:
    """Points won by the player on roll (1, 2 gammon, 3 backgammon), negative if lost, 0 while it goes on."""
    return _core.game_result(board)


def perft(board: Board, depth: int) -> tuple[int, int]:
    """(leaves, distinct): sequences of distinct plays over `depth` rolls, and different final positions.

    Each of the 21 rolls counts once; a roll that cannot be played passes; a finished game is a leaf.
    Raises ValueError if there are too many positions to keep.
    """
    return _core.perft(board, depth)
