"""The state of one match: score, position, cube, offers. No texts and no connections in here.

Sides are 0 (the inviter) and 1 (the joiner).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from enum import Enum

from . import server_board as geometry
from .server_board import UNLIMITED_LENGTH, BoardState


class Phase(Enum):
    BETWEEN = "between games"
    ROLL = "to roll"
    MOVE = "to move"
    OVER = "match over"


class OfferKind(Enum):
    DOUBLE = "double"
    RESIGN = "resign"


@dataclass(frozen=True, slots=True)
class Offer:
    kind: OfferKind
    by: int
    level: int = 0
    """Resignations: 1 single, 2 gammon, 3 backgammon."""


@dataclass
class Match:
    players: tuple[str, str]
    length: int
    """Points, or `UNLIMITED_LENGTH`."""
    scores: list[int] = field(default_factory=lambda: [0, 0])
    crawford_rule: bool = True
    crawford_game: bool = False
    post_crawford: bool = False
    x_side: int = 0
    games: int = 0
    """Games started so far; the sides swap colours from the second on."""
    board: tuple[int, ...] = geometry.START
    phase: Phase = Phase.BETWEEN
    turn: int = 0
    dice: tuple[int, int] | None = None
    cube: int = 1
    cube_owner: int | None = None
    offer: Offer | None = None
    redoubles_used: int = 0
    first_move: bool = False
    """The opening dice are on the table: nobody has rolled yet."""
    thrown_doubles: list[int] = field(default_factory=lambda: [0, 0])
    """Per side, in this game."""
    joined: list[bool] = field(default_factory=lambda: [False, False])
    can_move: list[int] = field(default_factory=lambda: [0, 0])
    """Per side, from its latest roll; stale on purpose."""
    history: list[str] = field(default_factory=list)

    @property
    def unlimited(self) -> bool:
        return self.length == UNLIMITED_LENGTH

    @property
    def length_text(self) -> str:
        """`an unlimited` or `a 5 point`, as the start texts want it."""
        return "an unlimited" if self.unlimited else f"a {self.length} point"

    def side_of(self, name: str) -> int:
        return self.players.index(name)

    def opponent_of(self, name: str) -> str:
        return self.players[1 - self.side_of(name)]

    def colour(self, side: int) -> int:
        return geometry.X_COLOUR if side == self.x_side else geometry.O_COLOUR

    def letter(self, side: int) -> str:
        return "X" if side == self.x_side else "O"

    @property
    def in_game(self) -> bool:
        return self.phase in {Phase.ROLL, Phase.MOVE}

    # -- games ------------------------------------------------------------------------------------

    def start_game(self, *, swap_colours: bool) -> None:
        """Set up the starting position; the opening roll follows with `open_with`."""
        if self.games and swap_colours:
            self.x_side = 1 - self.x_side
        self.games += 1
        self.board = geometry.START
        self.cube, self.cube_owner, self.offer, self.dice = 1, None, None, None
        self.joined = [False, False]
        self.redoubles_used = 0
        self.thrown_doubles = [0, 0]
        self.history = []
        one_away = not self.unlimited and self.length - 1 in self.scores and self.length > 1
        self.crawford_game = one_away and self.crawford_rule and not self.post_crawford

    def open_with(self, side: int, dice: tuple[int, int]) -> None:
        self.turn, self.dice, self.phase, self.first_move = side, dice, Phase.MOVE, True

    def may_double(self, side: int) -> bool:
        """Whether the rules let `side` offer the cube before its next roll."""
        return not self.crawford_game and self.length > 1 and self.cube_owner in {None, side}

    def roll(self, dice: tuple[int, int]) -> None:
        self.dice, self.phase, self.first_move = dice, Phase.MOVE, False

    def pass_turn(self) -> None:
        self.turn = 1 - self.turn
        self.dice, self.phase, self.first_move = None, Phase.ROLL, False
        self.redoubles_used = 0

    def record(self, moves: str) -> None:
        """Add the turn that was just played to the move list."""
        assert self.dice is not None
        self.history.append(f"{self.letter(self.turn)}: ({self.dice[0]} {self.dice[1]}) {moves}")

    def result_points(self, winner: int) -> int:
        """1, 2 or 3 times the cube if `winner` has borne off everything, else 0."""
        if geometry.borne_off(self.board, self.colour(winner)) < geometry.CHECKERS:
            return 0
        loser = self.colour(1 - winner)
        if geometry.borne_off(self.board, loser):
            return self.cube
        view = geometry.to_own_view(self.board, loser)
        # The loser's 19..25 points are the winner's home board and the bar.
        return self.cube * (3 if any(view[p] > 0 for p in range(19, 26)) else 2)

    def finish_game(self, winner: int, points: int) -> bool:
        """Score a finished game; True if the match is over with it."""
        self.scores[winner] += points
        self.offer, self.dice = None, None
        self.joined = [False, False]
        if self.crawford_game:
            self.post_crawford = True
        over = not self.unlimited and self.scores[winner] >= self.length
        self.phase = Phase.OVER if over else Phase.BETWEEN
        return over

    def suspended_copy(self) -> Match:
        """The match as it is saved: everything survives except who had already agreed to go on."""
        saved = copy.deepcopy(self)
        saved.joined = [False, False]
        return saved

    # -- view -------------------------------------------------------------------------------------

    def view(self, side: int, *, you: bool, redoubles: int = 0, show_double: bool = True) -> BoardState:
        """The board line's content for `side` as player 1; `you` names it `You`."""
        other = 1 - side
        turn = self.colour(self.turn) if self.in_game else 0
        doubled = self.in_game and self.offer is not None and self.offer.kind is OfferKind.DOUBLE
        was_doubled = False
        may = (self.cube_owner in {None, side}, self.cube_owner in {None, other})
        if doubled and show_double:
            assert self.offer is not None
            turn = self.colour(1 - self.offer.by)
            was_doubled = self.offer.by == other
            may = (False, False)
        none = (0, 0)
        dice = self.dice if self.dice and self.in_game else none
        one_away = not self.unlimited and self.length > 1 and self.length - 1 in self.scores
        return BoardState(
            names=("You" if you else self.players[side], self.players[other]),
            length=self.length,
            scores=(self.scores[side], self.scores[other]),
            board=self.board,
            turn=turn,
            dice=(dice if self.turn == side else none, dice if self.turn == other else none),
            cube=self.cube,
            may_double=may,
            was_doubled=was_doubled,
            colour=self.colour(side),
            can_move=self.can_move[side],
            no_crawford=one_away and not self.crawford_rule,
            post_crawford=self.post_crawford,
            redoubles=redoubles,
        )
