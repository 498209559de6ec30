"""`botd explain` on journals that real daemons have written."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from botd.cli.main import main
from botd.journal.reader import JournalReader
from tests.cli.test_matches import said
from tests.played import PlayedJournals


def first_turn(path: Path, kind: str, side: str, match: int | None = None) -> tuple[str, str, str]:
    """Match, game and number of a turn of this kind."""
    with JournalReader(path) as journal:
        for summary in journal.matches():
            for game in journal.record(summary.key).games:
                for turn in game.turns:
                    if (turn.kind, turn.side) == (kind, side) and match in (None, summary.number):
                        return str(summary.number), str(game.number), str(turn.number)
    raise AssertionError(f"no {kind} by {side}")


def test_a_decision_of_ours(played_journals: PlayedJournals, capsys: pytest.CaptureFixture[str]) -> None:
    where = first_turn(played_journals.fibs, "take", "us")
    text = said(capsys, "explain", *where, "--journal", str(played_journals.fibs))
    assert "Whether to take: " in text
    assert "Decided again: the same choice; every equity is the same." in text
    assert re.search(r"weights +[0-9a-f]{12}  same", text)
    assert re.search(r"^ +then +again +sage fast 2-ply +sage fast 3-ply$", text, re.MULTILINE)
    assert re.search(r"sage fast 3-ply, \d+\.\d\d s: ", text)
    document = json.loads(said(capsys, "explain", *where, "--json", "--journal", str(played_journals.fibs)))
    [decision] = document["decisions"]
    assert (document["number"], document["game"], document["move"]) == tuple(map(int, where))
    assert decision["same_choice"] is True
    assert decision["then"]["chosen"] == decision["again"]["chosen"]
    assert [verdict["ply"] for verdict in decision["today"]] == [2, 3]


@pytest.mark.parametrize("kind", ["move", "double", "offer", "accept"])
@pytest.mark.parametrize("side", ["us", "opponent"])
def test_every_kind_of_turn_of_either_side(
    played_journals: PlayedJournals, kind: str, side: str, capsys: pytest.CaptureFixture[str]
) -> None:
    where = first_turn(played_journals.fibs, kind, side)
    text = said(capsys, "explain", *where, "--ply", "0", "--journal", str(played_journals.fibs))
    assert ("judged as analysis" in text) == (side == "opponent")
    assert ("Decided again" in text) == (side == "us")
    assert "sage fast 0-ply" in text
    assert "sage fast 1-ply" in text


def test_numbers_are_those_of_the_match(
    played_journals: PlayedJournals, capsys: pytest.CaptureFixture[str]
) -> None:
    where = first_turn(played_journals.fibs, "take", "us")
    path = str(played_journals.fibs)
    line = f" {where[2]}. "
    listed = said(capsys, "match", where[0], "--game", where[1], "--journal", path)
    explained = said(capsys, "explain", *where, "--ply", "0", "--journal", path)
    [in_match] = [text for text in listed.splitlines() if text.startswith(line)]
    [in_explanation] = [text for text in explained.splitlines() if text.startswith(line)]
    assert in_match == in_explanation


def test_other_engines_and_levels(
    played_journals: PlayedJournals, capsys: pytest.CaptureFixture[str]
) -> None:
    where = first_turn(played_journals.fibs, "move", "us")
    path = str(played_journals.fibs)

    def asked(*options: str) -> list[dict[str, Any]]:
        document = json.loads(said(capsys, "explain", *where, "--json", *options, "--journal", path))
        return list(document["decisions"][-1]["today"])

    assert [each["level"] for each in asked("--level", "easy")] == ["easy"]
    assert [(each["level"], each["asked_ply"]) for each in asked("--level", "expert", "--ply", "0")] == [
        ("expert", 0),
        (None, 0),
        (None, 1),
    ]
    assert [each["engine"] for each in asked("--evaluator", "gnubg", "--ply", "0")] == ["gnubg", "gnubg"]
    assert [each["asked_ply"] for each in asked("--mode", "exact", "--ply", "1")] == [1]


@pytest.mark.parametrize(
    ("arguments", "status", "what"),
    [
        (["1", "9", "1"], 1, "game 9: this match has"),
        (["1", "1", "9999"], 1, "move 9999: game 1 has"),
        (["nobody", "1", "1"], 1, "not in"),
        (["1", "1", "1", "--level", "god"], 2, "expected one of"),
        (["1", "1", "1", "--evaluator", "\x1b[2J"], 1, "cannot be loaded"),
        (["1", "1", "1", "--ply", "5"], 2, "0 to 4"),
        (["1", "one", "1"], 2, "number"),
    ],
)
def test_wrong_arguments_are_told(
    played_journals: PlayedJournals,
    arguments: list[str],
    status: int,
    what: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = said(capsys, "explain", *arguments, "--journal", str(played_journals.fibs), status=status)
    assert what in told
    assert told.splitlines()[-1].isprintable()


def test_a_changed_record_does_not_come_out_again(
    played_journals: PlayedJournals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = played_journals.copy(played_journals.fibs, tmp_path)
    where = first_turn(path, "take", "us")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as journal:
        journal.execute(
            "UPDATE decisions SET chosen = 'pass', weights_sha256 = 'beef',"
            " candidates = json_set(candidates, '$.double_take', 1.25) WHERE kind = 'take'"
        )
    text = said(capsys, "explain", *where, "--ply", "0", "--journal", str(path))
    assert "Decided again: take comes out; equities differ by up to" in text
    assert "may come from what has changed: weights" in text
    assert "pass costs" in text


def test_a_long_search_can_be_interrupted(played_journals: PlayedJournals) -> None:
    where = first_turn(played_journals.fibs, "double", "us")
    options = ["--mode", "exact", "--ply", "4", "--journal", str(played_journals.fibs)]
    process = subprocess.Popen([sys.executable, "-m", "botd.cli.main", "explain", *where, *options])
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) in (-signal.SIGINT, 130)


def test_a_tie_has_nothing_to_explain(
    played_journals: PlayedJournals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = played_journals.copy(played_journals.fibs, tmp_path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as journal:
        journal.execute(
            "INSERT INTO rolls (match, game, seq, at, side, die1, die2, opening)"
            " SELECT match, game, 0, at, NULL, 2, 2, 1 FROM rolls WHERE game = 1 AND seq = 1"
        )
    assert "nothing to decide" in said(capsys, "explain", "1", "1", "1", "--journal", str(path), status=1)


def test_without_a_position_there_is_one_line(
    played_journals: PlayedJournals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = played_journals.copy(played_journals.fibs, tmp_path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as journal:
        journal.execute("UPDATE games SET gap_seq = 0, gap = 'begun elsewhere', complete = 0")
        journal.execute("DELETE FROM decisions")
        journal.execute("UPDATE moves SET position_id = ''")
    told = said(capsys, "explain", "1", "1", "2", "--journal", str(path), status=1)
    assert "not in the record" in told
    assert told.count("\n") == 1
    assert main(["match", "1", "--journal", str(path)]) == 0


def test_a_hostile_record_is_harmless(
    played_journals: PlayedJournals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = played_journals.copy(played_journals.fibs, tmp_path)
    where = first_turn(path, "move", "us")
    evil = "\x1b]0;owned\x07\n\u202e"
    settings = json.dumps({"engine": evil, "level": evil, "refused": [evil], evil: evil})
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as server:
        server.execute("UPDATE matches SET opponent = ?, account = ?, server = ?", (evil, evil, evil))
        server.execute(
            "UPDATE decisions SET source = ?, chosen = ?, evaluator = ?, weights_sha256 = ?, settings = ?",
            (evil, evil, evil, evil, settings),
        )
    text = said(capsys, "explain", *where, "--ply", "0", "--journal", str(path))
    assert "\\x1b]0;owned" in text
    assert "cannot be decided again" in text
    assert all(line.isprintable() for line in text.splitlines())
    assert json.loads(said(capsys, "explain", *where, "--ply", "0", "--json", "--journal", str(path)))
