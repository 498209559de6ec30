"""How late answers are, measured with a clock of our own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from botd.bench.overrun import overrun, quantile
from botd.bench.workload import Task
from botd.engine.random_player import RandomPlayer
from botd.engine.types import STARTING_BOARD


class Clock:
    """Each decision begins at 0 and takes the next of some times."""

    def __init__(self, seconds: list[float]) -> None:
        self._times: Iterator[float] = itertools.chain.from_iterable((0.0, each) for each in seconds)

    def __call__(self) -> float:
        return next(self._times)


def test_only_what_used_up_its_budget_is_late() -> None:
    took = [0.03, 0.0625, 0.051, 0.0505, 0.01, 0.06]
    result = overrun(
        RandomPlayer(),
        itertools.repeat(Task(STARTING_BOARD, (3, 1))),
        decisions=len(took),
        ply=4,
        budget_s=0.05,
        clock=Clock(took),
    )
    assert (result.decisions, result.early, result.plies) == (6, 2, {0: 6})
    assert result.p50_s == pytest.approx(0.001)
    assert result.worst_s == result.p999_s == result.p99_s == pytest.approx(0.0125)
    assert not result.met


def test_nothing_late_meets_the_wish() -> None:
    result = overrun(
        RandomPlayer(),
        itertools.repeat(Task(STARTING_BOARD, (3, 1))),
        decisions=2,
        ply=4,
        budget_s=0.05,
        clock=Clock([0.01, 0.02]),
    )
    assert (result.early, result.worst_s, result.met) == (2, 0.0, True)


def test_quantiles_are_values_that_were_seen() -> None:
    values = [float(n) for n in range(1, 1001)]
    assert [quantile(values, share) for share in (0.5, 0.99, 0.999, 1.0)] == [500.0, 990.0, 999.0, 1000.0]
    assert quantile([7.0], 0.5) == 7.0
    assert quantile([], 0.5) == 0.0
