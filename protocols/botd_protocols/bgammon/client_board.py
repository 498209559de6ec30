"""A `board` event in, a checked position in our numbering out.

On the wire we are always player 1: spaces 1 to 24 in our numbering, 26 our bar, 27 the opponent's bar, 0 and
25 what has been borne off; our checkers positive, the opponent's negative. Here a board is 26 integers as in
`botd_protocols.positions`, and every step is in its mover's numbering.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from botd_protocols.positions import CubeOwner, Dice, PositionView, Step, turn_round

from .client_messages import Board, Pairs

BAR, OFF = 25, 0
CHECKERS = 15
MAX_CUBE = 64
PLAIN_BACKGAMMON = 0

Side = Literal["me", "opponent"]


class BoardError(ValueError):
    """A `board` event that can be no position of a game; the text says why."""


@dataclass(frozen=True, slots=True)
class BoardState:
    """One `board` event of a backgammon match, seen by us."""

    opponent: str
    """As the server writes it; empty while the seat is free."""
    rating: int
    """Ours, for matches of this kind; 0 for a guest."""
    opponent_rating: int
    """0 for a guest."""
    match_length: int
    score: int
    opponent_score: int
    board: tuple[int, ...]
    """As it stands, the steps made this turn included."""
    turn: Literal["me", "opponent", "nobody"]
    """`nobody`: the opening roll."""
    rolled: Dice | None
    """The dice of the side whose turn it is."""
    opening_die: int
    """Ours in the opening roll; 0 before."""
    moves: tuple[Step, ...]
    """Steps made this turn, in order."""
    available: tuple[Step, ...]
    """Steps the side whose turn it is may make now."""
    winner: Literal["me", "opponent"] | None
    """Of this game. It does not mean that the match is over."""
    cube: int
    cube_owner: CubeOwner
    crawford: bool
    double_open: bool
    forced: bool
    """The server is about to play this turn itself."""
    started: bool
    """The first game of the match has begun."""
    rated: bool
    """Both are accounts."""

    @property
    def crawford_rule(self) -> bool:
        return True

    @property
    def dice(self) -> Dice | None:
        return self.rolled if self.turn == "me" else None

    @property
    def opponent_dice(self) -> Dice | None:
        return self.rolled if self.turn == "opponent" else None

    @property
    def match_over(self) -> bool:
        return max(self.score, self.opponent_score) >= self.match_length

    @property
    def can_double(self) -> bool:
        """Whether a double by us is legal before our roll and could mean anything."""
        return (
            self.match_length > 1
            and not self.crawford
            and self.cube < MAX_CUBE
            and self.cube_owner != "opponent"
            and self.score + self.cube < self.match_length
        )

    @property
    def on_roll(self) -> Literal["me", "opponent", "nobody"]:
        return self.turn

    @property
    def on_roll_board(self) -> tuple[int, ...]:
        return turn_round(self.board) if self.turn == "opponent" else self.board

    def seen_by(self, side: Side) -> tuple[int, ...]:
        return self.board if side == "me" else turn_round(self.board)

    def view(self, on_roll: Side) -> PositionView:
        """The position with one side on roll, before its dice count if it has none."""
        mine = on_roll == "me"
        score, opponent_score = self.score, self.opponent_score
        swapped: dict[CubeOwner, CubeOwner] = {
            "centered": "centered",
            "player": "opponent",
            "opponent": "player",
        }
        return PositionView(
            self.seen_by(on_roll),
            on_roll,
            self.rolled if self.turn == on_roll else None,
            self.match_length,
            score if mine else opponent_score,
            opponent_score if mine else score,
            self.cube,
            self.cube_owner if mine else swapped[self.cube_owner],
            self.crawford,
        )


def read_board(event: Board) -> BoardState:
    """Check a `board` event of plain backgammon. Raises BoardError for what no game can show."""
    spaces = event.Board
    if any(not -CHECKERS <= n <= CHECKERS for n in spaces):
        raise BoardError("a space holds more than 15 checkers")
    own = sum(n for n in spaces if n > 0)
    his = -sum(n for n in spaces if n < 0)
    if own != CHECKERS or his != CHECKERS:
        raise BoardError(f"expected {CHECKERS} checkers a side, found {own} and {his}")
    if min(spaces[0], spaces[26]) < 0 or max(spaces[25], spaces[27]) > 0:
        raise BoardError("a bar or borne-off space holds the other side's checkers")
    if event.DoubleValue & (event.DoubleValue - 1) or not 1 <= event.DoubleValue <= MAX_CUBE:
        raise BoardError(f"expected a cube of 1, 2, 4, ..., {MAX_CUBE}, found {event.DoubleValue}")
    if event.Turn and (event.Roll1 == 0) != (event.Roll2 == 0):
        raise BoardError(f"expected both dice or none, found {event.Roll1} and {event.Roll2}")
    turn: Literal["me", "opponent", "nobody"] = ("nobody", "me", "opponent")[event.Turn]
    mover: Side = "opponent" if turn == "opponent" else "me"
    return BoardState(
        opponent=event.Player2.Name,
        rating=max(0, event.Player1.Rating),
        opponent_rating=event.Player2.Rating,
        match_length=event.Points,
        score=event.Player1.Points,
        opponent_score=event.Player2.Points,
        board=(-spaces[27], *spaces[1:25], spaces[26]),
        turn=turn,
        rolled=(event.Roll1, event.Roll2) if event.Turn and event.Roll1 else None,
        opening_die=0 if event.Turn else event.Roll1,
        moves=steps_of(event.Moves, mover),
        available=steps_of(event.Available, mover),
        winner=(None, "me", "opponent")[event.Winner],
        cube=event.DoubleValue,
        cube_owner=("centered", "player", "opponent")[event.DoublePlayer],
        crawford=event.Crawford == 1,
        double_open=event.DoubleOffered,
        forced=event.Forced,
        started=event.Started != 0,
        rated=event.Player1.Rating > 0 and event.Player2.Rating > 0,
    )


def steps_of(pairs: Pairs, mover: Side) -> tuple[Step, ...]:
    """Steps on the wire, from our side of the board, in the mover's numbering. Raises BoardError."""
    return tuple((_point(source, mover), _point(target, mover)) for source, target in pairs or ())


