"""How late does fast mode answer after its time budget?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from botd.bench.runner import Progress
from botd.bench.workload import MONEY, Task, has_choice
from botd.engine.protocol import Engine
from botd.engine.types import CubeDecision, PlayDecision

MOST_P999_S = 0.010
"""What fast mode owes on an idle machine."""


@dataclass(frozen=True, slots=True)
class Overrun:
    """Elapsed seconds from the end of the budget to the answer, of the decisions that used it up."""

    budget_s: float
    decisions: int
    early: int
    """Answered within the budget, as deep as asked for."""
    p50_s: float
    p99_s: float
    p999_s: float
    worst_s: float
    plies: dict[int, int]
    """How many answers were so deep, in order."""

    @property
    def met(self) -> bool:
        return self.p999_s < MOST_P999_S


def overrun(
    engine: Engine,
    tasks: Iterator[Task],
    *,
    decisions: int,
    ply: int,
    budget_s: float,
    progress: Progress = lambda done, what: None,
    clock: Callable[[], float] = time.monotonic,
) -> Overrun:
    """Ask for plays and cube decisions in turn, each to be made within `budget_s`.

    `ply` should be deeper than the budget allows. An untimed decision loads what is loaded late.
    """
    fitting = filter(has_choice, tasks)
    first = next(fitting)
    engine.choose_play(first.board, MONEY, first.dice, ply=0)
    late: list[float] = []
    plies: list[int] = []
    for number in range(decisions):
        progress(number / decisions, f"{1000 * budget_s:g} ms each")
        answer: PlayDecision | CubeDecision
        task = next(tasks if number % 2 else fitting)
        began = clock()
        if number % 2:
            answer = engine.cube_action(task.board, MONEY, ply=ply, deadline_s=budget_s)
        else:
            answer = engine.choose_play(task.board, MONEY, task.dice, ply=ply, deadline_s=budget_s)
        late.append(clock() - began - budget_s)
        plies.append(answer.ply)
    used_up = sorted(seconds for seconds in late if seconds >= 0)
    return Overrun(
        budget_s=budget_s,
        decisions=decisions,
        early=decisions - len(used_up),
        p50_s=quantile(used_up, 0.5),
        p99_s=quantile(used_up, 0.99),
        p999_s=quantile(used_up, 0.999),
        worst_s=quantile(used_up, 1.0),
        plies={depth: plies.count(depth) for depth in sorted(set(plies))},
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    """The least value that at least this share of all does not exceed; 0 of nothing."""
    if not ordered:
        return 0.0
    index = -int(-share * len(ordered) // 1) - 1
    return ordered[min(max(index, 0), len(ordered) - 1)]
