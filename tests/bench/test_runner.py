"""The runner asks everybody the same, only what can be decided, and counts what was answered."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from botd.bench.batches import LEGAL, SIBLINGS, Contestant, Timing, checker
from botd.bench.runner import measure
from botd.bench.workload import Task
from botd.engine.types import STARTING_BOARD

DANCE = Task((0, *[0] * 18, -2, -2, -2, -2, -2, -2, 1), (6, 6))
CHOICE = Task(STARTING_BOARD, (3, 1))


def test_checker_plays_are_asked_where_there_is_a_choice() -> None:
    asked: list[Task] = []

    def answer(tasks: Sequence[Task]) -> Timing:
        asked.extend(tasks)
        return Timing(0.5, [1.0 for _ in tasks], len(tasks))

    one = Contestant("one", "x", {checker(0): answer, LEGAL: answer}, own=True)
    other = Contestant("other", "x", {LEGAL: answer})
    sizes = {checker(0): 1, LEGAL: 1}
    results = measure([one, other], itertools.cycle([DANCE, CHOICE]), rounds=1, sizes=sizes)
    assert [(r.kind, r.contestant) for r in results] == [
        (LEGAL, "one"),
        (LEGAL, "other"),
        (checker(0), "one"),
    ]
    assert asked[-2:] == [CHOICE, CHOICE]
    assert DANCE in asked


def test_speed_counts_units_and_differences_are_from_the_first_of_the_evaluator() -> None:
    def worth(value: float, seconds: float) -> Contestant:
        def answer(tasks: Sequence[Task]) -> Timing:
            return Timing(seconds, [value for _ in tasks], 10 * len(tasks))

        return Contestant(
            f"{value}", "x" if value < 5 else "y", {SIBLINGS: answer}, limit=3 if value else None
        )

    contestants = [worth(0.0, 1.0), worth(0.25, 0.5), worth(7.0, 1.0)]
    sizes = {SIBLINGS: 4}
    results = measure(contestants, itertools.repeat(CHOICE), rounds=2, sizes=sizes)
    assert [(r.per_second, r.answers, r.compared, r.mean_difference) for r in results] == [
        (40.0, 8, 8, 0.0),
        (60.0, 6, 6, 0.25),
        (30.0, 6, 6, 0.0),
    ]
    assert [r.checksum for r in results] == [0.0, 1.5, 42.0]
    assert results[1].rounds == (60.0, 60.0)


def test_progress_goes_from_nothing_to_all() -> None:
    def answer(tasks: Sequence[Task]) -> Timing:
        return Timing(1.0, [0.0 for _ in tasks], len(tasks))

    told: list[tuple[float, str]] = []
    measure(
        [Contestant("one", "x", {LEGAL: answer})],
        itertools.repeat(CHOICE),
        rounds=2,
        sizes={LEGAL: 1},
        progress=lambda done, what: told.append((done, what)),
    )
    assert told == [(0.0, LEGAL), (0.5, LEGAL), (1.0, "done")]
