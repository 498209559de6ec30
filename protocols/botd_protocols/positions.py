"""Boards and scores as every protocol client tells them.

A board is 26 integers in one side's numbering: [1..24] points from that side's ace point on, its checkers
positive, the other side's negative; [25] its checkers on the bar, [0] the other side's there (both >= 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

CubeOwner = Literal["centered", "player", "opponent"]
Dice = tuple[int, int]
Step = tuple[int, int]
"""One checker moved by one die, in the mover's own numbering: 25 is the bar, 0 is off."""


@dataclass(frozen=True, slots=True)
class PositionView:
    """A position with score and cube, seen by the side on roll ("player" here is the side on roll)."""

    board: tuple[int, ...]
    """26 integers in the numbering of the side on roll."""
    on_roll: Literal["me", "opponent"]
    dice: Dice | None
    match_length: int
    """0 is an unlimited match."""
    score_player: int
    score_opponent: int
    cube_value: int
    """Before a double that is on offer."""
    cube_owner: CubeOwner
    crawford: bool


class Table(Protocol):
    """What every server shows of a match at one moment, seen by us."""

    @property
    def board(self) -> tuple[int, ...]:
        """26 integers in our numbering."""

    @property
    def match_length(self) -> int:
        """Points; 0 is unlimited."""

    @property
    def score(self) -> int: ...
    @property
    def opponent_score(self) -> int: ...
    @property
    def turn(self) -> Literal["me", "opponent", "nobody"]:
        """On some servers, while a double is open, the side that has to answer."""

    @property
    def on_roll(self) -> Literal["me", "opponent", "nobody"]:
        """Whose turn it is to roll or to move; while a double is open the doubler."""

    @property
    def dice(self) -> Dice | None:
        """Ours, if we have rolled."""

    @property
    def opponent_dice(self) -> Dice | None: ...
    @property
    def cube(self) -> int:
        """Before a double that is on offer."""

    @property
    def cube_owner(self) -> CubeOwner:
        """ "player" is us. Some servers do not show it while a double is open."""

    @property
    def crawford(self) -> bool:
        """This is the Crawford game."""

    @property
    def crawford_rule(self) -> bool:
        """The match is played by the Crawford rule."""

    @property
    def double_open(self) -> bool:
        """A double waits for its answer."""

    @property
    def can_double(self) -> bool:
        """Whether a double of ours would be legal and could mean anything."""

    @property
    def on_roll_board(self) -> tuple[int, ...]:
        """26 integers in the numbering of the side on roll (while a double is open: the doubler)."""


def turn_round(board: tuple[int, ...]) -> tuple[int, ...]:
    """The same position in the other side's numbering."""
    return (board[25], *(-board[25 - p] for p in range(1, 25)), board[0])
