"""Text from servers, files and people made safe for a terminal and for one line of a message."""

from __future__ import annotations


def printable(text: object, limit: int | None = 1000) -> str:
    """`text`, its first `limit` characters or all, with control characters and the like as Python escapes."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text)[:limit])
