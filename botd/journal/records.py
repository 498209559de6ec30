"""What the journal remembers: one frozen dataclass for each kind of entry.

Seats: `Side.US` is the account the daemon plays, `Side.OPPONENT` the other one; no entry depends on who is
on roll, on colours or on a server's numbering of the points. Checker steps are in the *mover's* numbering
(25 bar, 0 off). Scores are (ours, theirs). Times are seconds since 1970 (UTC) and are filled in by the
journal where a record leaves them at `None`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType

from botd.engine.types import CubeDecision, EngineInfo, PlayDecision, ResignationDecision, Step

MatchKey = NewType("MatchKey", str)
"""Names a match for good, suspensions included: `20261130-052522-3fa9c1d2` (start time, random part)."""

Dice = tuple[int, int]
Decision = PlayDecision | CubeDecision | ResignationDecision


class Side(StrEnum):
    US = "us"
    OPPONENT = "opponent"

    @property
    def other(self) -> Side:
        return Side.OPPONENT if self is Side.US else Side.US


class CubeActionKind(StrEnum):
    DOUBLE = "double"
    TAKE = "take"
    PASS = "pass"  # noqa: S105 - the action, not a secret
    BEAVER = "beaver"
    AUTOMATIC = "automatic"
    """Both opening dice were equal and the players had agreed to double then; no side acts."""


class ResignationAction(StrEnum):
    OFFER = "offer"
    ACCEPT = "accept"
    REJECT = "reject"


class GameEnd(StrEnum):
    BORNE_OFF = "borne_off"
    PASSED = "passed"
    RESIGNED = "resigned"
    UNKNOWN = "unknown"
    """The server named a winner but the reason was not seen."""


class Suspension(StrEnum):
    """Why a match stopped before its end. The server keeps such a match and either side may resume it."""

    LEFT = "left"
    """We left on purpose."""
    OPPONENT_LEFT = "opponent_left"
    """The opponent left, logged out or lost the connection."""
    CONNECTION_LOST = "connection_lost"
    """We lost the connection, or shut down."""


class DecisionKind(StrEnum):
    PLAY = "play"
    DOUBLE = "double"
    TAKE = "take"
    RESIGN = "resign"
    """Whether to offer to resign."""
    ANSWER_RESIGNATION = "answer_resignation"


@dataclass(frozen=True, slots=True)
class GameKey:
    """A game of a match; numbers start at 1 and go on over a suspension."""

    match: MatchKey
    number: int


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """A match the journal has not seen before. `length` 0 is an unlimited (money) match."""

    match: MatchKey
    server: str
    account: str
    opponent: str
    length: int
    crawford: bool = True
    jacoby: bool = False
    score: tuple[int, int] = (0, 0)
    """Other than 0-0 where the match began before the journal did (resumed from elsewhere)."""
    at: float | None = None


@dataclass(frozen=True, slots=True)
class MatchResumed:
    """The next sitting of a match that the journal knows."""

    match: MatchKey
    score: tuple[int, int]
    at: float | None = None


@dataclass(frozen=True, slots=True)
class GameStarted:
    game: GameKey
    score: tuple[int, int]
    crawford: bool = False
    complete: bool = True
    """False where play had begun before we looked: such a game is recorded from here on, but its
    opening is unknown and its moves are left out of the `.mat` file."""
    at: float | None = None


@dataclass(frozen=True, slots=True)
class GameGap:
    """Something happened in this game that the journal has not seen (the board does not follow)."""

    game: GameKey
    reason: str
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Rolled:
    game: GameKey
    side: Side | None
    """Who plays these dice; None for equal opening dice, which nobody plays."""
    dice: Dice
    """In the order the server showed them; for the opening: our die, their die."""
    opening: bool = False
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    game: GameKey
    side: Side
    dice: Dice
    steps: tuple[Step, ...]
    """Atomic steps, playable in this order; empty for a dance."""
    notation: str
    """gnubg's notation; empty for a dance."""
    position_id: str = ""
    """Position after the move, the side now on roll first; empty where nobody computed it."""
    automatic: bool = False
    """The server played it (forced move, greedy bear-off)."""
    at: float | None = None


