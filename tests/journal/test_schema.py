"""Older files are brought up to date without losing anything, whatever happens meanwhile."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest
import structlog.testing

from botd.journal import Journal, JournalError, opening
from botd.journal import records as r
from botd.journal.export import json_lines
from botd.journal.history import Replay, load_history
from botd.journal.opening import old_copy, open_file
from botd.journal.schema import MIGRATIONS, SCHEMA_VERSION, SchemaError, migrate
from tests.journal.real_files import Rows, content, names, written_by

OLD_VERSIONS = range(1, SCHEMA_VERSION)


def database(path: Path, version: int) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, version)
    return connection


def shape(connection: sqlite3.Connection) -> list[str]:
    return [
        row[0]
        for row in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
    ]


def version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def holds(new: Rows, old: Rows) -> None:
    """Every row of `old` is in `new` with every value it had."""
    for table, rows in old.items():
        assert len(new[table]) == len(rows) > 0 or table == "asked"
        for found, row in zip(new[table], rows, strict=True):
            assert {name: found[name] for name in row} == row


@pytest.mark.parametrize("old", OLD_VERSIONS)
async def test_a_real_file_of_each_version_is_migrated_with_all_records(tmp_path: Path, old: int) -> None:
    path = written_by(old, tmp_path)
    before = content(path)
    assert len(before["moves"]) > 400
    async with Journal(path) as journal:
        keys = await journal.ask(
            lambda connection: [row[0] for row in connection.execute("SELECT match FROM matches")]
        )
        histories = [
            await journal.ask(lambda connection, key=key: load_history(connection, key)) for key in keys
        ]
        lines = [
            await journal.ask(lambda connection, key=key: list(json_lines(connection, key))) for key in keys
        ]
        suspended = before["matches"][-1]
        found = await journal.find_resumable(
            server=str(suspended["server"]),
            account=str(suspended["account"]),
            opponent=str(suspended["opponent"]),
            length=int(str(suspended["length"])),
        )
    assert found is not None
    assert found.match == suspended["match"]
    holds(content(path), before)
    games = [game for history in histories for game in history.games]
    assert len(games) == len(before["games"])
    assert sum(isinstance(event, r.Moved) for game in games for event in game.events) == len(before["moves"])
    for game in games:
        replay = Replay()
        for event in game.events:
            replay.apply(event)  # raises for what does not follow
    assert sum(map(len, lines)) > sum(len(before[table]) for table in ("moves", "rolls", "decisions"))
    with (
        closing(sqlite3.connect(path)) as new,
        closing(database(tmp_path / "fresh", SCHEMA_VERSION)) as fresh,
    ):
        assert version(new) == SCHEMA_VERSION
        assert shape(new) == shape(fresh)


@pytest.mark.parametrize("old", OLD_VERSIONS)
def test_the_old_file_is_kept_as_it_was(tmp_path: Path, old: int) -> None:
    path = written_by(old, tmp_path)
    path.chmod(0o640)
    before = content(path)
    open_file(path, busy_timeout=1).close()
    kept = old_copy(path, old)
    assert kept.name == f"journal.sqlite3.v{old}.bak"
    assert content(kept) == before
    assert kept.stat().st_mode & 0o777 == 0o640
    with closing(sqlite3.connect(f"file:{kept}?mode=ro", uri=True)) as connection:
        assert version(connection) == old
    open_file(path, busy_timeout=1).close()
    assert names(tmp_path) == ["journal.sqlite3", kept.name]


def test_a_new_file_and_one_of_today_need_no_copy(tmp_path: Path) -> None:
    for _ in range(2):
        open_file(tmp_path / "j.sqlite3", busy_timeout=1).close()
    assert names(tmp_path) == ["j.sqlite3"]


def test_a_copy_that_cannot_be_made_does_not_prevent_the_migration(tmp_path: Path) -> None:
    path = written_by(1, tmp_path)
    old_copy(path, 1).mkdir()  # nothing can be put in its place
    with closing(open_file(path, busy_timeout=1)) as connection:
        assert version(connection) == SCHEMA_VERSION
    assert names(tmp_path) == ["journal.sqlite3", "journal.sqlite3.v1.bak"]


def test_tried_again_and_again_it_is_copied_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written_by(4, tmp_path)
    copied: list[str] = []
    real = opening.copy_database

    def counted(connection: sqlite3.Connection, to: Path, *, mode: int) -> None:
        copied.append(to.name)
        real(connection, to, mode=mode)

    def full(connection: sqlite3.Connection) -> int:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(opening, "copy_database", counted)
    with monkeypatch.context() as patch:
        patch.setattr(opening, "migrate", full)
        for _ in range(3):
            with pytest.raises(sqlite3.OperationalError):
                open_file(path, busy_timeout=1)
    assert copied == ["journal.sqlite3.v4.bak"]
    with closing(sqlite3.connect(path)) as connection:  # gone back to, and played on with
        connection.execute("DELETE FROM asked")
        connection.execute("UPDATE matches SET opponent = 'zoe'")
        connection.commit()
    open_file(path, busy_timeout=1).close()
    assert len(copied) == 2
    assert {row["opponent"] for row in content(old_copy(path, 4))["matches"]} == {"zoe"}


def test_a_disk_with_little_room_is_not_filled_by_the_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written_by(4, tmp_path)
    little = shutil.disk_usage(tmp_path)._replace(free=path.stat().st_size + 1)
    monkeypatch.setattr(opening.shutil, "disk_usage", lambda folder: little)
    with structlog.testing.capture_logs() as logs, closing(open_file(path, busy_timeout=1)) as connection:
        assert version(connection) == SCHEMA_VERSION
    assert [entry["event"] for entry in logs] == ["journal_migrated_without_copy"]
    assert not old_copy(path, 4).exists()


# -- version by version --------------------------------------------------------------------------------------


async def test_games_of_version_1_that_began_unseen_have_no_events(tmp_path: Path) -> None:
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
    with closing(sqlite3.connect(path)) as new:
        assert new.execute("SELECT matches, suspended FROM results").fetchall() == [(1, 1)]


def test_decisions_of_version_2_were_made_in_exact_mode(tmp_path: Path) -> None:
    path = written_by(2, tmp_path)
    with closing(open_file(path, busy_timeout=1)) as connection:
        modes = connection.execute("SELECT DISTINCT mode FROM decisions").fetchall()
    assert modes == [("exact",)]


@pytest.mark.parametrize("old", OLD_VERSIONS)
def test_matches_are_numbered_as_they_began(tmp_path: Path, old: int) -> None:
    path = tmp_path / "journal.sqlite3"
    with closing(database(path, old)) as connection:
        for key, began in (("c", "03"), ("a", "05"), ("d", "01"), ("b", "03")):
            connection.execute(
                "INSERT INTO matches VALUES (?, 'fibs', 'botd', 'anna', 5, 1, 0, ?, NULL, 'finished', 'us',"
                " 0, 0, 5, 1)",
                (key, f"2026-01-02T03:04:{began}.000Z"),
            )
    with closing(open_file(path, busy_timeout=1)) as connection:
        numbers = connection.execute("SELECT match, number FROM matches ORDER BY number").fetchall()
        last = connection.execute("SELECT value FROM meta WHERE key = 'last_number'").fetchall()
    assert numbers == [("d", 1), ("b", 2), ("c", 3), ("a", 4)]
    assert last == [("4",)]


# -- trouble -------------------------------------------------------------------------------------------------


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    connection = database(tmp_path / "j.sqlite3", SCHEMA_VERSION)
    before = shape(connection)
    assert migrate(connection) == SCHEMA_VERSION
    assert shape(connection) == before
    connection.close()


def test_a_migration_that_fails_leaves_the_last_whole_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = database(tmp_path / "j.sqlite3", SCHEMA_VERSION)
    before = shape(connection)
    broken = "CREATE TABLE half (x);\nCREATE TABLE half (x);\n"
    monkeypatch.setattr("botd.journal.schema.MIGRATIONS", (*MIGRATIONS, broken))
    monkeypatch.setattr("botd.journal.schema.SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, SCHEMA_VERSION + 1)
    assert shape(connection) == before
    assert version(connection) == SCHEMA_VERSION
    connection.close()


KILLED_AT_EVERY_STATEMENT = """
    import os, shutil, signal, sys
    from pathlib import Path
    from botd.journal.opening import open_file
    import sqlite3, structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    source, path = map(Path, sys.argv[1:])

    class Dying(sqlite3.Connection):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.set_trace_callback(self.count)

        def count(self, statement):
            global left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    open_database = sqlite3.connect
    sqlite3.connect = lambda *args, **options: open_database(*args, factory=Dying, **options)
    number = 0
    while True:
        number += 1
        for item in path.parent.iterdir():
            item.unlink()
        shutil.copyfile(source, path)
        child = os.fork()
        if child == 0:
            left = number
            open_file(path, busy_timeout=1).close()
            os._exit(0)
        died = os.waitpid(child, 0)[1] != 0
        connection = open_database(path)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        moves = connection.execute("SELECT count(*) FROM moves").fetchone()[0]
        sound = connection.execute("PRAGMA integrity_check").fetchone()[0]
        connection.close()
        open_file(path, busy_timeout=1).close()  # the next start goes on
        connection = open_database(path)
        after = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.close()
        print(int(died), version, tables, moves, sound, after, flush=True)
        if not died:
            break
