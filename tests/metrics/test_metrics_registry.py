"""Metrics: what is counted where, what is documented, what stays bounded."""

from __future__ import annotations

import asyncio
import math
import re
import time
from dataclasses import replace
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from botd.config import EngineConfig
from botd.daemon.policy import Refusal
from botd.daemon.session import Outcome
from botd.engine.random_player import RandomPlayer
from botd.engine.types import EngineMode
from botd.journal.records import JournalStatus
from botd.metrics import buckets
from botd.metrics import labels as values
from botd.metrics.loop_lag import MAX_CATCH_UP, watch_loop_lag
from botd.metrics.registry import MAX_SERVERS, Metrics
from botd.metrics.server import MAX_ACCOUNTS
from tests.waiting import until

DOCUMENT = Path(__file__).parents[2] / "docs" / "metrics.md"
HOME = "fibs.com:4321"


Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]
"""Value by name and labels."""


def samples(metrics: Metrics) -> Samples:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(metrics.render().decode())
        for sample in family.samples
    }


def changes(metrics: Metrics, before: Samples) -> dict[str, float]:
    """Samples of ours that differ, as text, buckets left out."""
    found = {}
    for (name, labels), value in samples(metrics).items():
        if name.startswith("botd_") and not name.endswith("_bucket") and before.get((name, labels)) != value:
            found[name + " " + " ".join(f"{k}={v}" for k, v in sorted(labels))] = value
    return found


def test_every_metric_is_documented_with_its_labels_and_no_other_is() -> None:
    metrics = Metrics([HOME])
    metrics.set_build_info(RandomPlayer().info)
    metrics.set_accounts([(HOME, "anna", "connecting")])
    served: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(metrics.render().decode()):
        if family.name.startswith("botd_"):
            name = family.name + ("_total" if family.type == "counter" else "")
            served[name] = {label for sample in family.samples for label in sample.labels} - {"le"}
            assert family.documentation
            assert family.samples, f"{name} has no series from the start"
    documented = {
        name: set(re.findall(r"`(\w+)`", labels))
        for name, labels in re.findall(
            r"^\| `(botd_\w+)` \|[^|]*\|[^|]*\|([^|]*)\|", DOCUMENT.read_text(), re.MULTILINE
        )
    }
    assert documented == served


def test_a_decision_is_counted_once_in_each_place() -> None:
    metrics = Metrics()
    before = samples(metrics)
    metrics.decision("cube", 2, "search", 0.25, 0.5)
    assert changes(metrics, before) == {
        "botd_decisions_total kind=cube ply=2 source=search": 1,
        "botd_decision_duration_seconds_count kind=cube ply=2": 1,
        "botd_decision_duration_seconds_sum kind=cube ply=2": 0.25,
        "botd_decision_queue_seconds_count ": 1,
        "botd_decision_queue_seconds_sum ": 0.5,
    }


def test_an_answer_by_the_rules_alone_took_no_engine_time() -> None:
    metrics = Metrics()
    before = samples(metrics)
    metrics.decision("play", 0, "rules", 0.0, 0.0)
    assert not any("duration" in name for name in changes(metrics, before))


def test_deadlines_can_be_read_exactly_off_the_buckets() -> None:
    assert {0.1, 1.0, 10.0, 30.0} <= set(buckets.DECISION)
    assert sorted(buckets.DECISION) == list(buckets.DECISION)
    assert sorted(buckets.LAG) == list(buckets.LAG)
    assert EngineConfig().deadline_s in buckets.DECISION, "the default"


