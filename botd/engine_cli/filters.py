"""Move filters as users write them."""

from __future__ import annotations

import re

from botd.engine.settings import FILTER_NAMES, FilterStage, MoveFilter

_MAX_STAGES = 4
_STAGE = re.compile(r"(-1|[0-9]{1,3}),([0-9]{1,3}),([0-9]{0,3}(?:\.[0-9]{0,9})?)")


def parse_filter(text: str) -> str | MoveFilter:
    """A name of gnubg's, or a filter of one's own: `accept,extra,threshold` for each ply from 0, with `;`.

    `-1,0,0` skips a ply. A search to k plies uses the first k stages. Raises ValueError for anything else.
    """
    if text.strip().lower() in FILTER_NAMES:
        return text.strip().lower()
    stages: list[FilterStage] = []
    for part in text.split(";"):
        match = _STAGE.fullmatch(part.replace(" ", ""))
        if match is None or match[3] in ("", ".") or len(stages) == _MAX_STAGES:
            raise ValueError(
                f"filter: expected {', '.join(FILTER_NAMES)}, or up to {_MAX_STAGES} stages "
                f"accept,extra,threshold parted by ';', got {text[:40]!r}"
            )
        stages.append(FilterStage(int(match[1]), int(match[2]), float(match[3])))
    return MoveFilter(tuple(tuple(stages[:depth]) for depth in range(1, _MAX_STAGES + 1)))
