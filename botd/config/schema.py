"""What the configuration file may say: one dataclass for each table, limits as `msgspec.Meta`.

Field names are the keys of the file. A field without a default is required. Rules that span several keys are
in `botd.config.rules`. `config/botd.example.toml` explains every key to the operator.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from botd.addresses import bare_host, endpoint
from botd.config.levels import LevelName, LevelsConfig
from botd.engine.types import EngineMode

MAX_PLY = 4
LEAST_BUDGET_S = 0.5
MAX_MATCH_LENGTH = 64
"""The longest match the match equity table covers (servers allow 99)."""

Ply = Annotated[int, Meta(ge=0, le=MAX_PLY)]
Port = Annotated[int, Meta(ge=1, le=65535)]
MatchLength = Annotated[int, Meta(ge=1, le=MAX_MATCH_LENGTH)]
Host = Annotated[
    str,
    Meta(
        pattern=r"^([A-Za-z0-9._-]{1,253}|\[?(?=[^:]*:[^:]*:)[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9._~-]{1,32})?\]?)\Z",
        description="a host name or address",
    ),
]
"""An IPv6 address with brackets or without; `bare_host` takes them off."""
HostNames = Annotated[tuple[Host, ...], Meta(max_length=16, description="a list of at most 16 host names")]
PlayerName = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9_]{1,32}\Z", description="1 to 32 letters, digits or underscores")
]
Players = Annotated[
    tuple[PlayerName, ...],
    Meta(max_length=10_000, description="a list of at most 10000 players, names in quotes"),
]
Days = Annotated[float, Meta(ge=0, le=36_500)]
Rating = Annotated[float, Meta(ge=0, le=10_000)]
Experience = Annotated[int, Meta(ge=0, le=100_000_000)]
FileName = Annotated[
    str,
    Meta(min_length=1, max_length=4096, pattern=r"^[^\x00-\x1f\x7f]+\Z", description="a file name"),
]
EnvironmentName = Annotated[
    str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,255}\Z", description="the name of an environment variable")
]
CredentialName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_@-][A-Za-z0-9_.@-]{0,254}\Z",
        description="the name of a credential (letters, digits, _ @ - and, after the first, dots)",
    ),
]
TopicName = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9_.-]{1,64}\Z", description="1 to 64 letters, digits or any of _ . -"),
]
MqttName = Annotated[str, Meta(pattern=r"^[!-~]{1,128}\Z", description="1 to 128 printable ASCII characters")]
NamePatterns = Annotated[
    tuple[Annotated[str, Meta(pattern=r"^[A-Za-z0-9_*?]{1,64}\Z")], ...],
    Meta(max_length=1000, description="a list of at most 1000 names, in which * and ? stand for anything"),
]
MatchLengths = Annotated[
    tuple[MatchLength, ...],
    Meta(min_length=1, max_length=16, description="a list of 1 to 16 match lengths from 1 to 64"),
]
ChatLine = Annotated[
    str, Meta(max_length=150, pattern=r"^[ -~]*\Z", description="at most 150 printable ASCII characters")
]


Evaluator = Annotated[
    str,
    Meta(
        max_length=4200,
        pattern=r"^(puretd:/[^\0\n]+\+)?(sage|gnubg|gnubg:A|gnubg:B)\Z",
        description="sage, gnubg, gnubg:A or gnubg:B, perhaps after puretd:/FILE+",
        examples=["sage", "gnubg", "gnubg:A", "gnubg:B"],
    ),
]


@dataclass(frozen=True, slots=True)
class PliesConfig:
    """Search depth for one kind of decision, where it differs from `engine.ply`."""

    play: Ply | None = None
    double: Ply | None = None
    take: Ply | None = None
    resign: Ply | None = None


@dataclass(frozen=True, slots=True)
class EngineConfig:
    evaluator: Evaluator = "sage"
    """`gnubg` needs GNU Backgammon's data files on this machine: those of 1.07 (`A`) or 1.08 (`B`). With
    `puretd:/FILE+sage` (or another for `sage`) the network in /FILE, a whole path, plays for money, the other
    one matches."""
    mode: EngineMode = EngineMode.FAST
    """`fast`: our own search under a time budget; `exact`: the evaluator's own as specified."""
    ply: Ply = 2
    """As gnubg counts: 0 is the static evaluation. The deepest that fast mode searches."""
    budget_s: Annotated[float, Meta(ge=0.01, le=60)] | None = None
    """Fast mode: a search that takes longer ends with the best answer so far. By default the account's
    `think_time_s`, but at least LEAST_BUDGET_S."""
    workers: Annotated[int, Meta(ge=1, le=256)] = 2
    """Processes that decide; one more match at a time than workers makes matches wait for each other."""
    deadline_s: Annotated[float, Meta(ge=0.1, le=600)] = 10.0
    """A decision not made by then is answered by the fall-back (0-ply)."""
    plies: PliesConfig = field(default_factory=PliesConfig)


