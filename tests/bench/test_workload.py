"""Positions to measure with: fresh, varied, repeatable."""

from __future__ import annotations

import itertools

from botd.bench.workload import tasks_from_games
from botd.engine.engine import SageEngine


def test_no_position_comes_twice_and_a_seed_repeats() -> None:
    engine = SageEngine.load()
    tasks = list(itertools.islice(tasks_from_games(engine, 7), 500))
    assert len({task.board for task in tasks}) == 500
    assert tasks == list(itertools.islice(tasks_from_games(engine, 7), 500))
