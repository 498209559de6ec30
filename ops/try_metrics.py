"""Metrics, rules and dashboard at work: bots play on servers of this machine, a real Prometheus watches.

Run it with the Python that has botd: `.venv/bin/python ops/try_metrics.py`. It needs Debian's `prometheus`;
with `mosquitto` events go to a broker as well. Things go wrong on purpose: a worker is killed, a server
restarts, an account has a wrong password. It ends once every expression of the dashboard and of the rules has
an answer, and prints the newest values. Nothing outside this machine is contacted.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from botd.cli.streams import silence_output
from botd.terminal.columns import columns
from botd.terminal.progress_bar import ProgressBar

OPS = Path(__file__).resolve().parent
HOST = "127.0.0.1"
PASSWORD = "only-for-this-trial"
START_S = 60.0
RATE_INTERVAL = "10s"
"""What `$__rate_interval` stands for: a scrape comes every second."""
EFFECTS = ("botd_worker_restarts_total", "botd_reconnects_total")
"""What the mishaps of a trial bring about; it does not end before."""
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"

EPILOG = """\
examples:
  try_metrics.py                      until every expression has data; then a table of the newest values
  try_metrics.py --keep               and go on, to look at it in Prometheus's pages
  try_metrics.py --json > all.json    every series, for a program

exit status: 0 if every expression had data, 1 if not or if a part fails, 130 interrupted
"""
CONFIG = """\
[engine]
ply = 2
workers = 2
deadline_s = 0.1
[metrics]
port = {metrics}
[status_page]
enabled = false
[journal]
path = "journal.sqlite3"
[daemon]
state_directory = "state"
drain_s = 0
[control]
enabled = false
[log]
format = "text"
{mqtt}
{accounts}"""
ACCOUNT = """\
[[accounts]]
protocol = "{protocol}"
host = "127.0.0.1"
port = {port}
name = "{name}"
password_env = "{variable}"
reconnect_s = 0.2
{more}
[accounts.policy]
think_time_s = 0.02
command_gap_s = 0
cooldown_s = 0
{policy}
"""
PROMETHEUS = """\
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{rules}/botd.rules.yml"]
scrape_configs:
  - job_name: botd
    static_configs: [{{targets: ["127.0.0.1:{metrics}"]}}]
