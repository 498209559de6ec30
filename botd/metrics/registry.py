"""All metrics of the daemon, behind typed methods. `docs/metrics.md` explains each.

Label values are bounded: every set is listed here, the servers are those configured. A value outside its set
is counted as `other`, so that a surprise can never fail a game nor make memory grow. All series exist from
the start, so that rates are right before the first event. One object owns one registry; worker processes
have none, they report times with their answers.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from botd.engine.types import EngineInfo
from botd.live.latency import Durations

DECISION_BUCKETS: Final = (
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0,
)  # fmt: skip
"""Seconds, five decades: a static evaluation takes a fraction of a millisecond, 3-ply may take seconds."""
LAG_BUCKETS: Final = (
    0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4,
    0.5, 0.75, 1.0, 2.0, 5.0, 10.0,
)  # fmt: skip
"""Seconds; 0.25 is the limit that `botd soak` holds a daemon to."""
MAX_SERVERS: Final = 64

OTHER: Final = "other"
KINDS: Final = ("play", "cube", "take", "resign")
PLIES: Final = ("0", "1", "2", "3", "4")
SOURCES: Final = ("search", "book", "bearoff", "forced", "fallback", "rules")
WORKER_STATES: Final = ("starting", "idle", "busy", "dead")
RESTART_REASONS: Final = ("crashed", "hung", "garbage", "failed", "start_failed")
CONNECTION_OUTCOMES: Final = ("ok", "unreachable", "refused", "timeout")
RECONNECT_REASONS: Final = ("closed", "error", "stale", "timeout", "login", "server_restart")
RESYNC_REASONS: Final = ("timeout", "board_mismatch", "rejected", "asked_by_opponent", "resumed")
COMMANDS: Final = (
    "login", "set", "toggle", "invite", "join", "roll", "move", "double", "accept", "reject", "resign",
    "board", "leave", "tell", "show", "who",
)  # fmt: skip
MATCH_RESULTS: Final = ("win", "loss", "left", "suspended")
LENGTHS: Final = ("unlimited", "1", "3", "5", "7", "9", "11")
SIDES: Final = ("us", "opponent")
INVITATION_OUTCOMES: Final = ("accepted", "declined", "resumed", "sent")
INVITATION_REASONS: Final = (
    "none", "stopping", "blocked", "paused", "busy", "full", "not_ready", "not_accepting", "not_allowed",
    "saved_match", "too_many_saved", "cooldown", "in_a_row", "rating", "experience", "unlimited", "length",
    "variant",
)  # fmt: skip
"""`none`, or a value of `botd.daemon.policy.Refusal`."""
RESIGNATION_DIRECTIONS: Final = ("offered", "received")
RESIGNATION_OUTCOMES: Final = ("accepted", "rejected")
LEVELS: Final = ("1", "2", "3")
DOUBLE_ANSWERS: Final = ("take", "pass", "beaver")
SINKS: Final = ("journal", "display", "mqtt", "status_page")
MQTT_OUTCOMES: Final = ("ok", "failed")


class Metrics:
    """One registry with every metric of the daemon. For one thread: that of the event loop."""

    content_type: Final = CONTENT_TYPE_PLAIN_0_0_4

    def __init__(self, servers: Iterable[str] = ()) -> None:
        """servers: `host:port` of every configured server, for their label."""
        # Times of creation would double the page and are of no use in this format.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
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
            buckets=DECISION_BUCKETS,
            registry=self._registry,
        )
        self._queue = Histogram(
            "botd_decision_queue_seconds",
            "Time a decision waited for a free worker",
            buckets=DECISION_BUCKETS,
            registry=self._registry,
        )
        self._decisions = self._counter(
            "botd_decisions", "Decisions made, by depth really used", kind=KINDS, ply=PLIES, source=SOURCES
        )
        self._timeouts = self._counter(
            "botd_decision_timeouts",
            "Searches given up for lack of time, by their depth",
            kind=KINDS,
            ply=PLIES,
        )
        self._workers = self._gauge("botd_workers", "Worker processes by state", state=WORKER_STATES)
        self._restarts = self._counter(
            "botd_worker_restarts", "Workers lost and replaced", reason=RESTART_REASONS
        )
        self._lag = Histogram(
            "botd_event_loop_lag_seconds",
            "How late the event loop runs what is due",
            buckets=LAG_BUCKETS,
            registry=self._registry,
        )
        Gauge(
            "botd_event_loop_tasks",
            "Tasks of the event loop now, finished ones aside",
            registry=self._registry,
        ).set_function(_tasks)
        self._dropped = self._counter(
            "botd_events_dropped", "Events given up because a consumer was too slow", sink=SINKS
        )
        self._mqtt_up = Gauge("botd_mqtt_up", "1 while connected to the MQTT broker", registry=self._registry)
        self._mqtt_attempts = self._counter(
            "botd_mqtt_connection_attempts", "Attempts to connect to the MQTT broker", outcome=MQTT_OUTCOMES
        )
        self._mqtt_published = Counter(
            "botd_mqtt_events_published", "Events the MQTT broker was given", registry=self._registry
        )
        for kind in KINDS:
            for ply in (*PLIES, OTHER):
                self._duration.labels(kind, ply)
        self._server_metrics = _ServerFamilies(self._registry)
        self._servers: dict[str, ServerMetrics] = {}
        for server in servers:
            self.server(server)

    def server(self, name: str) -> ServerMetrics:
        """The metrics of one server; the same object for the same name."""
        if name not in self._servers and len(self._servers) >= MAX_SERVERS:
            name = OTHER
        if name not in self._servers:
            self._servers[name] = ServerMetrics(self._server_metrics, name)
        return self._servers[name]

    def render(self) -> bytes:
        """The text format of Prometheus, as `content_type` says."""
        return generate_latest(self._registry)

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
            self._duration.labels(_known(kind, KINDS), _known(str(ply), PLIES)).observe(worker_s)

    def durations(self) -> list[Durations]:
        """What `botd_decision_duration_seconds` has counted, by kind and ply."""
        found: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for family in self._duration.collect():
            for sample in family.samples:
                if sample.name.endswith("_bucket"):
                    key = sample.labels["kind"], sample.labels["ply"]
                    found.setdefault(key, []).append((float(sample.labels["le"]), sample.value))
        return [Durations(kind, ply, buckets) for (kind, ply), buckets in found.items()]

    def decision_timed_out(self, kind: str, ply: int) -> None:
        self._timeouts.count(kind, str(ply))

    def set_workers(self, by_state: Mapping[str, int]) -> None:
        for state in WORKER_STATES:
            self._workers.set(by_state.get(state, 0), state)

    def worker_restarted(self, reason: str) -> None:
        self._restarts.count(reason)

    def loop_lag(self, seconds: float) -> None:
        self._lag.observe(seconds)

    def events_dropped(self, sink: str, number: int = 1) -> None:
        self._dropped.count(sink, amount=number)

    def mqtt_up(self, up: bool) -> None:
        """Connected to the broker, or not any more."""
        self._mqtt_up.set(1 if up else 0)

    def mqtt_attempt(self, outcome: str) -> None:
        """`ok` or `failed`."""
        self._mqtt_attempts.count(outcome)

    def mqtt_published(self) -> None:
        """The broker has one more event."""
        self._mqtt_published.inc()

    def _counter(self, name: str, text: str, **labels: tuple[str, ...]) -> _Counters:
        return _Counters(Counter(name, text, list(labels), registry=self._registry), tuple(labels.values()))

    def _gauge(self, name: str, text: str, **labels: tuple[str, ...]) -> _Gauges:
        return _Gauges(Gauge(name, text, list(labels), registry=self._registry), tuple(labels.values()))


class ServerMetrics:
    """What happens with one server."""

    def __init__(self, families: _ServerFamilies, server: str) -> None:
        self._f = families
        self._server = server
        families.add(server)
        self._last_message = families.last_message.labels(server)

    def connection_up(self, up: bool) -> None:
        """Logged in, or not any more."""
        self._f.up.labels(self._server).set(1 if up else 0)

    def message_received(self) -> None:
        """Anything came from the server."""
        self._last_message.set(time.time())

    def connection_attempt(self, outcome: str) -> None:
        """`ok`, `unreachable`, `refused` (by the login), `timeout`."""
        self._f.attempts.count(outcome, before=(self._server,))

    def reconnected(self, reason: str) -> None:
        """A connection was lost and is made again: one of RECONNECT_REASONS."""
        self._f.reconnects.count(reason, before=(self._server,))

    def unparsed_line(self) -> None:
        self._f.unparsed.labels(self._server).inc()

    def command_rejected(self, command: str) -> None:
        """The server refused a command of ours (first word of the command)."""
        self._f.rejected.count(command, before=(self._server,))

    def resync(self, reason: str) -> None:
        """The position had to be asked for: one of RESYNC_REASONS."""
        self._f.resyncs.count(reason, before=(self._server,))

    def matches_active(self, number: int) -> None:
        self._f.active.labels(self._server).set(number)

    def match_ended(self, length: int, result: str) -> None:
        """length 0 is unlimited; result: `win`, `loss`, `left`, `suspended`."""
        self._f.matches.count("unlimited" if length == 0 else str(length), result, before=(self._server,))

    def points(self, side: str, number: int) -> None:
        """A game ended with `number` points for `us` or `opponent`."""
        self._f.points.count(side, before=(self._server,), amount=number)

    def invitation(self, outcome: str, reason: str = "none") -> None:
        """`accepted`, `declined`, `resumed`, `sent`, and why declined."""
        self._f.invitations.count(outcome, reason, before=(self._server,))

    def resignation(self, direction: str, level: int, outcome: str) -> None:
        """direction: `offered` by us or `received`; outcome: `accepted` or `rejected`."""
        self._f.resignations.count(direction, str(level), outcome, before=(self._server,))

    def double(self, side: str, answer: str) -> None:
        """A double by `us` or `opponent` was answered with `take`, `pass` or `beaver`."""
        self._f.doubles.count(side, answer, before=(self._server,))

    def move_latency(self, seconds: float) -> None:
        """From the question (a board was received) to the command sent."""
        self._f.latency.labels(self._server).observe(seconds)


class _ServerFamilies:
    """The metrics that have a label `server`, each once in the registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def gauge(name: str, text: str) -> Gauge:
            return Gauge(name, text, ["server"], registry=registry)

        def counters(name: str, text: str, **labels: tuple[str, ...]) -> _Counters:
            family = Counter(name, text, ["server", *labels], registry=registry)
            return _Counters(family, tuple(labels.values()), deferred=True)

        self.up = gauge("botd_connection_up", "1 while logged in")
        self.last_message = gauge(
            "botd_connection_last_message_timestamp_seconds",
            "When the server last sent anything, in seconds since 1970; 0 for never",
        )
        self.active = gauge("botd_matches_active", "Matches being played")
        self.unparsed = Counter(
            "botd_unparsed_lines",
            "Lines from the server that were not understood",
            ["server"],
            registry=registry,
        )
        self.latency = Histogram(
            "botd_move_latency_seconds",
            "From the board received to the command sent: what the opponent waits for",
            ["server"],
            buckets=DECISION_BUCKETS,
            registry=registry,
        )
        self.attempts = counters(
            "botd_connection_attempts", "Attempts to connect and log in", outcome=CONNECTION_OUTCOMES
        )
        self.reconnects = counters(
            "botd_reconnects", "Connections lost and made again", reason=RECONNECT_REASONS
        )
        self.rejected = counters(
            "botd_commands_rejected", "Commands that the server refused: a fault of ours", command=COMMANDS
        )
        self.resyncs = counters(
            "botd_resyncs", "Times the position had to be asked for", reason=RESYNC_REASONS
        )
        self.matches = counters(
            "botd_matches", "Matches that ended or were interrupted", length=LENGTHS, result=MATCH_RESULTS
        )
        self.points = counters("botd_points", "Points won, the cube counted in", side=SIDES)
        self.invitations = counters(
            "botd_invitations", "Invitations", outcome=INVITATION_OUTCOMES, reason=INVITATION_REASONS
        )
        self.resignations = counters(
            "botd_resignations",
            "Resignations",
            direction=RESIGNATION_DIRECTIONS,
            level=LEVELS,
            outcome=RESIGNATION_OUTCOMES,
        )
        self.doubles = counters("botd_doubles", "Doubles", side=SIDES, answer=DOUBLE_ANSWERS)

    def add(self, server: str) -> None:
        """Create the series of a server."""
        for gauge in (self.up, self.last_message, self.active):
            gauge.labels(server).set(0)
        self.unparsed.labels(server)
        self.latency.labels(server)
        for counters in (
            self.attempts, self.reconnects, self.rejected, self.resyncs, self.matches,
            self.points, self.invitations, self.resignations, self.doubles,
        ):  # fmt: skip
            counters.create((server,))


