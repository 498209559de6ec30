"""Positions, scores and decisions as plain values.

Perspective: unless a field says otherwise everything is seen by the *player on roll*, the side that holds
the dice or decides on the cube before rolling. Equities are points for a cube at 1 in money play; in a match
they are match-winning chances mapped linearly so that losing / winning the present cube value are -1 / +1.
"Cubeful" is meant unless a name says cubeless.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from botd import _core

Board = tuple[int, ...]
"""26 integers: [1..24] points numbered from the player's own bear-off end (own checkers positive, the
opponent's negative), [25] own checkers on the bar, [0] the opponent's checkers on the bar (both >= 0)."""

Step = tuple[int, int]
"""One checker moved by one die: (from, to) in the mover's numbering; 25 is the bar, 0 is off."""

STARTING_BOARD: Board = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)
"""How a game begins; the same for both players."""
BAR = 25
"""The player's own bar, on a board and in steps."""
OFF = 0
"""Where checkers that are borne off go, in steps. (On a board this place holds the opponent's bar.)"""


class CubeOwner(StrEnum):
    """Who may turn the cube, seen by the player on roll: either side while it is centred."""

    CENTERED = "centered"
    PLAYER = "player"
    OPPONENT = "opponent"


class Scoring(StrEnum):
    """What the end of a game costs its loser."""

    STANDARD = "standard"
    """A drop costs the cube; a game played out or resigned costs it once, twice or three times."""
    BGAMMON = "bgammon"
    """Matches on bgammon servers: every end, a drop and a resignation too, is counted from the position. The
    loser pays three cubes with a checker on the bar or in the winner's home board (even if others are off
    already), else two with none borne off, else one."""


class EngineMode(StrEnum):
    """How an engine searches."""

    EXACT = "exact"
    """The evaluator's own search as its specification defines it."""
    FAST = "fast"
    """Our own search over the evaluator, under a time budget."""


@dataclass(frozen=True, slots=True)
class Probabilities:
    """Outcome probabilities, not conditional: `win` includes `win_gammon` includes `win_backgammon`."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float


@dataclass(frozen=True, slots=True)
class GameContext:
    """Score, cube and rules around a position. `match_length` 0 is money play."""

    match_length: int = 0
    score_player: int = 0
    score_opponent: int = 0
    cube_value: int = 1
    cube_owner: CubeOwner = CubeOwner.CENTERED
    crawford: bool = False
    """This very game is the Crawford game."""
    jacoby: bool = False
    """Money play: gammons count only once the cube was turned."""
    beavers: bool = False
    """Money play: the taker may redouble at once and keep the cube."""
    max_cube: int | None = None
    """The server lets nobody turn the cube beyond this value; None: up to 4096."""
    scoring: Scoring = Scoring.STANDARD
    seat: int = 1
    """Which player (0, 1) of an asymmetric match equity table the player on roll is, as in an identifier."""

    @property
    def is_money(self) -> bool:
        """Whether points are played for, without a match to win."""
        return self.match_length == 0


@dataclass(frozen=True, slots=True)
class Play:
    """A legal play and the position it leads to."""

    steps: tuple[Step, ...]
    """Atomic steps in an order that can be played one by one; empty if no checker can move."""
    board: Board
    """The resulting board, still in the mover's view (not turned round)."""
    notation: str
    """gnubg's notation, such as `8/5 6/5` or `bar/22*/18`; empty if no checker can move."""


class _FromRanking:
    """Where a RankedPlay finds what it has not made yet; no field, so neither compared nor pickled."""

    __slots__ = ("_place", "_ranking")
    if TYPE_CHECKING:
        _ranking: _core.PlayRanking
        _place: int


