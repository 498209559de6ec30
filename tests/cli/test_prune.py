"""`botd prune` tells what it would remove, removes it, and leaves a running daemon's journal alone."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from botd.daemon.locks import journal_lock
from tests.journal.real_files import content, played, written_by


def botd(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "botd.cli.main", "prune", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def make_old(path: Path, state: str) -> None:
    """Let one more of the matches be over for two years, another for 100 days."""
    with closing(sqlite3.connect(path)) as connection:
        for age, offset in (("-2 years", 0), ("-100 days", 1)):
            connection.execute(
                "UPDATE matches SET ended_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ?) WHERE match ="
                " (SELECT match FROM matches WHERE state = ? ORDER BY match LIMIT 1 OFFSET ?)",
                (age, state, offset),
            )
        connection.commit()


def test_old_matches_go_and_the_file_becomes_small(tmp_path: Path) -> None:
    path = played(tmp_path)
    make_old(path, "finished")
    before = content(path)
    told = json.loads(botd("--journal", path, "--older-than", "1y", "--dry-run", "--json").stdout)
    assert (told["dry_run"], told["matches"], told["decisions"]) == (True, 1, 0)
    assert content(path) == before
    done = botd("--journal", path, "--older-than", "365d", "--decisions-older-than", "12w", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["matches"] == 1
    assert told["decisions"] > 50
    assert told["bytes_after"] < told["bytes_before"]
    assert path.stat().st_size == told["bytes_after"]
    after = content(path)
    oldest = min(str(row["ended_at"]) for row in before["matches"])
    assert after["matches"] == [row for row in before["matches"] if row["ended_at"] != oldest]
    assert sum(row["candidates"] == "{}" for row in after["decisions"]) == told["decisions"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)  # from now on in small steps, too
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_suspended_matches_stay_however_old(tmp_path: Path) -> None:
    path = played(tmp_path)
    make_old(path, "suspended")
    before = content(path)
    done = botd("--journal", path, "--older-than", "1d", "--decisions-older-than", "1d", "--no-vacuum")
    assert done.returncode == 0, done.stderr
    assert [row for row in content(path)["matches"] if row["state"] == "suspended"] == [
        row for row in before["matches"] if row["state"] == "suspended"
    ]


def test_a_journal_in_use_is_refused(tmp_path: Path) -> None:
    path = played(tmp_path)
    with journal_lock(path):
        done = botd("--journal", path, "--older-than", "1d")
        assert done.returncode == 1
        assert "already in use by process" in done.stderr
        assert botd("--journal", path, "--older-than", "1d", "--dry-run").returncode == 0


def test_an_old_file_is_migrated_first(tmp_path: Path) -> None:
    path = written_by(1, tmp_path)
    done = botd("--journal", path, "--older-than", "1d", "--json")
    assert done.returncode == 0
    assert "journal_migrating" in done.stderr
    assert json.loads(done.stdout)["matches"] in (0, 2)
    assert (tmp_path / "journal.sqlite3.v1.bak").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "expected --older-than or --decisions-older-than"),
        (("--older-than", "12"), "expected an age like 365d, 8w or 2y"),
        (("--older-than", "0d"), "expected an age"),
        (("--older-than", "-3d"), "expected one argument"),
        (("--older-than", "99999y"), "expected an age"),
        (("--decisions-older-than", "1 d"), "expected an age"),
    ],
)
def test_wrong_arguments(arguments: tuple[str, ...], words: str) -> None:
    done = botd(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
