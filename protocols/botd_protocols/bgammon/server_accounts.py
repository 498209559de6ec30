"""Who can log in, who is connected, what the server is configured with, and what clients did wrong."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from .server_quirks import ServerQuirks
from .server_rating import Rating

if TYPE_CHECKING:
    from .server_match import Match

MAX_NAME = 18
MAX_GUEST_NAME = 24
BOT_PREFIX = "BOT_"
GUEST_PREFIX = "Guest_"

SETTINGS: Mapping[str, tuple[str, int]] = {
    "autoplay": ("AutoPlay", 1),
    "highlight": ("Highlight", 1),
    "pips": ("Pips", 1),
    "moves": ("Moves", 1),
    "flip": ("Flip", 1),
    "traditional": ("Traditional", 1),
    "advanced": ("Advanced", 1),
    "mutejoinleave": ("MuteJoinLeave", 1),
    "mutechat": ("MuteChat", 1),
    "muteroll": ("MuteRoll", 1),
    "mutemove": ("MuteMove", 1),
    "mutebearoff": ("MuteBearOff", 1),
    "dim": ("Dim", 2),
    "speed": ("Speed", 3),
}
"""Name in `set`, field of the `settings` event, highest value."""


def default_settings() -> dict[str, int]:
    return {**dict.fromkeys(SETTINGS, 0), "highlight": 1, "dim": 1, "speed": 2}


@dataclass
class Account:
    name: str
    """As shown, `BOT_` prefix in capitals."""
    password: str = field(repr=False)
    """Spaces are underscores."""
    email: str = ""
    disabled: bool = False
    settings: dict[str, int] = field(default_factory=default_settings)
    ratings: dict[tuple[int, bool], Rating] = field(default_factory=dict)
    """By variant and whether the match had several points."""
    follows: set[str] = field(default_factory=set)

    def rating(self, variant: int, several_points: bool) -> Rating:
        return self.ratings.get((variant, several_points), Rating())


@dataclass(frozen=True, slots=True)
class ServerConfig:
    accounts: Mapping[str, str] = field(default_factory=dict)
    """Name to password."""
    open_accounts: bool = False
    """A log-in with an unknown name and a password creates the account."""
    bots_may_join: bool = False
    """For one's own server: `join` by a `BOT_` name is carried out and no violation."""
    keep_matches: bool = False
    """For one's own server: a match that both players lost waits for them instead of being dropped."""
    banned: Mapping[str, str] = field(default_factory=dict)
    """Name, or `Guest_` name, to the reason; lower case."""
    disabled: frozenset[str] = frozenset()
    """Accounts that may not log in; lower case."""
    accounts_per_host: int = 1
    """Registrations from one address."""
    defcon: int = 5
    """5 is peace; 3 drops match names of guests, 2 ends registration, 1 lets nobody in."""
    motd: str = "Welcome. Matches here are for practice and tests."
    max_doubles_per_player: int | None = None
    """Doubles of one player in one game, past which his second die is thrown again; None: as they fall."""
    ping_s: float = 30.0
    silence_s: float = 40.0
    """A connection from which nothing came for so long is closed."""
    login_s: float = 30.0
    close_delay_s: float = 1.0
    """From `Connection terminated: ...` to the end."""
    sweep_s: float = 60.0
    finished_s: float = 120.0
    """How long one client alone may stay in a finished match."""
    abandoned_s: float = 900.0
    """How long one client alone may stay in an unfinished one."""
    inactive_turn_s: float = 30.0
    inactive_s: float = 600.0
    """Sum of long turns after which the opponent of a rated match may leave and win."""
    max_line: int = 65_536
    max_frame: int = 32_768
    max_connections: int = 512
    max_accounts: int = 10_000
    max_kept: int = 1_000
    """Results with their games remembered, oldest forgotten first."""
    max_violations: int = 10_000
    strict: bool = False
    quirks: ServerQuirks = field(default_factory=ServerQuirks)


class SessionState(Enum):
    LOGIN = "login"
    READY = "ready"
    ENDING = "ending"
    """Told `Connection terminated`; nothing is read any more."""
    CLOSED = "closed"


@dataclass
class Session:
    conn_id: int
    host: str
    connected_at: float
    framed: bool
    """WebSocket: one command or event per message, without line ends."""
    last_input: float
    next_ping: float
    state: SessionState = SessionState.LOGIN
    buffer: bytearray = field(default_factory=bytearray)
    held: list[str] = field(default_factory=list)
    """Commands that came before the log-in."""
    held_due: float | None = None
    close_due: float | None = None
    rejoin_due: float | None = None
    """A match to be rejoined then."""
    name: str = ""
    account: Account | None = None
    client: str = ""
    language: str = ""
    json: bool = False
    settings: dict[str, int] = field(default_factory=default_settings)
    follows: set[str] = field(default_factory=set)
    match: Match | None = None
    spectating: bool = False
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=16))
    """Times of the latest commands."""
    last_say: float | None = None
    excused_until: float = float("-inf")
    """Refusals up to then may come from commands that crossed news on the wire."""

    @property
    def is_bot(self) -> bool:
        return self.name.startswith(BOT_PREFIX)

    @property
    def label(self) -> str:
        return self.name or f"connection {self.conn_id}"


@dataclass(frozen=True, slots=True)
class Violation:
    """Something a well-behaved client must not send (strict mode)."""

    name: str
    """Player, or `connection N` before log-in."""
    kind: str
    """`refused`, `ignored`, `conduct`, `format` or `early`."""
    command: str
    """The offending line, passwords removed, cut to 200 characters."""
    reason: str
    expected: str

    @property
    def text(self) -> str:
        return f"{self.name}: {self.kind}: {self.command!r}: {self.reason}; expected {self.expected}"
