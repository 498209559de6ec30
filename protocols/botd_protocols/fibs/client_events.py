"""What the FIBS client tells its session: the events of every protocol and those of this one.

Texts of other people are escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from botd_protocols.game_events import (
    Alarm,
    BoardSeen,
    Cause,
    Chat,
    CheckersMoved,
    CommandRejected,
    CubeDoubled,
    CubeDropped,
    CubeTaken,
    CubeValue,
    Danced,
    DecisionKind,
    DecisionNeeded,
    DecisionWithdrawn,
    DiceRolled,
    Disconnected,
    Event,
    GameEnded,
    GameStarted,
    LobbyNews,
    LobbyReady,
    LoggedIn,
    LoginRefused,
    MatchEnded,
    MatchResumed,
    MatchStarted,
    MatchSuspended,
    MoveRejected,
    OpeningRoll,
    OutOfStep,
    OwnRating,
    ResignationAccepted,
    ResignationOffered,
    ResignationRejected,
    Retry,
    ScoreChanged,
    ServerError,
    Shutdown,
    StaleAnswer,
    UnparsedLine,
)

__all__ = [
    "Alarm",
    "BoardSeen",
    "Cause",
    "Chat",
    "CheckersMoved",
    "CommandRejected",
    "CubeDoubled",
    "CubeDropped",
    "CubeTaken",
    "CubeValue",
    "Danced",
    "DecisionKind",
    "DecisionNeeded",
    "DecisionWithdrawn",
    "DiceRolled",
    "Disconnected",
    "Event",
    "GameEnded",
    "GameStarted",
    "InvitationFailed",
    "InvitationKind",
    "InvitationReceived",
    "InvitationSent",
    "JoinPrompt",
    "LobbyNews",
    "LobbyReady",
    "LoggedIn",
    "LoginRefused",
    "MatchEnded",
    "MatchResumed",
    "MatchStarted",
    "MatchSuspended",
    "MoveRejected",
    "OpeningRoll",
    "OutOfStep",
    "OwnRating",
    "PlayerGone",
    "PlayerSeen",
    "ResignationAccepted",
    "ResignationOffered",
    "ResignationRejected",
    "Retry",
    "SavedCount",
    "SavedMatch",
    "SavedMatchAtRisk",
    "SavedMatches",
    "ScoreChanged",
    "ServerError",
    "Shutdown",
    "StaleAnswer",
    "UnparsedLine",
]


class InvitationKind(StrEnum):
    NEW = "new"
    UNLIMITED = "unlimited"
    RESUME = "resume"
    VARIANT = "variant"


@dataclass(frozen=True, slots=True)
class PlayerSeen(LobbyNews):
    """A who record of anybody."""

    name: str
    opponent: str | None
    ready: bool
    away: bool
    rating: float
    experience: int


@dataclass(frozen=True, slots=True)
class PlayerGone(LobbyNews):
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
class JoinPrompt(Event):
    """The next game waits; the client answers with `join`, or `leave` after `leave_after_game(True)`."""

    opponent: str


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
