"""Text of other people: made safe to log and to print, and taken in measured doses."""

from __future__ import annotations

from html import unescape


def shown(text: str, limit: int = 200) -> str:
    """On one line, control characters written as escapes, cut to `limit` characters."""
    safe = "".join(
        c if c.isprintable() else c.encode("unicode_escape", "replace").decode("ascii") for c in text[:limit]
    )
    return safe if len(text) <= limit and len(safe) <= limit else safe[: limit - 1] + "…"


def notice_text(text: str, limit: int = 200) -> str:
    """A notice for people: its HTML escapes undone, then as `shown`."""
    return shown(unescape(text[: 4 * limit]), limit)


class Dose:
    """Lets a few things through at once and then one every so often; the rest is counted."""

    def __init__(self, burst: int, every: float) -> None:
        self._burst = burst
        self._every = every
        self._full_at = float("-inf")
        self.dropped = 0
        """Not let through since the last one that was."""

    def take(self, now: float) -> bool:
        """Whether one more may pass at `now`."""
        full_at = max(self._full_at, now) + self._every
        if full_at > now + self._burst * self._every:
            self.dropped += 1
            return False
        self._full_at = full_at
        return True
