"""Positions, plays, cube actions and levels in the form of GNU Backgammon's reference data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import msgspec

VARIANT_A = "stock-1.07.001"
"""The key of profile A's numbers in every file."""


class Probabilities(msgspec.Struct, frozen=True):
    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float


class Evaluation(msgspec.Struct, frozen=True):
    probabilities: Probabilities
    equity: float


class Play(msgspec.Struct, frozen=True):
    move: str
    ply: int
    equity: float
    probabilities: Probabilities


class Moves(msgspec.Struct, frozen=True):
    legal_move_count: int
    ranking: list[Play]


class Cube(msgspec.Struct, frozen=True):
    no_double: float
    double_take: float
    double_pass: float
    optimal: float
    decision: str
    decision_text: str | None = None


class PositionValue(msgspec.Struct, frozen=True):
    """`positions` under one ply."""

    evaluation: Evaluation
    moves: Moves | None = None
    cube: Cube | None = None


class PlayAnalysis(msgspec.Struct, frozen=True):
    """A `move` case of `analysis` under one ply."""

    move_count: int
    rank: int
    played_equity: float
    best_move: str
    best_equity: float
    equity_loss: float
    skill: str
    ranking: list[Play]


class CubeAnalysis(msgspec.Struct, frozen=True):
    """A `cube` case of `analysis` under one ply."""

    analysed: bool
    cube: Cube | None
    equity_loss: float
    skill: str


class Luck(msgspec.Struct, frozen=True):
    value: float
    rating: str


class LevelAnswer(msgspec.Struct, frozen=True):
    """What a named level does."""

    plies: int = 0
    noise: float = 0.0
    move: str | None = None
    cube: Cube | None = None


class Context(msgspec.Struct, frozen=True):
    dice: tuple[int, int] | None
    match_length: int
    score_player: int
    score_opponent: int
    crawford: bool
    jacoby: bool
    beavers: bool
    cube_value: int
    cube_owner: str


class _Numbers(msgspec.Struct, frozen=True):
    """One profile's part of a file. What `plies` holds depends on the kind of case."""

    plies: dict[str, msgspec.Raw] = {}
    luck: Luck | None = None
    levels: dict[str, LevelAnswer] = {}


class _File(_Numbers, frozen=True, kw_only=True):
    id: str
    type: Literal["move", "cube", "level"]
    position_id: str
    match_id: str
    action: str | None = None
    played_move: str | None = None
    context: Context | None = None
    variants: dict[str, _Numbers] = {}
    version_sensitive: dict[str, dict[str, float]] = {}


PlyValue = PositionValue | PlayAnalysis | CubeAnalysis


@dataclass(frozen=True, slots=True)
class Case:
    """One position with what the other program says about it."""

    id: str
    position_id: str
    match_id: str
    context: Context | None
    plies: dict[int, PlyValue]
    action: str | None = None
    played_move: str | None = None
    luck: Luck | None = None
    levels: dict[str, LevelAnswer] = field(default_factory=dict)
    sensitive: dict[str, dict[str, float]] = field(default_factory=dict)
    """Ply to part to difference: where versions of the other program differ between themselves."""


def cases_of(data: bytes, *, profile: str | None, lines: bool) -> list[Case]:
    """The cases in a file: one object, a list of them or, with `lines`, one a line; none if it holds others.

    Their numbers are those of profile A or B, with None there are none. Raises msgspec's errors for what is
    damaged.
    """
    objects: list[msgspec.Raw] = []
    if lines:
        objects = [msgspec.Raw(line) for line in data.splitlines() if line.strip()]
    else:
        whole = msgspec.json.decode(data)
        if isinstance(whole, list):
            objects = msgspec.json.decode(data, type=list[msgspec.Raw])
        elif isinstance(whole, dict) and {"id", "type", "position_id"} <= whole.keys():
            objects = [msgspec.Raw(data)]
    return [_case(msgspec.json.decode(raw, type=_File), profile) for raw in objects]


def _case(file: _File, profile: str | None) -> Case:
    recorded = {None: _Numbers(), "A": file.variants.get(VARIANT_A), "B": file}
    numbers = recorded[profile]
    if numbers is None:
        raise msgspec.ValidationError(f"case {file.id[:40]!r}: expected variants to hold {VARIANT_A!r}")
    kind: type[PlyValue] = PositionValue
    if file.action is not None:
        kind = CubeAnalysis
    elif file.played_move is not None:
        kind = PlayAnalysis
    return Case(
        id=file.id,
        position_id=file.position_id,
        match_id=file.match_id,
        context=file.context,
        plies={_ply(name): msgspec.json.decode(raw, type=kind) for name, raw in numbers.plies.items()},
        action=file.action,
        played_move=file.played_move,
        luck=numbers.luck,
        levels=numbers.levels,
        sensitive=file.version_sensitive if profile == "B" else {},
    )


def _ply(name: str) -> int:
    if not (name.isascii() and name.isdigit() and len(name) < 3):
        raise msgspec.ValidationError(f"expected a number of plies, got {name[:40]!r}")
    return int(name)