@dataclass(frozen=True, slots=True)
class RankedPlay(_FromRanking):
    """A legal play and what it is worth to the player who makes it."""

    play: Play
    equity: float
    cubeless_equity: float | None
    """In points of money play, whatever the score; None if the evaluator knows cubeful equities only."""
    probabilities: Probabilities | None
    """After the play, seen by the player who made it; None of an evaluator that has none."""
    ply: int

    @classmethod
    def of_ranking(cls, ranking: _core.PlayRanking, place: int) -> RankedPlay:
        """The entry at `place` of a ranking; its `play` and `probabilities` are made when first looked at."""
        entry = object.__new__(cls)
        fill = object.__setattr__
        fill(entry, "_ranking", ranking)
        fill(entry, "_place", place)
        equity, cubeless_equity, ply = ranking.value(place)
        fill(entry, "equity", equity)
        fill(entry, "cubeless_equity", cubeless_equity)
        fill(entry, "ply", ply)
        return entry

    if not TYPE_CHECKING:  # for fields left empty by `of_ranking`, not for whatever a type checker never saw

        def __getattr__(self, name: str) -> Any:
            if name == "play":
                made = Play(*self._ranking.play(self._place))
            elif name == "probabilities":
                chances = self._ranking.probabilities(self._place)
                made = None if chances is None else Probabilities(*chances)
            else:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            object.__setattr__(self, name, made)
            return made


@dataclass(frozen=True, slots=True)
class PlayDecision:
    """All legal plays of a roll, best first. `plays` is never empty: a dance is one play without steps."""

    plays: Sequence[RankedPlay]
    """A tuple, or what acts as one."""
    legal_count: int
    """Number of distinct resulting positions; 0 if no checker can move."""
    ply: int
    source: str
    """`search`; `bearoff` when a database has the position, `book` when it is known by heart, `forced` when
    there was nothing to choose."""

    @property
    def best(self) -> RankedPlay:
        """The play to make."""
        return self.plays[0]


class TakeAction(StrEnum):
    """Answers to a double, of the side that was doubled."""

    TAKE = "take"
    PASS = "pass"  # noqa: S105 - the move, not a secret
    BEAVER = "beaver"


@dataclass(frozen=True, slots=True)
class CubeDecision:
    """Double or roll, and the right answer to a double.

    Everything is seen by the side that may double, also when the question is whether to take.
    """

    no_double: float
    double_take: float
    double_pass: float
    optimal: float
    decision: str
    """gnubg's name, such as `DOUBLE_TAKE`, `NODOUBLE_DEADCUBE`, `TOOGOOD_PASS`, `DOUBLE_BEAVER`."""
    decision_text: str
    double: bool
    """Whether doubling is right (a double that changes nothing is not made)."""
    response: TakeAction
    """The right answer if a double is made all the same."""
    probabilities: Probabilities | None
    """None of an evaluator that has none."""
    cubeless_equity: float | None
    """In points of money play, whatever the score; None if the evaluator knows cubeful equities only."""
    ply: int


@dataclass(frozen=True, slots=True)
class ResignationDecision:
    """What to resign, or whether to accept an offer. Equities are seen by the side that decides."""

    level: int
    """Offering: 0 (play on) or 1, 2, 3 to resign single, gammon, backgammon. Judging: the level offered."""
    accept: bool
    """Judging an offer: take it. Offering: always False."""
    equity: float
    """Cubeful equity of playing on."""
    resign_equity: float
    """Equity after the resignation (of `level`; of level 1 where `level` is 0)."""
    probabilities: Probabilities | None
    """None of an evaluator that has none."""
    ply: int


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What a decision was made with; goes into the journal and into `info`."""

    version: str
    evaluator: str
    mode: EngineMode
    cpu_path: str
    """`plain`, `avx2`, `avx512` or, of networks in whole numbers, `vnni`."""
    weights_sha256: str
    """One digest over all weight files in use."""
    weights_files: dict[str, str] = field(default_factory=dict)
    """Path to SHA-256 of every file read (networks, bear-off database)."""
    met: str = ""

    @property
    def identity(self) -> str:
        """Everything that decides its values, on one line."""
        weights = self.weights_sha256
        return f"{self.evaluator} {self.version} {self.mode.value} {weights} {self.cpu_path} {self.met}"
