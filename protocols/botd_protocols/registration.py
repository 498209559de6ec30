"""Making an account on a server: what every client for it tells, whatever the server."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from botd_protocols.game_events import Event

STEP_LIMIT = 30.0
"""Seconds that a server may take for one answer."""


class Refusal(StrEnum):
    """Why there is no account."""

    NAME_TAKEN = "name taken"
    NAME_REFUSED = "name refused"
    PASSWORD_REFUSED = "password refused"  # noqa: S105 - a reason
    CLOSED = "registration closed"
    REFUSED = "refused"
    """For a reason of the server's own; its words say which."""
    SILENT = "no answer"
    HUNG_UP = "connection closed"
    NOT_UNDERSTOOD = "not understood"


@dataclass(frozen=True, slots=True)
class Progress(Event):
    """One step is done; `text` says which, for people."""

    text: str


@dataclass(frozen=True, slots=True)
class Registered(Event):
    """The account is made. The connection is of no further use."""

    name: str
    """As the server writes it, printable."""


@dataclass(frozen=True, slots=True)
class NotRegistered(Event):
    """There is no account, unless `unsure`. The connection is of no further use."""

    why: Refusal
    text: str
    """The server's words or ours, on one printable line."""
    unsure: bool = False
    """Everything had been sent and no answer came: the account may have been made."""
