"""What must agree and how closely; the figures of the reference data's own table of tolerances."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from botd.engine.analysis import LUCK_LIMITS, SKILL_LIMITS
from botd.engine_cli.compare.cases import (
    Case,
    Cube,
    CubeAnalysis,
    Evaluation,
    LevelAnswer,
    Luck,
    Moves,
    Play,
    PlayAnalysis,
    PlyValue,
    PositionValue,
    Probabilities,
)

TOLERANCE = 0.002
"""Absolute, for probabilities and equities."""


class Verdict(StrEnum):
    FAILS = "fails"
    SENSITIVE = "version_sensitive"
    """Versions of the other program differ here between themselves."""
    CLOSE = "close"
    """A name that differs because a value lies within the tolerance of a limit."""
    REPORTED = "reported"
    """No criterion: noise, depths, or networks of one's own."""


@dataclass(frozen=True, slots=True)
class Deviation:
    id: str
    ply: str
    """Number of plies, or the name of a level, or `luck`."""
    field: str
    expected: Any
    got: Any
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Difference:
    """Of two numbers, however small."""

    size: float
    id: str
    ply: str
    field: str
    set_aside: bool
    """Versions of the other program differ here between themselves, or noise was added."""


@dataclass(slots=True)
class Comparison:
    """Everything about one case."""

    deviations: list[Deviation] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    exact: int = 0
    """Things compared that have to be the same."""


@dataclass(slots=True)
class Judge:
    """Compares the parts of one case at one depth."""

    id: str
    ply: str
    out: Comparison
    own_networks: bool = False
    """Numbers are a yardstick then, not a criterion."""
    reported_only: bool = False
    sensitive: Collection[str] = ()
    """Parts in which versions of the other program differ between themselves."""
    tolerance: float = TOLERANCE

    def number(self, part: str, name: str, expected: float, got: float) -> None:
        size = abs(expected - got)
        set_aside = part in self.sensitive or self.reported_only
        self.out.differences.append(Difference(size, self.id, self.ply, name, set_aside))
        if not size <= self.tolerance:  # also for what is no number
            self._deviation(name, expected, got, self._numeric_verdict(part))

    def same(self, name: str, expected: Any, got: Any, verdict: Verdict = Verdict.FAILS) -> None:
        self.out.exact += 1
        if expected != got:
            if self.reported_only and verdict is Verdict.FAILS:
                verdict = Verdict.REPORTED
            self._deviation(name, expected, got, verdict)

    def named(self, part: str, name: str, expected: str, got: str, *, close: bool) -> None:
        """A name that follows from numbers."""
        self.same(name, expected, got, Verdict.CLOSE if close else self._numeric_verdict(part))

    def evaluation(self, expected: Evaluation, got: Evaluation) -> None:
        self.probabilities("evaluation", "evaluation", expected.probabilities, got.probabilities)
        self.number("evaluation", "evaluation.equity", expected.equity, got.equity)

    def probabilities(self, part: str, name: str, expected: Probabilities, got: Probabilities) -> None:
        for key in Probabilities.__struct_fields__:
            self.number(part, f"{name}.{key}", getattr(expected, key), getattr(got, key))

    def cube(self, expected: Cube, got: Cube) -> None:
        for key in ("no_double", "double_take", "double_pass", "optimal"):
            self.number("cube", f"cube.{key}", getattr(expected, key), getattr(got, key))
        close = near_a_cube_limit(expected.no_double, expected.double_take, expected.double_pass)
        self.named("cube", "cube.decision", expected.decision, got.decision, close=close)
        if expected.decision == got.decision and expected.decision_text and got.decision_text:
            self.same("cube.decision_text", expected.decision_text, got.decision_text)

    def ranking(self, expected: list[Play], got: list[Play]) -> None:
        """`got` holds all plays; depths decide which numbers can be compared."""
        ours = {play.move: play for play in got}
        for rank, play in enumerate(expected, start=1):
            name = f"ranking[{rank}] {play.move}"
            own = ours.get(play.move)
            self.same(f"{name} legal", True, own is not None)
            if own is None:
                continue
            if play.ply != own.ply:
                self.same(f"{name} ply", play.ply, own.ply, Verdict.REPORTED)
                continue
            self.number("moves", f"{name} equity", play.equity, own.equity)
            self.probabilities("moves", name, play.probabilities, own.probabilities)
        if expected and got:
            self.best(expected, got[0].move)

    def best(self, expected: list[Play], got: str) -> None:
        best = expected[0]
        other = next((play for play in expected if play.move == got), None)
        close = other is not None and other.ply == best.ply and abs(other.equity - best.equity) <= TOLERANCE
        self.named("moves", "best move", best.move, got, close=close)

    def _numeric_verdict(self, part: str) -> Verdict:
        if self.own_networks or self.reported_only:
            return Verdict.REPORTED
        return Verdict.SENSITIVE if part in self.sensitive else Verdict.FAILS

    def _deviation(self, name: str, expected: Any, got: Any, verdict: Verdict) -> None:
        self.out.deviations.append(Deviation(self.id, self.ply, name, expected, got, verdict))


