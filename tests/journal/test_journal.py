"""Records go in through the front and come out of the file, whatever happens to the file meanwhile."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from botd.engine.types import (
    STARTING_BOARD,
    EngineInfo,
    EngineMode,
    Play,
    PlayDecision,
    Probabilities,
    RankedPlay,
)
from botd.journal import Journal, JournalError
from botd.journal import records as r
from botd.journal.reader import JournalReader
from tests.waiting import until

ENGINE = EngineInfo("0.1.0", "sage", EngineMode.FAST, "avx2", "ab" * 32, met="kazaross-xg2")
EVEN = Probabilities(0.5, 0.1, 0.01, 0.1, 0.01)


def open_match(journal: Journal, opponent: str = "anna", length: int = 3) -> r.MatchKey:
    return journal.match_started(server="fibs", account="botd", opponent=opponent, length=length)


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def play_a_little(journal: Journal, match: r.MatchKey) -> r.GameKey:
    game = journal.game_started(match, 1, (0, 0))
    journal.opening_rolled(game, 4, 4)
    journal.opening_rolled(game, 3, 1)
    journal.moved(game, r.Side.US, (3, 1), ((8, 5), (6, 5)), "8/5 6/5", position_id="sGfwATDgc/ABMA")
    journal.cube_action(game, r.Side.OPPONENT, r.CubeActionKind.DOUBLE, 2)
    journal.cube_action(game, r.Side.US, r.CubeActionKind.TAKE, 2)
    journal.rolled(game, r.Side.OPPONENT, (6, 6))
    journal.moved(game, r.Side.OPPONENT, (6, 6), (), "")
    return game


async def test_every_kind_of_record_reaches_its_table(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "journal.sqlite3"
    async with Journal(path) as journal:
        match = open_match(journal)
        game = play_a_little(journal, match)
        play = Play(((8, 5), (6, 5)), STARTING_BOARD, "8/5 6/5")
        journal.decision(
            game,
            r.DecisionKind.PLAY,
            position_id="4HPwATDgc/ABMA",
            match_id="cAkAAAAAAAAA",
            dice=(3, 1),
            chosen="8/5 6/5",
            decision=PlayDecision((RankedPlay(play, 0.16, 0.15, EVEN, 1),), 16, 1, "search"),
            engine=ENGINE,
            duration=0.0123,
            settings={"ply": 1, "filter": "normal"},
        )
        journal.resignation(game, r.Side.OPPONENT, r.ResignationAction.OFFER, 1)
        journal.resignation(game, r.Side.US, r.ResignationAction.ACCEPT, 1)
        journal.game_ended(game, r.Side.US, 2, r.GameEnd.RESIGNED, (2, 0))
        journal.match_suspended(match, r.Suspension.LEFT, (2, 0))
        await journal.flush()
        assert journal.status().pending == 0
        assert journal.status().dropped == 0
    assert rows(path, "SELECT side, die1, die2, opening FROM rolls ORDER BY seq") == [
        (None, 4, 4, 1),
        ("us", 3, 1, 1),
        ("opponent", 6, 6, 0),
    ]
    assert rows(path, "SELECT side, steps, notation FROM moves ORDER BY seq") == [
        ("us", "8/5 6/5", "8/5 6/5"),
        ("opponent", "", ""),
    ]
    assert rows(path, "SELECT side, action, cube FROM cube_actions ORDER BY seq") == [
        ("opponent", "double", 2),
        ("us", "take", 2),
    ]
    assert rows(path, "SELECT side, action, level FROM resignations ORDER BY seq") == [
        ("opponent", "offer", 1),
        ("us", "accept", 1),
    ]
    [decision] = rows(
        path,
        "SELECT kind, die1, die2, chosen, equity, ply, evaluator, mode, weights_sha256, cpu_path,"
        " json_extract(candidates, '$.plays[0].move'), json_extract(candidates, '$.legal'),"
        " json_extract(candidates, '$.plays[0].probabilities[1]'), json_extract(settings, '$.filter')"
        " FROM decisions",
    )
    assert decision == (
        *("play", 3, 1, "8/5 6/5", 0.16, 1, "sage", "fast", "ab" * 32, "avx2"),
        *("8/5 6/5", 16, 0.1, "normal"),
    )
    assert rows(path, "SELECT winner, points, how, complete FROM games") == [("us", 2, "resigned", 1)]
    assert rows(path, "SELECT state, score_us, score_opponent FROM matches") == [("suspended", 2, 0)]
    assert rows(path, "SELECT number, how FROM sittings") == [(1, "left")]
    assert rows(path, "SELECT event, game, score_us FROM scores ORDER BY id") == [
        ("start", 0, 0),
        ("game", 1, 2),
        ("suspended", 1, 2),
    ]
    seqs = rows(
        path,
        "SELECT seq FROM rolls UNION ALL SELECT seq FROM moves UNION ALL SELECT seq FROM cube_actions"
        " UNION ALL SELECT seq FROM resignations UNION ALL SELECT seq FROM decisions",
    )
    assert sorted(seqs) == [(n,) for n in range(1, len(seqs) + 1)]


async def test_a_suspended_match_is_found_and_goes_on_in_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    async with Journal(path) as journal:
        match = open_match(journal)
        play_a_little(journal, match)
        journal.match_suspended(match, r.Suspension.OPPONENT_LEFT, (0, 0))
    async with Journal(path) as journal:
        for other in ({"opponent": "bob"}, {"length": 5}, {"server": "x"}, {"account": "x"}):
            question = {"server": "fibs", "account": "botd", "opponent": "anna", "length": 3, **other}
            assert await journal.find_resumable(**question) is None  # type: ignore[arg-type]
        found = await journal.find_resumable(server="fibs", account="botd", opponent="anna", length=3)
        assert found is not None
        assert (found.match, found.game, found.game_open, found.score) == (match, 1, True, (0, 0))
        journal.match_resumed(match, (0, 0))
        game = journal.game_started(match, 1, (0, 0))  # known already: must not start it again
        journal.rolled(game, r.Side.US, (2, 1))
        journal.game_ended(game, r.Side.US, 3, r.GameEnd.BORNE_OFF, (3, 0))
        journal.match_ended(match, r.Side.US, (3, 0))
        assert await journal.find_resumable(server="fibs", account="botd", opponent="anna", length=3) is None
    assert rows(path, "SELECT how FROM sittings ORDER BY number") == [("opponent_left",), ("finished",)]
    assert rows(path, "SELECT state, winner FROM matches") == [("finished", "us")]
    assert rows(path, "SELECT max(seq), count(*), count(DISTINCT seq) FROM rolls") == [(8, 4, 4)]


async def test_a_new_match_with_the_same_opponent_discards_the_saved_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    async with Journal(path) as journal:
        first = open_match(journal)
        journal.match_suspended(first, r.Suspension.LEFT, (1, 1))
        second = open_match(journal, length=0)
        found = await journal.find_resumable(server="fibs", account="botd", opponent="anna", length=0)
        assert found is not None
        assert (found.match, found.game) == (second, 0)
        assert await journal.find_resumable(server="fibs", account="botd", opponent="anna", length=3) is None


WRITER = """
    import asyncio, sys
    from pathlib import Path
    from botd.journal import Journal
    from botd.journal.records import Side

    async def main():
        journal = Journal(Path(sys.argv[1]))
        await journal.start()
        match = journal.match_started(server="s", account="a", opponent="o", length=1)
        game = journal.game_started(match, 1, (0, 0))
        print(match, flush=True)
        for n in range(10**9):
            journal.rolled(game, Side.US, (n % 6 + 1, 1))
            if n % 50 == 0:
                await asyncio.sleep(0.002)
            if n == 2000:
                await journal.flush()
                print("under way", flush=True)

    asyncio.run(main())
