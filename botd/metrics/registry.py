"""All metrics of the daemon, behind typed methods. `docs/metrics.md` explains each.

Label values are bounded: the sets are in `labels.py`, the servers and accounts are those configured. A value
outside its set is counted as `other`, so that a surprise can never fail a game nor make memory grow. All
series exist from the start, so that rates are right before the first event. One object owns one registry;
worker processes have none, they report times with their answers.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from botd.engine.types import EngineInfo
from botd.journal.records import JournalStatus
from botd.live.latency import Durations
from botd.metrics import buckets
from botd.metrics import labels as values
from botd.metrics.families import Counters, Gauges, Total, known
from botd.metrics.server import ServerFamilies, ServerMetrics

MAX_SERVERS: Final = 64


class Metrics:
    """One registry with every metric of the daemon. For one thread: that of the event loop."""

    content_type: Final = CONTENT_TYPE_PLAIN_0_0_4

    def __init__(self, servers: Iterable[str] = ()) -> None:
        """servers: `host:port` of every configured server, for their label."""
        # Times of creation would double the page and are of no use in this format.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        self._refreshers: list[Callable[[], None]] = []
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        self._build = Gauge(
            "botd_build_info",
            "1; the labels tell version, engine and digest of its weights",
            ["version", "engine", "weights"],
            registry=self._registry,
        )
        self._engine = Gauge(
            "botd_engine_info",
            "1; the labels tell how the engine computes",
            ["evaluator", "mode", "cpu_path", "met"],
            registry=self._registry,
        )
        self._duration = Histogram(
            "botd_decision_duration_seconds",
            "Time an engine worked on a decision, all depths tried; ply as gnubg counts (0 is static)",
            ["kind", "ply"],
            buckets=buckets.DECISION,
            registry=self._registry,
        )
        self._queue = Histogram(
            "botd_decision_queue_seconds",
            "Time a decision waited for a free worker",
            buckets=buckets.DECISION,
            registry=self._registry,
        )
        self._decisions = self._counter(
            "botd_decisions",
            "Decisions made, by depth really used",
            kind=values.KINDS,
            ply=values.PLIES,
            source=values.SOURCES,
        )
        self._timeouts = self._counter(
            "botd_decision_timeouts",
            "Searches given up for lack of time, by their depth",
            kind=values.KINDS,
            ply=values.PLIES,
        )
        self._workers = self._gauge("botd_workers", "Worker processes by state", state=values.WORKER_STATES)
        self._restarts = self._counter(
            "botd_worker_restarts", "Workers lost and replaced", reason=values.RESTART_REASONS
        )
        self._lag = Histogram(
            "botd_event_loop_lag_seconds",
            "How late the event loop runs what is due",
            buckets=buckets.LAG,
            registry=self._registry,
        )
        Gauge(
            "botd_event_loop_tasks",
            "Tasks of the event loop now, finished ones aside",
            registry=self._registry,
        ).set_function(_tasks)
        self._published = self._counter(
            "botd_events_published",
            "Events handed over: to the MQTT broker, or written to the journal",
            sink=values.PUBLISHED_TO,
        )
        self._dropped = self._counter(
            "botd_events_dropped", "Events given up because a consumer was too slow", sink=values.DROPPED_BY
        )
        self._display_dropped = Total(self._dropped.one("display"))
        self._journal = _JournalMetrics(self._registry, self._published, self._dropped)
        self._mqtt_up = Gauge("botd_mqtt_up", "1 while connected to the MQTT broker", registry=self._registry)
        self._mqtt_attempts = self._counter(
            "botd_mqtt_connection_attempts",
            "Attempts to connect to the MQTT broker",
            outcome=values.MQTT_OUTCOMES,
        )
        self._logged = self._counter(
            "botd_log_messages", "Warnings and errors logged", level=values.LOG_LEVELS
        )
        self._clock_jumps = self._counter(
            "botd_clock_jumps",
            "Times the system's clock was set while the daemon ran",
            direction=values.CLOCK_DIRECTIONS,
        )
        self._reload_ok = self._plain_gauge(
            "botd_config_last_reload_successful", "1 if the configuration last read is in force, 0 if refused"
        )
        self._reload_at = self._plain_gauge(
            "botd_config_last_reload_success_timestamp_seconds",
            "When the configuration in force was read, in seconds since 1970",
        )
        self._page_clients = self._plain_gauge(
            "botd_status_page_clients", "Connections that the status page keeps up to date"
        )
        self.config_read(True)
        for kind in values.KINDS:
            for ply in (*values.PLIES, values.OTHER):
                self._duration.labels(kind, ply)
        self._server_metrics = ServerFamilies(self._registry)
        self._servers: dict[str, ServerMetrics] = {}
        for server in servers:
            self.server(server)

    def server(self, name: str) -> ServerMetrics:
        """The metrics of one server; the same object for the same name."""
        if name not in self._servers and len(self._servers) >= MAX_SERVERS:
            name = values.OTHER
        if name not in self._servers:
            self._servers[name] = ServerMetrics(self._server_metrics, name)
        return self._servers[name]

    def set_accounts(self, accounts: Iterable[tuple[str, str, str]]) -> None:
        """(server, name, state) of every account; one that is not among them has no rating any more."""
        states: defaultdict[str, Tally[str]] = defaultdict(Tally)
        names = set()
        for server, name, state in accounts:
            where = self.server(server).name
            states[where][state.replace(" ", "_")] += 1
            names.add((where, name))
        for server, metrics in self._servers.items():
            metrics.set_accounts(states[server])
        self._server_metrics.set_rated(names)

    def before_render(self, refresh: Callable[[], None]) -> None:
        """Call this whenever the metrics are read, to set what changes unseen."""
        self._refreshers.append(refresh)

    def render(self) -> bytes:
        """The text format of Prometheus, as `content_type` says."""
        return generate_latest(self._read())

    async def page(self) -> bytes:
        """The same for the event loop: read at one moment, while a thread makes the text of it."""
        return await asyncio.to_thread(generate_latest, self._read())

    def _read(self) -> _Reading:
        for refresh in self._refreshers:
            refresh()
        return _Reading(list(self._registry.collect()))

    def set_build_info(self, info: EngineInfo) -> None:
        self._build.clear()
        self._build.labels(info.version, info.evaluator, info.weights_sha256[:12]).set(1)
        self._engine.clear()
        self.engine_used(info)

    def engine_used(self, info: EngineInfo) -> None:
        """One more way of computing is in use: an account plays in another mode than the rest."""
        self._engine.labels(info.evaluator, info.mode.value, info.cpu_path, info.met).set(1)

    def decision(self, kind: str, ply: int, source: str, worker_s: float, queue_s: float) -> None:
        """A decision was made; `ply` is the depth really used."""
        self._decisions.count(kind, str(ply), source)
        self._queue.observe(queue_s)
        if source != "rules":  # no engine worked
            self._duration.labels(known(kind, values.KINDS), known(str(ply), values.PLIES)).observe(worker_s)

    def durations(self) -> list[Durations]:
        """What `botd_decision_duration_seconds` has counted, by kind and ply."""
        found: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for family in self._duration.collect():
            for sample in family.samples:
                if sample.name.endswith("_bucket"):
                    key = sample.labels["kind"], sample.labels["ply"]
                    found.setdefault(key, []).append((float(sample.labels["le"]), sample.value))
        return [Durations(kind, ply, edges) for (kind, ply), edges in found.items()]

    def decision_timed_out(self, kind: str, ply: int) -> None:
        self._timeouts.count(kind, str(ply))

    def set_workers(self, by_state: Mapping[str, int]) -> None:
        for state in values.WORKER_STATES:
            self._workers.set(by_state.get(state, 0), state)

    def worker_restarted(self, reason: str) -> None:
        self._restarts.count(reason)

    def loop_lag(self, seconds: float) -> None:
        self._lag.observe(seconds)

    def events_dropped(self, sink: str, number: int = 1) -> None:
        self._dropped.count(sink, amount=number)

    def display_dropped(self, total: int) -> None:
        """So many events were lost in all by whoever shows them on this machine."""
        self._display_dropped.reached(total)

    def mqtt_up(self, up: bool) -> None:
        """Connected to the broker, or not any more."""
        self._mqtt_up.set(1 if up else 0)

    def mqtt_attempt(self, outcome: str) -> None:
        """`ok` or `failed`."""
        self._mqtt_attempts.count(outcome)

    def mqtt_published(self) -> None:
        """The broker has one more event."""
        self._published.count("mqtt")

    def logged(self, level: str) -> None:
        """A `warning` or an `error` was logged. May be called by any thread."""
        self._logged.count(level)

    def clock_jumped(self, seconds: float) -> None:
        """The system's clock was set, forward by so many seconds (backward if negative)."""
        self._clock_jumps.count("forward" if seconds > 0 else "backward")

    def config_read(self, in_force: bool) -> None:
        """A configuration was read, and is in force or was refused."""
        self._reload_ok.set(1 if in_force else 0)
        if in_force:
            self._reload_at.set(time.time())

    def page_clients(self, number: int) -> None:
        """So many connections are kept up to date by the status page."""
        self._page_clients.set(number)

    def journal(self, status: JournalStatus) -> None:
        """How the journal fares."""
        self._journal.take(status)

    def journal_size(self, size: int) -> None:
        """Bytes of the journal's files."""
        self._journal.size.set(size)

    def _counter(self, name: str, text: str, **labels: tuple[str, ...]) -> Counters:
        return Counters(Counter(name, text, list(labels), registry=self._registry), tuple(labels.values()))

    def _gauge(self, name: str, text: str, **labels: tuple[str, ...]) -> Gauges:
        return Gauges(Gauge(name, text, list(labels), registry=self._registry), tuple(labels.values()))

    def _plain_gauge(self, name: str, text: str) -> Gauge:
        return Gauge(name, text, registry=self._registry)


