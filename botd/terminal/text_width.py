"""How many cells of a terminal a line takes, and lines cut or filled to a width. Colours count nothing."""

from __future__ import annotations

import re
import unicodedata

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_PLAIN = "\x1b[0m"


def width(text: str) -> int:
    """Cells that the text takes."""
    text = _COLOUR.sub("", text)
    return len(text) if text.isascii() else sum(map(_cells, text))


def clip(line: str, cells: int) -> str:
    """The beginning of a line that fits into so many cells; an open colour is closed."""
    if width(line) <= cells:
        return line
    parts: list[str] = []
    at = 0
    while at < len(line):
        if colour := _COLOUR.match(line, at):
            parts.append(colour[0])
            at = colour.end()
            continue
        cells -= _cells(line[at])
        if cells < 0:
            break
        parts.append(line[at])
        at += 1
    return "".join(parts) + (_PLAIN if "\x1b" in line else "")


def fill(line: str, cells: int) -> str:
    """Exactly so many cells: cut, or filled with blanks."""
    return clip(line, cells) + " " * max(0, cells - width(line))


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