"""


def objects(version: int) -> int:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, version)
        return int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])


@pytest.mark.parametrize("old", OLD_VERSIONS)
def test_killed_at_any_statement_the_file_is_at_a_whole_version(tmp_path: Path, old: int) -> None:
    source = written_by(old, tmp_path)
    moves = len(content(source)["moves"])
    (tmp_path / "victim").mkdir()
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED_AT_EVERY_STATEMENT), source, tmp_path / "victim" / "j"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    tries = [line.split() for line in run.stdout.splitlines()]
    statements = sum(script.count(";\n") for script in MIGRATIONS[old:])
    assert len(tries) > statements
    assert [died for died, *_ in tries] == ["1"] * (len(tries) - 1) + ["0"]
    reached = [int(found) for _, found, *_ in tries]
    assert reached == sorted(reached)
    assert set(reached) == set(range(old, SCHEMA_VERSION + 1))
    for _, found, tables, left, sound, after in tries:
        assert int(tables) == objects(int(found))
        assert (int(left), sound, int(after)) == (moves, "ok", SCHEMA_VERSION)


@pytest.mark.parametrize("old", OLD_VERSIONS)
def test_on_a_full_disk_the_file_stays_at_a_whole_version(tmp_path: Path, old: int) -> None:
    path = written_by(old, tmp_path)
    before = content(path)
    refused = 0
    for room in range(1000):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages + room}")
            with contextlib.suppress(sqlite3.OperationalError):
                migrate(connection)
                break
            refused += 1
            reached = version(connection)
            assert old <= reached < SCHEMA_VERSION
            assert len(shape(connection)) + unnamed(connection) == objects(reached)
    assert refused > 0
    holds(content(path), before)


def unnamed(connection: sqlite3.Connection) -> int:
    """Indexes that SQLite makes by itself have no text."""
    return int(connection.execute("SELECT count(*) FROM sqlite_master WHERE sql IS NULL").fetchone()[0])


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    connection = database(tmp_path / "j.sqlite3", SCHEMA_VERSION)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(SchemaError, match="newer"):
        migrate(connection)
    connection.close()


async def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    with closing(database(path, SCHEMA_VERSION)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 3}")
    with pytest.raises(JournalError, match="newer botd"):
        await Journal(path).start()
    assert names(tmp_path) == ["j.sqlite3"]


async def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(JournalError, match=r"j.sqlite3 is a database, but no journal of botd"):
        await Journal(path).start()
    with closing(sqlite3.connect(path)) as connection:
        assert shape(connection) == ["CREATE TABLE theirs (x)"]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
