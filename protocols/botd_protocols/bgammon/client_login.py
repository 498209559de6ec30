"""Why the server ends a connection: its one notice before it closes, and what to do then."""

from __future__ import annotations

from dataclasses import dataclass

from .client_events import Retry
from .client_text import notice_text

_PREFIX = "Connection terminated: "
GHOST_WAIT = 5.0
"""After a lost connection the server holds the old one for up to 40 s, and refuses the name so long."""
CLOSED_WAIT = 900.0
"""A server that lets only some in changes its mind late."""
UNKNOWN_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class Ended:
    reason: str
    """Printable."""
    retry: Retry
    least_wait: float


# Beginnings of the text, the first that fits counts.
_REASONS: tuple[tuple[str, Retry, float], ...] = (
    ("That username is already in use", Retry.BACK_OFF, GHOST_WAIT),
    ("No account was found", Retry.NEVER, 0.0),
    ("Failed to log in", Retry.NEVER, 0.0),
    ("Invalid username", Retry.NEVER, 0.0),
    ("You are banned", Retry.NEVER, 0.0),
    ("Due to ongoing abuse", Retry.BACK_OFF, CLOSED_WAIT),
    ("Please enter an email", Retry.NEVER, 0.0),
    ("Failed to register", Retry.NEVER, 0.0),
    ("Server error", Retry.BACK_OFF, 0.0),
    ("Client disconnected", Retry.BACK_OFF, 0.0),
    ("User did not send login", Retry.BACK_OFF, 0.0),
)


def refusal(text: str) -> Ended | None:
    """What a notice means if it ends the connection; None for all other notices."""
    if not text.startswith(_PREFIX):
        return None
    reason = text[len(_PREFIX) :].lstrip()
    for beginning, retry, least_wait in _REASONS:
        if reason.startswith(beginning):
            return Ended(notice_text(reason), retry, least_wait)
    return Ended(notice_text(reason), Retry.BACK_OFF, UNKNOWN_WAIT)