"""


class TrialError(Exception):
    """The trial cannot go on; one line that says why."""


@dataclass
class Question:
    """One expression, and what Prometheus last answered."""

    where: str
    expression: str
    answers: list[tuple[dict[str, str], float]] = field(default_factory=list)

    @property
    def answered(self) -> bool:
        """With at least one number."""
        return any(math.isfinite(value) for _, value in self.answers)


def dashboard_questions() -> Iterator[Question]:
    """Every expression of the dashboard, its variables at All."""
    dashboard = json.loads((OPS / "grafana" / "botd-dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield Question(panel["title"], _filled_in(target["expr"]))


def _filled_in(expression: str) -> str:
    for variable in ("instance", "server", "ply"):
        expression = expression.replace(f"${variable}", ".*")
    return expression.replace("$__rate_interval", RATE_INTERVAL)


def rule_question(rule: dict[str, Any]) -> Question:
    """The expression of a rule as Prometheus tells it. An alert's has no answer while all is well, so its
    comparisons are turned into ones that say 0 or 1."""
    query = str(rule["query"])
    if rule["type"] == "alerting":
        query = re.sub(r" (==|>) ", r" \1 bool ", query)
    return Question(rule["name"], query)


class Trial:
    """Servers, daemon, broker and Prometheus in one folder. `run` once."""

    def __init__(self, folder: Path, log: Path) -> None:
        self._folder = folder
        self._log = log
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        ports = _free_ports(5)
        self._fibs, self._bgammon, self.metrics, self.prometheus, self._broker = ports
        self.with_broker = shutil.which("mosquitto", path=PATH) is not None

    # -- processes -------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Everything, one after the other. Raises TrialError."""
        _program("prometheus")
        self._write_files()
        if self.with_broker:
            await self._start("mosquitto", "-c", "mosquitto.conf")
        await self._start_fibs()
        await self._start_botd(
            "bgammon", "serve", "--protocol", "bgammon", "--bots-may-join", "--port", str(self._bgammon),
            "--accounts", "bgammon.toml",
        )  # fmt: skip
        await self._wait_for_port(self._bgammon, "bgammon")
        await self._start(
            "prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--log.level=warn",
            f"--web.listen-address={HOST}:{self.prometheus}",
        )  # fmt: skip
        await self._wait_for_port(self.prometheus, "prometheus")
        await self._start_botd(
            "botd", "run", "--config", "botd.toml", PASSWORD=PASSWORD, WRONG="not-this-one"
        )
        await self._wait_for_port(self.metrics, "botd")

    async def stop(self) -> None:
        """End what was started, the daemon first."""
        for process in reversed(self._processes.values()):
            if process.returncode is None:
                process.terminate()
                try:
                    async with asyncio.timeout(15):
                        await process.wait()
                except TimeoutError:
                    process.kill()
                    await process.wait()

    async def _start_fibs(self) -> None:
        await self._start_botd(
            "fibs", "serve", "--port", str(self._fibs), "--accounts", "fibs.toml", "--state", "fibs.json"
        )  # fmt: skip
        await self._wait_for_port(self._fibs, "fibs")

    async def restart_fibs(self) -> None:
        """The daemon loses its connections there, and makes them anew."""
        await self._end("fibs")
        await self._start_fibs()

    async def kill_worker(self) -> None:
        """One process that decides dies; the daemon replaces it."""
        daemon = self._processes["botd"].pid
        for spawner in _children(daemon):
            for worker in _children(spawner):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
                return

    async def _end(self, name: str) -> None:
        self._processes[name].terminate()
        await self._processes.pop(name).wait()

    async def _start_botd(self, name: str, *arguments: str, **environment: str) -> None:
        await self._start(sys.executable, "-m", "botd.cli.main", *arguments, name=name, **environment)

    async def _start(self, program: str, *arguments: str, name: str = "", **environment: str) -> None:
        found = _program(program)
        with self._log.open("ab") as log:
            self._processes[name or program] = await asyncio.create_subprocess_exec(
                found, *arguments, cwd=self._folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, **environment},
            )  # fmt: skip

    async def _wait_for_port(self, port: int, name: str) -> None:
        async with asyncio.timeout(START_S):
            while True:
                if self._processes[name].returncode is not None:
                    lines = self._log.read_text(errors="replace").splitlines() or [""]
                    raise TrialError(f"{name} does not start: {lines[-1]}")
                try:
                    _, writer = await asyncio.open_connection(HOST, port)
                except OSError:
                    await asyncio.sleep(0.1)
                    continue
                writer.close()
                return

    # -- files -----------------------------------------------------------------------------------------------

    def _write_files(self) -> None:
        pairs = [
            ("fibs", "anna", "bert", 'mode = "exact"', "", 'invite = { opponent = "bert", length = 1 }'),
            ("fibs", "carl", "dora", "ply = 1", "", 'invite = { opponent = "dora", length = 3 }'),
            ("bgammon", "BOT_emma", "BOT_finn", "ply = 1", "create.lengths = [1]", ""),
        ]
        accounts = ""
        for protocol, one, other, strength, offer, invite in pairs:
            port, more = self._fibs, strength
            second = ""
            if protocol == "bgammon":
                port = self._bgammon
                more += '\ntransport = "tcp"\nown_server = true'
                second = f'invite = {{ opponent = "{one}" }}'
            for name, extra, policy in ((one, offer, invite), (other, "", second)):
                accounts += ACCOUNT.format(
                    protocol=protocol, port=port, name=name, variable="PASSWORD",
                    more=f"{more}\n{extra}", policy=policy,
                )  # fmt: skip
        accounts += ACCOUNT.format(
            protocol="fibs", port=self._fibs, name="gus", variable="WRONG", more="", policy=""
        )
        broker = f"[mqtt]\nenabled = true\nport = {self._broker}\n" if self.with_broker else ""
        names = {"fibs": ("anna", "bert", "carl", "dora", "gus"), "bgammon": ("BOT_emma", "BOT_finn")}
        for file, players in names.items():
            lines = "".join(f'{player} = "{PASSWORD}"\n' for player in players)
            (self._folder / f"{file}.toml").write_text(lines)
        for name, text in (
            ("botd.toml", CONFIG.format(metrics=self.metrics, mqtt=broker, accounts=accounts)),
            ("prometheus.yml", PROMETHEUS.format(metrics=self.metrics, rules=OPS / "prometheus")),
            ("mosquitto.conf", f"listener {self._broker} {HOST}\nallow_anonymous true\n"),
        ):
            (self._folder / name).write_text(text)

    # -- Prometheus ------------------------------------------------------------------------------------------

    async def ask(self, path: str, **parameters: str) -> Any:
        """What Prometheus's HTTP interface answers. Raises TrialError if it refuses."""
        url = f"http://{HOST}:{self.prometheus}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"

        def read() -> Any:
            with urllib.request.urlopen(url, timeout=30) as response:
                return json.load(response)["data"]

        try:
            return await asyncio.to_thread(read)
        except urllib.error.HTTPError as error:
            raise TrialError(f"Prometheus refuses {parameters}: {error.read().decode()}") from error

    async def answer(self, question: Question) -> None:
        answer = await self.ask("query", query=question.expression)
        found = answer["result"]
        if answer["resultType"] == "scalar":
            found = [{"metric": {}, "value": found}]
        question.answers = [(series["metric"], float(series["value"][1])) for series in found]

    async def rules(self) -> list[dict[str, Any]]:
        """All rules, with what came of them."""
        groups = (await self.ask("rules"))["groups"]
        return [rule for group in groups for rule in group["rules"]]


def _program(name: str) -> str:
    """Its path. Raises TrialError."""
    found = shutil.which(name, path=PATH)
    if found is None:
        raise TrialError(f"{name} is not installed; on Debian: apt install {name}")
    return found


