"""A journal is read wherever it lies, while it is written, in every schema; what cannot be read is said."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botd.engine import rules
from botd.engine.types import STARTING_BOARD, EngineInfo, EngineMode
from botd.journal import records as r
from botd.journal.reader import (
    JournalReader,
    JournalReadError,
    MatchNotFoundError,
    MatchQuery,
    MatchRecord,
)
from botd.journal.schema import SCHEMA_VERSION, migrate
from botd.journal.turns import TurnKind
from tests.played import PlayedJournals

ENGINE = EngineInfo("0.1.0", "sage", EngineMode.FAST, "avx2", "ab" * 32, met="kazaross-xg2")


def read_everything(path: Path) -> None:
    with JournalReader(path) as journal:
        for match in journal.matches():
            journal.record(match.key)


def error_of(path: Path) -> str:
    with pytest.raises(JournalReadError) as caught:
        read_everything(path)
    text = str(caught.value)
    assert "\n" not in text
    return text


@contextlib.contextmanager
def without_privileges() -> Iterator[None]:
    """What holds for a user who may not write everywhere; tests often run as one who may."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextlib.contextmanager
def read_only_folder() -> Iterator[Path]:
    """A folder that everybody may read; fill it, then `chmod(0o555)` it."""
    folder = Path(tempfile.mkdtemp(prefix="botd-read-only-"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def check_whole(record: MatchRecord) -> None:
    """What must hold for every match recorded without a hole."""
    for game in record.games:
        assert game.gap == ""
        assert [turn.number for turn in game.turns] == list(range(1, len(game.turns) + 1))
        board = STARTING_BOARD
        for turn in game.turns:
            assert turn.gap == ""
            assert turn.before == board
            assert turn.after is not None
            if turn.kind is TurnKind.MOVE:
                assert turn.move is not None
                assert turn.side is not None
                assert turn.dice is not None
                ours = turn.side is r.Side.US
                mover = board if ours else rules.mirrored(board)
                after = turn.after if ours else rules.mirrored(turn.after)
                legal = [play.board for play in rules.legal_plays(mover, turn.dice)]
                assert after in legal or (not legal and after == mover)
            else:
                assert turn.after == board
            board = turn.after
            for decision in turn.decisions:
                assert turn.side is r.Side.US
                assert decision.loss is not None
                assert decision.loss >= 0
                assert [option.loss for option in decision.options] == sorted(
                    option.loss for option in decision.options
                )
        assert (
            game.how is r.GameEnd.PASSED
            or rules.game_result(board)
            or game.turns[-1].kind
            in (
                TurnKind.ACCEPT,
                TurnKind.MOVE,
                TurnKind.DECISION,
                TurnKind.OFFER,
            )
        )


@pytest.mark.parametrize("server", ["fibs", "bgammon"])
def test_matches_of_real_daemons_are_read_whole(played_journals: PlayedJournals, server: str) -> None:
    path = getattr(played_journals, server)
    with JournalReader(path) as journal, contextlib.closing(sqlite3.connect(path)) as plain:
        found = journal.matches()
        assert [match.number for match in found] == [1, 2, 3, 4]
        assert [match.started_at for match in found] == sorted(match.started_at for match in found)
        for match in found:
            assert journal.find(str(match.number)) == match
            record = journal.record(match.key)
            check_whole(record)
            turns = [turn for game in record.games for turn in game.turns]
            decisions = [decision for turn in turns for decision in turn.decisions]
            count = plain.execute("SELECT count(*) FROM decisions WHERE match = ?", (match.key,)).fetchone()[
                0
            ]
            assert len(decisions) == count == match.moves > 0
            # Every play of ours that was decided is the one that was made.
            for turn in turns:
                for decision in turn.decisions:
                    if turn.move is not None and decision.kind is r.DecisionKind.PLAY:
                        assert decision.chosen == turn.move.notation
            if match.state == "finished":
                assert match.winner is (r.Side.US if match.score[0] > match.score[1] else r.Side.OPPONENT)
                last = record.games[-1]
                points = (last.points, 0) if last.winner is r.Side.US else (0, last.points)
                assert match.score == (last.score[0] + points[0], last.score[1] + points[1])
            assert 0 < match.seconds < 600


def test_levels_and_modes_are_told(played_journals: PlayedJournals) -> None:
    with JournalReader(played_journals.bgammon) as journal:
        host, guest = (journal.matches(MatchQuery(account=name)) for name in ("bot_ANNA", "BOT_bert"))
    assert {(match.mode, match.level) for match in host} == {(EngineMode.EXACT, "easy")}
    assert {(match.mode, match.level) for match in guest} == {(EngineMode.EXACT, None)}
    with JournalReader(played_journals.fibs) as journal:
        assert {(match.mode, match.level) for match in journal.matches()} == {(EngineMode.FAST, None)}


def test_a_level_that_plays_weaker_moves_shows_what_they_cost(played_journals: PlayedJournals) -> None:
    with JournalReader(played_journals.bgammon) as journal:
        losses = [
            decision.loss or 0.0
            for match in journal.matches(MatchQuery(account="BOT_anna"))
            for game in journal.record(match.key).games
            for decision in game.decisions
        ]
    assert max(losses) > 0.05


def test_matches_are_chosen_by_every_field(played_journals: PlayedJournals) -> None:
    with JournalReader(played_journals.fibs) as journal:
        everything = journal.matches()
        today = datetime.fromtimestamp(everything[0].started_at, UTC).date()
        first = everything[0]

        def chosen(query: MatchQuery) -> list[int]:
            return [match.number for match in journal.matches(query)]

        assert chosen(MatchQuery(opponent=first.opponent.upper())) == [
            match.number for match in everything if match.opponent == first.opponent
        ]
        assert chosen(MatchQuery(server="127.0.0.1")) == [1, 2, 3, 4]
        assert chosen(MatchQuery(server=first.server)) == [1, 2, 3, 4]
        assert chosen(MatchQuery(server="127.0.0")) == []
        assert chosen(MatchQuery(length=0)) == [3, 4]
        assert chosen(MatchQuery(state="finished")) == [1, 2]
        assert chosen(MatchQuery(limit=3)) == [2, 3, 4]
        assert chosen(MatchQuery(since=today - timedelta(days=1), until=today + timedelta(days=1))) == [
            1,
            2,
            3,
            4,
        ]
        assert chosen(MatchQuery(since=today + timedelta(days=2))) == []
        assert chosen(MatchQuery(until=today - timedelta(days=2))) == []
        assert chosen(MatchQuery(until=datetime.max.date())) == [1, 2, 3, 4]


def test_a_match_goes_by_many_names(played_journals: PlayedJournals) -> None:
    with JournalReader(played_journals.fibs) as journal:
        keys = [match.key for match in journal.matches()]
        assert journal.find("last").key == journal.find("last-0").key == keys[3]
        assert journal.find("last-2").key == keys[1]
        assert journal.find("#2").key == journal.find(" 2 ").key == keys[1]
        assert journal.find(keys[2]).key == journal.find(keys[2][:-2]).key == keys[2]
        for name in (
            "",
            "0",
            "5",
            "last-4",
            "last-",
            "last-x",
            "nobody",
            "\x1b[2J",
            "%",
            keys[0][:3],
            "9" * 30,
        ):
            with pytest.raises(MatchNotFoundError) as caught:
                journal.find(name)
            assert str(caught.value).isprintable()
        with pytest.raises(MatchNotFoundError, match="several begin so"):
            journal.find(keys[0][:8])
        with pytest.raises(MatchNotFoundError):
            journal.record(r.MatchKey("nobody"))


def test_a_writing_daemon_is_read_as_it_goes(tmp_path: Path) -> None:
    """A writer in a process of its own, killed at the end: the reader sees every commit."""
    path = tmp_path / "journal.sqlite3"
    writer = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_WRITER), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert writer.stdin is not None
    assert writer.stdout is not None
    try:
        assert writer.stdout.readline() == b"0\n"
        with JournalReader(path) as journal:
            for games in range(1, 6):
                writer.stdin.write(b"\n")
                writer.stdin.flush()
                assert int(writer.stdout.readline()) == games
                record = journal.record(journal.find("last").key)
                assert len(record.games) == games
                assert record.games[-1].turns[1].move is not None
    finally:
        writer.kill()
        writer.communicate()
    with JournalReader(path) as journal:  # the log of the killed writer still lies there
        [match] = journal.matches()
        assert match.games == 5
        assert match.state == "playing"
        assert match.ended_at is None


_WRITER = """
    import sys
    from pathlib import Path
    from tests.journal.test_journal import open_match, play_a_little
    from botd.journal import Journal
    import asyncio

    async def main():
        async with Journal(Path(sys.argv[1])) as journal:
            match = open_match(journal)
            game = 0
            while True:
                await journal.flush()
                print(game, flush=True)
                sys.stdin.readline()
                game += 1
                key = journal.game_started(match, game, (0, 0))
                journal.opening_rolled(key, 4, 4)
                journal.opening_rolled(key, 3, 1)
                from botd.journal.records import Side
                journal.moved(key, Side.US, (3, 1), ((8, 5), (6, 5)), "8/5 6/5")

    asyncio.run(main())
"""


@pytest.mark.parametrize("log", ["none", "empty", "full"])
def test_a_file_on_read_only_media_is_read(played_journals: PlayedJournals, log: str) -> None:
    """Where SQLite can make no files beside it; `full`: of a daemon that was killed, its last records."""
    with read_only_folder() as folder:
        path = folder / "journal.sqlite3"
        shutil.copyfile(played_journals.fibs, path)
        expected = 4
        if log != "none":
            with contextlib.closing(sqlite3.connect(path)) as writer:
                writer.execute("PRAGMA journal_mode = WAL")
                writer.execute("PRAGMA wal_autocheckpoint = 0")
                writer.execute(
                    "UPDATE matches SET opponent = 'zoe' WHERE match = (SELECT max(match) FROM matches)"
                )
                writer.commit()
                for name in (path, path.with_name("journal.sqlite3-wal")):
                    shutil.copyfile(name, folder / f"copy{name.name.removeprefix('journal.sqlite3')}")
            path = folder / "copy"
            if log == "empty":
                (folder / "copy-wal").write_bytes(b"")
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        before = sorted(folder.iterdir())
        with without_privileges(), JournalReader(path) as journal:
            found = journal.matches()
            assert len(found) == expected
            assert any(match.opponent == "zoe" for match in found) == (log == "full")
            check_whole(journal.record(found[0].key))
        assert sorted(folder.iterdir()) == before
    assert not list(Path(tempfile.gettempdir()).glob("botd-journal-*/journal.sqlite3"))


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_files_of_older_schemas_are_read_and_left_as_they_are(tmp_path: Path, version: int) -> None:
    path = tmp_path / "old.sqlite3"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrate(old, version)
        old.execute("PRAGMA journal_mode = WAL")
        old.execute(
            "INSERT INTO matches (match, server, account, opponent, length, crawford, jacoby, started_at,"
            " state, first_score_us, first_score_opponent, score_us, score_opponent) VALUES"
            " ('m', 'fibs', 'botd', 'anna', 5, 1, 0, '2026-01-02T03:04:05.000Z', 'suspended', 0, 0, 2, 1)"
        )
        old.execute(
            "INSERT INTO games (match, game, started_at, score_us, score_opponent, crawford, complete)"
            " VALUES ('m', 1, '2026-01-02T03:04:05.000Z', 0, 0, 0, 1)"
        )
        old.execute(
            "INSERT INTO rolls (match, game, seq, at, side, die1, die2, opening)"
            " VALUES ('m', 1, 1, '2026-01-02T03:04:05.000Z', 'us', 3, 1, 1)"
        )
        old.execute(
            "INSERT INTO decisions (match, game, seq, at, kind, position_id, match_id, die1, die2, chosen,"
            " equity, ply, source, duration, candidates, engine_version, evaluator, weights_sha256, cpu_path,"
            " met, settings) VALUES ('m', 1, 2, '2026-01-02T03:04:06.000Z', 'play', '4HPwATDgc/ABMA',"
            " 'cAkAAAAAAAAA', 3, 1, '8/5 6/5', 0.16, 0, 'search', 0.1, ?, '0.1', 'sage', '', 'avx2', '',"
            " '{}')",
            ('{"legal": 16, "plays": []}',),
        )
    content = path.read_bytes()
    with JournalReader(path) as journal:
        match = journal.find("1")
        assert (match.opponent, match.score, match.mode) == ("anna", (2, 1), EngineMode.EXACT)
        [game] = journal.record(match.key).games
        assert [turn.kind for turn in game.turns] == [TurnKind.ROLL, TurnKind.DECISION]
        assert game.turns[1].before == STARTING_BOARD
        with pytest.raises(sqlite3.OperationalError):
            journal.connection.execute("DELETE FROM matches")
    assert path.read_bytes() == content


def test_files_that_are_no_journal_are_named(tmp_path: Path, played_journals: PlayedJournals) -> None:
    absent, text, empty, foreign, newer, pipe = (
        tmp_path / name for name in ("absent", "text", "empty", "foreign", "newer", "pipe")
    )
    text.write_text("Dear diary, " * 100, encoding="utf-8")
    empty.write_bytes(b"")
    with contextlib.closing(sqlite3.connect(foreign)) as other:
        other.execute("CREATE TABLE matches (sticks INTEGER)")
    shutil.copyfile(played_journals.fibs, newer)
    with contextlib.closing(sqlite3.connect(newer)) as later:
        later.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    os.mkfifo(pipe)
    for path, what in (
        (absent, "nothing has been recorded there yet"),
        (tmp_path, "expected a file"),
        (pipe, "expected a file"),
        (text, "is no journal"),
        (empty, "is empty"),
        (foreign, "is no journal of botd"),
        (newer, "newer botd"),
        (tmp_path / "nul\0byte", "not a file name"),
        (tmp_path / "esc\x1b[2J", "No such file"),
    ):
        message = error_of(path)
        assert what in message
        assert message.isprintable()
    text.chmod(0o000)
    tmp_path.chmod(0o755)
    with without_privileges():
        assert "Permission denied" in error_of(text)


def test_a_damaged_file_is_an_error_that_says_what_to_do(
    tmp_path: Path, played_journals: PlayedJournals
) -> None:
    whole = played_journals.fibs.read_bytes()
    path = tmp_path / "journal.sqlite3"
    told = set()
    for first in range(0, len(whole), 4096 * 12):  # a stretch of nonsense, everywhere in turn
        damaged = bytearray(whole)
        damaged[first + 100 : first + 4096] = b"\xa5" * 3996
        path.write_bytes(damaged)
        with contextlib.suppress(JournalReadError):
            read_everything(path)
            continue
        told.add(error_of(path).partition("(")[0])
    path.write_bytes(whole[: len(whole) // 2])
    told.add(error_of(path).partition("(")[0])
    assert told
    assert all("is damaged" in text or "is no journal" in text for text in told), told


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE matches SET length = 'five'",
        "UPDATE matches SET started_at = 'yesterday'",
        "UPDATE matches SET started_at = 7",
        "UPDATE matches SET score_us = x'00'",
        "UPDATE matches SET winner = 'nobody'",
        "UPDATE games SET how = 'somehow'",
        "UPDATE games SET score_us = x'ff'",
        "UPDATE moves SET steps = '8/x'",
        "UPDATE moves SET side = 'left'",
        "UPDATE moves SET die1 = 'six'",
        "UPDATE moves SET notation = x'05'",
        "UPDATE rolls SET side = 3",
        "UPDATE cube_actions SET action = 'shout'",
        "UPDATE cube_actions SET cube = 'two'",
        "UPDATE decisions SET kind = 'guess'",
        "UPDATE decisions SET candidates = '{'",
        "UPDATE decisions SET candidates = '[]'",
        "UPDATE decisions SET settings = 'none'",
        "UPDATE decisions SET ply = 'deep'",
        "UPDATE decisions SET die1 = 'six'",
        "UPDATE decisions SET chosen = x'00ff'",
        "UPDATE sittings SET started_at = ''",
    ],
)
def test_rows_that_botd_did_not_write_are_an_error(
    tmp_path: Path, played_journals: PlayedJournals, change: str
) -> None:
    path = played_journals.copy(played_journals.fibs, tmp_path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as somebody:
        somebody.execute("PRAGMA ignore_check_constraints = ON")
        somebody.execute(change)
    assert "is damaged" in error_of(path)


def test_text_of_any_bytes_is_read(tmp_path: Path, played_journals: PlayedJournals) -> None:
    path = played_journals.copy(played_journals.fibs, tmp_path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as somebody:
        somebody.execute("UPDATE matches SET opponent = CAST(x'ff1b5b324a' AS TEXT)")
    with JournalReader(path) as journal:
        assert journal.matches()[0].opponent == "�\x1b[2J"


@given(
    text=st.text(st.characters(codec=None)),
    numbers=st.tuples(st.integers(), st.integers(), st.integers()),
    name=st.sampled_from(("server", "account", "opponent", "state")),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_asked_for_is_no_fault_of_the_file(
    played_journals: PlayedJournals, text: str, numbers: tuple[int, int, int], name: str
) -> None:
    length, limit, before = numbers
    with JournalReader(played_journals.fibs) as journal:
        with contextlib.suppress(MatchNotFoundError):
            journal.find(text)
        journal.matches(MatchQuery(length=length, limit=limit, before=before))
        assert journal.matches(MatchQuery(**{name: text})) == []
