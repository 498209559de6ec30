"""Times the contestants on the same fresh positions, round by round, in CPU seconds."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from botd.bench.batches import CHECKER, KINDS, LEGAL, SIBLINGS, STATIC, Contestant, checker, cube
from botd.bench.workload import Task, has_choice
from botd.engine.rules import is_bearoff

# Positions a round, so that a round lasts about as long for every kind of work.
ROUND_SIZE: Mapping[str, int] = {
    STATIC: 4000,
    SIBLINGS: 400,
    LEGAL: 4000,
    checker(0): 400,
    checker(1): 24,
    checker(2): 8,
    cube(0): 1000,
    cube(1): 100,
    cube(2): 8,
}
_FITTING: Mapping[str, Callable[[Task], bool]] = {
    STATIC: lambda task: not is_bearoff(task.board),
    **dict.fromkeys((*CHECKER, SIBLINGS), has_choice),
}
"""Networks are compared where no bear-off database answers instead, plays where there is a choice."""
Progress = Callable[[float, str], None]
"""Told the part done, 0 to 1, and what is being done."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One contestant on one kind of work. `per_second` is the median over rounds, per CPU second."""

    kind: str
    contestant: str
    evaluator: str
    own: bool
    per_second: float
    answers: int
    checksum: float
    """Sum of all answers."""
    rounds: tuple[float, ...]
    """Per CPU second, round by round."""
    compared: int
    """How many of its answers stand beside one of the first contestant with the same evaluator."""
    mean_difference: float
    """Mean absolute difference from those."""


def measure(
    contestants: Sequence[Contestant],
    tasks: Iterator[Task],
    *,
    rounds: int,
    scale: float = 1.0,
    sizes: Mapping[str, int] = ROUND_SIZE,
    progress: Progress = lambda done, what: None,
) -> list[Measurement]:
    """Measure every kind of work with all contestants that offer it.

    `scale` multiplies the positions a round, `sizes`. Within a round all contestants get the same positions,
    one contestant right after the other, of which those with a limit take the first; no position comes twice
    in a run. Networks are asked only for what no bear-off database knows, checker plays only where there is a
    choice. An untimed call on a position of its own
    loads what is loaded late.
    """
    results: list[Measurement] = []
    kinds = [kind for kind in KINDS if kind in sizes and any(kind in each.batches for each in contestants)]
    for number, kind in enumerate(kinds):
        able = [each for each in contestants if kind in each.batches]
        size = max(1, round(sizes[kind] * scale))
        speeds: dict[str, list[float]] = {each.name: [] for each in able}
        answers: dict[str, list[list[float]]] = {each.name: [] for each in able}
        fitting = filter(_FITTING.get(kind, lambda task: True), tasks)
        warm_up = [next(fitting)]
        for each in able:
            each.batches[kind](warm_up)
        for done in range(rounds):
            progress((number * rounds + done) / (len(kinds) * rounds), kind)
            share = [next(fitting) for _ in range(size)]
            for each in able:
                timing = each.batches[kind](share[: each.limit])
                speeds[each.name].append(timing.units / max(timing.seconds, 1e-9))
                answers[each.name].append(timing.answers)
        results.extend(_measured(kind, each, able, speeds, answers) for each in able)
    progress(1.0, "done")
    return results


def _measured(
    kind: str,
    contestant: Contestant,
    able: Sequence[Contestant],
    speeds: Mapping[str, Sequence[float]],
    answers: Mapping[str, Sequence[Sequence[float]]],
) -> Measurement:
    name = contestant.name
    first = next(each for each in able if kind == LEGAL or each.evaluator == contestant.evaluator)
    differences = [
        abs(one - other)
        for given, reference in zip(answers[name], answers[first.name], strict=True)
        for one, other in zip(given, reference, strict=False)  # one of the two may have a limit
    ]
    return Measurement(
        kind=kind,
        contestant=name,
        evaluator=contestant.evaluator,
        own=contestant.own,
        per_second=statistics.median(speeds[name]),
        answers=sum(len(given) for given in answers[name]),
        checksum=sum(sum(given) for given in answers[name]),
        rounds=tuple(speeds[name]),
        compared=len(differences),
        mean_difference=statistics.fmean(differences),
    )
