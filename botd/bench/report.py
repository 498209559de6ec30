"""What a run of the benchmark found, and its tables for a terminal and for a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from botd.bench.goals import Measure, Row
from botd.bench.machine import Machine
from botd.bench.puretd_kernel import KernelSpeed
from botd.bench.runner import Measurement
from botd.bench.start_time import StartTime
from botd.bench.worker_memory import WorkerMemory


@dataclass(frozen=True, slots=True)
class Report:
    machine: Machine
    command: str
    seed: int
    rounds: int
    scale: float
    rows: tuple[Row, ...]
    measurements: tuple[Measurement, ...]
    memories: tuple[WorkerMemory, ...]
    starts: tuple[StartTime, ...]
    kernels: tuple[KernelSpeed, ...]
    absent: dict[str, str]
    """Who was not measured, and why."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON: all fields, and of each row whether floor and goal are met."""
        rows = [asdict(row) | {"floor_met": row.floor_met, "goal_met": row.goal_met} for row in self.rows]
        return asdict(self) | {"rows": rows}


def terminal_text(report: Report) -> str:
    """For a person who has just run it."""
    return "\n".join(
        [heading(report), "", *aligned(_ROW_HEADS, map(_row_cells, report.rows)), ""]
    ) + "\n".join(
        ["", *aligned(_MEASURED_HEADS, map(_measured_cells, report.measurements)), *_absent(report)]
    )


def markdown(report: Report) -> str:
    """For docs/benchmarks.md."""
    return "\n\n".join(
        [
            heading(report),
            markdown_table(_ROW_HEADS, map(_row_cells, report.rows)),
            markdown_table(_MEASURED_HEADS, map(_measured_cells, report.measurements)),
            *(["\n".join(f"- {line}" for line in _absent(report))] if report.absent else []),
        ]
    )


def heading(report: Report) -> str:
    it = report.machine
    return (
        f"`{report.command}`, {it.date} UTC, {it.cpu}, {it.cpus} cores, load {it.load}, CPU path "
        f"{it.cpu_path}, botd {it.botd}, Python {it.python}, seed {report.seed}, {report.rounds} rounds. "
        "Figures without a unit are for a CPU second of one core, medians over rounds; ratios are medians of "
        "those of each round."
    )


def number(value: float | None, unit: str = "") -> str:
    """With as many digits as mean something."""
    if value is None:
        return ""
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 10 else 3
    return f"{value:,.{digits}f}{' ' if unit else ''}{unit}"


_SPEED = "a CPU second"
_ROW_HEADS = ("work", "ours", "figure", "peer", "its figure", "ratio", "floor", "is", "goal", "is")
_MEASURED_HEADS = ("work", "engine", "per CPU s", "answers", "checksum", "compared", "mean difference")


def _row_cells(row: Row) -> tuple[str, ...]:
    unit = "" if row.unit == _SPEED else row.unit
    peer = f"{row.peer} ({row.note})" if row.note and row.peer else (row.peer or row.note)
    return (
        row.work,
        row.ours,
        number(row.value, unit),
        peer,
        number(row.peer_value, unit),
        "" if row.ratio is None else f"{row.ratio:.2f} x",
        _limit(row.limit.floor, row.measure, unit),
        verdict(row.floor_met),
        _limit(row.limit.goal, row.measure, unit),
        verdict(row.goal_met),
    )


def _limit(wanted: float | None, measure: Measure, unit: str) -> str:
    if wanted is None:
        return ""
    if measure is Measure.RATIO:
        return f"{wanted:g} x"
    return f"{wanted:,.0f}" if wanted >= 1000 else f"{wanted:g} {unit}".rstrip()


def verdict(met: bool | None) -> str:
    """In a word; none where nothing was asked or nothing can be said."""
    return "" if met is None else "met" if met else "missed"


def _measured_cells(one: Measurement) -> tuple[str, ...]:
    return (
        one.kind,
        one.contestant,
        number(one.per_second),
        f"{one.answers}",
        f"{one.checksum:.4f}",
        f"{one.compared}",
        f"{one.mean_difference:.6f}",
    )


def _absent(report: Report) -> list[str]:
    return [f"{name}: {why}" for name, why in report.absent.items()]


def aligned(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """A table of fixed width, a line for each row."""
    table = [tuple(heads), *lines]
    widths = [max(len(line[column]) for line in table) for column in range(len(heads))]
    # Words to the left, figures to the right.
    right = [column for column in range(len(heads)) if all(_is_figure(line[column]) for line in table[1:])]
    return [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    ]


def _is_figure(cell: str) -> bool:
    return not cell or cell.lstrip("-")[0].isdigit()


def markdown_table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """The same table in Markdown."""
    rows = [tuple(heads), ("---",) * len(heads), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
