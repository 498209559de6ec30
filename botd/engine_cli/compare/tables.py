"""Reference files that are no positions with decisions: legal moves, bear-off databases, match equities."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from botd.engine import position_id, rules
from botd.engine.met import default_met_path, load_met
from botd.engine.types import CubeOwner, GameContext
from botd.engine_cli.compare.cases import Probabilities
from botd.engine_cli.compare.criteria import TOLERANCE, Comparison, Judge, near_a_cube_limit
from botd.engine_cli.errors import position_errors
from botd.engine_cli.evaluators import select
from botd.engine_cli.fields import probability_fields
from botd.engine_cli.float32 import to_float32
from botd.engine_cli.requests import Settings

TWO_SIDED_TOLERANCE = 5e-5
TABLE_TOLERANCE = 1e-5
_MAX_PERFT_DEPTH = 3


class Roll(msgspec.Struct, frozen=True):
    """The distinct results of a roll: their number and the digest of their sorted Position IDs."""

    position_id: str
    dice: tuple[int, int]
    count: int
    sha256: str


class Perft(msgspec.Struct, frozen=True):
    position_id: str
    depth: int
    leaves: int
    distinct: int


class CubeEquities(msgspec.Struct, frozen=True):
    """Of one owner of the cube in money play; `equity` where the opponent owns it."""

    no_double: float | None = None
    double_take: float | None = None
    optimal: float | None = None
    equity: float | None = None
    decision: str | None = None


class Bearoff(msgspec.Struct, frozen=True):
    position_id: str
    database: str
    probabilities: Probabilities
    cubeless_equity: float
    money_cubeful: dict[str, CubeEquities] = {}


class MatchEquities(msgspec.Struct, frozen=True):
    pre_crawford: list[list[float]]
    post_crawford: list[float]


class _Tables(msgspec.Struct, frozen=True):
    """What such a file may hold."""

    format: str = ""
    cases: list[msgspec.Raw] = []
    perft: list[Perft] = []
    pre_crawford: list[list[float]] = []
    post_crawford: list[float] = []


@dataclass(frozen=True, slots=True)
class TableCase:
    id: str
    content: Roll | Perft | Bearoff | MatchEquities


def table_cases(data: bytes) -> list[TableCase]:
    """The cases of a file of this kind, none if it is of another; damage raises msgspec's errors."""
    tables = msgspec.json.decode(data, type=_Tables)
    cases: list[TableCase] = []
    if tables.format.startswith("movegen"):
        for roll in [msgspec.json.decode(raw, type=Roll) for raw in tables.cases]:
            cases.append(TableCase(f"movegen {roll.position_id} {roll.dice[0]}-{roll.dice[1]}", roll))
        cases += [TableCase(f"perft {perft.position_id} {perft.depth}", perft) for perft in tables.perft]
    elif tables.format.startswith("bearoff"):
        for case in [msgspec.json.decode(raw, type=Bearoff) for raw in tables.cases]:
            cases.append(TableCase(f"bearoff {case.position_id}", case))
    elif tables.pre_crawford and tables.post_crawford:
        cases.append(TableCase("met", MatchEquities(tables.pre_crawford, tables.post_crawford)))
    return cases


def compare_table(case: TableCase, settings: Settings, *, own_networks: bool) -> Comparison:
    """Legal moves and the equity table are the same for every evaluator. Raises AnswerError."""
    out = Comparison()
    with position_errors():
        match case.content:
            case Roll() as roll:
                _compare_roll(Judge(case.id, "-", out), roll)
            case Perft() as perft:
                _compare_perft(Judge(case.id, "-", out), perft)
            case MatchEquities() as table:
                _compare_match_equities(Judge(case.id, "-", out, tolerance=TABLE_TOLERANCE), table, settings)
            case Bearoff() as bearoff:
                exact = bearoff.database == "two-sided"
                tolerance = TWO_SIDED_TOLERANCE if exact else TOLERANCE
                judge = Judge(case.id, "0", out, own_networks=own_networks, tolerance=tolerance)
                _compare_bearoff(judge, bearoff, settings)
    return out


def digest(position_ids: Sequence[str]) -> str:
    """SHA-256 of sorted Position IDs with line feeds between them."""
    return hashlib.sha256("\n".join(sorted(position_ids)).encode()).hexdigest()


def _compare_roll(judge: Judge, roll: Roll) -> None:
    board = position_id.decode(roll.position_id)
    results = [position_id.encode(play.board) for play in rules.legal_plays(board, roll.dice)]
    judge.same("count", roll.count, len(results))
    judge.same("sha256", roll.sha256, digest(results))


def _compare_perft(judge: Judge, perft: Perft) -> None:
    if not 0 <= perft.depth <= _MAX_PERFT_DEPTH:
        raise ValueError(f"{judge.id}: expected a depth from 0 to {_MAX_PERFT_DEPTH}, got {perft.depth}")
    leaves, distinct = rules.perft(position_id.decode(perft.position_id), perft.depth)
    judge.same("leaves", perft.leaves, leaves)
    judge.same("distinct", perft.distinct, distinct)


def _compare_match_equities(judge: Judge, table: MatchEquities, settings: Settings) -> None:
    ours = load_met(Path(settings.met) if settings.met else default_met_path())
    judge.same("length", len(table.pre_crawford), len(ours.pre_crawford))
    for i, (row, own_row) in enumerate(zip(table.pre_crawford, ours.pre_crawford, strict=False)):
        judge.same(f"pre_crawford[{i}] length", len(row), len(own_row))
        for j, (value, own) in enumerate(zip(row, own_row, strict=False)):
            judge.number("met", f"pre_crawford[{i}][{j}]", value, own)
    for i, (value, own) in enumerate(zip(table.post_crawford, ours.post_crawford, strict=False)):
        judge.number("met", f"post_crawford[{i}]", value, own)


def _compare_bearoff(judge: Judge, case: Bearoff, settings: Settings) -> None:
    engine = select(settings).engine
    board = position_id.decode(case.position_id)
    probabilities, equity = engine.evaluate(board, GameContext(), ply=0)
    own = msgspec.convert(probability_fields(probabilities), Probabilities)
    judge.probabilities("evaluation", "probabilities", case.probabilities, own)
    judge.number("evaluation", "cubeless_equity", case.cubeless_equity, equity)
    owners = {"centered": CubeOwner.CENTERED, "owned": CubeOwner.PLAYER, "opponent_owns": CubeOwner.OPPONENT}
    for name, owner in owners.items():
        expected = case.money_cubeful.get(name)
        if expected is None:
            continue
        cube = engine.cube_action(board, GameContext(cube_owner=owner, beavers=True), ply=0)
        for key in ("no_double", "double_take", "optimal"):
            value = getattr(expected, key)
            if value is not None:
                judge.number("cube", f"{name}.{key}", value, to_float32(getattr(cube, key)))
        if expected.equity is not None:
            judge.number("cube", f"{name}.equity", expected.equity, to_float32(cube.no_double))
        if expected.decision is not None:
            nd, dt = expected.no_double, expected.double_take
            close = nd is not None and dt is not None and near_a_cube_limit(nd, dt, 1.0, judge.tolerance)
            judge.named("cube", f"{name}.decision", expected.decision, cube.decision, close=close)