def _point(space: int, mover: Side) -> int:
    if mover == "me":
        if space in (25, 27):
            raise BoardError(f"our checker cannot be on space {space}")
        return BAR if space == 26 else space
    if space in (0, 26):
        raise BoardError(f"the opponent's checker cannot be on space {space}")
    return BAR if space == 27 else 25 - space


def apply_steps(board: tuple[int, ...], steps: Iterable[Step]) -> tuple[int, ...] | None:
    """The board (in the mover's numbering) after the steps, hits included; None if one cannot be made."""
    points = list(board)
    for source, target in steps:
        if not OFF <= target < source <= BAR or points[source] < 1:
            return None
        if target != OFF and points[target] < -1:
            return None
        points[source] -= 1
        if target != OFF:
            if points[target] == -1:
                points[target] = 0
                points[0] += 1
            points[target] += 1
    return tuple(points)


def single_steps(board: tuple[int, ...], die: int) -> list[Step]:
    """Every step one die allows, looked at by itself; `board` is the mover's."""
    sources = [BAR] if board[BAR] else [point for point in range(1, 25) if board[point] > 0]
    farthest = max(sources, default=0)
    found = []
    for source in sources:
        target = max(OFF, source - die)
        if target == OFF:
            if farthest <= 6 and source in (die, farthest):
                found.append((source, OFF))
        elif board[target] >= -1:
            found.append((source, target))
    return found


def can_move(board: tuple[int, ...], dice: Dice) -> bool:
    """Whether the side on roll, whose numbering it is, can move at all."""
    return any(single_steps(board, die) for die in dice)


def resignation_cost(board: tuple[int, ...]) -> int:
    """What the server charges the side whose numbering it is for giving up here: 1, 2 or 3 cubes.

    3 with a checker on the bar or in the winner's home, else 2 with none borne off, else 1.
    """
    if board[BAR] or any(board[point] > 0 for point in range(19, 25)):
        return 3
    borne_off = CHECKERS - sum(n for n in board[1:25] if n > 0)
    return 1 if borne_off else 2
