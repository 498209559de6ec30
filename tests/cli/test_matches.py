"""`botd matches` and `botd match` on journals that real daemons have written."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from botd.cli.main import main
from botd.engine import rules
from botd.engine.types import STARTING_BOARD
from tests.played import PlayedJournals

BOTD = f"{shlex.quote(sys.executable)} -m botd.cli.main"


def said(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """What the command writes; its messages instead if it is to fail."""
    with contextlib.suppress(SystemExit):
        assert main(arguments) == status
    written = capsys.readouterr()
    return written.out if status == 0 else written.err


def test_matches_are_a_table(played_journals: PlayedJournals, capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "matches", "--journal", str(played_journals.fibs)).splitlines()
    assert re.split(r" {2,}", lines[0].strip()) == [
        *("No", "Date (UTC)", "Server", "Account", "Opponent", "Length", "State", "Result", "Games", "Time"),
    ]
    assert [line.split()[0] for line in lines[1:]] == ["1", "2", "3", "4"]
    for line in lines[1:]:
        assert len(re.split(r" {2,}", line.strip())) == 10
    assert sorted(re.findall(r"(won|lost) +(\d)-(\d)", "\n".join(lines))) == [
        ("lost", "0", "3"),
        ("won", "3", "0"),
    ]


def test_matches_as_json(played_journals: PlayedJournals, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(played_journals.fibs)
    found = json.loads(said(capsys, "matches", "--journal", path, "--json", "--limit", "2"))
    assert [match["number"] for match in found] == [3, 4]
    assert {match["state"] for match in found} == {"suspended"}
    assert json.loads(said(capsys, "matches", "--journal", path, "--opponent", "nobody", "--json")) == []


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--since", "yesterday"], "2026-11-30"),
        (["--since", "2026-13-01"], "2026-11-30"),
        (["--length", "-1"], "points"),
        (["--length", "9" * 5000], "points"),
        (["--limit", "many"], "number"),
        (["--state", "lost"], "choice"),
        (["--config", "x", "--journal", "y"], "not allowed"),
    ],
)
def test_wrong_options_are_told(options: list[str], what: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["matches", *options])
    assert ended.value.code == 2
    assert what in capsys.readouterr().err


def test_the_journal_is_found(
    played_journals: PlayedJournals,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("botd.cli.journal_options.CONFIGURATIONS", (Path("botd.toml"), Path("etc.toml")))
    monkeypatch.setattr("botd.cli.journal_options.JOURNALS", (Path("botd.sqlite3"), Path("var.sqlite3")))
    assert "tried botd.toml, botd.sqlite3, etc.toml, var.sqlite3" in said(capsys, "matches", status=1)
    played_journals.copy(played_journals.fibs, tmp_path).rename("var.sqlite3")
    assert "anna_bot" in said(capsys, "matches")
    played_journals.copy(played_journals.bgammon, tmp_path).rename("botd.sqlite3")
    assert "BOT_anna" in said(capsys, "matches")
    Path("botd.toml").write_text('[journal]\npath = "var.sqlite3"\n', encoding="utf-8")
    assert "anna_bot" in said(capsys, "matches")
    Path("botd.toml").write_text("[[accounts]]\n", encoding="utf-8")
    assert "BOT_anna" in said(capsys, "matches", "--config", "botd.toml")
    for text in (
        "[journal\n",
        "journal = 3\n",
        "[journal]\npath = 3\n",
        '[journal]\npath = "\\u0000"\n',
        "\xff",
    ):
        Path("botd.toml").write_text(text, encoding="latin-1")
        told = said(capsys, "matches", status=1)
        assert told.startswith("botd matches: botd.toml: not usable")
        assert told.count("\n") == 1
    assert "No such file" in said(capsys, "matches", "--config", "nowhere.toml", status=1)


def test_a_match_board_by_board(played_journals: PlayedJournals, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "match", "1", "--journal", str(played_journals.fibs))
    brief = said(capsys, "match", "1", "--brief", "--journal", str(played_journals.fibs))
    document = json.loads(said(capsys, "match", "1", "--json", "--journal", str(played_journals.fibs)))
    turns = [turn for game in document["game_list"] for turn in game["turns"]]
    assert len(re.findall(r"\d pips", text)) == 2 * len(turns)
    assert [int(number) for number in re.findall(r"^ (\d+)\. ", text, re.MULTILINE)] == [
        turn["number"] for turn in turns
    ]
    assert [int(number) for number in re.findall(r"^ +(\d+)  (?=anna|bert)", brief, re.MULTILINE)] == [
        turn["number"] for turn in turns
    ]
    assert re.search(r"▸  1\. \S+ .*[+-]0\.\d{4} .* -  ?\d+\.\d", text)
    assert "0-ply, sage fast, search" in text
    assert re.search(r"(anna|bert)_bot wins \d points? \((resigned|passed|borne off)\)", brief)


def check_boards(document: dict[str, Any]) -> None:
    for game in document["game_list"]:
        board = list(STARTING_BOARD)
        for turn in game["turns"]:
            assert turn["board_before"] == board
            board = turn["board_after"]
            assert turn["pips_after"] == list(rules.pip_counts(tuple(board)))
            for decision in turn["decisions"]:
                [chosen] = [option for option in decision["options"] if option["chosen"]]
                assert chosen["loss"] == decision["loss"]
                assert chosen["action"] == decision["chosen"]


@pytest.mark.parametrize("server", ["fibs", "bgammon"])
def test_a_match_as_json(
    played_journals: PlayedJournals, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(getattr(played_journals, server))
    for number in "1234":
        check_boards(json.loads(said(capsys, "match", number, "--json", "--journal", path)))


def test_parts_of_a_match(played_journals: PlayedJournals, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(played_journals.fibs)
    one = said(capsys, "match", "last", "--game", "2", "--move", "3", "--journal", path)
    assert len(re.findall(r"^ \d+\. ", one, re.MULTILINE)) == 1
    assert "Game 2" in one
    assert "Game 1" not in one
    ours = json.loads(said(capsys, "match", "last", "--decisions-only", "--json", "--journal", path))
    turns = [turn for game in ours["game_list"] for turn in game["turns"]]
    assert {turn["side"] for turn in turns} == {"us"}
    assert all(turn["decisions"] for turn in turns)
    assert "game 9: this match has 3" in said(
        capsys, "match", "last", "--game", "9", "--journal", path, status=1
    )
    assert "move 999" in said(capsys, "match", "last", "--move", "999", "--journal", path, status=1)
    told = said(capsys, "match", "\x1b[2J", "--journal", path, status=1)
    assert told.rstrip("\n").isprintable()


def test_ascii_boards_are_ascii(played_journals: PlayedJournals, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "match", "1", "--ascii", "--journal", str(played_journals.fibs))
    assert text.isascii()


def test_hostile_names_and_reasons_are_harmless(
    played_journals: PlayedJournals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = played_journals.copy(played_journals.fibs, tmp_path)
    evil = "\x1b]0;owned\x07\x1b[2J\n名前\u202e\x9b31m=cmd|'/C calc'"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as server:
        server.execute("UPDATE matches SET opponent = ?, account = ?, server = ?", (evil, evil, evil))
        server.execute("UPDATE games SET gap = ?, gap_seq = 9", (evil,))
        server.execute("UPDATE decisions SET source = ?, chosen = ?", (evil, evil))
        server.execute("UPDATE moves SET notation = ?", (evil,))
    for arguments in (["matches"], ["match", "1"], ["match", "1", "--brief"]):
        text = said(capsys, *arguments, "--journal", str(path))
        assert all(line.isprintable() for line in text.splitlines())
        assert "\\x1b]0;owned" in text
        assert "名前" in text
    assert json.loads(said(capsys, "match", "1", "--json", "--journal", str(path)))["opponent"] == evil


def test_gaps_and_interruptions_are_told(
    played_journals: PlayedJournals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = played_journals.copy(played_journals.fibs, tmp_path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as journal:
        journal.execute(
            "UPDATE games SET gap = 'the line was cut', gap_seq = 20, complete = 0 WHERE game = 1"
        )
        journal.execute("UPDATE sittings SET how = 'connection_lost'")
        journal.execute(
            "INSERT INTO sittings (match, number, started_at)"
            " SELECT match, 2, (SELECT at FROM moves WHERE match = m.match AND seq > 30 LIMIT 1)"
            " FROM matches m"
        )
    for options in ([], ["--brief"]):
        text = said(capsys, "match", "1", *options, "--journal", str(path))
        assert "Not everything of this game was seen: the line was cut." in text
        assert "-- the line was cut --" in text
        assert "interrupted" in text
        assert "the connection was lost" in text
        assert "resumed at" in text


def test_decisions_without_candidates_are_shown_as_such(
    played_journals: PlayedJournals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = played_journals.copy(played_journals.fibs, tmp_path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as journal:
        journal.execute("UPDATE decisions SET candidates = '{}'")
    assert "no longer kept" in said(capsys, "match", "1", "--journal", str(path))
    document = json.loads(said(capsys, "match", "1", "--json", "--journal", str(path)))
    decisions = [
        decision for game in document["game_list"] for turn in game["turns"] for decision in turn["decisions"]
    ]
    assert {decision["loss"] for decision in decisions} == {None}
    assert re.search(
        r"^ .* {2}[+-]\d\.\d{3}$", said(capsys, "match", "1", "--brief", "--journal", str(path)), re.M
    )


def test_a_suspended_match_says_how_it_stopped(
    played_journals: PlayedJournals, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(played_journals.fibs)
    endings = {said(capsys, "match", name, "--brief", "--journal", path).splitlines()[-1] for name in "34"}
    assert any("interrupted at" in text and "we left" in text for text in endings)
    assert any("interrupted at" in text and "the opponent left" in text for text in endings)


@pytest.mark.parametrize("command", ["matches", "match 1", "match 1 --json"])
def test_a_reader_that_leaves_is_no_trouble(played_journals: PlayedJournals, command: str) -> None:
    journal = shlex.quote(str(played_journals.fibs))
    for end in ("| head -1", ">/dev/full", ">&-"):
        result = subprocess.run(
            ["/bin/sh", "-c", f"{BOTD} {command} --journal {journal} {end}"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in result.stderr
        assert result.stderr == ("" if end != ">/dev/full" else result.stderr)
        assert result.stderr.count("\n") <= 1


def test_names_that_the_terminal_cannot_show(played_journals: PlayedJournals, tmp_path: Path) -> None:
    path = played_journals.copy(played_journals.fibs, tmp_path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as journal:
        journal.execute("UPDATE matches SET opponent = 'Grüße'")
    for command in (["matches"], ["match", "1"]):
        result = subprocess.run(
            [sys.executable, "-m", "botd.cli.main", *command, "--journal", str(path)],
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        assert "Gr\\xfc\\xdfe" in result.stdout


def test_colours_are_for_terminals(played_journals: PlayedJournals, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    for variable, coloured in (("", True), ("1", False)):
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("NO_COLOR", variable)
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        assert main(["match", "1", "--journal", str(played_journals.fibs)]) == 0
        assert ("\x1b[" in terminal.getvalue()) == coloured
