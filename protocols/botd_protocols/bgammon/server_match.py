"""The state of one match: seats, score, position, cube, turn. No texts and no sending in here.

Seats are 1 and 2. The position is kept as seat 1's view; steps of the running turn in the mover's numbering.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import server_steps
from .server_board import ALL_OFF_BOARD, CHECKERS, OFF, START, Step, View, flip, game_value
from .server_replay import GameRecord

if TYPE_CHECKING:
    from .server_accounts import Session

MAX_POINTS = 127
MAX_CUBE = 64
BACKGAMMON, ACEY_DEUCEY, TABULA = 0, 1, 2
NOT_YET, CRAWFORD_GAME, AFTER_CRAWFORD = 0, 1, 2


@dataclass
class Seat:
    owner: str = ""
    """Who sits here; once the match has started also who may come back."""
    session: Session | None = None
    """The owner's connection while he is in the match."""
    rating: int = 0
    """As it was when he sat down; 0 for guests."""
    rated: bool = False
    points: int = 0
    die: int = 0
    """His die of the opening roll; 0: not rolled."""
    may_rejoin: bool = False
    gone_at: float | None = None
    inactive_s: float = 0.0
    wants_rematch: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """A step of the running turn, with what is needed to take it back."""

    step: Step
    die: int
    hit: bool


@dataclass
class Match:
    id: int
    title: str
    password: str | None
    length: int
    variant: int
    created: float
    seats: tuple[Seat, Seat] = field(default_factory=lambda: (Seat(), Seat()))
    spectators: list[Session] = field(default_factory=list)
    board: View = START
    turn: int = 0
    """0 opening roll, else the seat on turn."""
    dice: tuple[int, int] = (0, 0)
    """Of the turn; after the opening seat 1's die comes first."""
    opening: bool = False
    """The dice are those of the opening roll."""
    left: server_steps.Dice = ()
    """Dice still to be played."""
    made: list[Made] = field(default_factory=list)
    ever_moved: bool = False
    forced: bool = False
    cube: int = 1
    cube_owner: int = 0
    offered: bool = False
    winner: int = 0
    crawford: int = NOT_YET
    started: int = 0
    ended: int = 0
    is_rematch: bool = False
    turn_since: float = 0.0
    inactivity_told: bool = False
    first_gone: int = 0
    """The seat that left an unfinished match first while the other stayed."""
    opening_pair: tuple[int, int] | None = None
    """Dice of the opening roll in progress, seat 1's first, before they are shown."""
    thrown_doubles: list[int] = field(default_factory=lambda: [0, 0])
    games: list[GameRecord] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.variant != BACKGAMMON:
            self.board = ALL_OFF_BOARD

    # -- seats ------------------------------------------------------------------------------------

    def seat(self, number: int) -> Seat:
        return self.seats[number - 1]

    def number_of(self, session: Session) -> int:
        """The seat a connection sits at; 0 for none."""
        return next((n for n in (1, 2) if self.seat(n).session is session), 0)

    @property
    def players(self) -> list[Session]:
        return [seat.session for seat in self.seats if seat.session is not None]

    @property
    def clients(self) -> list[Session]:
        return [*self.players, *self.spectators]

    @property
    def complete(self) -> bool:
        return len(self.players) == 2

    @property
    def rated(self) -> bool:
        return self.seats[0].rated and self.seats[1].rated

    @property
    def has_started(self) -> bool:
        return self.started != 0

    @property
    def over(self) -> bool:
        """Somebody has the points to win the match."""
        return any(seat.points >= self.length for seat in self.seats)

    # -- the turn ---------------------------------------------------------------------------------

    def view(self, seat: int) -> View:
        return self.board if seat == 1 else flip(self.board)

    def set_view(self, seat: int, view: View) -> None:
        self.board = view if seat == 1 else flip(view)

    def steps(self, *, insist: bool = True) -> list[Step]:
        """What the seat on turn may do now, in its numbering; `insist`: quirk 20."""
        if not self.turn or not self.left:
            return []
        return server_steps.available(
            self.view(self.turn), self.left, fresh=not self.made, last_checker_free=not insist
        )

    def start_turn(self, seat: int, now: float) -> None:
        self.turn, self.dice, self.left, self.opening = seat, (0, 0), (), False
        self.made = []
        self.forced = False
        self.turn_since = now

    def set_dice(self, first: int, second: int) -> None:
        self.dice = (first, second)
        self.left = server_steps.dice_of(first, second)
        self.made = []

    def make(self, step: Step) -> None:
        """Make one available step of the seat on turn."""
        die = server_steps.die_of(step, self.left)
        view, hit = server_steps.apply_step(self.view(self.turn), step)
        self.set_view(self.turn, view)
        self.left = server_steps.without(self.left, die)
        self.made.append(Made(step, die, hit))
        self.ever_moved = True

    def unmake(self) -> Step:
        """Take the last step back; the step."""
        last = self.made.pop()
        self.set_view(self.turn, server_steps.undo_step(self.view(self.turn), last.step, last.hit))
        self.left = (*self.left, last.die)
        return last.step

    def borne_off_all(self, seat: int) -> bool:
        return self.view(seat)[OFF] == CHECKERS

    # -- cube and score ---------------------------------------------------------------------------

    def may_double(self, seat: int) -> bool:
        """Whether `seat` may offer the cube at the start of its turn (8.1)."""
        return (
            self.variant == BACKGAMMON
            and self.length > 1
            and self.crawford != CRAWFORD_GAME
            and self.cube < MAX_CUBE
            and self.cube_owner in {0, seat}
        )

    def value_for(self, winner: int) -> int:
        """Points the position is worth if `winner` wins now, the cube counted in."""
        return game_value(self.view(3 - winner)) * self.cube

    def score(self, winner: int, points: int) -> None:
        self.winner = winner
        seat = self.seat(winner)
        seat.points = min(MAX_POINTS, seat.points + points)

    @property
    def _one_away(self) -> bool:
        return self.length > 1 and any(seat.points == self.length - 1 for seat in self.seats)

    def next_game(self, now: float) -> None:
        """Set up the next game, for its opening roll."""
        self.board = START if self.variant == BACKGAMMON else ALL_OFF_BOARD
        self.cube, self.cube_owner, self.offered, self.winner = 1, 0, False, 0
        self.thrown_doubles = [0, 0]
        for seat in self.seats:
            seat.die = 0
        if self.crawford == CRAWFORD_GAME:
            self.crawford = AFTER_CRAWFORD
        elif self.crawford == NOT_YET and self._one_away:
            self.crawford = CRAWFORD_GAME
        self.start_turn(0, now)

    def begin_again(self, now: float) -> None:
        """A rematch: the same seats and id, nothing else stays."""
        for seat in self.seats:
            seat.points, seat.inactive_s, seat.wants_rematch, seat.may_rejoin = 0, 0.0, False, False
        self.crawford, self.started, self.ended = NOT_YET, 0, 0
        self.is_rematch, self.ever_moved, self.inactivity_told = True, False, False
        self.games = []
        self.next_game(now)

    # -- time -------------------------------------------------------------------------------------

    def inactive(self, seat: int, now: float, long_turn_s: float) -> float:
        """Seconds of long turns of a seat, the running one counted in."""
        total = self.seat(seat).inactive_s
        running = now - self.turn_since
        if self.turn == seat and not self.winner and running > long_turn_s:
            total += running
        return total
