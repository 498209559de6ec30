"""Quantiles of a histogram whose buckets are all that is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from botd.live.documents import Latency


@dataclass(frozen=True, slots=True)
class Durations:
    """How long decisions of one kind took."""

    kind: str
    ply: str
    """`0`, `1`, ..., or `other`."""
    buckets: Sequence[tuple[float, float]]
    """(upper edge in seconds, number up to there), rising; the last edge is infinite."""


def latencies(durations: Iterable[Durations]) -> tuple[Latency, ...]:
    """Of those kinds and depths that occurred at all."""
    return tuple(
        Latency(
            kind=each.kind,
            ply=int(each.ply) if each.ply.isdigit() else None,
            count=int(each.buckets[-1][1]),
            p50=quantile(0.5, each.buckets),
            p95=quantile(0.95, each.buckets),
            p99=quantile(0.99, each.buckets),
        )
        for each in durations
        if each.buckets[-1][1] > 0
    )


def quantile(share: float, buckets: Sequence[tuple[float, float]]) -> float:
    """As Prometheus' `histogram_quantile`: linear within a bucket, the highest finite edge beyond that."""
    rank = share * buckets[-1][1]
    low, below = 0.0, 0.0
    for edge, number in buckets[:-1]:
        if number >= rank:
            inside = number - below
            return round(low + (edge - low) * ((rank - below) / inside if inside else 1.0), 6)
        low, below = edge, number
    return low
