"""The board line (boardstyle 3): 53 fields in, a checked position seen by either side out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from botd_protocols.positions import CubeOwner, Dice, PositionView, turn_round

FIELDS = 53
UNLIMITED = 9999
CHECKERS = 15
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}\Z")


class BoardError(ValueError):
    """A line that begins like a board line and is none; the text says which field is wrong."""


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One board line as the viewer, player 1, sees it."""

    player: str
    """`You` in one's own match, a name when watching."""
    opponent: str
    match_length: int
    """Points; 0 is unlimited."""
    score: int
    opponent_score: int
    board: tuple[int, ...]
    """26 integers in the viewer's numbering, as in `PositionView`."""
    turn: Literal["me", "opponent", "nobody"]
    """While a double is open this is the side that has to answer (on servers that show it)."""
    dice: Dice | None
    opponent_dice: Dice | None
    cube: int
    may_double: bool
    opponent_may_double: bool
    was_doubled: bool
    direction: int
    """-1: the viewer moves from 24 down to 1 on the line's own numbering; +1: up."""
    off: int
    opponent_off: int
    no_crawford: bool
    post_crawford: bool

    @property
    def mine(self) -> bool:
        return self.player == "You"

    @property
    def crawford(self) -> bool:
        """Whether this is the Crawford game (the flags that should say so do not)."""
        one_away = 1 in (self.match_length - self.score, self.match_length - self.opponent_score)
        both = self.match_length - self.score == self.match_length - self.opponent_score == 1
        return (
            self.match_length > 1
            and one_away
            and not both
            and not self.no_crawford
            and not self.post_crawford
        )

    @property
    def cube_owner(self) -> CubeOwner:
        """Who has the cube; while a double is open (0/0) the owner is not shown: "centered"."""
        if self.may_double == self.opponent_may_double or self.crawford:
            return "centered"
        return "player" if self.may_double else "opponent"

    @property
    def double_open(self) -> bool:
        """Both may-double flags are off only while a double waits for its answer."""
        return self.turn != "nobody" and (
            self.was_doubled or not (self.may_double or self.opponent_may_double)
        )

    @property
    def can_double(self) -> bool:
        """Whether a double by the viewer would be legal and could mean anything."""
        if not self.may_double or self.match_length == 1 or self.crawford:
            return False
        return self.match_length == 0 or self.score + self.cube < self.match_length

    @property
    def opponent_can_double(self) -> bool:
        """The same for the opponent."""
        if not self.opponent_may_double or self.match_length == 1 or self.crawford:
            return False
        return self.match_length == 0 or self.opponent_score + self.cube < self.match_length

    @property
    def crawford_rule(self) -> bool:
        return not self.no_crawford

    @property
    def on_roll(self) -> Literal["me", "opponent", "nobody"]:
        """While a double is open the line names the other side."""
        if self.turn == "nobody":
            return "nobody"
        return "me" if (self.turn == "me") != self.double_open else "opponent"

    @property
    def on_roll_board(self) -> tuple[int, ...]:
        return turn_round(self.board) if self.on_roll == "opponent" else self.board

    def view(self, on_roll: Literal["me", "opponent"], owner: CubeOwner | None = None) -> PositionView:
        """The position with one side on roll. `owner` (in the viewer's terms) overrides the flags."""
        held = owner or self.cube_owner
        if on_roll == "me":
            return PositionView(
                self.board,
                "me",
                self.dice,
                self.match_length,
                self.score,
                self.opponent_score,
                self.cube,
                held,
                self.crawford,
            )
        swapped: dict[CubeOwner, CubeOwner] = {
            "centered": "centered",
            "player": "opponent",
            "opponent": "player",
        }
        return PositionView(
            turn_round(self.board),
            "opponent",
            self.opponent_dice,
            self.match_length,
            self.opponent_score,
            self.score,
            self.cube,
            swapped[held],
            self.crawford,
        )


def parse_board(line: str) -> BoardLine:
    """Read a `board:` line. Raises BoardError for anything that cannot be a position of a game."""
    fields = line.strip().split(":")
    if len(fields) != FIELDS or fields[0] != "board":
        raise BoardError(f"board line: expected {FIELDS} fields, found {len(fields)}")
    if not all(0 < len(name) <= 64 and " " not in name for name in fields[1:3]):
        raise BoardError("board line: a player has no usable name")
    for index, text in enumerate(fields[3:], 3):
        if not _INTEGER.match(text):
            raise BoardError(f"board line: field {index} should be a number, found {text[:20]!r}")
    n = [0, 0, 0, *(int(text) for text in fields[3:])]

    def check(index: int, good: bool, expected: str) -> None:
        if not good:
            raise BoardError(f"board line: field {index} should be {expected}, found {n[index]}")

    length = 0 if n[3] >= UNLIMITED else n[3]
    check(3, 1 <= n[3] <= 99 or n[3] >= UNLIMITED, "a match length of 1..99 or 9999")
    check(4, n[4] >= 0, "a score")
    check(5, n[5] >= 0, "a score")
    check(32, n[32] in (-1, 0, 1), "-1, 0 or 1 (turn)")
    for index in range(33, 37):
        check(index, 0 <= n[index] <= 6, "a die")
    for index in (33, 35):
        check(index, (n[index] == 0) == (n[index + 1] == 0), "set together with its twin (dice)")
    check(37, 1 <= n[37] <= 1 << 24 and n[37] & (n[37] - 1) == 0, "a power of two (cube)")
    for index in (38, 39, 40):
        check(index, n[index] in (0, 1), "0 or 1")
    check(41, n[41] in (-1, 1), "-1 or 1 (colour)")
    check(42, n[42] == -n[41], "the opposite of the colour (direction)")
    for index in (45, 46, 47, 48):
        check(index, 0 <= n[index] <= CHECKERS, "a number of checkers")
    for index in range(7, 31):
        check(index, -CHECKERS <= n[index] <= CHECKERS, "a number of checkers")

    colour, direction = n[41], n[42]
    # board[0] and board[25] drift on one server; fields 47 and 48 are right everywhere.
    board = (
        n[48],
        *(colour * n[6 + (p if direction == -1 else 25 - p)] for p in range(1, 25)),
        n[47],
    )
    turn: Literal["me", "opponent", "nobody"] = (
        "nobody" if n[32] == 0 else "me" if n[32] == colour else "opponent"
    )
    if turn != "nobody":
        own = sum(c for c in board[1:25] if c > 0) + n[47] + n[45]
        his = -sum(c for c in board[1:25] if c < 0) + n[48] + n[46]
        if own != CHECKERS or his != CHECKERS:
            raise BoardError(f"board line: expected {CHECKERS} checkers a side, found {own} and {his}")
    return BoardLine(
        player=fields[1],
        opponent=fields[2],
        match_length=length,
        score=n[4],
        opponent_score=n[5],
        board=board,
        turn=turn,
        dice=(n[33], n[34]) if n[33] else None,
        opponent_dice=(n[35], n[36]) if n[35] else None,
        cube=n[37],
        may_double=n[38] == 1,
        opponent_may_double=n[39] == 1,
        was_doubled=n[40] == 1,
        direction=direction,
        off=n[45],
        opponent_off=n[46],
        no_crawford=n[50] != 0,
        post_crawford=n[51] == 1,
    )
