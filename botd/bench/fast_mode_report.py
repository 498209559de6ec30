"""Tables about fast mode: how near to exact mode it decides, and how late it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from botd.bench.agreement import LEAST_SAME, MOST_MEAN_LOSS, Agreement, Case
from botd.bench.machine import Machine
from botd.bench.overrun import MOST_P999_S, Overrun
from botd.bench.report import aligned, markdown_table, verdict

_SHOWN = 5
"""Disagreements in the table; JSON has all."""


@dataclass(slots=True)
class FastModeReport:
    machine: Machine
    command: str
    engine: str
    """The evaluator, as an engine is named."""
    agreements: list[Agreement] = field(default_factory=list)
    overruns: list[Overrun] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: all fields, and whether each table's wish is met."""
        return asdict(self) | {
            "agreements": [asdict(one) | {"met": one.met} for one in self.agreements],
            "overruns": [asdict(one) | {"met": one.met} for one in self.overruns],
        }


def terminal_text(report: FastModeReport) -> str:
    """For a person who has just run it."""
    tables = _tables(report, lambda heads, lines: "\n".join(aligned(heads, lines)))
    return "\n\n".join([_heading(report), *tables])


def markdown(report: FastModeReport) -> str:
    """For docs/benchmarks.md."""
    return "\n\n".join([_heading(report), *_tables(report, markdown_table)])


def _heading(report: FastModeReport) -> str:
    it = report.machine
    return (
        f"`{report.command}`, {it.date} UTC, {it.cpu}, {it.cpus} cores, load {it.load}, CPU path "
        f"{it.cpu_path}, botd {it.botd}."
    )


def _tables(
    report: FastModeReport, table: Callable[[Sequence[str], Iterable[Sequence[str]]], str]
) -> list[str]:
    tables: list[str] = []
    heads: tuple[str, ...]
    if report.agreements:
        heads = ("decisions", "ply", "number", "same", "mean loss", "worst loss", "wanted", "is")
        tables.append(table(heads, map(_agreement_cells, report.agreements)))
        costly = [case for one in report.agreements for case in one.disagreements[:_SHOWN]]
        if costly:
            heads = ("costliest differences", "dice", "score", "cube", "exact", "fast", "loss")
            tables.append(table(heads, map(_case_cells, costly)))
    if report.overruns:
        heads = (
            "budget",
            "decisions",
            "in time",
            "median",
            "99 %",
            "99.9 %",
            "worst",
            "wanted",
            "is",
            "plies",
        )
        tables.append(table(heads, map(_overrun_cells, report.overruns)))
    return tables


def _agreement_cells(one: Agreement) -> tuple[str, ...]:
    return (
        one.kind,
        f"{one.ply}",
        f"{one.decisions}",
        f"{100 * one.same / one.decisions:.2f} %",
        f"{one.mean_loss:.6f}",
        f"{one.worst.loss:.6f}",
        f"{100 * LEAST_SAME:g} %, below {MOST_MEAN_LOSS:g}",
        verdict(one.met),
    )


def _case_cells(case: Case) -> tuple[str, ...]:
    context = case.context
    return (
        case.position_id,
        "" if case.dice is None else f"{case.dice[0]}{case.dice[1]}",
        "money"
        if context.is_money
        else f"{context.score_player}-{context.score_opponent} of {context.match_length}",
        f"{context.cube_value} {context.cube_owner}",
        case.exact,
        case.fast,
        f"{case.loss:.6f}",
    )


def _overrun_cells(one: Overrun) -> tuple[str, ...]:
    late = (one.p50_s, one.p99_s, one.p999_s, one.worst_s)
    return (
        f"{1000 * one.budget_s:g} ms",
        f"{one.decisions}",
        f"{one.early}",
        *(f"{1000 * seconds:.2f} ms" for seconds in late),
        f"99.9 % below {1000 * MOST_P999_S:g} ms",
        verdict(one.met),
        ", ".join(f"{ply}: {count}" for ply, count in one.plies.items()),
    )