def compare_ply(
    case: Case, ply: int, expected: PlyValue, got: PlyValue, out: Comparison, *, own_networks: bool
) -> None:
    """Compare everything known about a case at one depth; `got` holds all plays of a ranking."""
    judge = Judge(case.id, str(ply), out, own_networks, sensitive=case.sensitive.get(str(ply), {}))
    match expected, got:
        case PositionValue(), PositionValue():
            judge.evaluation(expected.evaluation, got.evaluation)
            if expected.moves is not None and got.moves is not None:
                _moves(judge, expected.moves, got.moves)
            if expected.cube is not None and got.cube is not None:
                judge.cube(expected.cube, got.cube)
        case PlayAnalysis(), PlayAnalysis():
            _play_analysis(judge, expected, got)
        case CubeAnalysis(), CubeAnalysis():
            _cube_analysis(judge, expected, got)
        case _:
            raise TypeError(f"case {case.id}: {type(expected).__name__} against {type(got).__name__}")


def compare_luck(case: Case, expected: Luck, got: Luck, out: Comparison, *, own_networks: bool) -> None:
    judge = Judge(case.id, "luck", out, own_networks)
    judge.number("moves", "value", expected.value, got.value)
    close = any(abs(abs(expected.value) - limit) <= TOLERANCE for limit in LUCK_LIMITS)
    judge.named("moves", "rating", expected.rating, got.rating, close=close)


def compare_level(
    case: Case, name: str, expected: LevelAnswer, got: LevelAnswer, out: Comparison, *, own_networks: bool
) -> None:
    """Noise differs between builds of the other program, so noisy levels are only reported."""
    judge = Judge(case.id, name, out, own_networks, reported_only=expected.noise > 0)
    if expected.move is not None and got.move is not None:
        judge.named("moves", "move", expected.move, got.move, close=False)
    if expected.cube is not None and got.cube is not None:
        judge.cube(expected.cube, got.cube)


def compare_context(case: Case, got: dict[str, Any], out: Comparison) -> None:
    """What the identifiers say about score, cube and rules."""
    judge = Judge(case.id, "-", out)
    if case.context is not None:
        for name, value in got.items():
            judge.same(f"context.{name}", getattr(case.context, name), value)


def near_a_cube_limit(
    no_double: float, double_take: float, double_pass: float, tolerance: float = TOLERANCE
) -> bool:
    """Whether a decision could change with one of the equities moved by the tolerance."""
    nd, dt, dp = no_double, double_take, double_pass
    distances = (nd - dt, nd - dp, dt - dp, dt, dt + 2.0, 2.0 * dt - nd)
    return any(abs(distance) <= tolerance for distance in distances)


def _near_a_skill_limit(loss: float) -> bool:
    return any(abs(loss - limit) <= TOLERANCE for limit, _ in SKILL_LIMITS)


def _moves(judge: Judge, expected: Moves, got: Moves) -> None:
    judge.same("legal_move_count", expected.legal_move_count, got.legal_move_count)
    judge.ranking(expected.ranking, got.ranking)


def _play_analysis(judge: Judge, expected: PlayAnalysis, got: PlayAnalysis) -> None:
    judge.same("move_count", expected.move_count, got.move_count)
    for key in ("played_equity", "best_equity", "equity_loss"):
        judge.number("moves", key, getattr(expected, key), getattr(got, key))
    close = _near_a_skill_limit(expected.equity_loss)
    judge.named("moves", "skill", expected.skill, got.skill, close=close)
    judge.ranking(expected.ranking, got.ranking)


def _cube_analysis(judge: Judge, expected: CubeAnalysis, got: CubeAnalysis) -> None:
    judge.same("analysed", expected.analysed, got.analysed)
    if expected.cube is not None and got.cube is not None:
        judge.cube(expected.cube, got.cube)
    judge.number("cube", "equity_loss", expected.equity_loss, got.equity_loss)
    close = _near_a_skill_limit(expected.equity_loss)
    judge.named("cube", "skill", expected.skill, got.skill, close=close)