@dataclass(frozen=True, slots=True)
class MetricsConfig:
    enabled: bool = True
    host: Host = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 9464
    """0 lets the system choose; the log names the port."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "host", bare_host(self.host))


@dataclass(frozen=True, slots=True)
class StatusPageConfig:
    """What is being played, for browsers and `botd watch`."""

    enabled: bool = True
    host: Host = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 9465
    """0 lets the system choose; the log names the port."""
    names: HostNames = ()
    """Bound to this machine only, the page answers to these host names and to the machine's own: for a proxy
    that passes requests on under the name it is known by."""
    token_file: FileName | None = None
    """Whoever knows the token may read; from one of the three places, as passwords. Without: everybody."""
    token_env: EnvironmentName | None = None
    token_credential: CredentialName | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "host", bare_host(self.host))


@dataclass(frozen=True, slots=True)
class JournalConfig:
    path: Path = Path("botd.sqlite3")
    mat_directory: Path | None = None
    """Where finished and suspended matches are written as `.mat` files; not at all if absent."""
    keep_days: Days = 0.0
    """Matches that are over for longer are removed; 0 keeps them for ever. Match files always stay."""
    keep_decisions_days: Days = 0.0
    """The same for the candidates of decisions, which are half of the file; what was played stays."""
    vacuum: Literal["incremental", "off"] = "incremental"
    """Give room that became free back to the file system, little by little."""


@dataclass(frozen=True, slots=True)
class LogConfig:
    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["auto", "text", "json"] = "auto"
    """`auto`: text on a terminal, else one JSON object a line."""
    file: Path | None = None
    """Write there instead of to standard error. The keys below are about this file."""
    rotate_mb: Annotated[float, Meta(ge=0, le=100_000)] = 0.0
    """Begin a new file before it would be larger (in millions of bytes); 0 is never."""
    rotate_days: Annotated[int, Meta(ge=0, le=3650)] = 0
    """Begin a new file after so many days, at midnight UTC; 0 is never."""
    keep: Annotated[int, Meta(ge=1, le=1000)] = 7
    """Old files kept: FILE.1 is the newest."""
    compress: bool = False
    """Old files with gzip."""


@dataclass(frozen=True, slots=True)
class DaemonConfig:
    drain_s: Annotated[float, Meta(ge=0, le=86_400)] = 5.0
    """Told to stop, the daemon lets running matches go on for so long; then it leaves, servers save them."""
    max_simultaneous: Annotated[int, Meta(ge=0, le=10_000)] = 0
    """Matches at once over all accounts; 0 is no limit (an account plays one at a time in any case)."""
    state_directory: Path | None = None
    """Where the locks of accounts lie; by default what systemd says, else `~/.local/state/botd`."""


@dataclass(frozen=True, slots=True)
class ControlConfig:
    """The local socket for `botd ctl`."""

    enabled: bool = True
    path: Path | None = None
    """By default `botd.sock` in `$RUNTIME_DIRECTORY` or `$XDG_RUNTIME_DIR`; without these there is none."""


@dataclass(frozen=True, slots=True)
class MqttConfig:
    """A broker that is told what happens, and may pass commands."""

    enabled: bool = False
    host: Host = "localhost"
    port: Port | None = None
    """By default 1883, with TLS 8883."""
    tls: bool = False
    ca_file: Path | None = None
    """Whose certificates to trust; by default those the system trusts."""
    certificate_file: Path | None = None
    """Our own certificate, where the broker asks for one; `key_file` is its key."""
    key_file: Path | None = None
    username: MqttName | None = None
    """With a username exactly one of the three `password_...` keys is given."""
    password_file: FileName | None = None
    password_env: EnvironmentName | None = None
    password_credential: CredentialName | None = None
    protocol: Literal["5", "3.1.1"] = "5"
    prefix: TopicName = "botd"
    instance: TopicName = "main"
    """Topics begin with `prefix/instance`; the client id is `prefix-instance`, so instances differ."""
    format: Literal["json", "msgpack"] = "json"
    commands: bool = False
    """Obey commands. Whoever may publish to the command topic then operates the daemon."""
    queue: Annotated[int, Meta(ge=10, le=1_000_000)] = 1000
    """Events kept while the broker is slow or away; then the oldest are dropped."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "host", bare_host(self.host))

    @property
    def actual_port(self) -> int:
        return self.port or (8883 if self.tls else 1883)


