"""`botd check` tells people and programs what is wrong, and what to do."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests.journal.real_files import played


def botd(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "botd.cli.main", "check", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_a_sound_journal(tmp_path: Path) -> None:
    path = played(tmp_path)
    done = botd("--journal", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{path}: 4 matches, 10 games, 324 decisions checked; nothing is wrong\n"
    told = json.loads(botd("--journal", path, "--json").stdout)
    numbers = {"schema": 5, "matches": 4, "games": 10, "decisions": 324}
    assert told == {"sound": True, "file": str(path), "findings": []} | numbers


def test_what_is_wrong_is_told_match_by_match(tmp_path: Path) -> None:
    path = played(tmp_path)
    change(
        path,
        "UPDATE rolls SET die1 = 1 + die1 % 6 WHERE id = 20",
        "UPDATE matches SET winner = NULL WHERE number = 1",
        "UPDATE decisions SET settings = '\x1b[2J' WHERE match IN"
        " (SELECT match FROM matches WHERE number = 2)",
        "CREATE TABLE theirs (x)",
    )
    done = botd("--journal", path)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "note: table theirs is not of botd"
    assert any(line.startswith("match 2026") for line in lines)
    assert "  is finished with no winner" in lines
    assert any("--all" in line for line in lines)
    assert "things are wrong, in " in lines[-3]
    assert "--rescue NEW" in lines[-1]
    assert "\x1b" not in done.stdout
    assert len(botd("--journal", path, "--all").stdout.splitlines()) > len(lines) + 20
    told = json.loads(botd("--journal", path, "--json").stdout)
    assert told["sound"] is False
    assert {"what", "match", "game", "seq", "note"} == set(told["findings"][0])


def test_a_damaged_file_is_rescued(tmp_path: Path) -> None:
    path = played(tmp_path)
    data = bytearray(path.read_bytes())
    data[60 * 4096 : 61 * 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    done = botd("--journal", path)
    assert done.returncode == 1
    assert "malformed" in done.stdout
    new = tmp_path / "new.sqlite3"
    done = botd("--journal", path, "--rescue", new)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("rescued 4 matches (")
    assert "nothing is wrong" in done.stdout
    again = botd("--journal", path, "--rescue", new)
    assert again.returncode == 1
    assert again.stderr == f"botd check: {new}: cannot be made: File exists\n"


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("nothing\n" * 1000)
    for name in ("text", "absent"):
        done = botd("--journal", tmp_path / name)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith("botd check: journal ")