class _Reading(Collector):
    """What all metrics were at one moment."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families


class _JournalMetrics:
    """What the journal tells of itself whenever it is asked."""

    def __init__(self, registry: CollectorRegistry, published: Counters, dropped: Counters) -> None:
        self.size = Gauge(
            "botd_journal_size_bytes", "Size of the journal, its write-ahead log included", registry=registry
        )
        self._pending = Gauge(
            "botd_journal_pending_records", "Records that are not in the file yet", registry=registry
        )
        self._failing = Gauge(
            "botd_journal_failing", "1 while the journal cannot be written", registry=registry
        )
        self._errors = Total(
            Counter("botd_journal_failures", "Attempts to write the journal that failed", registry=registry)
        )
        self._removed = Total(
            Counter("botd_journal_matches_removed", "Matches removed for their age", registry=registry)
        )
        self._written = Total(published.one("journal"))
        self._dropped = Total(dropped.one("journal"))

    def take(self, status: JournalStatus) -> None:
        self._pending.set(status.pending)
        self._failing.set(1 if status.failing else 0)
        self._errors.reached(status.errors)
        self._written.reached(status.written)
        self._dropped.reached(status.dropped)
        self._removed.reached(status.matches_removed)


def _tasks() -> float:
    try:
        return len(asyncio.all_tasks())
    except RuntimeError:  # read without a running loop
        return 0
