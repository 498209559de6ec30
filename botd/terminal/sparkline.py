"""A curve in one line."""

from __future__ import annotations

from collections.abc import Sequence

_BLOCKS = "▁▂▃▄▅▆▇█"
_MARKS = "_.-~=+*#"


def sparkline(chances: Sequence[float], width: int, *, unicode: bool) -> str:
    """Values from 0 to 1, the newest at the right; of more than `width` points evenly spaced ones."""
    marks = _BLOCKS if unicode else _MARKS
    number = len(chances)
    if number > width:
        chances = [chances[(column + 1) * number // width - 1] for column in range(width)]
    return "".join(marks[min(7, max(0, int(8 * chance)))] for chance in chances)
