"""bgammon's 28 spaces: two perspectives of one position, pip counts, and what a lost game costs.

A *view* is 28 integers as the player of one seat sees them: own checkers positive, the opponent's negative;
[0] own borne-off checkers, [1..24] points in the own numbering, [25] the opponent's borne-off checkers,
[26] own bar, [27] the opponent's bar.
"""

from __future__ import annotations

from collections.abc import Sequence

CHECKERS = 15
OFF, THEIR_OFF, BAR, THEIR_BAR = 0, 25, 26, 27
SPACES = 28

View = tuple[int, ...]
Step = tuple[int, int]

START: View = (
    0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0,
)  # fmt: skip
ALL_OFF_BOARD: View = (CHECKERS, *([0] * 24), -CHECKERS, 0, 0)
"""Acey-deucey and tabula start with every checker still to be entered."""

_FLIPPED = {OFF: THEIR_OFF, THEIR_OFF: OFF, BAR: THEIR_BAR, THEIR_BAR: BAR}


def flip_space(space: int) -> int:
    """The same place in the opponent's numbering."""
    return _FLIPPED[space] if space in _FLIPPED else 25 - space


def flip(view: Sequence[int]) -> View:
    """The same position as the opponent sees it."""
    return tuple(-view[flip_space(space)] for space in range(SPACES))


def flip_step(step: Step) -> Step:
    return flip_space(step[0]), flip_space(step[1])


def game_value(loser: Sequence[int]) -> int:
    """What the loser of a game pays, in cubes, for the position as it stands in his own view.

    3 with a checker on the bar or in the winner's home board, else 2 with none borne off, else 1: also
    for a dropped double and a resignation, and even if checkers have been borne off (section 8.3).
    """
    if loser[BAR] > 0 or any(loser[point] > 0 for point in range(19, 25)):
        return 3
    return 2 if loser[OFF] == 0 else 1


def space_text(space: int) -> str:
    """A space of the own numbering as commands spell it."""
    if space in {BAR, THEIR_BAR}:
        return "bar"
    return "off" if space in {OFF, THEIR_OFF} else str(space)


def step_text(step: Step) -> str:
    return f"{space_text(step[0])}/{space_text(step[1])}"
