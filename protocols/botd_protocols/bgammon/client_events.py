"""What the bgammon client tells its session: the events of every protocol and those of this one.

Texts of other people are escaped and cut.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    Danced,
    DecisionKind,
    DecisionNeeded,
    DecisionWithdrawn,
    DiceRolled,
    Disconnected,
    Event,
    GameEnded,
    GameStarted,
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
    "Danced",
    "DecisionKind",
    "DecisionNeeded",
    "DecisionWithdrawn",
    "DiceRolled",
    "Disconnected",
    "Event",
    "GameEnded",
    "GameStarted",
    "LobbyReady",
    "LoggedIn",
    "LoginRefused",
    "MatchEnded",
    "MatchOpened",
    "MatchResumed",
    "MatchStarted",
    "MatchSuspended",
    "MoveRejected",
    "OpeningRoll",
    "OutOfStep",
    "OwnRating",
    "ResignationAccepted",
    "ResignationOffered",
    "Retry",
    "ScoreChanged",
    "Seated",
    "ServerError",
    "Shutdown",
    "StaleAnswer",
    "TableLeft",
    "TableRefused",
    "TextDropped",
    "UnparsedLine",
]


@dataclass(frozen=True, slots=True)
class MatchOpened(Event):
    """We sit in a match."""

    game_id: int
    created: bool
    """It is new and ours, and nobody sits opposite; else we joined it or were put back into it."""


@dataclass(frozen=True, slots=True)
class Seated(Event):
    """Somebody sits opposite. Until the opening roll he may go again without a match having begun, and so may
    we (`refuse_table`)."""

    opponent: str
    rating: int
    """0 for guests, who have none."""
    length: int
    begun: bool
    """The match is running already: we were put back into it."""


@dataclass(frozen=True, slots=True)
class TableRefused(Event):
    """A `create` or `join` of ours came to nothing; it is tried again later."""

    text: str


@dataclass(frozen=True, slots=True)
class TableLeft(Event):
    """We sit in no match any more."""


@dataclass(frozen=True, slots=True)
class TextDropped(Event):
    """So many lines of chat or notices came too fast and were not told."""

    number: int
