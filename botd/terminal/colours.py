"""Colours for words, on a terminal only."""

from __future__ import annotations

import os
from typing import TextIO

_CODES = {"red": "31", "green": "32", "yellow": "33", "bold": "1", "dim": "2"}


def wants_colour(stream: TextIO) -> bool:
    """A terminal that can, whose user has not said no (NO_COLOR)."""
    return is_capable(stream) and not os.environ.get("NO_COLOR")


def is_capable(stream: TextIO) -> bool:
    """A terminal on which one can draw."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Paint:
    """Colours text for one stream; leaves it alone where nobody wants colours."""

    def __init__(self, stream: TextIO) -> None:
        self._on = wants_colour(stream)

    def __call__(self, text: str, colour: str) -> str:
        """colour: red, green, yellow, bold or dim."""
        return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if self._on else text
