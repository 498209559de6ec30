"""Times the contestants on the same fresh positions, round by round, in CPU seconds."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from botd.bench.contestants import Batch
from botd.bench.workload import Task, has_choice

CHECKER_PLAY = "checker play"

# Positions a round, so that a round lasts about as long for every kind of work.
ROUND_SIZE = {
    "static evaluation": 4000,
    "legal plays": 4000,
    "checker play, 0-ply": 400,
    "checker play, 1-ply": 12,
    "checker play, 2-ply": 4,
    "cube decision, 0-ply": 1000,
    "cube decision, 1-ply": 100,
    "cube decision, 2-ply": 8,
}


@dataclass(frozen=True, slots=True)
class Measurement:
    """One contestant on one kind of work. `per_second` is the median over rounds, per CPU second."""

    kind: str
    contestant: str
    per_second: float
    answers: int
    checksum: float
    rounds: tuple[float, ...]
    """Per CPU second, round by round."""
    mean_difference: float
    """Mean absolute difference of its answers from the first contestant's."""


def median_ratio(one: Measurement, other: Measurement) -> float:
    """Median over rounds of the one's speed divided by the other's in the same round."""
    return statistics.median(a / b for a, b in zip(one.rounds, other.rounds, strict=True))


def measure(
    contestants: Mapping[str, Mapping[str, Batch]],
    tasks: Iterator[Task],
    *,
    rounds: int,
    scale: float = 1.0,
    sizes: Mapping[str, int] = ROUND_SIZE,
    progress: Callable[[int, int, str], None] = lambda done, total, kind: None,
) -> list[Measurement]:
    """Measure every kind of work that the first contestant offers, and the others as far as they offer it.

    `scale` multiplies the positions a round, `sizes`. Within a round all contestants get the same positions;
    no position comes twice in a run; checker plays are asked only where there is a choice. An untimed call on
    a position of its own loads what is loaded late.
    """
    results: list[Measurement] = []
    kinds = [kind for kind in sizes if kind in next(iter(contestants.values()))]
    for number, kind in enumerate(kinds):
        size = max(1, round(sizes[kind] * scale))
        able = {name: batches[kind] for name, batches in contestants.items() if kind in batches}
        speeds: dict[str, list[float]] = {name: [] for name in able}
        answers: dict[str, list[float]] = {name: [] for name in able}
        fitting = filter(has_choice, tasks) if kind.startswith(CHECKER_PLAY) else tasks
        warm_up = [next(fitting)]
        for batch in able.values():
            batch(warm_up)
        for done in range(rounds):
            progress(number * rounds + done, len(kinds) * rounds, kind)
            share = [next(fitting) for _ in range(size)]
            for name, batch in able.items():
                timing = batch(share)
                speeds[name].append(size / max(timing.seconds, 1e-9))
                answers[name].extend(timing.answers)
        first = next(iter(able))
        results.extend(
            Measurement(
                kind=kind,
                contestant=name,
                per_second=statistics.median(speeds[name]),
                answers=len(answers[name]),
                checksum=sum(answers[name]),
                rounds=tuple(speeds[name]),
                mean_difference=_mean_difference(answers[name], answers[first]),
            )
            for name in able
        )
    progress(len(kinds) * rounds, len(kinds) * rounds, "done")
    return results


def _mean_difference(one: Sequence[float], other: Sequence[float]) -> float:
    return statistics.fmean(abs(a - b) for a, b in zip(one, other, strict=True))
