"""The language of commands: requests, replies and what `status` tells. Every transport speaks it.

A request is a map with the key `command` and that command's own keys; `id`, if given, comes back with the
reply. Unknown keys and values out of range are refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from botd.config.levels import LevelName
from botd.config.schema import ChatLine, PlayerName, Ply
from botd.engine.types import EngineMode

RequestId = Annotated[str, Meta(max_length=64)]
AccountName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_]{1,32}(@[A-Za-z0-9.:_-]{1,260})?\Z",
        description="an account: NAME or NAME@HOST:PORT",
    ),
]


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="command"):
    """One command."""

    id: RequestId | None = None


class Status(Request, frozen=True, tag="status"):
    """Tell what every account is doing."""


class Drain(Request, frozen=True, tag="drain"):
    """Begin no new match on any account; running ones are finished. `resume` undoes it."""


class Resume(Request, frozen=True, tag="resume"):
    """Begin matches again after `drain`."""


class Pause(Request, frozen=True, tag="pause"):
    """Begin no new match on one account; it stays logged in."""

    account: AccountName


class Unpause(Request, frozen=True, tag="unpause"):
    """Begin matches again on one account."""

    account: AccountName


class ChangeLevel(Request, frozen=True, tag="level"):
    """From the next decision on let an account search `ply` deep or play at a named `level`, in this `mode`;
    what is not named is as configured."""

    account: AccountName
    ply: Ply | None = None
    level: LevelName | None = None
    mode: EngineMode | None = None


class Reload(Request, frozen=True, tag="reload"):
    """Read the configuration again; a running match is finished before its account changes."""


class Say(Request, frozen=True, tag="say"):
    """Say one line in the account's running match, or to the player `to`."""

    account: AccountName
    text: Annotated[ChatLine, Meta(min_length=1)]
    to: PlayerName | None = None


class ChangeLog(Request, frozen=True, tag="log"):
    """Log at `level`, of everything or of one account, until told otherwise; without it as configured."""

    level: Literal["debug", "info", "warning", "error"] | None = None
    account: AccountName | None = None


class Stop(Request, frozen=True, tag="stop"):
    """Finish running matches for as long as `daemon.drain_s` allows (`now`: not at all), then end."""

    now: bool = False


AnyRequest = Status | Drain | Resume | Pause | Unpause | ChangeLevel | Reload | Say | ChangeLog | Stop
NAMES = ("status", "drain", "resume", "pause", "unpause", "level", "reload", "say", "log", "stop")


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The acknowledgement of one request: done (`ok`), or not and why."""

    ok: bool
    command: str | None = None
    """None if the request could not be understood so far."""
    id: str | None = None
    error: str = ""
    """One line."""
    problems: tuple[str, ...] = ()
    """All that is wrong with a configuration that was refused."""
    result: Any = None
    """What the command returns: a map, or nothing."""


class LogStatus(msgspec.Struct, frozen=True, kw_only=True):
    level: str
    """At which is logged now."""
    account: str | None
    """Of which account; None: of everything."""


class AccountStatus(msgspec.Struct, frozen=True, kw_only=True):
    account: str
    server: str
    state: str
    """`connecting`, `waiting` (before the next attempt), `ready`, `playing`, or how it ended."""
    paused: bool
    ply: int
    """Depth at which plays are chosen."""
    level: str | None = None
    """The named level, if it plays at one."""
    mode: str = ""
    """`exact` or `fast`."""
    level_changed: bool
    """A command has set another depth, level or mode than the configuration."""
    opponent: str | None
    length: int | None
    """Of the running match; 0 is unlimited."""
    score: tuple[int, int] | None
    """Ours, theirs."""
    matches: int
    """Finished since the account was started."""
    wins: int = 0
    losses: int = 0
    """Of those that were played to their end."""
    last_message_at: float | None = None
    """When the server last sent anything, in seconds since 1970."""
    after_match: str
    """What happens once the running match is over: `leave`, `restart` or nothing."""


class DaemonStatus(msgspec.Struct, frozen=True, kw_only=True):
    version: str
    state: str
    """`running`, `draining` or `stopping`."""
    uptime_s: float
    engine: str
    workers: int
    workers_failing: int
    journal: str
    """`ok`, or why it cannot be written."""
    accounts: tuple[AccountStatus, ...]


class Reloaded(msgspec.Struct, frozen=True, kw_only=True):
    """What a reload did; accounts as NAME@HOST:PORT."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    after_match: tuple[str, ...]
    """Of the removed and changed ones, those that play a match first."""
    restart_needed: tuple[str, ...]
    """Keys whose new values hold only after a restart of the daemon."""
    warnings: tuple[str, ...]