def test_what_happens_with_a_server() -> None:
    metrics = Metrics([HOME, "other.example:4321"])
    server = metrics.server(HOME)
    assert server is metrics.server(HOME)
    before = samples(metrics)
    server.connection_up(True)
    server.message_received()
    server.connection_attempt("ok")
    server.reconnected("stale")
    server.unparsed_line()
    server.command_rejected("move")
    server.resync("timeout")
    server.matches_active(1)
    server.match_ended(5, "win")
    server.match_ended(0, "left")
    server.points("us", 4)
    server.invitation("declined", "length")
    server.resignation("received", 2, "accepted")
    server.double("received", "take")
    server.match_ended(5, "expired")
    server.message("received", "board")
    server.message("sent", "move")
    server.rating("anna", 1543.27)
    server.move_latency(0.5)
    found = changes(metrics, before)
    assert found.pop(f"botd_connection_last_message_timestamp_seconds server={HOME}") > 1.7e9
    assert found == {
        f"botd_connection_up server={HOME}": 1,
        f"botd_connection_attempts_total outcome=ok server={HOME}": 1,
        f"botd_reconnects_total reason=stale server={HOME}": 1,
        f"botd_unparsed_lines_total server={HOME}": 1,
        f"botd_commands_rejected_total command=move server={HOME}": 1,
        f"botd_resyncs_total reason=timeout server={HOME}": 1,
        f"botd_matches_active server={HOME}": 1,
        f"botd_matches_total length=5 result=win server={HOME}": 1,
        f"botd_matches_total length=unlimited result=left server={HOME}": 1,
        f"botd_points_total server={HOME} side=us": 4,
        f"botd_invitations_total outcome=declined reason=length server={HOME}": 1,
        f"botd_resignations_total direction=received level=2 outcome=accepted server={HOME}": 1,
        f"botd_doubles_total answer=take direction=received server={HOME}": 1,
        f"botd_matches_total length=5 result=expired server={HOME}": 1,
        f"botd_messages_total direction=received server={HOME} type=board": 1,
        f"botd_messages_total direction=sent server={HOME} type=move": 1,
        f"botd_rating account=anna server={HOME}": 1543.27,
        f"botd_move_latency_seconds_count server={HOME}": 1,
        f"botd_move_latency_seconds_sum server={HOME}": 0.5,
    }


def test_unknown_values_become_other_and_never_grow_the_page() -> None:
    metrics = Metrics([HOME])

    def flood(number: int) -> None:
        server = metrics.server(HOME)
        server.command_rejected(f"command{number}")
        server.reconnected(f"reason{number}")
        server.match_ended(number + 100, "win")
        server.invitation("accepted", f"because{number}")
        server.message("received", f"kind{number}")
        server.message("sent", f"kind{number}")
        server.message(f"sideways{number}", "x")
        server.resync(f"reason{number}")
        server.double(f"direction{number}", f"answer{number}")
        server.resignation(f"direction{number}", number + 4, f"outcome{number}")
        server.points(f"side{number}", 1)
        server.connection_attempt(f"outcome{number}")
        server.set_accounts({f"state{number}": 1})
        metrics.decision(f"kind{number}", number + 10, f"source{number}", 0.1, 0.1)
        metrics.worker_restarted(f"reason{number}")
        metrics.events_dropped(f"sink{number}")
        metrics.logged(f"level{number}")
        metrics.mqtt_attempt(f"outcome{number}")
        metrics.set_workers({f"state{number}": 1})

    flood(0)
    size = len(samples(metrics))
    for number in range(1, 50):
        flood(number)
    assert len(samples(metrics)) == size
    other = "botd_commands_rejected_total", frozenset({("server", HOME), ("command", "other")})
    assert samples(metrics)[other] == 50


def test_every_refusal_has_its_own_label() -> None:
    assert set(values.INVITATION_REASONS) == {"none", *Refusal}


def test_servers_are_bounded() -> None:
    metrics = Metrics(f"host{number}:4321" for number in range(MAX_SERVERS))
    assert metrics.server("one-more:4321") is metrics.server("yet-another:4321")
    assert metrics.server("host0:4321") is not metrics.server("one-more:4321")


def test_accounts_are_bounded_and_those_gone_leave_nothing() -> None:
    metrics = Metrics([HOME])
    empty = len(samples(metrics))
    metrics.set_accounts((HOME, f"bot_{number}", "ready") for number in range(MAX_ACCOUNTS + 5))
    metrics.server(HOME).rating("one_more", 1500.0)
    assert len(samples(metrics)) == empty + MAX_ACCOUNTS
    metrics.set_accounts([(HOME, "bot_1", "playing"), (HOME, "bot_2", "gave up")])
    metrics.server(HOME).rating("bot_1", 1600.5)
    metrics.set_accounts([(HOME, "bot_1", "playing"), (HOME, "bot_2", "gave up")])
    told = samples(metrics)
    assert len(told) == empty + 2
    assert told["botd_rating", frozenset({("server", HOME), ("account", "bot_1")})] == 1600.5
    assert math.isnan(told["botd_rating", frozenset({("server", HOME), ("account", "bot_2")})])
    states = {
        dict(labels)["state"]: value for (name, labels), value in told.items() if name == "botd_accounts"
    }
    assert {state: number for state, number in states.items() if number} == {"playing": 1, "gave_up": 1}


