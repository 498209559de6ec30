"""Many matches at once on this machine: a server and two daemons as processes, watched from outside.

The accounts of one daemon invite those of the other, again and again, until the time is over. What is
reported comes from the daemons' own metrics and journals and from the kernel, so it is what an operator
would see.
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
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from botd.bench.processes import descendants, usage
from botd.bench.soak_figures import (
    LEAK_CHECK_S,
    TASKS,
    Growth,
    Observation,
    Page,
    Phase,
    Share,
    grown,
    growth,
    phase,
    share,
)

SIDES = ("guest", "host")
"""Who is invited logs in first."""
LATENESS_LIMIT_S = 0.25
"""Of the event loop, at 99.9 %: what an operator of many accounts is promised."""
START_S = 120.0
STOP_S = 60.0
LOOK_EVERY_S = 5.0
_OF_LOGGING_OUT = (": conduct: ", "can't find player host_")
"""What our stop at the end brings about: matches are left, and an invitation is accepted whose sender has
just gone. Nobody logs out before."""
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
    lateness_limit_s: float = LATENESS_LIMIT_S
    """Of the event loop, at 99.9 %; 0 for none."""


@dataclass(frozen=True, slots=True)
class SoakReport:
    plan: SoakPlan
    playing: int
    """Matches running at the end."""
    matches: int
    """Finished ones."""
    decisions: int
    moves: int
    """Checker plays decided while all matches ran."""
    fallbacks: int
    """Decisions that had to be made more simply than asked, for lack of time or of a worker."""
    reconnects: int
    rejected: int
    """Commands that the server refused."""
    violations: int
    """Commands that a real server would punish (strict mode), the log-out at the end aside."""
    lost_records: int
    """Matches that the metrics counted as finished and the journals do not hold."""
    exit_codes: tuple[int, ...]
    phases: tuple[Phase, ...]
    shares: tuple[Share, ...]
    growths: tuple[Growth, ...]
    failures: tuple[str, ...]
    """What was promised and not held, in words; empty if all is well."""


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
            self.check()
            time.sleep(0.1)
        raise SoakError(f"{self.name}: nothing that matches {pattern.pattern!r} within {START_S:.0f} s")

    def check(self) -> None:
        """Raise SoakError if it has ended."""
        if self.popen.poll() is not None:
            raise SoakError(
                f"{self.name} ended with status {self.popen.returncode}: {self.text()[-400:].strip()}"
            )

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


@dataclass
class _Daemon:
    process: _Process
    url: str
    seen: list[Observation] = field(default_factory=list)

    def page(self) -> Page:
        """Its metrics now. Raises SoakError if it does not answer."""
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        try:
            connection.request("GET", "/metrics")
            return Page(connection.getresponse().read().decode())
        except (OSError, HTTPException) as error:
            self.process.check()
            raise SoakError(f"{self.process.name} does not tell its metrics: {error}") from error
        finally:
            connection.close()


@dataclass(slots=True)
class _Play:
    """What was seen of the time in which all matches ran."""

    startup_s: float = 0.0
    seconds: float = 0.0
    first: list[Page] = field(default_factory=list)
    last: list[Page] = field(default_factory=list)
    cpu_first: dict[str, float] = field(default_factory=dict)
    cpu_last: dict[str, float] = field(default_factory=dict)


def soak(plan: SoakPlan, folder: Path, progress: Callable[[str], None] = lambda text: None) -> SoakReport:
    """Run the plan with all files in `folder` (empty, existing).

    progress: called every few seconds with a line that says how far it is. Raises SoakError.
    """
    began = time.monotonic()
    room = str(2 * plan.matches + 10)
    where = ("--port", "0", "--seed", str(plan.seed), "--max-connections", room)
    until = began + START_S + plan.matches * 0.5
    with ExitStack() as stack:
        server = stack.enter_context(_running("server", folder, "serve", "--open", "--strict", *where))
        port = int(server.wait_for(_LISTENING, until))
        daemons: list[_Daemon] = []
        for side in SIDES:
            config = folder / f"{side}.toml"
            config.write_text(_config(plan, side, port, folder))
            process = stack.enter_context(_running(f"{side} daemon", folder, "run", "--config", str(config)))
            daemons.append(_Daemon(process, process.wait_for(_METRICS, until)))
            _wait_for_log_ins(plan, daemons, until, progress)
        watch = _Watch(plan, server, daemons)
        watch.play(began, until, progress)
        codes = tuple(each.end() for each in (*(daemon.process for daemon in reversed(daemons)), server))
        log = server.text()
    return _report(watch, codes, log, folder)


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
        "[metrics]", "port = 0", "[status_page]", "port = 0",
        "[journal]", f'path = "{side}.sqlite3"',
        "[control]", "enabled = false",
        "[daemon]", 'state_directory = "state"',
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


def _wait_for_log_ins(
    plan: SoakPlan, daemons: list[_Daemon], until: float, progress: Callable[[str], None]
) -> None:
    before = plan.matches * (len(daemons) - 1)
    while (
        here := int(daemons[-1].page().total("botd_connection_attempts_total", outcome=("ok",)))
    ) < plan.matches:
        progress(f"start-up: {before + here} of {2 * plan.matches} accounts logged in")
        if time.monotonic() > until:
            raise SoakError(f"{before + here} of {2 * plan.matches} accounts were logged in in time")
        time.sleep(1.0)


class _Watch:
    """Looks at the processes every few seconds, seldom enough to cost nothing."""

    def __init__(self, plan: SoakPlan, server: _Process, daemons: list[_Daemon]) -> None:
        self.plan = plan
        self.server = server
        self.daemons = daemons
        self.server_seen: list[Observation] = []
        self.seen = _Play()

    def play(self, began: float, until: float, progress: Callable[[str], None]) -> None:
        """Wait until every pair plays, then for the time of the plan."""
        plan, seen = self.plan, self.seen
        while True:
            pages = [daemon.page() for daemon in self.daemons]
            running, finished = _running_and_finished(pages)
            now = time.monotonic()
            if not seen.first:
                if running < plan.matches and finished < plan.matches and now < until:
                    progress(f"start-up: {running} of {plan.matches} matches run")
                    time.sleep(1.0)
                    continue
                seen.startup_s = now - began
                seen.first, seen.cpu_first = pages, self._cpu()
            seen.seconds = now - began - seen.startup_s
            self._look(pages)
            progress(
                f"{seen.seconds:.0f} of {plan.seconds:.0f} s: {running} matches run, {finished} finished"
            )
            if seen.seconds >= plan.seconds:
                seen.last, seen.cpu_last = pages, self._cpu()
                return
            time.sleep(max(0.1, min(LOOK_EVERY_S, plan.seconds - seen.seconds)))

    def _look(self, pages: list[Page]) -> None:
        if (used := usage(self.server.popen.pid)) is not None:
            self.server_seen.append(Observation(used))
        for daemon, page in zip(self.daemons, pages, strict=True):
            if (used := usage(daemon.process.popen.pid)) is not None:
                daemon.seen.append(Observation(used, page.total(TASKS)))

    def _cpu(self) -> dict[str, float]:
        """CPU seconds so far by part."""
        daemons = [daemon.process.popen.pid for daemon in self.daemons]
        parts = {
            "server": (self.server.popen.pid,),
            "daemons": tuple(daemons),
            "workers": tuple(child for pid in daemons for child in descendants(pid)),
        }
        return {
            part: sum(used.cpu_s for pid in pids if (used := usage(pid)) is not None)
            for part, pids in parts.items()
        }


def _running_and_finished(pages: list[Page]) -> tuple[int, int]:
    """Of matches, as the hosts' daemon sees it."""
    page = pages[-1]
    return int(page.total("botd_matches_active")), int(
        page.total("botd_matches_total", result=("win", "loss"))
    )


