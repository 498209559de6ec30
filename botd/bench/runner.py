"""Times the contestants on the same fresh positions, round by round, in CPU seconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from botd.bench.contestants import Batch
from botd.bench.workload import Task

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
    ratio_to_first: float
    """Median over rounds of this contestant's speed divided by the first one's in the same round."""


def _timed(batch: Batch, tasks: list[Task]) -> tuple[float, list[float]]:
    start = time.process_time()
    answers = batch(tasks)
    return max(time.process_time() - start, 1e-9), answers


def measure(
    contestants: Mapping[str, Mapping[str, Batch]],
    tasks: Iterator[Task],
    *,
    rounds: int,
    scale: float = 1.0,
    progress: Callable[[int, int, str], None] = lambda done, total, kind: None,
) -> list[Measurement]:
    """Measure every kind of work that every contestant offers.

    `scale` multiplies the positions a round. Within a round all contestants get the same positions; no
    position comes twice in a run. An untimed call on a position of its own loads what is loaded late.
    """
    results: list[Measurement] = []
    kinds = list(ROUND_SIZE)
    for number, kind in enumerate(kinds):
        size = max(1, round(ROUND_SIZE[kind] * scale))
        speeds: dict[str, list[float]] = {name: [] for name in contestants}
        answers: dict[str, list[float]] = {name: [] for name in contestants}
        warm_up = [next(tasks)]
        for batches in contestants.values():
            batches[kind](warm_up)
        for done in range(rounds):
            progress(number * rounds + done, len(kinds) * rounds, kind)
            share = [next(tasks) for _ in range(size)]
            for name, batches in contestants.items():
                seconds, values = _timed(batches[kind], share)
                speeds[name].append(size / seconds)
                answers[name].extend(values)
        first = speeds[next(iter(contestants))]
        results.extend(
            Measurement(
                kind,
                name,
                statistics.median(speeds[name]),
                len(answers[name]),
                sum(answers[name]),
                statistics.median(own / base for own, base in zip(speeds[name], first, strict=True)),
            )
            for name in contestants
        )
    progress(len(kinds) * rounds, len(kinds) * rounds, "done")
    return results