def test_series_for_a_hundred_accounts_on_as_many_servers_as_there_may_be() -> None:
    metrics = Metrics(f"host{number}:4321" for number in range(MAX_SERVERS))
    small = Metrics([HOME])
    one = len(samples(small)) - len(samples(Metrics()))
    metrics.set_accounts((f"host{n % MAX_SERVERS}:4321", f"bot_{n}", "ready") for n in range(100))
    assert len(samples(metrics)) == len(samples(Metrics())) + MAX_SERVERS * one + 100
    assert one < 300, "series of one server"


def test_states_are_those_of_sessions() -> None:
    ended = {str(outcome).replace(" ", "_") for outcome in Outcome}
    assert set(values.ACCOUNT_STATES) == {"connecting", "waiting", "ready", "playing"} | ended


def test_how_the_journal_fares_and_what_else_is_told() -> None:
    metrics = Metrics()
    before = samples(metrics)
    for written, errors in ((10, 0), (25, 2), (25, 2)):
        metrics.journal(
            JournalStatus(written=written, dropped=3, pending=7, errors=errors, last_error="x", failing=True)
        )
    metrics.journal_size(4096)
    metrics.logged("warning")
    metrics.clock_jumped(3600.0)
    metrics.clock_jumped(-2.0)
    metrics.page_clients(2)
    metrics.display_dropped(4)
    metrics.display_dropped(6)
    metrics.mqtt_published()
    metrics.config_read(False)
    assert changes(metrics, before) == {
        "botd_events_published_total sink=journal": 25,
        "botd_events_published_total sink=mqtt": 1,
        "botd_events_dropped_total sink=journal": 3,
        "botd_events_dropped_total sink=display": 6,
        "botd_journal_pending_records ": 7,
        "botd_journal_failures_total ": 2,
        "botd_journal_failing ": 1,
        "botd_journal_size_bytes ": 4096,
        "botd_log_messages_total level=warning": 1,
        "botd_clock_jumps_total direction=forward": 1,
        "botd_clock_jumps_total direction=backward": 1,
        "botd_status_page_clients ": 2,
        "botd_config_last_reload_successful ": 0,
    }
    metrics.config_read(True)
    told = samples(metrics)
    assert told["botd_config_last_reload_successful", frozenset()] == 1
    assert told["botd_config_last_reload_success_timestamp_seconds", frozenset()] > 1.7e9


def test_build_info_is_one_series() -> None:
    metrics = Metrics()
    metrics.set_build_info(RandomPlayer().info)
    metrics.set_build_info(RandomPlayer().info)
    info = [labels for name, labels in samples(metrics) if name == "botd_build_info"]
    assert len(info) == 1
    assert ("engine", "random") in info[0]


def test_engine_info_has_a_series_for_each_mode_in_use() -> None:
    metrics = Metrics()
    exact = RandomPlayer().info
    metrics.set_build_info(exact)
    fast = replace(exact, mode=EngineMode.FAST, cpu_path="vnni")
    for _ in range(2):
        metrics.engine_used(fast)
        info = {labels for name, labels in samples(metrics) if name == "botd_engine_info"}
        assert info == {
            frozenset({"evaluator": "random", "mode": mode, "cpu_path": path, "met": ""}.items())
            for mode, path in (("exact", "plain"), ("fast", "vnni"))
        }


async def test_a_blocked_loop_shows() -> None:
    reports: list[float] = []
    watching = asyncio.create_task(watch_loop_lag(reports.append, interval_s=0.01))
    await until(lambda: reports)
    seen = len(reports)
    time.sleep(0.3)  # noqa: ASYNC251 - exactly what the probe is to find
    await until(lambda: len(reports) > seen)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert min(reports) >= 0
    assert reports[seen] > 0.2, "blocked for 0.3 s, due at most 0.01 s into that"
    assert sum(report > 0.1 for report in reports[seen:]) >= 15, "every timer of that time counts"


async def test_a_very_long_stop_is_told_within_a_bound() -> None:
    reports: list[float] = []
    watching = asyncio.create_task(watch_loop_lag(reports.append, interval_s=1e-5))
    await until(lambda: reports)
    reports.clear()
    time.sleep(0.3)  # noqa: ASYNC251 - worth 30,000 reports
    while not reports:  # noqa: ASYNC110 - one turn of the loop, exactly
        await asyncio.sleep(0)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert len(reports) <= MAX_CATCH_UP + 1