"""


def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        match = writer.stdout.readline().strip()
        assert writer.stdout.readline() == "under way\n"
        writer.send_signal(signal.SIGKILL)
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(path, "SELECT match, state FROM matches") == [(match, "playing")]
    [(count, last)] = rows(path, "SELECT count(*), max(seq) FROM rolls")
    assert count == last  # no holes: batches are all or nothing
    assert isinstance(count, int)
    assert count > 2000


async def test_a_killed_match_can_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    journal = Journal(path)
    await journal.start()
    match = open_match(journal)
    play_a_little(journal, match)
    await journal.stop()  # no word of an end or a suspension in the file
    async with Journal(path) as journal:
        found = await journal.find_resumable(server="fibs", account="botd", opponent="anna", length=3)
    assert found is not None
    assert found.match == match


async def test_a_locked_file_is_reported_buffered_and_caught_up_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botd.journal.journal._BUSY_TIMEOUT", 0.05)
    path = tmp_path / "journal.sqlite3"
    journal = Journal(path, buffer=10)
    await journal.start()
    match = open_match(journal)
    await journal.flush()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    game = journal.game_started(match, 1, (0, 0))
    for _ in range(20):
        journal.rolled(game, r.Side.US, (1, 2))
    with pytest.raises(JournalError, match="locked"):
        await journal.flush()
    status = journal.status()
    assert status.failing
    assert "locked" in status.last_error
    assert status.errors >= 1
    assert (status.pending, status.dropped) == (10, 11)
    holder.execute("COMMIT")
    holder.close()
    await journal.stop()
    status = journal.status()
    assert (status.pending, status.dropped, status.written) == (0, 11, 11)
    assert rows(path, "SELECT count(*) FROM rolls") == [(9,)]


@pytest.mark.parametrize("looked_at", [False, True], ids=["alone", "looked at"])
@pytest.mark.parametrize("what", ["removed", "moved", "replaced"])
async def test_a_file_taken_away_is_reported_and_what_follows_is_kept(
    what: str, looked_at: bool, tmp_path: Path
) -> None:
    path, aside, other = tmp_path / "journal.sqlite3", tmp_path / "aside.sqlite3", tmp_path / "other.sqlite3"
    async with Journal(other) as journal:
        open_match(journal, "of_the_other_file")
    async with Journal(path) as journal:
        open_match(journal, "before")
        await journal.flush()
        with contextlib.ExitStack() as looking:
            if looked_at:
                looking.enter_context(JournalReader(path))
            if what == "removed":
                path.unlink()
            else:
                path.rename(aside)
            if what == "replaced":
                other.rename(path)
            with pytest.raises(JournalError, match="moved away, replaced or removed"):
                await journal.flush()
        open_match(journal, "after")
        await until(lambda: not journal.status().pending)
        assert journal.status().errors == 1
    opponents = [opponent for (opponent,) in rows(path, "SELECT opponent FROM matches ORDER BY number")]
    assert opponents == (["of_the_other_file"] if what == "replaced" else []) + ["after"]
    if what != "removed":
        assert rows(aside, "SELECT opponent FROM matches") == [("before",)]
    for file in (path, aside):
        if file.exists():
            assert rows(file, "PRAGMA integrity_check") == [("ok",)]


async def test_giving_up_on_a_locked_file_does_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botd.journal.journal._BUSY_TIMEOUT", 0.05)
    path = tmp_path / "journal.sqlite3"
    journal = Journal(path)
    await journal.start()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    open_match(journal)
    await journal.stop(0.2)
    holder.close()
    assert journal.status().dropped == 1


FULL_DISK = """
    import asyncio, resource, sys
    from pathlib import Path
    from botd.journal import Journal
    from botd.journal.records import Side

    async def main():
        journal = Journal(Path(sys.argv[1]), buffer=500)
        await journal.start()
        match = journal.match_started(server="s", account="a", opponent="o", length=1)
        game = journal.game_started(match, 1, (0, 0))
        await journal.flush()
        limit = Path(sys.argv[1] + "-wal").stat().st_size + 20_000
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        for n in range(3000):
            journal.rolled(game, Side.US, (1, 2))
            await asyncio.sleep(0)
        for _ in range(600):
            if journal.status().failing:
                break
            await asyncio.sleep(0.05)
        full = journal.status()
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await journal.stop()
        end = journal.status()
        print(full.failing, full.errors > 0, full.dropped > 0, bool(full.last_error))
        print(end.failing, end.pending, end.written + end.dropped)

    asyncio.run(main())
