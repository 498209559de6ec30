"""The server's events as typed, checked structures; hostile JSON becomes `Bad`, never an exception.

Field names are the protocol's. Unknown fields are ignored. A list may be `null` or empty; both mean none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta

from .client_text import shown

Small = Annotated[int, Meta(ge=0, le=1_000_000)]
Number = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Die = Annotated[int, Meta(ge=0, le=6)]
Seat = Annotated[int, Meta(ge=0, le=2)]
Space = Annotated[int, Meta(ge=0, le=27)]
Pair = tuple[Space, Space]
Pairs = Annotated[list[Pair], Meta(max_length=100)] | None
Checkers = Annotated[int, Meta(ge=-15, le=15)]
Score = Annotated[int, Meta(ge=0, le=127)]


class Event(msgspec.Struct, frozen=True):
    """Base of all; `Player` is who did it, empty where nobody did."""

    Player: str = ""


class Welcome(Event, frozen=True, kw_only=True):
    PlayerName: str


class Settings(Event, frozen=True):
    AutoPlay: bool = False


class Ping(Event, frozen=True):
    Message: str = ""


class Notice(Event, frozen=True):
    Message: str = ""


class Say(Event, frozen=True):
    Message: str = ""


class Joined(Event, frozen=True):
    GameID: Number = 0
    PlayerNumber: Seat = 0
    """1 is us, 2 the opponent."""


class Left(Event, frozen=True):
    pass


class BoardPlayer(msgspec.Struct, frozen=True):
    Name: str = ""
    Rating: Number = 0
    Points: Score = 0


class Board(Event, frozen=True, kw_only=True):
    """The whole state, seen by us (see `client_board`)."""

    Player1: BoardPlayer
    Player2: BoardPlayer
    Board: Annotated[list[Number], Meta(min_length=28, max_length=28)]
    Turn: Seat
    Roll1: Die
    Roll2: Die
    Points: Annotated[int, Meta(ge=1, le=127)]
    DoubleValue: Small
    Variant: Small = 0
    Moves: Pairs = None
    Winner: Seat = 0
    Crawford: Seat = 0
    DoublePlayer: Seat = 0
    DoubleOffered: bool = False
    Available: Pairs = None
    Forced: bool = False
    Spectating: bool = False
    Started: Number = 0


class Rolled(Event, frozen=True):
    Roll1: Die = 0
    Roll2: Die = 0


class Moved(Event, frozen=True):
    Moves: Pairs = None


class Win(Event, frozen=True):
    Points: Small = 0
    Resigned: str = ""


class FailedCreate(Event, frozen=True):
    Reason: str = ""


class FailedJoin(Event, frozen=True):
    Reason: str = ""


class FailedLeave(Event, frozen=True):
    Reason: str = ""


class FailedRoll(Event, frozen=True):
    Reason: str = ""


class FailedMove(Event, frozen=True):
    Reason: str = ""


class FailedOk(Event, frozen=True):
    Reason: str = ""


class Ignored(Event, frozen=True):
    """Known, and of no use to a player: lists of matches and the like."""


Message = (
    Welcome
    | Settings
    | Ping
    | Notice
    | Say
    | Joined
    | Left
    | Board
    | Rolled
    | Moved
    | Win
    | FailedCreate
    | FailedJoin
    | FailedLeave
    | FailedRoll
    | FailedMove
    | FailedOk
    | Ignored
)

_TYPES: dict[str, type[Message]] = {
    "welcome": Welcome,
    "settings": Settings,
    "ping": Ping,
    "notice": Notice,
    "say": Say,
    "joined": Joined,
    "left": Left,
    "board": Board,
    "rolled": Rolled,
    "moved": Moved,
    "win": Win,
    "failedcreate": FailedCreate,
    "failedjoin": FailedJoin,
    "failedleave": FailedLeave,
    "failedroll": FailedRoll,
    "failedmove": FailedMove,
    "failedok": FailedOk,
    "list": Ignored,
    "history": Ignored,
    "achievements": Ignored,
    "replay": Ignored,
}


class _Envelope(msgspec.Struct, frozen=True):
    Type: str


_ENVELOPE = msgspec.json.Decoder(_Envelope)
_DECODERS = {name: msgspec.json.Decoder(kind) for name, kind in _TYPES.items()}


@dataclass(frozen=True, slots=True)
class Unknown:
    """Valid, but of a type this client does not know."""

    type: str
    """Escaped and cut."""


@dataclass(frozen=True, slots=True)
class Bad:
    """Not an event."""

    type: str
    """What it called itself; empty if that much is not clear."""
    reason: str
    """One printable line."""


def decode(data: bytes) -> Message | Unknown | Bad:
    """Read one event. Never raises for anything in `data`."""
    name = ""
    try:
        name = _ENVELOPE.decode(data).Type
        decoder = _DECODERS.get(name)
        return Unknown(shown(name, 40)) if decoder is None else decoder.decode(data)
    except RecursionError:
        reason = "nested too deeply"
    except (msgspec.MsgspecError, ValueError) as error:
        reason = str(error)
    return Bad(name if name in _DECODERS else shown(name, 40), f"{shown(reason, 120)}: {_beginning(data)}")


def _beginning(data: bytes) -> str:
    return shown(data[:200].decode("utf-8", "replace"), 100)


_KINDS: dict[type[Message], str] = {
    Welcome: "login",
    Settings: "setting",
    Ping: "ping",
    Notice: "chat",
    Say: "chat",
    Joined: "lobby",
    Left: "lobby",
    Board: "board",
    Rolled: "match",
    Moved: "match",
    Win: "match",
    FailedCreate: "error",
    FailedJoin: "error",
    FailedLeave: "error",
    FailedRoll: "error",
    FailedMove: "error",
    FailedOk: "error",
    Ignored: "other",
}


def kind_of(message: Message | Unknown | Bad) -> str:
    """Which of `botd_protocols.traffic.RECEIVED` an event is."""
    return "unknown" if isinstance(message, Unknown | Bad) else _KINDS[type(message)]
