"""`botd dice` over journals that daemons have written, and over those nobody would wish for."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from botd.cli.main import main
from botd.journal import records as r
from botd.journal.reader import JournalReader, MatchQuery
from botd.stats.dice_query import dice_by_server
from tests.played import PlayedJournals
from tests.stats.journals import FIRST, Played, journal_writer

Output = pytest.CaptureFixture[str]
HOSTILE = "=cmd|' /C calc'!A0\x1b[31m\u202e<b>"


def dice(capsys: Output, journal: Path, *options: str, status: int = 0) -> str:
    assert main(["dice", "--journal", str(journal), *options]) == status
    return capsys.readouterr().out


def reports(capsys: Output, journal: Path, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(dice(capsys, journal, *options, "--json"))
    return found


def test_real_matches_are_counted_once(played_journals: PlayedJournals, capsys: Output) -> None:
    """Both accounts of the demo are ours, so each roll stands in the journal twice."""
    for journal in (played_journals.fibs, played_journals.bgammon):
        with contextlib.closing(sqlite3.connect(journal)) as connection:
            [[rolls, matches]] = connection.execute("SELECT count(*), count(DISTINCT match) FROM rolls")
        [report] = reports(capsys, journal)
        assert (report["matches"], report["recorded_twice"]) == (matches // 2, matches // 2)
        assert report["rolls"] == rolls // 2
        assert report["verdict"] in ("too_few", "ordinary")
        text = dice(capsys, journal)
        assert f"{matches // 2} matches, {rolls // 2} rolls" in text
        assert "counted once" in text
        each = reports(capsys, journal, "--by", "match")
        assert sum(report["rolls"] for report in each) == rolls


def test_one_account_sees_all_its_matches(played_journals: PlayedJournals, capsys: Output) -> None:
    for account, other in (("anna_bot", "bert_bot"), ("bert_bot", "anna_bot")):
        [report] = reports(capsys, played_journals.fibs, "--account", account)
        [mirror] = reports(capsys, played_journals.fibs, "--account", other)
        assert report["recorded_twice"] == 0
        assert report["us"]["pairs"] == mirror["opponent"]["pairs"]


def test_the_roll_log_is_what_the_table_holds(played_journals: PlayedJournals, capsys: Output) -> None:
    journal = played_journals.fibs
    with contextlib.closing(sqlite3.connect(journal)) as connection:
        match, account, opponent = connection.execute(
            "SELECT match, account, opponent FROM matches WHERE number = 1"
        ).fetchone()
        rows = connection.execute(
            "SELECT at, side, die1, die2, opening FROM rolls WHERE match = ? ORDER BY game, seq", (match,)
        ).fetchall()
    lines = dice(capsys, journal, "--log", "1").splitlines()[1:]
    assert len(lines) == len(rows)
    names = {"us": account, "opponent": opponent, None: "nobody"}
    for line, (at, side, die1, die2, opening) in zip(lines, rows, strict=True):
        assert f"{at}  {names[side]}" in line
        assert f" {die1} {die2}" in line
        assert ("opening" in line) == bool(opening)
    logged = json.loads(dice(capsys, journal, "--log", "1", "--json"))
    assert [tuple(entry["dice"]) for entry in logged] == [row[2:4] for row in rows]


def test_one_match_and_its_message(played_journals: PlayedJournals, capsys: Output) -> None:
    text = dice(capsys, played_journals.fibs, "--match", "1")
    assert " against " in text.splitlines()[0]
    assert "Too few rolls to tell" in " ".join(text.split())
    message = dice(capsys, played_journals.fibs, "--match", "1", "--message")
    assert message.count("\n") == 1
    assert message.startswith("The server rolls the dice, not I")


def test_an_empty_journal_and_one_roll(tmp_path: Path, capsys: Output) -> None:
    empty, one = tmp_path / "empty.sqlite3", tmp_path / "one.sqlite3"
    with journal_writer(empty):
        pass
    with journal_writer(one) as write:
        write(r.MatchStarted, r.MatchKey("m"), "s", "botd", "anna", 1)
        write(r.GameStarted, r.GameKey(r.MatchKey("m"), 1), (0, 0))
        write(r.Rolled, r.GameKey(r.MatchKey("m"), 1), r.Side.US, (3, 1), opening=True)
    for options in ((), ("--by", "match"), ("--message",)):
        assert main(["dice", "--journal", str(empty), *options]) == 0
        assert capsys.readouterr() == ("", "no such matches\n")
    assert reports(capsys, empty) == []
    assert "1 match, 1 roll\n" in dice(capsys, one)
    assert "too few" in dice(capsys, one, "--by", "match")
    assert "no rolls on record" in dice(capsys, one, "--message")


def test_names_from_servers_do_no_harm(tmp_path: Path, capsys: Output) -> None:
    journal = tmp_path / "j.sqlite3"
    with journal_writer(journal) as write:
        Played(write, 1, opponent=HOSTILE, server=HOSTILE).whole_match()
    for options in ((), ("--by", "match"), ("--match", "1"), ("--log", "1"), ("--message",)):
        text = dice(capsys, journal, *options)
        assert all(line.isprintable() for line in text.splitlines())


def test_what_does_not_go_together_is_refused(tmp_path: Path, capsys: Output) -> None:
    journal = tmp_path / "j.sqlite3"
    with journal_writer(journal) as write:
        Played(write, 1, server="one:4321").whole_match()
        Played(write, 2, server="two:4321").whole_match()
    assert len(reports(capsys, journal)) == 2
    assert main(["dice", "--journal", str(journal), "--message"]) == 2
    assert "choose one with --server: one:4321, two:4321" in capsys.readouterr().err
    assert main(["dice", "--journal", str(journal), "--message", "--log", "1"]) == 2
    assert main(["dice", "--journal", str(journal), "--log", "77"]) == 1
    assert "match '77': not in" in capsys.readouterr().err
    assert main(["dice", "--journal", str(tmp_path / "absent")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_a_record_somebody_has_written_into_is_one_line(tmp_path: Path, capsys: Output) -> None:
    journal = tmp_path / "j.sqlite3"
    with journal_writer(journal) as write:
        Played(write, 1).whole_match()
        write.connection.execute("UPDATE rolls SET side = 'nobody' WHERE id = 7")
    assert main(["dice", "--journal", str(journal)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "is damaged" in error


def test_matches_that_only_look_alike_are_both_counted(tmp_path: Path) -> None:
    """Exchanged names an hour later, or another length, are another match."""
    path = tmp_path / "j.sqlite3"
    with journal_writer(path) as write:
        for number, (account, opponent, length, later) in enumerate(
            [
                ("botd", "anna", 1, 0),
                ("Anna", "BOTD", 1, 5),  # the same one
                ("anna", "botd", 1, 6),  # a third record of it cannot be
                ("anna", "botd", 3, 2),
                ("anna", "botd", 1, 3600),
            ]
        ):
            key = r.MatchKey(f"m{number}")
            write.at = FIRST + later
            write(r.MatchStarted, key, "s", account, opponent, length)
    with JournalReader(path) as journal:
        [report] = dice_by_server(journal, MatchQuery())
    assert (report.matches, report.recorded_twice) == (4, 1)