def _finished_in(path: Path) -> int:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        (count,) = connection.execute("SELECT COUNT(*) FROM matches WHERE state = 'finished'").fetchone()
    return int(count)


def _report(watch: _Watch, codes: tuple[int, ...], server_log: str, folder: Path) -> SoakReport:
    plan, seen = watch.plan, watch.seen
    violations = [
        line
        for line in server_log.splitlines()
        if line.startswith("violation") and not any(part in line for part in _OF_LOGGING_OUT)
    ]

    def total(pages: list[Page], name: str, **labels: tuple[str, ...]) -> int:
        return int(sum(page.total(name, **labels) for page in pages))

    counted = [int(page.total("botd_matches_total", result=("win", "loss"))) for page in seen.last]
    recorded = [_finished_in(folder / f"{side}.sqlite3") for side in SIDES]
    moves = total(seen.last, "botd_decisions_total", kind=("play",)) - total(
        seen.first, "botd_decisions_total", kind=("play",)
    )
    looks = {"server": watch.server_seen} | {each.process.name: each.seen for each in watch.daemons}
    growths = (growth(name, observed) for name, observed in looks.items())
    playing, finished = _running_and_finished(seen.last)
    report = SoakReport(
        plan=plan,
        playing=playing,
        matches=finished,
        decisions=total(seen.last, "botd_decisions_total"),
        moves=moves,
        fallbacks=total(seen.last, "botd_decisions_total", source=("fallback", "rules")),
        reconnects=total(seen.last, "botd_reconnects_total"),
        rejected=total(seen.last, "botd_commands_rejected_total"),
        violations=len(violations),
        lost_records=sum(max(0, a - b) for a, b in zip(counted, recorded, strict=True)),
        exit_codes=codes,
        phases=(
            phase("start-up", seen.startup_s, seen.first),
            phase("play", seen.seconds, seen.last, seen.first),
        ),
        shares=tuple(
            share(part, max(0.0, cpu - seen.cpu_first[part]), seen.seconds, moves)
            for part, cpu in seen.cpu_last.items()
        ),
        growths=tuple(each for each in growths if each is not None),
        failures=(),
    )
    return replace(report, failures=tuple(_failures(report)))


def _failures(report: SoakReport) -> Iterator[str]:
    limit = report.plan.lateness_limit_s
    for each in report.phases:
        late = each.lateness.p999
        if limit and (late is None or late > limit):
            shown = "more than is measured" if late is None else f"{1000 * late:g} ms"
            yield (
                f"event loop lateness in {each.name}: expected at most {1000 * limit:g} ms at 99.9 %, "
                f"got {shown}"
            )
    for number, what in (
        (report.lost_records, "records of matches are lost"),
        (report.fallbacks, "decisions had to be made more simply than asked"),
        (report.reconnects, "connections were lost"),
        (report.rejected, "commands were refused by the server"),
        (report.violations, "commands would be punished by a real server"),
    ):
        if number:
            yield f"{number} {what}"
    if any(report.exit_codes):
        yield f"a process ended with another status than 0: {', '.join(map(str, report.exit_codes))}"
    if report.phases[-1].seconds >= LEAK_CHECK_S:
        for process in report.growths:
            yield from grown(process)
