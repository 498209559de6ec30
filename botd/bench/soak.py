"""Many matches at once on this machine: a server and two daemons as processes, watched from outside.

The accounts of one daemon invite those of the other, again and again, until the time is over. What is
reported comes from the daemons' own metrics and journals, so it is what an operator would see.
"""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from prometheus_client.parser import text_string_to_metric_families

SIDES = ("guest", "host")
"""Who is invited logs in first."""
START_S = 120.0
STOP_S = 60.0
LATENCIES = {
    "botd_event_loop_lag_seconds": "event loop lateness",
    "botd_decision_duration_seconds": "decision in a worker",
    "botd_decision_queue_seconds": "decision waiting for a worker",
    "botd_move_latency_seconds": "board seen to command sent",
}
_LISTENING = re.compile(r"listening on .* port ([0-9]+)")
_METRICS = re.compile(r'"addresses": ?\["(http://[^"]+)"')


class SoakError(Exception):
    """A process did not start or ended by itself; the text says which and how."""


@dataclass(frozen=True, slots=True)
class SoakPlan:
    matches: int = 200
    seconds: float = 600.0
    ply: int = 0
    length: int = 1
    workers: int = 1
    """A daemon."""
    think_time_s: float = 1.0
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Latency:
    """Upper bounds in seconds by the buckets of a histogram; `inf` above the last one."""

    name: str
    count: int
    p50: float
    p99: float
    p999: float


@dataclass(frozen=True, slots=True)
class SoakReport:
    plan: SoakPlan
    playing: int
    """Matches running at the end."""
    matches: int
    """Finished ones."""
    decisions: int
    fallbacks: int
    reconnects: int
    rejected: int
    """Commands that the server refused."""
    violations: int
    """Commands that a real server would punish (strict mode), the log-out at the end aside."""
    lost_records: int
    """Matches that the metrics counted as finished and the journals do not hold."""
    exit_codes: tuple[int, ...]
    latencies: tuple[Latency, ...]


