"""`botd soak` with a real server and two real daemons."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

LATENESS_LIMIT_S = 0.25
"""Of the event loop, at 99.9 %: what an operator of many accounts is promised."""


def _soak(folder: Path, *arguments: str, timeout: float) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "botd.cli.main", "soak", "--json", "--keep", str(folder), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert isinstance(report, dict)
    return report


def _nothing_lost(report: dict[str, Any]) -> None:
    assert report["decisions"] > 0
    assert report["exit_codes"] == [0, 0, 0]
    assert report["violations"] == report["rejected"] == report["fallbacks"] == 0
    assert report["lost_records"] == 0


def test_a_few_matches_at_once(tmp_path: Path) -> None:
    report = _soak(tmp_path, "--matches", "3", "--minutes", "0.1", "--think-time", "0", timeout=200)
    _nothing_lost(report)
    assert report["playing"] + report["matches"] >= 3
    assert {each["name"] for each in report["latencies"]} >= {
        "event loop lateness",
        "board seen to command sent",
    }


@pytest.mark.parametrize("arguments", [("--matches", "0"), ("--minutes", "nan"), ("--length", "65")])
def test_impossible_plans_are_refused(arguments: tuple[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "botd.cli.main", "soak", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.nightly
@pytest.mark.timeout(1500)
def test_two_hundred_matches_for_ten_minutes(tmp_path: Path) -> None:
    report = _soak(tmp_path, "--matches", "200", "--minutes", "10", timeout=1400)
    _nothing_lost(report)
    assert report["matches"] > 200
    (lateness,) = [each for each in report["latencies"] if each["name"] == "event loop lateness"]
    assert lateness["p999"] <= LATENESS_LIMIT_S
