"""What every protocol client tells its session, whatever the server. No event ever holds a password.

Texts of other people are escaped. `me` says whether the configured account did it. Steps are in the
mover's own numbering (25 is the bar, 0 is off).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from botd_protocols.positions import Dice, PositionView, Step, Table


class DecisionKind(StrEnum):
    MOVE = "move"
    ROLL_OR_DOUBLE = "roll_or_double"
    DOUBLE_OFFERED = "double_offered"
    RESIGNATION_OFFERED = "resignation_offered"


Cause = Literal["timeout", "board_mismatch", "rejected", "resumed"]
"""Why a board had to be read again: nothing came, it did not fit, a command was refused, or the match was
resumed and not shown."""


class Retry(StrEnum):
    """What to do after a connection has ended."""

    NEVER = "never"
    """The account was refused, or we said good-bye."""
    BACK_OFF = "back_off"
    """Lost, silent, refused for now or shut down: reconnect with growing waits."""
    DUPLICATE = "duplicate"
    """Another session of the account took over: wait a minute at least, give up after a few."""


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events."""


@dataclass(frozen=True, slots=True)
class LobbyNews(Event):
    """Base of the events about other players that tell nothing about a match of ours."""


@dataclass(frozen=True, slots=True)
class LoggedIn(Event):
    """The server let us in. Settings follow; do not invite before `LobbyReady`."""

    name: str
    duplicate: bool
    """The server warned that the account was already connected."""


@dataclass(frozen=True, slots=True)
class LoginRefused(Event):
    reason: str


@dataclass(frozen=True, slots=True)
class LobbyReady(Event):
    """The settings are as needed and the saved matches are known."""


@dataclass(frozen=True, slots=True)
class Disconnected(Event):
    """The connection is over; close the socket. Nothing follows."""

    reason: str
    final: bool
    """Do not reconnect (the same as `retry` being NEVER)."""
    retry: Retry
    least_wait: float = 0.0
    """Seconds the server wants to be left alone."""


@dataclass(frozen=True, slots=True)
class Shutdown(Event):
    """The server says it is about to go down: accept nothing new."""

    text: str


@dataclass(frozen=True, slots=True)
class MatchStarted(Event):
    opponent: str
    length: int | None
    """As announced: 0 unlimited, None not told. The first `ScoreChanged` has the truth."""


@dataclass(frozen=True, slots=True)
class MatchResumed(Event):
    opponent: str
    length: int | None


@dataclass(frozen=True, slots=True)
class GameStarted(Event):
    opponent: str


@dataclass(frozen=True, slots=True)
class OpeningRoll(Event):
    mine: int
    opponents: int


@dataclass(frozen=True, slots=True)
class DiceRolled(Event):
    me: bool
    dice: Dice


@dataclass(frozen=True, slots=True)
class CheckersMoved(Event):
    me: bool
    steps: tuple[Step, ...]
    """Empty if the text could not be read."""
    automatic: bool = False
    """The server moved for us."""


@dataclass(frozen=True, slots=True)
class Danced(Event):
    me: bool


@dataclass(frozen=True, slots=True)
class CubeDoubled(Event):
    me: bool


@dataclass(frozen=True, slots=True)
class CubeTaken(Event):
    """`me` took, or the opponent took our double."""

    me: bool
    value: int


@dataclass(frozen=True, slots=True)
class CubeDropped(Event):
    me: bool
    points: int


@dataclass(frozen=True, slots=True)
class CubeValue(Event):
    """An automatic double at the opening."""

    value: int


@dataclass(frozen=True, slots=True)
class ResignationOffered(Event):
    me: bool
    """Whether we resign; else the opponent does."""
    points: int


@dataclass(frozen=True, slots=True)
class ResignationAccepted(Event):
    me: bool
    """Whether we accepted the opponent's resignation; else he accepted ours."""
    points: int


@dataclass(frozen=True, slots=True)
class ResignationRejected(Event):
    me: bool


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    """Told once per game, however often the server says it."""

    won: bool
    points: int
    """As the server's text has it; the score is what counts."""


@dataclass(frozen=True, slots=True)
class ScoreChanged(Event):
    match_length: int
    """0 is unlimited."""
    score: int
    opponent_score: int


@dataclass(frozen=True, slots=True)
class MatchEnded(Event):
    opponent: str
    won: bool
    length: int
    score: int
    opponent_score: int


@dataclass(frozen=True, slots=True)
class MatchSuspended(Event):
    """No match runs any more; a server that saves matches holds it."""

    opponent: str
    reason: str
    left_by_us: bool = False


@dataclass(frozen=True, slots=True)
class Chat(Event):
    kind: str
    """`tell`, `shout`, `whisper`, `kibitz`, `message` (stored), `alert` (of an administrator); `say` to the
    opponent on servers without the other kinds."""
    name: str
    text: str
    """Escaped."""


@dataclass(frozen=True, slots=True)
class BoardSeen(Event):
    """Our match as the server shows it, each time it does, before anything else is done with it."""

    table: Table


@dataclass(frozen=True, slots=True)
class DecisionNeeded(Event):
    """Answer once with the `answer_...` methods and this key."""

    kind: DecisionKind
    key: int
    position: PositionView
    """MOVE and ROLL_OR_DOUBLE: we are on roll. DOUBLE_OFFERED: the doubler is on roll. RESIGNATION_OFFERED:
    as the turn is."""
    table: Table
    resign_level: int = 0
    """1, 2, 3: the opponent offers a single game, gammon, backgammon."""
    resign_points: int = 0
    resign_cost: int = 1
    """ROLL_OR_DOUBLE: what a resignation of ours would cost at least, in cubes. Above 1 where the server
    sets the price by the position."""
    rejected: tuple[tuple[Step, ...], ...] = ()
    """Plays the server refused in this position; choose another."""
    count: int | None = None
    """How many checkers must be moved, if the server said so."""


@dataclass(frozen=True, slots=True)
class DecisionWithdrawn(Event):
    """The question is no longer asked; stop thinking."""

    key: int


@dataclass(frozen=True, slots=True)
class StaleAnswer(Event):
    """An answer came for a question no longer asked and was ignored."""

    key: int


@dataclass(frozen=True, slots=True)
class MoveRejected(Event):
    key: int
    tried: tuple[Step, ...]
    text: str


@dataclass(frozen=True, slots=True)
class CommandRejected(Event):
    """The server refused a command that we thought was right (a move: `MoveRejected`)."""

    command: str
    """Its first word."""
    text: str


@dataclass(frozen=True, slots=True)
class OutOfStep(Event):
    """What we believe of the match may be wrong: the board is read again, and nobody asked us to."""

    cause: Cause


@dataclass(frozen=True, slots=True)
class OwnRating(Event):
    """Our own rating, whenever the server tells it, changed or not."""

    rating: float
    experience: int | None = None
    """Points of all matches played; None where the server does not tell it."""


@dataclass(frozen=True, slots=True)
class ServerError(Event):
    """A text for people (on FIBS a `** ` line) that the client has no special reaction to."""

    text: str


@dataclass(frozen=True, slots=True)
class UnparsedLine(Event):
    text: str
    """Escaped and cut."""


@dataclass(frozen=True, slots=True)
class Alarm(Event):
    """The client is stuck and keeps still for a while: an operator may look."""

    text: str
