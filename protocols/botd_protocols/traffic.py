"""The kinds of messages that come and go, the same for all protocols: for counting, never for play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

RECEIVED: Final = (
    "login", "lobby", "invitation", "board", "match", "chat", "error", "setting", "ping", "other", "unknown",
)  # fmt: skip
"""login: until we are in. lobby: who comes, goes and plays. match: a roll, a move, a double, a result in our
match. error: the server says no. setting: of our account. ping: signs of life. other: understood, but of no
use. unknown: not understood."""

Traffic = Callable[[str, str], None]
"""Is told `received` and one of RECEIVED, or `sent` and the first word of the command."""


def nobody(direction: str, kind: str) -> None:
    """Counts nothing."""


def first_word(command: str) -> str:
    return command.split(maxsplit=1)[0] if command.strip() else ""
