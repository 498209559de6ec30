"""`botd soak` with a real server and two real daemons."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def _run(*arguments: str, timeout: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "botd.cli.main", "soak", *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def _soak(folder: Path, *arguments: str, timeout: float) -> dict[str, Any]:
    done = _run("--json", "--keep", str(folder), *arguments, timeout=timeout)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert isinstance(report, dict)
    return report


def _nothing_lost(report: dict[str, Any]) -> None:
    assert report["decisions"] > 0
    assert report["exit_codes"] == [0, 0, 0]
    assert report["violations"] == report["rejected"] == report["fallbacks"] == report["reconnects"] == 0
    assert report["lost_records"] == 0
    assert report["failures"] == []


def test_a_few_matches_at_once(tmp_path: Path) -> None:
    # Whoever runs this may have a busy machine: how late the loop is, is judged by the nightly soak.
    few = ("--matches", "3", "--minutes", "0.1", "--think-time", "0", "--lateness-limit", "0")
    report = _soak(tmp_path / "soak", *few, timeout=200)
    _nothing_lost(report)
    assert report["playing"] + report["matches"] >= 3
    assert report["moves"] > 0
    startup, play = report["phases"]
    assert (startup["name"], play["name"]) == ("start-up", "play")
    for phase in (startup, play):
        assert {each["name"] for each in phase["latencies"]} == {
            "event loop lateness",
            "decision in a worker",
            "decision waiting for a worker",
            "board seen to command sent",
        }
    assert {each["part"] for each in report["shares"]} == {"server", "daemons", "workers"}
    assert all(each["cpu_s"] > 0 and each["ms_per_move"] > 0 for each in report["shares"])


def test_a_missed_limit_is_told_and_is_the_exit_status() -> None:
    # No loop wakes within a tenth of a microsecond, so this limit is always missed.
    impossible = ("--lateness-limit", "1e-7", "--matches", "1", "--minutes", "0.05", "--markdown")
    done = _run(*impossible, timeout=200)
    assert done.returncode == 1, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("botd soak: ")]
    assert [line.partition(":")[2].split(" in ")[0] for line in lines] == [" event loop lateness"] * 2
    (row,) = done.stdout.splitlines()
    assert row.startswith("| `botd soak --matches 1 ")
    assert row.count("|") == 6
    assert "**missed**: event loop lateness in start-up" in row


@pytest.mark.parametrize(
    "arguments",
    [
        ("--matches", "0"), ("--minutes", "nan"), ("--length", "65"), ("--ply", "5"), ("--workers", "0"),
        ("--think-time", "-1"), ("--lateness-limit", "inf"), ("--keep", "/dev/null/folder"),
    ],
)  # fmt: skip
def test_impossible_plans_are_refused(arguments: tuple[str, str]) -> None:
    done = _run(*arguments, timeout=60)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert arguments[0] in line


def test_an_earlier_run_is_not_counted_again(tmp_path: Path) -> None:
    (tmp_path / "host.sqlite3").touch()
    done = _run("--keep", str(tmp_path), timeout=60)
    assert done.returncode == 2
    assert done.stderr == f"botd soak: --keep {tmp_path}: expected an empty folder\n"


@pytest.mark.nightly
@pytest.mark.timeout(1500)
def test_two_hundred_matches_for_ten_minutes(tmp_path: Path) -> None:
    """Lateness in start-up and in play, growth of memory, files and tasks are judged by the soak itself."""
    report = _soak(tmp_path / "soak", "--matches", "200", "--minutes", "10", timeout=1400)
    _nothing_lost(report)
    assert report["matches"] > 200
    assert len(report["growths"]) == 3
