"""Measures of a ranking, on rolls small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from botd.training.ranking import Ranking

SIZES = np.array([2, 2, 3])


@pytest.fixture
def ranking() -> Ranking:
    # Roll 0: the roughly best play is the best. Roll 1: the best one is 0.1 behind. Roll 2: two best plays.
    true = np.array([0.5, 0.4, 0.0, 0.3, 0.2, 0.2, -1.0], np.float32)
    rough = np.array([0.6, 0.5, 0.9, 0.8, 0.1, 0.4, 0.2], np.float32)
    return Ranking(rough, true, SIZES)


def test_margin_and_count(ranking: Ranking) -> None:
    assert ranking.margin(0.5) == pytest.approx(0.0)
    assert ranking.margin(1.0) == pytest.approx(0.1, abs=1e-6)
    assert ranking.count(0.5) == 1
    assert ranking.count(1.0) == 2


def test_pruning(ranking: Ranking) -> None:
    only = ranking.pruned(count=1)
    assert only.kept == 1.0
    assert only.missed == pytest.approx(1 / 3)
    assert only.loss == pytest.approx(0.1)
    within = ranking.pruned(margin=0.15)
    assert within.kept == pytest.approx(5 / 3)
    assert within.missed == within.loss == 0.0
    both = ranking.pruned(margin=0.15, count=1)
    assert both == only
    everything = ranking.pruned()
    assert everything.kept == pytest.approx(7 / 3)
    assert everything.missed == 0.0
    assert str(only) == "keeps  1.00, misses the best in 33.33 %, loses 0.100000"


def test_the_best_of_equal_plays_counts() -> None:
    ranking = Ranking(
        np.array([0.1, 0.9, 0.5], np.float32), np.array([0.7, 0.7, 0.1], np.float32), np.array([3])
    )
    assert ranking.margin(1.0) == 0.0
    assert ranking.count(1.0) == 1