def _children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(word) for word in task.read_text().split()]
    return found


def _free_ports(number: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]


async def _until_all_is_answered(trial: Trial, seconds: float, bar: ProgressBar) -> list[Question]:
    """Ask again and again, and let things go wrong meanwhile."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    watched = Question("", 'up{job="botd"} == 1')
    while not watched.answered and loop.time() - began < seconds:
        await trial.answer(watched)
        await asyncio.sleep(0.5)
    began = loop.time()
    mishaps = [(4.0, "a worker is killed", trial.kill_worker), (8.0, "a server restarts", trial.restart_fibs)]
    questions = [*dashboard_questions(), *map(rule_question, await trial.rules())]
    effects = [Question("", f"sum(increase({name}[1m])) > 0") for name in EFFECTS]
    what = "bots play"
    while True:
        while mishaps and loop.time() - began > mishaps[0][0]:
            _, what, happen = mishaps.pop(0)
            await happen()
        for question in (*questions, *effects):
            await trial.answer(question)
        done = sum(question.answered for question in questions)
        bar(done / len(questions), f"{done} of {len(questions)} expressions have an answer; {what}")
        if loop.time() - began > seconds or (
            done == len(questions) and all(effect.answered for effect in effects)
        ):
            return questions
        await asyncio.sleep(1.0)


async def _run(args: argparse.Namespace, folder: Path) -> int:
    trial = Trial(folder, folder / "trial.log" if args.log is None else args.log.absolute())
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    try:
        with ProgressBar(None if args.json else sys.stderr, "Trial") as bar:
            bar(0, "servers, broker, Prometheus and botd start")
            watching = asyncio.create_task(_watch(trial, args.seconds, bar))
            stop = asyncio.create_task(stopping.wait())
            await asyncio.wait({watching, stop}, return_when=asyncio.FIRST_COMPLETED)
            stop.cancel()
            if not watching.done():
                watching.cancel()
                await asyncio.gather(watching, return_exceptions=True)
                return 130
        questions = watching.result()
        alerts = [rule for rule in await trial.rules() if rule["type"] == "alerting"]
        (_show_json if args.json else _show)(trial, questions, alerts)
        if args.keep:
            print(f"\nPrometheus: http://{HOST}:{trial.prometheus}/graph")
            print(f"botd: http://{HOST}:{trial.metrics}/metrics")
            print("Until you press Ctrl-C.", flush=True)
            await stopping.wait()
        return 0 if all(question.answered for question in questions) else 1
    finally:
        await trial.stop()


async def _watch(trial: Trial, seconds: float, bar: ProgressBar) -> list[Question]:
    await trial.start()
    return await _until_all_is_answered(trial, seconds, bar)


def _show(trial: Trial, questions: list[Question], alerts: list[dict[str, Any]]) -> None:
    rows = []
    for question in questions:
        shown = [f"{value:.4g}" for _, value in question.answers if math.isfinite(value)]
        rows.append((question.where, len(question.answers), " ".join(shown[:6]) or "no data"))
    print("\n".join(columns(("panel or rule", "series", "newest values"), rows, right="series")))
    states = {alert["name"]: alert["state"] for alert in alerts}
    awake = [f"{name} ({state})" for name, state in states.items() if state != "inactive"]
    print(f"\nAlerts: {', '.join(awake) or 'none'}; the other {len(states) - len(awake)} are quiet.")
    missing = [question for question in questions if not question.answered]
    print(f"{len(questions) - len(missing)} of {len(questions)} expressions have data.")
    if not trial.with_broker:
        print("mosquitto is not installed: no events went to a broker.")
    for question in missing:
        print(f"no data: {question.where}: {question.expression}", file=sys.stderr)


def _show_json(trial: Trial, questions: list[Question], alerts: list[dict[str, Any]]) -> None:
    document = {
        "expressions": [
            {
                "where": question.where,
                "expression": question.expression,
                "answered": question.answered,
                "series": [
                    {"labels": labels, "value": value if math.isfinite(value) else None}
                    for labels, value in question.answers
                ],
            }
            for question in questions
        ],
        "alerts": {alert["name"]: alert["state"] for alert in alerts},
    }
    json.dump(document, sys.stdout, indent=1)
    print()


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 86_400:
        raise argparse.ArgumentTypeError(f"expected a number above 0 and below 86400, found {text}")
    return value


def main() -> int:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=120.0, help="give up waiting after so long (default %(default)g)"
    )
    parser.add_argument("--keep", action="store_true", help="go on until Ctrl-C, to look at it in a browser")
    parser.add_argument("--json", action="store_true", help="all answers as JSON")
    parser.add_argument("--log", type=Path, metavar="FILE", help="where the output of all programs goes")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="botd-trial-", ignore_cleanup_errors=True) as folder:
        try:
            return asyncio.run(_run(args, Path(folder)))
        except BrokenPipeError:
            silence_output()
            return 1
        except (TrialError, TimeoutError, OSError) as error:
            print(f"try_metrics: {str(error) or type(error).__name__}", file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main())
