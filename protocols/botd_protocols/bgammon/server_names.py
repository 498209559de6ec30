"""What a name sent at log-in becomes, and which names are refused (section 3.2)."""

from __future__ import annotations

import re
from collections.abc import Container

from .server_accounts import BOT_PREFIX, GUEST_PREFIX, MAX_GUEST_NAME, MAX_NAME

IN_USE = "That username is already in use."
_ALLOWED = re.compile(r"[A-Za-z0-9_]+")
_RESERVED = re.compile(r"guest[0-9]+")


class NameRefusedError(Exception):
    """The text is what the client is told."""


def check_name(name: str) -> None:
    """Raise `NameRefusedError` for a name that nobody may have."""
    longest = MAX_GUEST_NAME if name.lower().startswith(GUEST_PREFIX.lower()) else MAX_NAME
    if not _ALLOWED.fullmatch(name):
        raise NameRefusedError("Invalid username: must contain only letters, numbers and underscores.")
    if name.isdigit():
        raise NameRefusedError("Invalid username: must contain at least one non-numeric character.")
    if len(name) > longest:
        raise NameRefusedError("Invalid username: must be 18 characters or less.")
    if _RESERVED.fullmatch(name.lower()):
        raise NameRefusedError(IN_USE)


def guest_name(name: str) -> str:
    """The name of somebody without a password."""
    lower = name.lower()
    for prefix in (BOT_PREFIX, GUEST_PREFIX):
        if lower.startswith(prefix.lower()):
            return prefix + lower[len(prefix) :]
    return GUEST_PREFIX + lower


def free_guest_number(taken: Container[str], start: int) -> str:
    """`Guest_100` to `Guest_999`, the first free one from `start` on; `NameRefusedError` if there is none."""
    for offset in range(900):
        name = f"{GUEST_PREFIX}{100 + (start + offset) % 900}"
        if name.lower() not in taken:
            return name
    raise NameRefusedError(IN_USE)
