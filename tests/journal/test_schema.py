"""Older files are brought up to date without losing anything."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from botd.journal import Journal
from botd.journal import records as r
from botd.journal.history import load_history
from botd.journal.schema import MIGRATIONS, SCHEMA_VERSION, SchemaError, migrate


def database(path: Path, version: int) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, version)
    return connection


def dump(connection: sqlite3.Connection) -> list[str]:
    return [
        row[0]
        for row in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
    ]


async def test_a_file_of_version_1_is_migrated_with_its_content(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    old = database(path, 1)
    old.execute(
        "INSERT INTO matches VALUES ('m', 'fibs', 'botd', 'anna', 5, 1, 0, '2026-01-02T03:04:05.000Z', NULL,"
        " 'suspended', NULL, 0, 0, 2, 1)"
    )
    for game, complete in ((1, 0), (2, 1)):
        old.execute(
            "INSERT INTO games (match, game, started_at, score_us, score_opponent, crawford, complete)"
            " VALUES ('m', ?, '2026-01-02T03:04:05.000Z', 0, 0, 0, ?)",
            (game, complete),
        )
        old.execute(
            "INSERT INTO rolls (match, game, seq, at, side, die1, die2, opening)"
            " VALUES ('m', ?, 1, '2026-01-02T03:04:05.000Z', 'us', 3, 1, 1)",
            (game,),
        )
    assert old.execute("PRAGMA user_version").fetchone() == (1,)
    old.close()
    async with Journal(path) as journal:
        found = await journal.find_resumable(server="fibs", account="botd", opponent="anna", length=5)
        assert found is not None
        assert (found.score, found.game, found.game_open) == ((2, 1), 2, True)
        history = await journal.ask(lambda connection: load_history(connection, r.MatchKey("m")))
    first, second = history.games
    assert first.gap
    assert first.events == ()
    assert not second.gap
    assert len(second.events) == 1
    new = sqlite3.connect(path)
    fresh = database(tmp_path / "fresh.sqlite3", SCHEMA_VERSION)
    assert new.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    assert dump(new) == dump(fresh)
    assert new.execute("SELECT matches, suspended FROM results").fetchall() == [(1, 1)]
    new.close()
    fresh.close()


def test_decisions_of_version_2_were_made_in_exact_mode(tmp_path: Path) -> None:
    connection = database(tmp_path / "j.sqlite3", 2)
    columns = [row[1] for row in connection.execute("PRAGMA table_info(decisions)")]
    values: dict[str, object] = dict.fromkeys(columns, "x")
    values |= {"id": 7, "game": 1, "seq": 3, "die1": 3, "die2": 1, "ply": 2, "equity": 0.1, "duration": 0.5}
    connection.execute(
        f"INSERT INTO decisions VALUES ({', '.join('?' * len(columns))})",
        tuple(values.values()),
    )
    assert migrate(connection) == 2
    connection.row_factory = sqlite3.Row
    (row,) = connection.execute("SELECT * FROM decisions").fetchall()
    assert dict(row) == values | {"mode": "exact"}
    connection.close()


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    connection = database(tmp_path / "j.sqlite3", SCHEMA_VERSION)
    before = dump(connection)
    assert migrate(connection) == SCHEMA_VERSION
    assert dump(connection) == before
    connection.close()


def test_a_migration_that_fails_leaves_the_last_whole_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = database(tmp_path / "j.sqlite3", SCHEMA_VERSION)
    before = dump(connection)
    broken = "CREATE TABLE half (x);\nCREATE TABLE half (x);\n"
    monkeypatch.setattr("botd.journal.schema.MIGRATIONS", (*MIGRATIONS, broken))
    monkeypatch.setattr("botd.journal.schema.SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, SCHEMA_VERSION + 1)
    assert dump(connection) == before
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    connection.close()


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    connection = database(tmp_path / "j.sqlite3", SCHEMA_VERSION)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(SchemaError, match="newer"):
        migrate(connection)
    connection.close()
