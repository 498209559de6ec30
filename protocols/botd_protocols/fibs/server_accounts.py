"""Who can log in, who is logged in, and what the server is configured with."""

from __future__ import annotations

import hashlib
import hmac
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from .server_quirks import ServerQuirks
from .server_settings import Settings

MAX_NAME = 20
RESERVED_NAMES = frozenset({"guest", "You", "login", "connect"})


@dataclass
class Account:
    name: str
    password: str = field(repr=False)
    password_hash: str = field(default="", repr=False)
    """Counts instead of the password if there is one: that of an account remembered over a restart."""
    rating: float = 1500.0
    experience: int = 0
    last_login: int = 0
    last_host: str = "-"
    email: str = "-"
    away: str | None = None
    can_move: int = 0
    """Board field 49 at the latest roll; it goes stale, even over matches."""
    settings: Settings = field(default_factory=Settings)
    stored: deque[tuple[str, int, str]] = field(default_factory=lambda: deque(maxlen=20))
    """Messages to deliver at the next log-in: (sender, Unix time, text)."""

    @property
    def ready(self) -> bool:
        return self.settings["ready"]

    def accepts(self, password: str) -> bool:
        """Whether this is the account's password."""
        if self.password_hash:
            return hmac.compare_digest(_hash(self.name, password), self.password_hash)
        return hmac.compare_digest(self.password.encode(), password.encode())

    def hashed(self) -> str:
        """The hash of the password, for keeping."""
        if not self.password_hash:
            self.password_hash = _hash(self.name, self.password)
        return self.password_hash


def _hash(name: str, password: str) -> str:
    salt = f"botd FIBS server {name}".encode()
    return hashlib.scrypt(password.encode(), salt=salt, n=1 << 10, r=8, p=1, dklen=32).hex()


@dataclass(frozen=True, slots=True)
class HouseUser:
    """Somebody in the who list who is only scenery."""

    name: str
    opponent: str = "-"
    watching: str = "-"
    ready: bool = False
    away: bool = False
    rating: float = 1500.0
    experience: int = 0
    idle: int = 0
    login: int = 0
    host: str = "localhost"
    client: str = "-"
    email: str = "-"


DEFAULT_HOUSE = (
    HouseUser("house_amy", "house_ben", rating=1622.41, experience=1204, idle=12, host="192.0.2.7"),
    HouseUser("house_ben", "house_amy", rating=1480.05, experience=87, idle=3, host="192.0.2.9"),
    HouseUser("house_cleo", away=True, rating=1390.10, experience=2210, idle=640, host="192.0.2.77"),
)


@dataclass(frozen=True, slots=True)
class ServerConfig:
    accounts: Mapping[str, str] = field(default_factory=dict)
    """Name to password."""
    open_accounts: bool = False
    """Any unknown name creates an account with the password given."""
    registration: bool = True
    """Guests may make accounts."""
    house: tuple[HouseUser, ...] = DEFAULT_HOUSE
    banner: tuple[str, ...] = ("", "          * A local backgammon server that speaks FIBS *", "")
    motd: tuple[str, ...] = (
        "+--------------------------------------------------------------------+",
        "|  Welcome. Matches here are for practice and tests.                 |",
        "+--------------------------------------------------------------------+",
    )
    idle_limit_s: float = 3600.0
    login_limit_s: float = 300.0
    """How long a connection may stay without logging in."""
    max_login_failures: int = 3
    max_saved: int = 10
    max_line: int = 64 * 1024
    max_connections: int = 512
    max_accounts: int = 10_000
    max_violations: int = 10_000
    max_doubles_per_player: int | None = None
    """Doubles of one player in one game, past which his second die is thrown again; None: as they fall."""
    strict: bool = False
    quirks: ServerQuirks = field(default_factory=ServerQuirks)


class SessionState(Enum):
    LOGIN = "login"
    GUEST = "guest"
    PASSWORD = "password"  # noqa: S105 - a state
    RETYPE = "retype"
    READY = "ready"
    CLOSED = "closed"


@dataclass
class Session:
    conn_id: int
    host: str
    last_input: float
    state: SessionState = SessionState.LOGIN
    buffer: bytearray = field(default_factory=bytearray)
    account: Account | None = None
    client: str = "-"
    login_time: int = 0
    failures: int = 0
    new_name: str = ""
    new_password: str = field(default="", repr=False)
    watching: str | None = None
    last_teller: str | None = None
    waves: int = 0

    @property
    def closed(self) -> bool:
        return self.state is SessionState.CLOSED

    @property
    def name(self) -> str:
        assert self.account is not None
        return self.account.name


@dataclass(frozen=True, slots=True)
class Violation:
    """Something a well-behaved client must not send (strict mode)."""

    name: str
    """Account, or `connection N` before log-in."""
    kind: str
    """`error-reply`, `pipelined`, `conduct` or `format`."""
    command: str
    """The offending line, passwords removed, cut to 200 characters."""
    reason: str

    @property
    def text(self) -> str:
        return f"{self.name}: {self.kind}: {self.command!r}: {self.reason}"
