"""Cases to compare: files in the form of GNU Backgammon's reference data, checked as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from botd.engine_cli.errors import AnswerError, ErrorKind

MAX_FILE_BYTES = 16_000_000
MAX_CASES = 1_000_000
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


def read_cases(path: Path, *, profile: str) -> tuple[list[Case], list[Path]]:
    """The cases of a file, or of all `.json` files below a folder in order, with profile A or B's numbers.

    Also returns the files of a folder that hold no cases. Raises AnswerError for what cannot be read or is
    damaged.
    """
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    cases: list[Case] = []
    others: list[Path] = []
    for file in files:
        data = _read(file)
        found = list(_cases_of(file, data, profile))
        if not found and path.is_dir():
            others.append(file)
            continue
        if not found:
            raise AnswerError(ErrorKind.REQUEST, f"{file}: expected cases with id, type and position_id")
        cases += found
        if len(cases) > MAX_CASES:
            raise AnswerError(ErrorKind.REQUEST, f"{path}: expected at most {MAX_CASES} cases")
    if not cases:
        raise AnswerError(ErrorKind.REQUEST, f"{path}: expected files with reference cases, found none")
    return _with_marks_of_the_same_position(cases), others


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise AnswerError(ErrorKind.REQUEST, f"{file}: {error.strerror}") from error
    if len(data) > MAX_FILE_BYTES:
        raise AnswerError(ErrorKind.REQUEST, f"{file}: expected at most {MAX_FILE_BYTES} bytes")
    return data


def _cases_of(file: Path, data: bytes, profile: str) -> Iterator[Case]:
    """The cases in a file: one object, a list of them, or one a line."""
    try:
        objects: list[Any] = []
        if file.suffix == ".jsonl":
            objects = [msgspec.Raw(line) for line in data.splitlines() if line.strip()]
        else:
            whole = msgspec.json.decode(data)
            if isinstance(whole, list):
                objects = msgspec.json.decode(data, type=list[msgspec.Raw])
            elif isinstance(whole, dict) and {"id", "type", "position_id"} <= whole.keys():
                objects = [msgspec.Raw(data)]
        for raw in objects:
            yield _case(msgspec.json.decode(raw, type=_File), profile)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise AnswerError(ErrorKind.REQUEST, f"{file}: {error}") from error


def _case(file: _File, profile: str) -> Case:
    numbers: _Numbers | None = file if profile == "B" else file.variants.get(VARIANT_A)
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


def _with_marks_of_the_same_position(cases: list[Case]) -> list[Case]:
    """Marks of version-sensitive positions, which only the files of one kind have, for all cases."""
    marks = {(case.position_id, case.match_id): case.sensitive for case in cases if case.sensitive}
    return [
        replace(case, sensitive=marks.get((case.position_id, case.match_id), case.sensitive))
        for case in cases
    ]
