"""What the FIBS client tells its session. No event ever holds the password.

Texts of other people are escaped. `me` says whether the configured account did it. Steps are in the
mover's own numbering (25 is the bar, 0 is off).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .client_board import BoardLine, Dice, PositionView
from .client_moves import Step


class DecisionKind(StrEnum):
    MOVE = "move"
    ROLL_OR_DOUBLE = "roll_or_double"
    DOUBLE_OFFERED = "double_offered"
    RESIGNATION_OFFERED = "resignation_offered"


class Retry(StrEnum):
    """What to do after a connection has ended."""

    NEVER = "never"
    """The account was refused, or we said good-bye."""
    BACK_OFF = "back_off"
    """Lost, silent, refused for now or shut down: reconnect with growing waits."""
    DUPLICATE = "duplicate"
    """Another session of the account took over: wait a minute at least, give up after a few."""


class InvitationKind(StrEnum):
    NEW = "new"
    UNLIMITED = "unlimited"
    RESUME = "resume"
    VARIANT = "variant"


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events."""


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


@dataclass(frozen=True, slots=True)
class Shutdown(Event):
    """The server says it is about to go down: accept nothing new."""

    text: str


@dataclass(frozen=True, slots=True)
class PlayerSeen(Event):
    """A who record of anybody."""

    name: str
    opponent: str | None
    ready: bool
    away: bool
    rating: float
    experience: int


@dataclass(frozen=True, slots=True)
class PlayerGone(Event):
    name: str


@dataclass(frozen=True, slots=True)
class InvitationReceived(Event):
    name: str
    kind: InvitationKind
    length: int | None
    """Points of a new match, None for any other kind."""


@dataclass(frozen=True, slots=True)
class SavedMatchAtRisk(Event):
    """Follows an invitation: joining would destroy the saved match with `name`; resume it instead."""

    name: str
    saved_length: int | None
    """None: an unlimited one."""


@dataclass(frozen=True, slots=True)
class InvitationSent(Event):
    name: str


@dataclass(frozen=True, slots=True)
class InvitationFailed(Event):
    """A `join` or `invite` of ours came to nothing; we are in the lobby."""

    name: str | None
    text: str
    no_saved_match: bool = False


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
class JoinPrompt(Event):
    """The next game waits; the client answers with `join`, or `leave` after `leave_after_game(True)`."""

    opponent: str


@dataclass(frozen=True, slots=True)
class MatchEnded(Event):
    opponent: str
    won: bool
    length: int
    score: int
    opponent_score: int


@dataclass(frozen=True, slots=True)
class MatchSuspended(Event):
    """No match runs any more; the server holds it as saved."""

    opponent: str
    reason: str


@dataclass(frozen=True, slots=True)
class SavedMatch:
    opponent: str
    length: int
    """0 is unlimited."""
    score: int
    opponent_score: int
    online: bool
    ready: bool


@dataclass(frozen=True, slots=True)
class SavedMatches(Event):
    matches: tuple[SavedMatch, ...]


@dataclass(frozen=True, slots=True)
class SavedCount(Event):
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Chat(Event):
    kind: str
    """`tell`, `shout`, `whisper`, `kibitz`, `message` (stored) or `alert` (of an administrator)."""
    name: str
    text: str
    """Escaped."""


@dataclass(frozen=True, slots=True)
class BoardSeen(Event):
    """A board line of our match, each time one arrives."""

    line: BoardLine


@dataclass(frozen=True, slots=True)
class DecisionNeeded(Event):
    """Answer once with the `answer_...` methods and this key."""

    kind: DecisionKind
    key: int
    position: PositionView
    """MOVE and ROLL_OR_DOUBLE: we are on roll. DOUBLE_OFFERED: the doubler is on roll. RESIGNATION_OFFERED:
    as the turn is."""
    line: BoardLine
    resign_level: int = 0
    """1, 2, 3: the opponent offers a single game, gammon, backgammon."""
    resign_points: int = 0
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
class ServerError(Event):
    """A `** ` line the client has no special reaction to."""

    text: str


@dataclass(frozen=True, slots=True)
class UnparsedLine(Event):
    text: str
    """Escaped and cut."""


@dataclass(frozen=True, slots=True)
class Alarm(Event):
    """The client is stuck and keeps still: an operator should look."""

    text: str
