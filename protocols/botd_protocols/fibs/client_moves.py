"""Moves between a player's own numbering (25 is the bar, 0 is off) and the server's absolute points."""

from __future__ import annotations

import re
from collections.abc import Iterable

from botd_protocols.positions import Step

BAR, OFF = 25, 0
_STEP = re.compile(r"(bar|b|[0-9]{1,2})-(off|home|o|h|[0-9]{1,2})\Z")


def move_command(steps: Iterable[Step], direction: int) -> str:
    """The `move` command for steps in the mover's numbering.

    Entering checkers come first; otherwise the order is kept, as a later step may continue an earlier one.
    `direction` is the mover's on the board line. Raises ValueError for a step that is none.
    """
    pairs = list(steps)
    for source, target in pairs:
        if not (1 <= source <= BAR and OFF <= target <= 24 and target < source):
            raise ValueError(f"expected a step from 1..25 to a lower point, found {source}-{target}")
    if not 1 <= len(pairs) <= 4:
        raise ValueError(f"expected one to four steps, found {len(pairs)}")
    pairs.sort(key=lambda step: step[0] != BAR)

    def point(p: int) -> str:
        if p in (BAR, OFF):
            return "bar" if p == BAR else "off"
        return str(p if direction == -1 else 25 - p)

    return "move " + " ".join(f"{point(source)}-{point(target)}" for source, target in pairs)


def read_steps(text: str, direction: int) -> tuple[Step, ...]:
    """Steps such as `bar-21 13-7` in the mover's numbering; () if the text is not a list of steps."""
    steps: list[Step] = []
    for word in text.split():
        match = _STEP.match(word)
        if match is None:
            return ()
        source, target = (_own(word, direction) for word in match.groups())
        if not (OFF <= target < source <= BAR):
            return ()
        steps.append((source, target))
    return tuple(steps) if len(steps) <= 4 else ()


def _own(word: str, direction: int) -> int:
    if not word.isdigit():
        return BAR if word.startswith("b") else OFF
    return int(word) if direction == -1 else 25 - int(word)
