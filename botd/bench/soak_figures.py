"""The figures of a soak: from pages of metrics and looks at processes to latencies, shares and growth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from botd.bench.processes import Usage

LAG = "botd_event_loop_lag_seconds"
LATENCIES = {
    LAG: "event loop lateness",
    "botd_decision_duration_seconds": "decision in a worker",
    "botd_decision_queue_seconds": "decision waiting for a worker",
    "botd_move_latency_seconds": "board seen to command sent",
}
TASKS = "botd_event_loop_tasks"
_WANTED = (
    *(f"{name}_bucket" for name in LATENCIES), TASKS, "botd_connection_attempts_total",
    "botd_matches_active", "botd_matches_total", "botd_decisions_total", "botd_reconnects_total",
    "botd_commands_rejected_total",
)  # fmt: skip
LEAK_CHECK_S = 300.0
"""Shorter runs say nothing about growth: caches fill up."""
MAX_GROWTH, MAX_GROWTH_BYTES, MAX_GROWTH_NUMBER = 0.1, 16 << 20, 20
"""Of the last third over the middle one: a tenth, and so many bytes, descriptors or tasks."""


class Page:
    """One reading of a daemon's metrics."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _samples(self) -> list[Sample]:
        # The page has thousands of lines, and reading them must not load the machine that is measured.
        lines = [line for line in self._text.splitlines() if line.startswith(_WANTED)]
        families = text_string_to_metric_families("\n".join(lines) + "\n")
        return [sample for family in families for sample in family.samples]

    def total(self, name: str, **labels: tuple[str, ...]) -> float:
        """Sum over the series of `name` whose labels have one of these values."""
        return sum(
            sample.value
            for sample in self._samples
            if sample.name == name and all(sample.labels.get(key) in known for key, known in labels.items())
        )

    def buckets(self, name: str) -> dict[float, float]:
        """Cumulative counts of a histogram by upper bound, all series together."""
        counts: dict[float, float] = {}
        for sample in self._samples:
            if sample.name == f"{name}_bucket":
                bound = float(sample.labels["le"])
                counts[bound] = counts.get(bound, 0.0) + sample.value
        return counts


@dataclass(frozen=True, slots=True)
class Latency:
    """Upper bounds in seconds by the buckets of a histogram; None above the last one."""

    name: str
    count: int
    p50: float | None
    p99: float | None
    p999: float | None
    most: float | None


@dataclass(frozen=True, slots=True)
class Phase:
    """`start-up` until all matches run, then `play`."""

    name: str
    seconds: float
    latencies: tuple[Latency, ...]

    @property
    def lateness(self) -> Latency:
        return next(each for each in self.latencies if each.name == LATENCIES[LAG])


@dataclass(frozen=True, slots=True)
class Share:
    """What one part used of the processors while all matches ran."""

    part: str
    cpu_s: float
    cores: float
    """CPU seconds a second."""
    ms_per_move: float
    """CPU milliseconds for each checker play of either side."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Means over the middle and the last third of the play."""

    process: str
    rss_mb: tuple[float, float]
    open_files: tuple[float, float]
    tasks: tuple[float, float] | None
    """Of the event loop; unknown for the server."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One look at a process."""

    usage: Usage
    tasks: float | None = None


def phase(name: str, seconds: float, after: Iterable[Page], before: Iterable[Page] = ()) -> Phase:
    """What all daemons together measured between two readings."""
    after, before = tuple(after), tuple(before)
    return Phase(name, seconds, tuple(_latency(metric, after, before) for metric in LATENCIES))


def _latency(name: str, after: Sequence[Page], before: Sequence[Page]) -> Latency:
    buckets: dict[float, float] = {}
    for sign, pages in ((1, after), (-1, before)):
        for page in pages:
            for bound, count in page.buckets(name).items():
                buckets[bound] = buckets.get(bound, 0.0) + sign * count
    total = max(buckets.values(), default=0.0)

    def quantile(q: float) -> float | None:
        bound = min((b for b, count in buckets.items() if count >= q * total), default=0.0)
        return None if bound == float("inf") else bound

    if not total:
        return Latency(LATENCIES[name], 0, 0.0, 0.0, 0.0, 0.0)
    return Latency(LATENCIES[name], int(total), quantile(0.5), quantile(0.99), quantile(0.999), quantile(1.0))


def share(part: str, cpu_s: float, seconds: float, moves: float) -> Share:
    return Share(
        part,
        round(cpu_s, 2),
        round(cpu_s / seconds, 4) if seconds else 0.0,
        round(1000 * cpu_s / moves, 3) if moves else 0.0,
    )


def growth(process: str, seen: Sequence[Observation]) -> Growth | None:
    """None with too few looks to tell."""
    third = len(seen) // 3
    if not third:
        return None
    middle, last = seen[third : 2 * third], seen[-third:]

    def means(values: Iterable[float], later: Iterable[float]) -> tuple[float, float]:
        return round(fmean(values), 1), round(fmean(later), 1)

    tasks = None
    if all(look.tasks is not None for look in seen):
        tasks = means((look.tasks or 0.0 for look in middle), (look.tasks or 0.0 for look in last))
    return Growth(
        process,
        means((look.usage.rss_bytes / 1e6 for look in middle), (look.usage.rss_bytes / 1e6 for look in last)),
        means((look.usage.open_files for look in middle), (look.usage.open_files for look in last)),
        tasks,
    )


def grown(each: Growth) -> list[str]:
    """What has grown beyond the allowance, in words."""
    found = []
    for what, pair, allowance in (
        ("MB of memory", each.rss_mb, MAX_GROWTH_BYTES / 1e6),
        ("open files", each.open_files, MAX_GROWTH_NUMBER),
        ("tasks", each.tasks, MAX_GROWTH_NUMBER),
    ):
        if pair is not None and pair[1] > pair[0] * (1 + MAX_GROWTH) + allowance:
            found.append(f"{each.process}: {what} grew from {pair[0]:g} to {pair[1]:g}")
    return found
