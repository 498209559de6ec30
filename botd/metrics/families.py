"""Metrics whose label values are bounded: a value outside its set becomes `other`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from prometheus_client import Counter, Gauge
from prometheus_client.metrics import MetricWrapperBase

from botd.metrics.labels import OTHER

Row = tuple[str, ...]
Family = TypeVar("Family", bound=MetricWrapperBase)


def known(value: str, allowed: Iterable[str]) -> str:
    return value if value in allowed else OTHER


class _Bounded(Generic[Family]):
    """A metric all of whose series exist from the start."""

    def __init__(self, family: Family, sets: tuple[Row, ...], *, deferred: bool = False) -> None:
        """`deferred` for a family with a label before the bounded ones: its series are made by `create`."""
        self._family = family
        self._sets = sets
        if not deferred:
            self.create(())

    def create(self, before: Row) -> None:
        for row in self.all():
            self._family.labels(*before, *row)

    def known(self, values: Row) -> Row:
        return tuple(known(value, allowed) for value, allowed in zip(values, self._sets, strict=True))

    def all(self) -> list[Row]:
        """Every combination, `other` left out."""
        rows: list[Row] = [()]
        for allowed in self._sets:
            rows = [(*row, value) for row in rows for value in allowed]
        return rows


class Counters(_Bounded[Counter]):
    """Counters of one family."""

    def one(self, *values: str) -> Counter:
        """The counter of these values."""
        return self._family.labels(*self.known(values))

    def count(self, *values: str, before: Row = (), amount: float = 1) -> None:
        self._family.labels(*before, *self.known(values)).inc(amount)


class Gauges(_Bounded[Gauge]):
    """Gauges of one family."""

    def set(self, number: float, *values: str, before: Row = ()) -> None:
        self._family.labels(*before, *self.known(values)).set(number)


class Total:
    """A counter of which somebody else knows the total."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._seen = 0.0

    def reached(self, total: float) -> None:
        """The total is this now; it never falls."""
        if total > self._seen:
            self._counter.inc(total - self._seen)
            self._seen = total
