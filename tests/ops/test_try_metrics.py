"""The trial that users can run: a real Prometheus answers every expression while bots really play."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.ops.monitoring import ROOT, alerts, panels, records

SCRIPT = ROOT / "ops" / "try_metrics.py"


def test_a_real_prometheus_has_an_answer_to_every_expression(tmp_path: Path) -> None:
    log = tmp_path / "trial.log"
    done = subprocess.run(
        [sys.executable, SCRIPT, "--json", "--seconds", "150", "--log", log],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr + log.read_text()
    told = json.loads(done.stdout)
    expressions = told["expressions"]
    assert [each["where"] for each in expressions if not each["answered"]] == []
    asked = {each["where"] for each in expressions}
    assert asked == {panel["title"] for panel in panels()} | set(alerts()) | {
        rule["record"] for rule in records()
    }
    assert len(expressions) == sum(len(panel["targets"]) for panel in panels()) + len(alerts()) + len(
        records()
    )

    def values(where: str, **labels: str) -> list[float]:
        """Of all series of a panel that have these labels."""
        return [
            series["value"]
            for each in expressions
            if each["where"] == where
            for series in each["series"]
            if labels.items() <= series["labels"].items() and series["value"] is not None
        ]

    assert values("Daemons that answer") == [1]
    assert sum(values("Accounts by what they do")) == 7
    assert sum(values("Matches that ended, an hour", result="win")) > 0
    assert values("Workers lost in 10 minutes", reason="crashed")[0] > 0, "the worker that was killed"
    anew = [
        values("Connections made anew in 30 minutes, an account", reason=reason)
        for reason in ("closed", "error")
    ]
    assert sum(map(sum, anew)) > 0, "the server that was restarted"
    assert sum(values("Log and events in 15 minutes", sink="mqtt")) > 0, "the broker was told"
    ratings = values("Rating")
    assert len(ratings) == 6, "of all accounts but the one that is refused"
    assert all(math.isfinite(rating) for rating in ratings)
    assert set(told["alerts"]) == set(alerts())
    assert told["alerts"]["BotAccountLost"] == "pending", "the account with a wrong password"
    assert told["alerts"]["BotDown"] == "inactive"
    assert "only-for-this-trial" not in log.read_text()


def test_it_says_what_is_missing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--log", tmp_path / "log"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": str(tmp_path)},
    )
    assert done.returncode == 1
    assert done.stderr == "try_metrics: prometheus is not installed; on Debian: apt install prometheus\n"


def test_it_ends_at_once_when_told_and_leaves_nothing_behind(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, SCRIPT, "--log", tmp_path / "log"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    log = tmp_path / "log"
    while not (log.exists() and "account_refused" in log.read_text()):
        assert process.poll() is None, log.read_text()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert list(tmp_path.glob("botd-trial-*")) == []
    folder = str(tmp_path)
    left = [path for path in Path("/proc").glob("[0-9]*/cwd") if os.path.realpath(path).startswith(folder)]
    assert left == []
