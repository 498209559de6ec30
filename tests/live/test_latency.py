"""Quantiles from buckets."""

from __future__ import annotations

import math

import pytest

from botd.live.latency import Durations, latencies, quantile
from botd.metrics.registry import Metrics

BUCKETS = [(0.1, 10.0), (0.2, 90.0), (1.0, 100.0), (math.inf, 100.0)]


@pytest.mark.parametrize(
    ("share", "expected"), [(0.05, 0.05), (0.1, 0.1), (0.5, 0.15), (0.95, 0.6), (1.0, 1.0)]
)
def test_linear_within_a_bucket(share: float, expected: float) -> None:
    assert quantile(share, BUCKETS) == pytest.approx(expected)


def test_beyond_the_last_bucket_its_edge_is_all_that_is_known() -> None:
    assert quantile(0.99, [(0.1, 1.0), (math.inf, 100.0)]) == 0.1


def test_only_what_occurred_is_told() -> None:
    metrics = Metrics()
    for _ in range(100):
        metrics.decision("play", 2, "search", 0.03, 0.0)
    metrics.decision("cube", 7, "search", 0.03, 0.0)
    found = {(each.kind, each.ply): each for each in latencies(metrics.durations())}
    assert found.keys() == {("play", 2), ("cube", None)}
    assert found["play", 2].count == 100
    assert 0.02 < found["play", 2].p50 < found["play", 2].p95 < found["play", 2].p99 <= 0.05


def test_nothing_occurred() -> None:
    assert latencies([Durations("play", "0", [(1.0, 0.0), (math.inf, 0.0)])]) == ()