class _Bounded:
    """Label sets of a metric; values outside of them become `other`."""

    def __init__(self, sets: tuple[tuple[str, ...], ...]) -> None:
        self._sets = sets

    def known(self, values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_known(value, allowed) for value, allowed in zip(values, self._sets, strict=True))

    def all(self) -> list[tuple[str, ...]]:
        """Every combination, `other` left out."""
        rows: list[tuple[str, ...]] = [()]
        for allowed in self._sets:
            rows = [(*row, value) for row in rows for value in allowed]
        return rows


class _Counters(_Bounded):
    def __init__(self, family: Counter, sets: tuple[tuple[str, ...], ...], *, deferred: bool = False) -> None:
        super().__init__(sets)
        self._family = family
        if not deferred:
            self.create(())

    def create(self, before: tuple[str, ...]) -> None:
        for row in self.all():
            self._family.labels(*before, *row)

    def count(self, *values: str, before: tuple[str, ...] = (), amount: float = 1) -> None:
        self._family.labels(*before, *self.known(values)).inc(amount)


class _Gauges(_Bounded):
    def __init__(self, family: Gauge, sets: tuple[tuple[str, ...], ...]) -> None:
        super().__init__(sets)
        self._family = family
        self._series = {row: family.labels(*row) for row in self.all()}

    def set(self, number: float, *values: str) -> None:
        series = self._series.get(values) or self._family.labels(*self.known(values))
        series.set(number)


def _tasks() -> float:
    try:
        return len(asyncio.all_tasks())
    except RuntimeError:  # read without a running loop
        return 0


def _known(value: str, allowed: tuple[str, ...]) -> str:
    return value if value in allowed else OTHER
