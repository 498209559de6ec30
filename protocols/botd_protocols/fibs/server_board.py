"""FIBS board geometry and the board line (boardstyle 3), plus a plain ASCII board (styles 1 and 2).

A FIBS board is 26 integers: points 1..24 numbered once for both sides, positive for O and negative for X;
[25] is O's bar (>= 0) and [0] is X's bar (<= 0). O moves 24 -> 1, X moves 1 -> 24.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

O_COLOUR = 1
X_COLOUR = -1
CHECKERS = 15
UNLIMITED_LENGTH = 9999

START: tuple[int, ...] = (
    0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0,
)  # fmt: skip


def home_of(colour: int) -> int:
    """The index a side bears off to."""
    return 0 if colour == O_COLOUR else 25


def bar_of(colour: int) -> int:
    """The index a side enters from."""
    return 25 - home_of(colour)


def on_bar(board: Sequence[int], colour: int) -> int:
    return abs(board[bar_of(colour)])


def borne_off(board: Sequence[int], colour: int) -> int:
    on_points = sum(max(0, colour * v) for v in board[1:25])
    return CHECKERS - on_points - on_bar(board, colour)


def to_own_view(board: Sequence[int], colour: int) -> tuple[int, ...]:
    """The position seen by one side: own checkers positive, numbered from the own bear-off end,
    [25] the own bar, [0] the opponent's bar, both >= 0."""
    if colour == O_COLOUR:
        return (-board[0], *board[1:25], board[25])
    return (board[25], *(-board[25 - p] for p in range(1, 25)), -board[0])


def from_own_view(view: Sequence[int], colour: int) -> tuple[int, ...]:
    """Inverse of `to_own_view`."""
    if colour == O_COLOUR:
        return (-view[0], *view[1:25], view[25])
    return (-view[25], *(-view[25 - p] for p in range(1, 25)), view[0])


def point_of(index: int, colour: int) -> int:
    """Turn an index of the own view into one of the FIBS board, and back."""
    return index if colour == O_COLOUR else 25 - index


def step_text(start: int, end: int) -> str:
    """`13-8`, `bar-4`, `22-off`: one step in FIBS point numbers (0 and 25 are bar or off)."""
    return f"{'bar' if start in {0, 25} else start}-{'off' if end in {0, 25} else end}"


def pip_count(board: Sequence[int], colour: int) -> int:
    view = to_own_view(board, colour)
    return sum(p * max(0, view[p]) for p in range(1, 26))


@dataclass(frozen=True, slots=True)
class BoardState:
    """Everything the line shows, seen by player 1. Pairs are (player 1, player 2)."""

    names: tuple[str, str]
    length: int
    scores: tuple[int, int]
    board: tuple[int, ...]
    turn: int
    """-1 X, +1 O, 0 nobody; during an open double the side that has to answer."""
    dice: tuple[tuple[int, int], tuple[int, int]]
    cube: int
    may_double: tuple[bool, bool]
    was_doubled: bool
    colour: int
    can_move: int
    no_crawford: bool = False
    post_crawford: bool = False
    redoubles: int = 0


def board_line(state: BoardState, *, wrong_bars: bool = False) -> str:
    """The 53 fields of boardstyle 3."""
    colour = state.colour
    points = list(state.board)
    if wrong_bars:
        points[0] -= 16
        points[25] += 8
    fields: list[object] = [
        "board",
        *state.names,
        state.length,
        *state.scores,
        *points,
        state.turn,
        *state.dice[0],
        *state.dice[1],
        state.cube,
        *(int(v) for v in state.may_double),
        int(state.was_doubled),
        colour,
        -colour,
        home_of(colour),
        bar_of(colour),
        borne_off(state.board, colour),
        borne_off(state.board, -colour),
        on_bar(state.board, colour),
        on_bar(state.board, -colour),
        state.can_move,
        3 if state.no_crawford else 0,
        int(state.post_crawford),
        state.redoubles,
    ]
    return ":".join(str(f) for f in fields)


def ascii_board(state: BoardState) -> list[str]:
    """A board for people; good enough to show a client that it forgot `set boardstyle 3`."""

    def cell(point: int, row: int) -> str:
        value = state.board[point]
        if abs(value) <= row:
            return "   "
        mark = "O" if value > 0 else "X"
        return f" {abs(value) if row == 4 and abs(value) > 5 else mark} "

    def half(points: Sequence[int], row: int) -> str:
        return "".join(cell(p, row) for p in points)

    o_bar, x_bar = on_bar(state.board, O_COLOUR), on_bar(state.board, X_COLOUR)
    lines = ["+13-14-15-16-17-18-------19-20-21-22-23-24-+"]
    lines += [f"|{half(range(13, 19), r)}|     |{half(range(19, 25), r)}|" for r in range(5)]
    lines.append(f"|                  |BAR  |                  |  Bar: O-{o_bar} X-{x_bar}")
    lines += [f"|{half(range(12, 6, -1), r)}|     |{half(range(6, 0, -1), r)}|" for r in range(4, -1, -1)]
    lines.append("+12-11-10--9--8--7--------6--5--4--3--2--1-+")
    mine, his = ("O", "X") if state.colour == O_COLOUR else ("X", "O")
    lines.append(
        f"{state.names[0]} is {mine} - {state.names[1]} is {his}   Cube: {state.cube}   "
        f"Score: {state.scores[0]}-{state.scores[1]}   Dice: {state.dice[0]} {state.dice[1]}"
    )
    return lines
