"""The demo from the outside: real sockets, real worker processes, records that GNU Backgammon reads."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from tests.journal.test_mat import parse, through_gnubg

DEMO = [sys.executable, "-m", "botd.cli.main", "demo", "--fast", "--plain", "--ply", "0"]


def test_demo_plays_records_and_leaves_a_saved_match(tmp_path: Path) -> None:
    transcript = tmp_path / "wire.txt"
    result = subprocess.run(
        [*DEMO, "--seed", "11", "--output", str(tmp_path / "out"), "--transcript", str(transcript)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr
    assert result.stderr == ""
    assert "3 point match" in result.stdout
    assert re.search(r"bert_bot +unlimited +\d+ - +\d+", result.stdout)
    assert "botd run --config" in result.stdout

    # Only valid protocol: the (strict) server had nothing to refuse.
    wire = transcript.read_text(encoding="utf-8")
    # (`join` may cross with the other side's leaving: nobody can know that beforehand.)
    refusal = r" S: \*\* (?!You|Player|Please wait|The board|Will |Won't |Your terminal|Forced|Error: Join)"
    assert [line for line in wire.splitlines() if re.search(refusal, line)] == []
    logins = [line for line in wire.splitlines() if " C: login " in line]
    assert logins
    assert all(line.rstrip().endswith("*") for line in logins), "a password is in the transcript"

    # Every roll that the server announced to a bot stands in that bot's journal.
    with sqlite3.connect(tmp_path / "out" / "journal.sqlite3") as journal:
        assert journal.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        recorded = journal.execute("SELECT count(*) FROM rolls").fetchone()[0]
        announced = len(re.findall(r" S: (?:You roll|\S+ rolls) \d and \d", wire))
        openings = len(re.findall(r" S: You rolled \d, \S+ rolled \d", wire))
        assert recorded == announced + openings
        assert journal.execute("SELECT count(*) FROM decisions").fetchone()[0] > 20

    records = sorted((tmp_path / "out").glob("*.mat"))
    assert len(records) == 4
    for record in records:
        again, said = through_gnubg(record)
        assert parse(again) == parse(record.read_text(encoding="utf-8")), record.name
        assert "error" not in said.lower()


def test_demo_ends_cleanly_on_a_signal(tmp_path: Path) -> None:
    demo = [sys.executable, "-m", "botd.cli.main", "demo", "--plain", "--output", str(tmp_path)]
    process = subprocess.Popen(demo, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if "game 1 begins" in line:
            break
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert "Traceback" not in err


def test_demo_names_a_folder_it_cannot_write(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    result = subprocess.run(
        [*DEMO, "--output", str(blocked / "out")], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 2
    assert "cannot write" in result.stderr
