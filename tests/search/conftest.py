"""One engine for all search tests, and the vectors' way of naming a context."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botd.engine.engine import SageEngine
from botd.engine.types import CubeOwner, GameContext

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture(scope="session")
def engine() -> SageEngine:
    return SageEngine.load()


@pytest.fixture(scope="session")
def vectors() -> dict[str, Any]:
    return json.loads((DATA / "sage-vectors.json").read_text())


@pytest.fixture(scope="session")
def context_of():
    """The GameContext of a vector's `context`, which gives needs instead of scores."""

    def convert(record: dict[str, Any]) -> GameContext:
        owner = CubeOwner(record["cube_owner"])
        if "away1" not in record:
            return GameContext(
                cube_value=record["cube_value"],
                cube_owner=owner,
                jacoby=record["jacoby"],
                beavers=record["beaver"],
            )
        length = max(record["away1"], record["away2"])
        return GameContext(
            match_length=length,
            score_player=length - record["away1"],
            score_opponent=length - record["away2"],
            cube_value=record["cube_value"],
            cube_owner=owner,
            crawford=record.get("is_crawford", False),
        )

    return convert