@dataclass(frozen=True, slots=True)
class CubeAction:
    game: GameKey
    side: Side | None
    action: CubeActionKind
    cube: int
    """The value on offer or just refused; after a take the value in force."""
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Resignation:
    game: GameKey
    side: Side
    """Who offers, or who answers."""
    action: ResignationAction
    level: int
    """1, 2, 3: single game, gammon, backgammon."""
    at: float | None = None


@dataclass(frozen=True, slots=True)
class DecisionMade:
    """A decision of ours with all that is needed to look into it later.

    `match_id` and `position_id` are gnubg's, for the side on roll (for a take: the doubler).
    """

    game: GameKey
    kind: DecisionKind
    position_id: str
    match_id: str
    dice: Dice | None
    chosen: str
    """Notation of the play, or `roll`, `double`, `take`, `pass`, `beaver`, `resign 1`, `accept`, `reject`."""
    decision: Decision
    """All (or the best) candidates with equities and probabilities; stored as JSON."""
    engine: EngineInfo
    duration: float
    """Seconds from the question to the answer."""
    source: str = "search"
    """`search`, `forced`, `book`, `bearoff`, `fallback`, ..."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Ply, level, filter, time budget and what else shaped the decision; stored as JSON."""
    at: float | None = None


@dataclass(frozen=True, slots=True)
class GameEnded:
    game: GameKey
    winner: Side
    points: int
    """Points won, the cube counted in."""
    how: GameEnd
    score: tuple[int, int]
    """After this game."""
    at: float | None = None


@dataclass(frozen=True, slots=True)
class MatchEnded:
    match: MatchKey
    winner: Side
    score: tuple[int, int]
    at: float | None = None


@dataclass(frozen=True, slots=True)
class MatchSuspended:
    match: MatchKey
    reason: Suspension
    score: tuple[int, int]
    at: float | None = None


@dataclass(frozen=True, slots=True)
class MatchesAbandoned:
    """This account's unfinished matches on this server will never be resumed: it keeps them no longer."""

    server: str
    account: str
    at: float | None = None


@dataclass(frozen=True, slots=True)
class PlayerAsked:
    """The account invited this player of its own accord."""

    server: str
    account: str
    player: str
    at: float | None = None


@dataclass(frozen=True, slots=True)
class RatingSeen:
    """The server told the account its own rating, after `match` or, without one, at another time."""

    server: str
    account: str
    rating: float
    experience: int | None
    """Points of all matches the server has counted; None where it has no such number."""
    match: MatchKey | None = None
    at: float | None = None


Record = (
    MatchStarted
    | MatchResumed
    | GameStarted
    | GameGap
    | Rolled
    | Moved
    | CubeAction
    | Resignation
    | DecisionMade
    | GameEnded
    | MatchEnded
    | MatchSuspended
    | MatchesAbandoned
    | PlayerAsked
    | RatingSeen
)


@dataclass(frozen=True, slots=True)
class Resumable:
    """A suspended match found in the journal, and how far its record goes."""

    match: MatchKey
    length: int
    score: tuple[int, int]
    crawford: bool
    jacoby: bool
    game: int
    """Number of the last game begun; 0 if none."""
    game_open: bool
    """That game has no result yet, so play goes on in it."""
    last_position_id: str
    """Position after the last recorded move of that game; empty if unknown."""


@dataclass(frozen=True, slots=True)
class Lately:
    """Whom an account has dealt with, oldest first, and when."""

    played: tuple[tuple[str, float], ...]
    """Opponents of finished matches."""
    asked: tuple[tuple[str, float], ...]
    """Players invited unasked."""


@dataclass(frozen=True, slots=True)
class JournalStatus:
    """Counters for logs and metrics; cheap and safe to ask for at any time."""

    written: int
    """Records safely in the file."""
    dropped: int
    """Records given up because the buffer was full or the record did not fit the file."""
    pending: int
    """Records waiting."""
    errors: int
    """Failed attempts to write (database or match files)."""
    last_error: str
    failing: bool
    """The last attempt to write failed; records are being buffered."""
    matches_removed: int = 0
    """By retention, since the start."""
