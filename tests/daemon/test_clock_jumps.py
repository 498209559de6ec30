"""The real daemon plays while the wall clock is set forward and back by hours: only times of records move."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from botd.journal.check import check
from botd.journal.reader import JournalReader
from tests.daemon.test_operations import change

World = Any
"""Of conftest.py."""
HOUR = 3600


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What gives a process another wall clock."""
    path = tmp_path_factory.mktemp("library") / "wall_clock.so"
    compiler = os.environ.get("CXX", "c++")
    source = Path(__file__).with_name("wall_clock.cpp")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True)
    return path


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    """A file that says by how much the daemon's wall clock is off."""
    path = tmp_path / "clock"
    path.write_bytes(bytes(8))
    return path


def environment(library: Path, clock: Path) -> dict[str, str]:
    """Of a process whose wall clock, and nothing else, is another one."""
    return {**os.environ, "LD_PRELOAD": str(library), "WALL_CLOCK": str(clock)}


def set_clock(clock: Path, hours: int) -> None:
    with clock.open("r+b") as file:
        file.write((hours * HOUR).to_bytes(8, sys.byteorder, signed=True))


def read(url: str) -> str:
    with urllib.request.urlopen(url) as page:
        text: str = page.read().decode()
        return text


async def test_matches_are_played_on_while_the_clock_is_set(world: World, library: Path, clock: Path) -> None:
    config = world.config(world.two_accounts(5, "think_time_s = 0.01\ncooldown_s = 600"))
    change(config, "think_time_s = 0\n", "")
    daemon = await world.start(config, environment(library, clock))
    metrics = (await daemon.wait_for("metrics"))["addresses"][0]
    await daemon.wait_for("match_started", account="bert")
    for hours in (5, -7, 0, 240):
        set_clock(clock, hours)
        await daemon.wait_for("clock_jumped")
        await daemon.wait_for("decided", kind="play", account="anna")
        await daemon.wait_for("decided", kind="play", account="bert")
    page = await asyncio.to_thread(read, f"{metrics}metrics")
    counted = dict(re.findall(r'botd_clock_jumps_total\{direction="(\w+)"\} (\S+)', page))
    assert (float(counted["forward"]), float(counted["backward"])) == (3, 1)
    await daemon.wait_for("match_ended")
    await daemon.wait_for("match_ended")
    # Ten days on by the wall clock, but the ten minutes between two matches are not over.
    set_clock(clock, 480)
    await daemon.wait_for("clock_jumped")
    await daemon.wait_for("invitation_declined", reason="cooldown")
    assert (await world.ctl("status"))[1]["result"]["journal"] == "ok"
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0, daemon.raw

    log = [json.loads(line) for line in daemon.raw.splitlines() if line.startswith("{")]
    assert [
        entry for entry in log if entry["event"] in ("reconnecting", "session_failed", "worker_lost")
    ] == []
    assert [entry for entry in log if entry["level"] == "error"] == []
    assert len([entry for entry in log if entry["event"] == "clock_jumped"]) == 5
    assert len([entry for entry in log if entry["event"] == "logged_in"]) == 2
    assert world.query("SELECT count(*) FROM matches") == [(2,)]
    assert world.query("SELECT count(*) FROM sittings") == [(2,)]
    ((longest,),) = world.query("SELECT max(duration) FROM decisions")
    assert 0 <= longest < 60
    checked = check(world.folder / "journal.sqlite3")
    assert checked.sound
    assert any("the clock was set back" in finding.what for finding in checked.findings)


async def test_matches_keep_their_order_when_the_clock_goes_back(
    world: World, library: Path, clock: Path
) -> None:
    config = world.config(world.two_accounts(1, ""))
    daemon = await world.start(config, environment(library, clock))
    for hours in (-1, -5, -9):
        await daemon.wait_for("match_started", account="anna")
        await daemon.wait_for("match_started", account="anna")
        set_clock(clock, hours)
        await daemon.wait_for("clock_jumped")
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0, daemon.raw
    rows = world.query("SELECT number, started_at, match FROM matches ORDER BY rowid")
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    times = [row[1] for row in rows]
    assert times != sorted(times)
    with JournalReader(world.folder / "journal.sqlite3") as journal:
        assert [match.key for match in journal.matches()] == [row[2] for row in rows]
        assert journal.find("last").key == rows[-1][2]
    assert check(world.folder / "journal.sqlite3").sound
