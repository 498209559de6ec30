"""Recorded answers of gnubg, and their ways of naming a cube state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from botd import _core
from botd.engine import position_id, rules
from botd.engine.types import Board, CubeOwner, GameContext

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


def naming_context(record: dict[str, Any]) -> GameContext:
    """What the name of a decision depends on, without the score."""
    return GameContext(
        match_length=record["match"],
        cube_value=record["cube"],
        cube_owner=CubeOwner(record["owner"]),
        jacoby=record.get("jacoby", False),
        beavers=record.get("beavers", False),
    )


def context(record: dict[str, Any]) -> GameContext:
    """The `context` of a reference record."""
    fields = record["context"]
    return GameContext(**{**fields, "cube_owner": CubeOwner(fields["cube_owner"])})


def notations(board: Board, dice: list[int]) -> dict[Board, str]:
    """Every legal result with its play; the unchanged board with none for a dance."""
    plays = rules.legal_plays(board, (dice[0], dice[1]))
    return {play.board: play.notation for play in plays} or {board: ""}


def reference_positions() -> list[dict[str, Any]]:
    """Position, context and dice with the recorded values of both profiles."""
    values = {record["id"]: record for record in load("gnubg-positions.jsonl")}
    positions = load("reference-positions.jsonl")
    assert len(positions) == len(values) == 154
    return [
        {**record, **values[record["id"]], "board": position_id.decode(record["position_id"])}
        for record in positions
    ]