@dataclass(frozen=True, slots=True)
class InviteConfig:
    """A standing invitation: whenever free, this account invites this opponent."""

    opponent: PlayerName
    length: MatchLength | Literal["unlimited"] = 1


@dataclass(frozen=True, slots=True)
class IdleConfig:
    """Whom to invite unasked when there is nothing to do. FIBS only."""

    after_s: Annotated[float, Meta(ge=5, le=86_400)] = 120.0
    """After so long without a match."""
    again_s: Annotated[float, Meta(ge=60, le=604_800)] = 3600.0
    """Nobody is asked again sooner, whether he has played, declined or not answered."""
    lengths: MatchLengths = (3,)
    """One after the other, over and over."""
    bots: bool = True
    """Invite programs: players whose names are among `bot_names`."""
    humans: bool = False
    """Invite people: everybody whose name is not a program's."""
    bot_names: NamePatterns = ("GammonBot_*", "BlunderBot_*")
    min_rating: Rating | None = None
    max_rating: Rating | None = None
    min_experience: Experience | None = None
    max_experience: Experience | None = None
    """Of whom we invite."""


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """Whom to play and how to behave."""

    accept: bool = True
    """Accept invitations to new matches at all; a saved match is always resumed."""
    min_length: MatchLength = 1
    max_length: MatchLength = 25
    unlimited: bool = False
    """Accept unlimited matches (money play)."""
    max_unlimited_games: Annotated[int, Meta(ge=1, le=1_000_000)] = 10
    """An unlimited match never ends by itself: after so many games it is left (the server saves it)."""
    max_matches: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    """Stop this account cleanly after so many finished matches; 0 is no limit."""
    allow: Players = ()
    """Play only with these, if any are named. Letters may be small or capital."""
    block: Players = ()
    """Never play with these, not even to resume a saved match."""
    min_rating: Rating | None = None
    max_rating: Rating | None = None
    min_experience: Experience | None = None
    max_experience: Experience | None = None
    """Of whoever invites us to a new match."""
    cooldown_s: Annotated[float, Meta(ge=0, le=604_800)] = 0.0
    """After a match its opponent waits so long for a new one; 0: not at all."""
    max_in_a_row: Annotated[int, Meta(ge=0, le=1000)] = 0
    """So many matches in a row with one opponent, then somebody else (or an hour must pass); 0: no limit."""
    max_saved: Annotated[int, Meta(ge=0, le=1000)] = 0
    """With so many saved matches to finish begin no new one; 0 is no limit."""
    invite: InviteConfig | None = None
    idle: IdleConfig | None = None
    """Without this table nobody is invited unasked."""
    rematch: Literal["accept", "offer", "never"] = "accept"
    """`offer`: after a match ask its opponent once for another one, if a person. `never`: no two matches in a
    row with anybody."""
    resign: Literal["never", "proven", "likely"] = "proven"
    """Offer what is lost for certain (`proven`), or what has had at least the chance `resign_threshold` to be
    lost at `resign_after` decisions in a row (`likely`)."""
    resign_threshold: Annotated[float, Meta(ge=0.9, le=1)] = 0.999
    resign_after: Annotated[int, Meta(ge=1, le=100)] = 3
    think_time_s: Annotated[float, Meta(ge=0, le=30)] = 1.0
    """A decision is not answered sooner than this, so that people can follow."""
    command_gap_s: Annotated[float, Meta(ge=0, le=10)] = 0.25
    """Least time between two commands to the server."""
    remind_s: Annotated[float, Meta(ge=0, le=86_400)] = 180.0
    """An opponent who has done nothing for so long is asked whether he is there; 0 is never."""
    leave_s: Annotated[float, Meta(ge=0, le=604_800)] = 600.0
    """After so long the match is left (on FIBS the server saves it); 0 is never. In a rated match on bgammon
    at least 620 s, because there who leaves sooner loses."""
    greeting: ChatLine = "Hello, I am a computer player (botd). Good luck!"
    """One line said at the start of a match; empty for none."""
    goodbye: ChatLine = ""
    """One line said to a person at the end of a match; empty for none."""


