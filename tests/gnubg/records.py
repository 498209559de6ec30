"""Recorded answers of gnubg, and their way of naming a cube state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from botd import _core

DATA = Path(__file__).parent.parent / "data"


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def cube_state(record: dict[str, Any]) -> _core.CubeState:
    """The state in a record's fields; some scores are stranger than a GameContext allows."""
    length = record["match"]
    away = [length - score for score in record["score"]] if length else [0, 0]
    return _core.CubeState(
        record["cube"],
        record["owner"],
        *away,
        crawford=record.get("crawford", False),
        jacoby=record.get("jacoby", False),
        beavers=record.get("beavers", False),
    )