"""


def test_a_full_disk_is_reported_and_play_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL_DISK), str(path)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    )
    assert done.returncode == 0, done.stderr
    full, end = done.stdout.splitlines()[-2:]
    assert full == "True True True True"
    assert end == "False 0 3002"
    assert "journal_write_failed" in done.stdout + done.stderr
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


async def test_a_record_that_the_file_refuses_is_dropped_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    async with Journal(path) as journal:
        game = journal.game_started(open_match(journal), 1, (0, 0))
        journal.rolled(game, r.Side.US, (7, 1))
        journal.rolled(game, r.Side.US, (6, 1))
        await journal.flush()
        status = journal.status()
    assert (status.dropped, status.written, status.failing) == (1, 3, False)
    assert rows(path, "SELECT die1 FROM rolls") == [(6,)]


@pytest.mark.parametrize(
    "content", [b"this is no database, only text\n" * 100, b"SQLite format 3\0" + b"x" * 4096]
)
async def test_a_file_that_is_no_database_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal.sqlite3"
    path.write_bytes(content)
    journal = Journal(path)
    with pytest.raises(JournalError, match=r"journal\.sqlite3: cannot be used"):
        await journal.start()
    await journal.stop()
    assert path.read_bytes() == content


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = Journal(tmp_path / "file" / "journal.sqlite3")
    with pytest.raises(JournalError, match="cannot create its folder"):
        await journal.start()


async def test_questions_after_the_end_are_refused(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite3")
    with pytest.raises(JournalError, match="not running"):
        await journal.flush()
    await journal.start()
    await journal.stop()
    with pytest.raises(JournalError, match="not running"):
        await journal.flush()
    await journal.stop()


async def test_the_file_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    async with Journal(path):
        pass
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(JournalError, match="schema version 999"):
        await Journal(path).start()


async def test_matches_are_handed_on_once_they_are_written(tmp_path: Path) -> None:
    seen: list[tuple[str, object]] = []

    def after_match(connection: sqlite3.Connection, match: r.MatchKey) -> None:
        row = connection.execute("SELECT state FROM matches WHERE match = ?", (match,)).fetchone()
        seen.append((match, row[0]))
        if len(seen) == 2:
            raise OSError(28, os.strerror(28))

    async with Journal(tmp_path / "journal.sqlite3", after_match=after_match) as journal:
        match = open_match(journal)
        journal.match_suspended(match, r.Suspension.LEFT, (0, 0))
        await journal.flush()
        journal.match_resumed(match, (0, 0))
        journal.match_ended(match, r.Side.OPPONENT, (0, 3))
        await journal.flush()
        assert "No space left" in journal.status().last_error
        assert journal.status().errors == 1
    assert seen == [(match, "suspended"), (match, "finished")]


async def test_whom_an_account_has_dealt_with_lately(tmp_path: Path) -> None:
    now = 1_800_000_000.0
    path = tmp_path / "journal.sqlite3"
    async with Journal(path, clock=lambda: now) as journal:
        for opponent in ("old", "anna", "bert", "anna"):
            now += 3600
            match = open_match(journal, opponent)
            await journal.flush()
            journal.match_ended(match, r.Side.US, (3, 0))
        journal.match_suspended(open_match(journal, "carl"), r.Suspension.LEFT, (0, 0))
        other = journal.match_started(server="other", account="botd", opponent="eve", length=1)
        journal.match_ended(other, r.Side.US, (1, 0))
        for player in ("dora", "emil", "dora"):
            now += 1
            journal.player_asked(server="fibs", account="botd", player=player)
        lately = await journal.lately(server="fibs", account="botd", seconds=7300, most=1000)
        assert [(name, now - at) for name, at in lately.played] == [
            ("anna", 7203),
            ("bert", 3603),
            ("anna", 3),
        ]
        assert [(name, now - at) for name, at in lately.asked] == [("emil", 1), ("dora", 0)]
        few = await journal.lately(server="fibs", account="botd", seconds=1e6, most=1)
        assert [name for name, _ in (*few.played, *few.asked)] == ["anna", "dora"]
        assert await journal.lately(server="fibs", account="x", seconds=9, most=9) == r.Lately((), ())
    connection = sqlite3.connect(path)
    connection.execute("UPDATE matches SET ended_at = '2999-99-99' WHERE opponent = 'bert'")
    connection.commit()
    connection.close()
    async with Journal(path, clock=lambda: now) as journal:  # somebody else wrote into it
        lately = await journal.lately(server="fibs", account="botd", seconds=1e6, most=9)
        assert {name for name, _ in lately.played} == {"old", "anna"}


async def test_matches_are_numbered_and_no_number_is_used_twice(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    async with Journal(path) as journal:
        first = open_match(journal, "anna")
        second = open_match(journal, "bert")
        journal.record(r.MatchStarted(second, "fibs", "botd", "carl", 3))  # refused: the key is taken
        third = open_match(journal, "carl")
        assert journal.match_started(server="fibs", account="other", opponent="anna", length=3) != first
    assert rows(path, "SELECT match, number FROM matches WHERE number <= 2 ORDER BY number") == [
        (first, 1),
        (second, 2),
    ]
    numbers = [row[0] for row in rows(path, "SELECT number FROM matches ORDER BY number")]
    assert len(set(numbers)) == 4
    connection = sqlite3.connect(path)
    connection.execute(
        "DELETE FROM matches WHERE number >= (SELECT number FROM matches WHERE match = ?)", (third,)
    )
    connection.commit()
    connection.execute("VACUUM")
    connection.close()
    async with Journal(path) as journal:
        again = open_match(journal, "dora")
    assert rows(path, f"SELECT number FROM matches WHERE match = '{again}'") == [(max(numbers) + 1,)]


async def test_a_file_that_lost_its_last_number_still_gives_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    for spoil in ("DELETE FROM meta", "UPDATE meta SET value = 'nonsense'", "UPDATE meta SET value = 1"):
        async with Journal(path) as journal:
            open_match(journal, "anna")
            open_match(journal, "bert")
        connection = sqlite3.connect(path)
        connection.execute(spoil)
        connection.commit()
        connection.close()
    async with Journal(path) as journal:
        open_match(journal, "anna")
    assert rows(path, "SELECT number FROM matches ORDER BY number") == [(n,) for n in range(1, 8)]


async def test_ratings_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    async with Journal(path) as journal:
        match = open_match(journal)
        journal.rating_seen(server="fibs", account="botd", rating=1512.25, experience=17)
        journal.rating_seen(server="fibs", account="botd", rating=1523.5, experience=None, match=match)
        journal.rating_seen(server="fibs", account="botd", rating=float("nan"), experience=1)
        await journal.flush()
        assert journal.status().dropped == 1
    assert rows(path, "SELECT server, account, rating, experience, match FROM ratings ORDER BY id") == [
        ("fibs", "botd", 1512.25, 17, None),
        ("fibs", "botd", 1523.5, None, match),
    ]