@dataclass
class _Process:
    name: str
    popen: subprocess.Popen[bytes]
    log: Path

    def text(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_for(self, pattern: re.Pattern[str], until: float) -> str:
        while time.monotonic() < until:
            if found := pattern.search(self.text()):
                return found[1]
            if self.popen.poll() is not None:
                raise SoakError(
                    f"{self.name} ended with status {self.popen.returncode}: {self.text()[-400:]}"
                )
            time.sleep(0.1)
        raise SoakError(f"{self.name}: nothing that matches {pattern.pattern!r} within {START_S:.0f} s")

    def end(self) -> int:
        """Stop it as an operator would; kill it if that does not help."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
        try:
            return self.popen.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
            return -signal.SIGKILL


def soak(
    plan: SoakPlan, folder: Path, progress: Callable[[float, int, int], None] = lambda *_: None
) -> SoakReport:
    """Run the plan with all files in `folder` (empty, existing).

    progress: called about every second with seconds played, matches running and finished.
    Raises SoakError.
    """
    until = time.monotonic() + START_S + plan.matches * 0.5
    with ExitStack() as stack:
        server = stack.enter_context(
            _running("server", folder, "serve", "--open", "--strict", "--port", "0", "--seed", str(plan.seed))
        )
        port = int(server.wait_for(_LISTENING, until))
        daemons, pages = [], []
        for side in SIDES:
            config = folder / f"{side}.toml"
            config.write_text(_config(plan, side, port, folder))
            daemon = stack.enter_context(_running(f"{side} daemon", folder, "run", "--config", str(config)))
            pages.append(daemon.wait_for(_METRICS, until))
            daemons.append(daemon)
            _wait_for_log_ins(plan, pages[-1], until)
        _play(plan, pages, until, progress)
        texts = [_page(url) for url in pages]
        codes = tuple(process.end() for process in (*reversed(daemons), server))
        log = server.text()
    return _report(plan, texts, codes, log, folder)


@contextmanager
def _running(name: str, folder: Path, *arguments: str) -> Iterator[_Process]:
    log = folder / f"{name.replace(' ', '-')}.log"
    with log.open("wb") as output:
        popen = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "botd.cli.main", *arguments], stdout=output, stderr=output
        )
    process = _Process(name, popen, log)
    try:
        yield process
    finally:
        process.end()


def _config(plan: SoakPlan, side: str, port: int, folder: Path) -> str:
    lines = [
        "[engine]", f"ply = {plan.ply}", f"workers = {plan.workers}",
        "[metrics]", "port = 0",
        "[journal]", f'path = "{side}.sqlite3"',
        "[log]", 'format = "json"',
    ]  # fmt: skip
    password = folder / "password"
    password.touch(mode=0o600)
    password.write_text("soak-password\n")
    for number in range(plan.matches):
        lines += [
            "[[accounts]]", 'host = "127.0.0.1"', f"port = {port}", f'name = "{side}_{number}"',
            'password_file = "password"', "reconnect_s = 1.0",
            "[accounts.policy]", f"think_time_s = {plan.think_time_s}", 'greeting = ""',
        ]  # fmt: skip
        if side == "host":
            lines += ["[accounts.policy.invite]", f'opponent = "guest_{number}"', f"length = {plan.length}"]
    return "\n".join(lines) + "\n"


def _page(url: str) -> str:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def _wait_for_log_ins(plan: SoakPlan, url: str, until: float) -> None:
    while _total([_page(url)], "botd_connection_attempts_total", outcome=("ok",)) < plan.matches:
        if time.monotonic() > until:
            raise SoakError(f"{plan.matches} accounts were not logged in in time")
        time.sleep(0.5)


def _play(
    plan: SoakPlan, pages: list[str], until: float, progress: Callable[[float, int, int], None]
) -> None:
    """Wait until every pair plays, then for the time of the plan."""
    began: float | None = None
    while True:
        texts = [_page(url) for url in pages]
        running = int(_total(texts[1:], "botd_matches_active"))
        finished = int(_total(texts[1:], "botd_matches_total", result=("win", "loss")))
        now = time.monotonic()
        if began is None and (running >= plan.matches or finished >= plan.matches or now > until):
            began = now
        played = 0.0 if began is None else now - began
        progress(played, running, finished)
        if played >= plan.seconds:
            return
        time.sleep(1.0)


def _total(texts: list[str], name: str, **labels: tuple[str, ...]) -> float:
    return sum(
        sample.value
        for text in texts
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and all(sample.labels.get(key) in known for key, known in labels.items())
    )


def _latency(texts: list[str], name: str) -> Latency:
    """Both daemons together."""
    buckets: dict[float, float] = {}
    for text in texts:
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                if sample.name == f"{name}_bucket":
                    bound = float(sample.labels["le"])
                    buckets[bound] = buckets.get(bound, 0.0) + sample.value
    total = buckets[float("inf")]

    def quantile(q: float) -> float:
        return min(bound for bound, count in buckets.items() if count >= q * total)

    return Latency(LATENCIES[name], int(total), quantile(0.5), quantile(0.99), quantile(0.999))


def _finished_in(path: Path) -> int:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        (count,) = connection.execute("SELECT COUNT(*) FROM matches WHERE state = 'finished'").fetchone()
    return int(count)


def _report(
    plan: SoakPlan, texts: list[str], codes: tuple[int, ...], server_log: str, folder: Path
) -> SoakReport:
    violations = [
        line for line in server_log.splitlines() if line.startswith("violation") and ": conduct: " not in line
    ]
    counted = [int(_total([text], "botd_matches_total", result=("win", "loss"))) for text in texts]
    recorded = [_finished_in(folder / f"{side}.sqlite3") for side in SIDES]
    return SoakReport(
        plan=plan,
        playing=int(_total(texts[1:], "botd_matches_active")),
        matches=int(_total(texts[1:], "botd_matches_total", result=("win", "loss"))),
        decisions=int(_total(texts, "botd_decisions_total")),
        fallbacks=int(_total(texts, "botd_decisions_total", source=("fallback",))),
        reconnects=int(_total(texts, "botd_reconnects_total")),
        rejected=int(_total(texts, "botd_commands_rejected_total")),
        violations=len(violations),
        lost_records=sum(max(0, a - b) for a, b in zip(counted, recorded, strict=True)),
        exit_codes=codes,
        latencies=tuple(_latency(texts, name) for name in LATENCIES),
    )
