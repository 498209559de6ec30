"""Whatever is changed in a journal is found, or does not matter."""

from __future__ import annotations

import random
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from botd.journal import Journal, rows
from botd.journal import records as r
from botd.journal.check import check
from botd.journal.check_match import check_match
from botd.journal.opening import open_file
from botd.journal.read_only import JournalReadError
from botd.journal.rows import EVENTS
from botd.journal.schema import SCHEMA_VERSION
from botd.journal.store import Store
from tests.journal.real_files import Rows, content, names, played, written_by
from tests.journal.test_journal import open_match


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("played"))


@pytest.fixture
def connection(journal: Path) -> Iterator[sqlite3.Connection]:
    """Whatever a test does to it is undone."""
    with closing(sqlite3.connect(journal, isolation_level=None)) as opened:
        opened.execute("BEGIN")
        yield opened
        opened.execute("ROLLBACK")


def finished(connection: sqlite3.Connection) -> r.MatchKey:
    (key,) = connection.execute("SELECT min(match) FROM matches WHERE state = 'finished'").fetchone()
    return r.MatchKey(key)


def play(journal: Journal, match: r.MatchKey) -> r.GameKey:
    """A roll and a move of each side."""
    game = journal.game_started(match, 1, (0, 0))
    journal.opening_rolled(game, 3, 1)
    journal.moved(game, r.Side.US, (3, 1), ((8, 5), (6, 5)), "8/5 6/5")
    journal.rolled(game, r.Side.OPPONENT, (6, 5))
    journal.moved(game, r.Side.OPPONENT, (6, 5), ((24, 18), (18, 13)), "24/13")
    return game


def wrong(connection: sqlite3.Connection, match: r.MatchKey) -> list[str]:
    found = check_match(connection, match, time.time()).findings
    return [finding.what for finding in found if not finding.note]


# -- nothing is wrong ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_real_files_of_every_version_are_sound(tmp_path: Path, version: int) -> None:
    path = written_by(version, tmp_path)
    checked = check(path)
    assert checked.findings == ()
    assert checked.sound
    assert (checked.schema, checked.matches, checked.games, checked.decisions) == (version, 4, 10, 324)
    assert path.read_bytes() == written_by(version, tmp_path).read_bytes()


async def test_a_journal_is_sound_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    async with Journal(path) as journal:
        match = open_match(journal)
        play(journal, match)
        await journal.flush()
        assert check(path).findings == ()
        journal.match_suspended(match, r.Suspension.LEFT, (0, 0))
        await journal.flush()
        assert check(path).findings == ()