@dataclass(frozen=True, slots=True)
class CreateConfig:
    """The matches that an account on a bgammon server creates; there bots wait and join nobody."""

    lengths: MatchLengths = (3,)
    """One match after the other, over and over."""
    name: Annotated[
        str, Meta(max_length=60, pattern=r"^[ -~]*\Z", description="at most 60 printable ASCII characters")
    ] = ""
    """What people read in the list of matches; empty for the server's own words."""
    password_file: FileName | None = None
    password_env: EnvironmentName | None = None
    password_credential: CredentialName | None = None
    """With one of these the matches are private: only who knows that password can sit down. An account with
    `policy.invite` joins with it. A `_` in it means a blank."""


@dataclass(frozen=True, slots=True)
class AccountConfig:
    """One account on one server. Exactly one of the three `password_...` keys is given (bgammon: none for a
    guest)."""

    host: Host
    name: PlayerName
    protocol: Literal["fibs", "bgammon"] = "fibs"
    port: Port = 0
    """0, the default, is replaced with the usual port of protocol and transport."""
    transport: Literal["tcp", "websocket"] = "websocket"
    """bgammon only: `websocket` is encrypted, `tcp` sends the password in clear."""
    tls_ca_file: Path | None = None
    """bgammon over WebSocket: trust the certificates in this file instead of the system's."""
    own_server: bool = False
    """bgammon only: the server is our own, so that any name and `policy.invite` are allowed."""
    create: CreateConfig = field(default_factory=CreateConfig)
    """bgammon only."""
    password_file: FileName | None = None
    """A file whose first line is the password; a relative path counts from the configuration file."""
    password_env: EnvironmentName | None = None
    """An environment variable that holds it."""
    password_credential: CredentialName | None = None
    """A systemd credential (`LoadCredential=`) of this name."""
    reconnect_s: Annotated[float, Meta(ge=0.1, le=900)] = 10.0
    """Least wait before connecting again; further failures in a row wait longer, up to 15 minutes."""
    ply: Ply | None = None
    """Overrides `engine.ply` and `engine.plies` for this account."""
    mode: EngineMode | None = None
    """Overrides `engine.mode`."""
    level: LevelName | None = None
    """A named level instead: one of gnubg's, or `easy`, `medium`, `hard`."""
    policy: PolicyConfig = field(default_factory=PolicyConfig)

    def __post_init__(self) -> None:
        object.__setattr__(self, "host", bare_host(self.host))
        if self.port == 0:
            usual = 4321 if self.protocol == "fibs" else 443 if self.transport == "websocket" else 1337
            object.__setattr__(self, "port", usual)

    @property
    def server(self) -> str:
        """How logs, journal and metrics name the server."""
        return endpoint(self.host, self.port)


@dataclass(frozen=True, slots=True)
class Config:
    accounts: tuple[AccountConfig, ...]
    engine: EngineConfig = field(default_factory=EngineConfig)
    metrics: MetricsConfig = field(default_factory=MetricsConfig)
    status_page: StatusPageConfig = field(default_factory=StatusPageConfig)
    journal: JournalConfig = field(default_factory=JournalConfig)
    log: LogConfig = field(default_factory=LogConfig)
    daemon: DaemonConfig = field(default_factory=DaemonConfig)
    control: ControlConfig = field(default_factory=ControlConfig)
    mqtt: MqttConfig = field(default_factory=MqttConfig)
    levels: LevelsConfig = field(default_factory=LevelsConfig)
