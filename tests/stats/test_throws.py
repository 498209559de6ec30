"""Throws as the journal has them, checked against a second way to count and against holes in the record."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from botd.journal import records as r
from botd.journal.history import Replay, load_history
from botd.stats.dice import Throw
from botd.stats.dice_report import dice_report
from botd.stats.throws import match_throws, roll_log, tally_of
from tests.stats.journals import Played, journal_writer

US, OPPONENT = r.Side.US, r.Side.OPPONENT
BAR = 25


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("journal") / "j.sqlite3"
    with journal_writer(path) as write:
        for seed in range(12):
            Played(write, seed, 3).whole_match()
    return path


def matches(connection: sqlite3.Connection) -> list[r.MatchKey]:
    return [row[0] for row in connection.execute("SELECT match FROM matches ORDER BY match")]


def replayed(connection: sqlite3.Connection, match: r.MatchKey) -> list[list[Throw]]:
    """The same throws by playing the match again on a board of our own."""
    games = []
    for game in load_history(connection, match).games:
        assert not game.gap
        replay, throws = Replay(), []
        for event in game.events:
            if isinstance(event, r.Rolled):
                entry = None
                if event.side is not None and not event.opening and replay.boards[event.side][BAR]:
                    board = replay.boards[event.side]
                    entry = tuple(die for die in range(1, 7) if board[25 - die] >= -1)
                throws.append(Throw(event.side, event.dice, event.opening, entry))
            replay.apply(event)
        games.append(throws)
    return games


def test_throws_are_those_of_the_game_played_again(journal: Path) -> None:
    on_bar = 0
    with contextlib.closing(sqlite3.connect(journal)) as connection:
        for match in matches(connection):
            found = match_throws(connection, match)
            assert found == replayed(connection, match)
            on_bar += sum(throw.entry is not None for game in found for throw in game)
    assert on_bar > 500


def test_counts_are_those_of_sql(journal: Path) -> None:
    with contextlib.closing(sqlite3.connect(journal)) as connection:
        report = dice_report(tally_of(connection, matches(connection)), "local:4321")
        counted = dict(
            connection.execute(
                "SELECT max(die1, die2) || min(die1, die2), count(*) FROM rolls"
                " WHERE side = 'us' AND NOT opening GROUP BY 1"
            ).fetchall()
        )
        [total] = connection.execute("SELECT count(*) FROM rolls").fetchone()
        [equal] = connection.execute("SELECT count(*) FROM rolls WHERE side IS NULL").fetchone()
    assert {pair.name: pair.count for pair in report.us.pairs if pair.count} == counted
    assert report.rolls == total
    assert report.openings.equal == equal > 0
    assert report.matches == 12
    assert report.verdict == "ordinary"  # the dice of the standard library


def test_the_log_has_every_roll(journal: Path) -> None:
    with contextlib.closing(sqlite3.connect(journal)) as connection:
        [match, *_] = matches(connection)
        log = list(roll_log(connection, match))
        rows = connection.execute(
            "SELECT game, at, side, die1, die2 FROM rolls WHERE match = ? ORDER BY game, seq", (match,)
        ).fetchall()
    assert [(t.game, t.at, t.side, *t.dice) for t in log] == rows
    assert [throw.number for throw in log] == list(range(1, len(rows) + 1))
    assert log[0].opening


def test_a_throw_shown_twice_counts_once_and_holes_hide_the_board(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    key = r.MatchKey("20260528-000000-00000001")
    game = r.GameKey(key, 1)
    somewhere = "4HPwATDgc/ABMA"
    with journal_writer(path) as write:
        write(r.MatchStarted, key, "s", "botd", "anna", 1)
        write(r.GameStarted, game, (0, 0))
        write(r.Rolled, game, US, (3, 1), opening=True)
        write(r.Rolled, game, US, (3, 1))  # the server says again what is to be played
        write(r.Moved, game, US, (3, 1), ((8, 5), (6, 5)), "8/5 6/5", position_id=somewhere)
        write(r.Rolled, game, OPPONENT, (2, 2))
        write(r.Rolled, game, OPPONENT, (2, 2))  # resumed in the middle of the turn
        write(r.GameGap, game, "the connection was lost")
        write(r.Moved, game, OPPONENT, (2, 2), (), "", position_id="no position id")
        write(r.Rolled, game, US, (5, 5))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert match_throws(connection, key) == [
            [Throw(US, (3, 1), opening=True), Throw(OPPONENT, (2, 2)), Throw(US, (5, 5))]
        ]
        assert len(list(roll_log(connection, key))) == 5


def test_an_empty_match_has_no_throws(tmp_path: Path) -> None:
    with journal_writer(tmp_path / "j.sqlite3") as write:
        write(r.MatchStarted, r.MatchKey("a"), "s", "botd", "anna", 1)
        assert match_throws(write.connection, r.MatchKey("a")) == []
        assert match_throws(write.connection, r.MatchKey("unknown")) == []
        assert list(roll_log(write.connection, r.MatchKey("a"))) == []