async def test_what_is_written_in_the_midst_of_a_check_is_no_contradiction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.sqlite3"
    async with Journal(path) as journal:
        match = open_match(journal, length=1)
        game = play(journal, match)
    read = rows.read

    def reading(connection: sqlite3.Connection, table: str, *arguments: Any) -> Any:
        if table == "scores":  # the match, its sittings and games have been read
            with closing(open_file(path, busy_timeout=1)) as other:
                Store(other).apply(r.GameEnded(game, r.Side.US, 1, r.GameEnd.UNKNOWN, (1, 0)))
                Store(other).apply(r.MatchEnded(match, r.Side.US, (1, 0)))
        return read(connection, table, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(rows, "read", reading)
        assert check(path).findings == ()
    assert check(path).findings == ()
    assert content(path)["matches"][0]["state"] == "finished"


async def test_a_record_that_was_refused_leaves_no_hole(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    async with Journal(path) as journal:
        game = play(journal, open_match(journal))
        journal.rolled(game, r.Side.US, (7, 1))
        journal.rolled(game, r.Side.US, (6, 1))
        await journal.flush()
        assert journal.status().dropped == 1
    assert check(path).findings == ()


async def test_a_sitting_cut_off_by_a_kill_does_not_get_the_end_of_the_next(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    async with Journal(path) as journal:
        match = open_match(journal)
        play(journal, match)
    async with Journal(path) as journal:
        journal.match_resumed(match, (0, 0))
        journal.match_suspended(match, r.Suspension.LEFT, (0, 0))
    assert [(row["how"], row["ended_at"] is None) for row in content(path)["sittings"]] == [
        (None, True),
        ("left", False),
    ]
    assert check(path).findings == ()


def test_such_sittings_of_older_files_are_mended(tmp_path: Path) -> None:
    path = written_by(4, tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "INSERT INTO sittings SELECT match, 2, started_at, ended_at, how FROM sittings LIMIT 1"
        )
        connection.commit()
    assert check(path).sound


# -- one change ----------------------------------------------------------------------------------------------

SIDE_SWAPPED = "side = CASE side WHEN 'us' THEN 'opponent' ELSE 'us' END"
WINNER_SWAPPED = SIDE_SWAPPED.replace("side", "winner")
ALL = None


@dataclass(frozen=True)
class Change:
    """What is done to one match, and what must be said of it."""

    table: str
    set: str
    """Empty: rows are removed."""
    where: str
    which: int | None
    """The row at this place of those; ALL of them."""
    words: str


CHANGES = {
    "a die of a roll": Change("rolls", "die1 = 1 + die1 % 6", "", 9, "had no such dice|dice"),
    "the dice of a move": Change("moves", "die1 = 1 + die1 % 6", "", 9, "had no such dice"),
    "an opening die": Change("rolls", "die1 = 7 - die1, die2 = 7 - die2", "opening", ALL, "begin"),
    "who rolled": Change("rolls", SIDE_SWAPPED, "", 9, "was not to roll"),
    "who moved": Change("moves", SIDE_SWAPPED, "", 9, "had no such dice"),
    "the steps": Change("moves", "steps = '24/23 24/23'", "", 9, "no die|no checker|notation|blocked"),
    "a move made a dance": Change(
        "moves", "steps = '', notation = '', position_id = ''", "steps <> ''", 9, "something could be"
    ),
    "half a move": Change(
        "moves", "steps = substr(steps, 1, instr(steps, ' ') - 1)", "steps LIKE '% %'", 9, "not legal"
    ),
    "the notation": Change("moves", "notation = '24/18 13/11'", "steps <> ''", 9, "notation"),
    "the position": Change("moves", "position_id = '4HPwATDgc/ABMA'", "", 9, "position"),
    "a position that is none": Change("moves", "position_id = 'x'", "", 9, "position_id"),
    "a roll removed": Change("rolls", "", "", 9, "missing"),
    "a move removed": Change("moves", "", "", 9, "missing"),
    "a decision removed": Change("decisions", "", "", 9, "missing"),
    "a cube action removed": Change("cube_actions", "", "", 0, "missing"),
    "a decision's place": Change("decisions", "seq = seq + 1", "", 9, "this place"),
    "a decision's game": Change("decisions", "game = 9", "", 9, "missing|not there itself"),
    "what was chosen": Change(
        "decisions", "chosen = '24/23 24/22'", "kind = 'play'", 9, "none of its|no legal"
    ),
    "another candidate": Change(
        "decisions",
        "chosen = json_extract(candidates, '$.plays[1].move'),"
        " equity = json_extract(candidates, '$.plays[1].equity')",
        "kind = 'play' AND json_array_length(candidates, '$.plays') > 1",
        9,
        "was chosen, but",
    ),
    "the dice of a decision": Change("decisions", "die1 = 1 + die1 % 6", "kind = 'play'", 9, "dice"),
    "its position": Change("decisions", "position_id = '4HPwATDgc/ABMA'", "", 9, "position"),
    "its equity": Change("decisions", "equity = equity + 0.001", "kind = 'play'", 9, "equity"),
    "no equity": Change("decisions", "equity = NULL", "", 9, "equity"),
    "its candidates": Change("decisions", "candidates = substr(candidates, 3)", "", 9, "JSON"),
    "candidates of another kind": Change("decisions", "candidates = '[]'", "", 9, "JSON object"),
    "no candidates": Change(
        "decisions", 'candidates = \'{"legal":3,"plays":[]}\'', "kind = 'play'", 9, "number"
    ),
    "its settings": Change("decisions", "settings = 'x'", "", 9, "JSON"),
    "a double that was not made": Change(
        "decisions", "chosen = 'double'", "kind = 'double' AND chosen = 'roll'", 5, "'roll' was done"
    ),
    "a double not chosen": Change(
        "decisions", "chosen = 'roll'", "chosen = 'double'", 0, "'double' was done"
    ),
    "another answer": Change(
        "decisions",
        "chosen = CASE chosen WHEN 'take' THEN 'pass' ELSE 'take' END",
        "kind = 'take'",
        0,
        "was done",
    ),
    "the cube": Change("cube_actions", "cube = 2 * cube", "", 0, "cube is at"),
    "who doubled": Change("cube_actions", SIDE_SWAPPED, "", 0, "was not to double"),
    "a game removed": Change("games", "", "game = 1", ALL, "games are"),
    "the last game removed": Change("games", "", "game > 1", ALL, "not there itself"),
    "who won a game": Change("games", WINNER_SWAPPED, "", 0, "score|borne off|pass"),
    "the points of a game": Change("games", "points = points + 1", "", 0, "points|score|games make"),
    "the score before a game": Change("games", "score_us = score_us + 1", "game = 2", 0, "begins at"),
    "half a result": Change("games", "winner = NULL", "", 0, "half a result"),
    "no result": Change(
        "games", "winner = NULL, points = NULL, how = NULL, ended_at = NULL", "", 0, "no result|scores"
    ),
    "how a game ended": Change(
        "games", "how = CASE how WHEN 'borne_off' THEN 'passed' ELSE 'borne_off' END", "", 0, "is said to"
    ),
    "a Crawford game": Change("games", "crawford = 1", "game = 1", 0, "Crawford"),
    "a game that was not whole": Change("games", "complete = 0", "", 0, "says both"),
    "the winner": Change("matches", WINNER_SWAPPED, "", ALL, "cannot have won"),
    "no winner": Change("matches", "winner = NULL", "", ALL, "winner"),
    "the score": Change("matches", "score_us = score_us + 1", "", ALL, "score|games make"),
    "the first score": Change("matches", "first_score_us = 1", "", ALL, "begins at"),
    "the length": Change("matches", "length = 50", "", ALL, "cannot have won"),
    "the state": Change("matches", "state = 'suspended'", "", ALL, "winner"),
    "the number": Change("matches", "number = NULL", "", ALL, "number"),
    "a sitting removed": Change("sittings", "", "", ALL, "sittings"),
    "a sitting's number": Change("sittings", "number = 3", "", ALL, "sittings"),
    "a sitting's end": Change("sittings", "ended_at = NULL", "", ALL, "end without a reason"),
    "why a sitting ended": Change("sittings", "how = 'left'", "", ALL, "last sitting"),
    "a score removed": Change("scores", "", "event = 'game'", 0, "after games"),
    "the start removed": Change("scores", "", "event = 'start'", ALL, "begin with the start"),
    "the end removed": Change("scores", "", "event = 'end'", ALL, "do not have the end"),
    "a score on the way": Change("scores", "score_us = score_us + 1", "event = 'game'", 0, "score"),
    "a time": Change("moves", "at = 'yesterday'", "", 9, "at"),
    "a day that is none": Change("rolls", "at = '2026-02-31T00:00:00.000Z'", "", 9, "day"),
    "a number that is a text": Change("rolls", "die2 = 'six'", "", 9, "die2"),
    "a state that is none": Change("matches", "state = 'over'", "", ALL, "state"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_one_change_is_found(connection: sqlite3.Connection, name: str) -> None:
    change = CHANGES[name]
    connection.execute("PRAGMA ignore_check_constraints = ON")
    where = f"({change.where or 1})"
    limit = "" if change.which is ALL else f"LIMIT 1 OFFSET {change.which}"
    changed = 0
    for (match,) in connection.execute(
        "SELECT match FROM matches WHERE state = 'finished' ORDER BY match"
    ).fetchall():
        assert wrong(connection, match) == []
        rowids = (
            f"SELECT rowid FROM {change.table} WHERE match = '{match}' AND {where} ORDER BY rowid {limit}"
        )
        action = f"UPDATE {change.table} SET {change.set}" if change.set else f"DELETE FROM {change.table}"
        changed = connection.execute(f"{action} WHERE rowid IN ({rowids})").rowcount
        if changed:  # not in every match is there a take, say
            found = wrong(connection, match)
            assert re.search(change.words, "\n".join(found)), found
            break
    assert changed


@pytest.mark.parametrize("table", ["rolls", "moves"])
def test_dice_changed_everywhere_are_found(connection: sqlite3.Connection, table: str) -> None:
    match = finished(connection)
    game, seq = connection.execute(
        "SELECT game, seq FROM moves WHERE match = ? AND side = 'opponent' AND die1 <> die2"
        " AND steps <> '' LIMIT 1 OFFSET ?",
        (match, 4 if table == "rolls" else 7),
    ).fetchone()
    for both in ("rolls", "moves"):
        connection.execute(
            f"UPDATE {both} SET die1 = 1 + die1 % 6 WHERE match = ? AND game = ? AND seq BETWEEN ? AND ?",
            (match, game, seq - 1, seq),
        )
    assert wrong(connection, match)


ONLY_TOLD_HERE = {
    "matches": {
        *("server", "account", "opponent", "crawford", "jacoby", "length", "number"),
        *("started_at", "ended_at"),
    },
    "sittings": {"started_at", "ended_at"},
    "games": {"started_at", "ended_at", "crawford", "gap", "how"},
    "rolls": {"at"},
    "moves": {"at", "automatic", "position_id"},
    "cube_actions": {"at"},
    "resignations": {"at", "level"},
    "decisions": {
        *("at", "match_id", "ply", "source", "duration", "candidates", "engine_version", "evaluator"),
        *("weights_sha256", "cpu_path", "met", "settings", "mode", "position_id", "equity", "chosen"),
    },
    "scores": {"at", "game"},
}
"""Columns of which nothing else in the journal tells whether another sensible value would be right."""


def test_every_column_of_every_table_is_looked_at(connection: sqlite3.Connection) -> None:
    """A value of the wrong kind is found everywhere; a wrong one of the right kind wherever it can be."""
    match = finished(connection)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    draw = random.Random(5)
    not_found = []
    for table, free in ONLY_TOLD_HERE.items():
        info = connection.execute(f"PRAGMA table_info({table})").fetchall()
        ids = [row[0] for row in connection.execute(f"SELECT rowid FROM {table} WHERE match = ?", (match,))]
        if not ids:
            continue
        for column, kind in [(row[1], row[2]) for row in info]:
            if column in ("id", "match"):
                continue
            rowid = draw.choice(ids[len(ids) // 3 : 2 * len(ids) // 3 + 1])
            (value,) = connection.execute(
                f"SELECT {column} FROM {table} WHERE rowid = ?", (rowid,)
            ).fetchone()
            others: list[object] = [b"\xff", -7] if kind != "TEXT" else [b"\xff"]
            if column not in free and isinstance(value, int):
                others.append(value + 1)
            if column not in free and isinstance(value, str):
                others.append({"us": "opponent", "opponent": "us"}.get(value, f"{value}1"))
            if column == "winner":
                others.append(None)
            for other in others:
                connection.execute("SAVEPOINT change")
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (other, rowid))
                if not wrong(connection, match):
                    not_found.append((table, column, value, other))
                connection.execute("ROLLBACK TO change")
    # An equity may be negative, and a game that the record does not begin with may have any place.
    assert [
        item for item in not_found if item[:2] not in {("decisions", "equity"), ("games", "gap_seq")}
    ] == []


def test_every_row_of_a_finished_match_is_missed(connection: sqlite3.Connection) -> None:
    match = finished(connection)
    draw = random.Random(6)
    for table in ("matches", "sittings", "games", "scores", *EVENTS):
        ids = [row[0] for row in connection.execute(f"SELECT rowid FROM {table} WHERE match = ?", (match,))]
        for rowid in draw.sample(ids, min(8, len(ids))):
            connection.execute("SAVEPOINT change")
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))
            gone = table == "matches"
            assert gone or wrong(connection, match), (table, rowid)
            connection.execute("ROLLBACK TO change")


# -- the whole file ------------------------------------------------------------------------------------------


def changed_file(journal: Path, folder: Path, *statements: str) -> Path:
    path = folder / "journal.sqlite3"
    path.write_bytes(journal.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


@pytest.mark.parametrize(
    ("statement", "words", "sound"),
    [
        ("DELETE FROM matches WHERE number = 2", "of a match that is not there", False),
        ("DELETE FROM meta", "last number", False),
        ("UPDATE meta SET value = 2 WHERE key = 'last_number'", "has number 4, but 2", False),
        ("DROP INDEX moves_by_game", "index moves_by_game is missing", False),
        ("DROP VIEW results", "view results is missing", False),
        ("ALTER TABLE scores RENAME COLUMN event TO what", "scores", False),
        ("ALTER TABLE rolls ADD COLUMN more TEXT", "table rolls is not as botd makes it", False),
        (
            "CREATE TRIGGER t AFTER INSERT ON moves BEGIN DELETE FROM moves; END",
            "trigger t is not of botd",
            False,
        ),
        ("CREATE TABLE theirs (x)", "table theirs is not of botd", True),
        ("CREATE INDEX more ON moves (at)", "index more is not of botd", True),
        ("ANALYZE", "", True),
        (
            "INSERT INTO ratings VALUES (1, 's', 'a', '2026-01-01T00:00:00.000Z', -5, 3, NULL)",
            "ratings row 1",
            False,
        ),
        ("INSERT INTO ratings VALUES (1, 's', 'a', 'now', 1500, 3, NULL)", "ratings row 1", False),
        ("INSERT INTO asked VALUES ('s', 'a', 'p', 'x')", "asked row 1", False),
        ("UPDATE matches SET match = NULL WHERE number = 1", "has the key None", False),
        ("UPDATE moves SET at = '2020-01-01T00:00:00.000Z' WHERE id = 50", "set back", True),
        ("UPDATE moves SET at = '2120-01-01T00:00:00.000Z' WHERE id = 50", "in the future", True),
        ("PRAGMA user_version = 0", "schema version 0", False),
        ("UPDATE moves SET notation = CAST(x'38ff' AS TEXT) WHERE id = 50", "is no UTF-8", False),
        ("PRAGMA user_version = 2", "not as botd makes it", False),
    ],
)
def test_what_is_wrong_with_the_file(
    journal: Path, tmp_path: Path, statement: str, words: str, sound: bool
) -> None:
    checked = check(changed_file(journal, tmp_path, statement))
    assert checked.sound is sound
    assert words in "\n".join(finding.what for finding in checked.findings)


def readable(path: Path) -> Rows:
    """Of a file that was found sound."""
    return told_elsewhere(content(path))


def told_elsewhere(rows: Rows) -> Rows:
    """Without what only one place tells."""
    kept: Rows = {}
    for table, items in rows.items():
        if table.startswith("sqlite_"):
            continue
        free = ONLY_TOLD_HERE.get(table, {"value", "rating", "experience"})
        kept[table] = [{name: value for name, value in row.items() if name not in free} for row in items]
    return kept


def outcome(path: Path) -> str:
    """What a check of a damaged file comes to."""
    try:
        checked = check(path)
    except JournalReadError:
        return "refused"
    return "sound" if checked.sound else "found"


def test_a_flipped_bit_is_found_or_harmless(journal: Path, tmp_path: Path) -> None:
    whole = journal.read_bytes()
    expected = readable(journal)
    draw = random.Random(7)
    path = tmp_path / "j.sqlite3"
    outcomes = []
    for number in range(120):
        data = bytearray(whole)
        place = draw.randrange(100 if number % 4 == 0 else len(data))
        data[place] ^= 1 << draw.randrange(8)
        path.write_bytes(data)
        outcomes.append(outcome(path))
        if outcomes[-1] == "sound":
            assert readable(path) == expected, place
    assert {"sound", "found", "refused"} == set(outcomes)


def test_a_file_cut_short_or_overwritten_is_found(journal: Path, tmp_path: Path) -> None:
    whole = journal.read_bytes()
    draw = random.Random(8)
    path = tmp_path / "j.sqlite3"
    for number in range(30):
        place = draw.randrange(1, len(whole))
        torn = whole[:place] if number % 2 else whole[:place] + bytes(4096) + whole[place + 4096 :]
        path.write_bytes(torn[: len(whole)])
        assert outcome(path) in ("found", "refused"), place
    for size in (0, 1, 99, 100, 4096):
        path.write_bytes(whole[:size])
        assert outcome(path) in ("found", "refused")
    assert names(tmp_path)[0] == "j.sqlite3"


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    with pytest.raises(JournalReadError, match="No such file"):
        check(tmp_path / "absent")
    (tmp_path / "text").write_text("no database\n" * 100)
    with pytest.raises(JournalReadError, match="no journal"):
        check(tmp_path / "text")
