"""What PureTD answered, from tests/data/puretd-vectors.jsonl."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from botd.engine import position_id
from botd.engine.types import Board, CubeOwner, GameContext

_FILE = Path(__file__).parents[1] / "data" / "puretd-vectors.jsonl"
OWNERS = {"centered": CubeOwner.CENTERED, "own": CubeOwner.PLAYER, "opponent": CubeOwner.OPPONENT}


@cache
def records(what: str) -> list[dict[str, Any]]:
    """All records of a kind, whose positions have the side to play as player on roll."""
    lines = [json.loads(line) for line in _FILE.read_text().splitlines()]
    found = [line for line in lines if line["what"] == what]
    assert found
    return found


def board_of(record: dict[str, Any]) -> Board:
    return position_id.decode(record["position_id"])


def context_of(record: dict[str, Any]) -> GameContext:
    return GameContext(cube_owner=OWNERS[record["cube"]], jacoby=record["jacoby"])
