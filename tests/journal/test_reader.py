"""A journal is read wherever it lies, while it is written, in every schema; what cannot be read is said."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botd.engine import rules
from botd.engine.types import STARTING_BOARD, EngineInfo, EngineMode, Play, PlayDecision, RankedPlay
from botd.journal import Journal
from botd.journal import records as r
from botd.journal.reader import (
    JournalReader,
    JournalReadError,
    MatchNotFoundError,
    MatchQuery,
    MatchRecord,
)
from botd.journal.schema import SCHEMA_VERSION, migrate
from botd.journal.turns import Cube, Turn, TurnKind
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


def decided(journal: Journal, game: r.GameKey, dice: r.Dice, chosen: str, position: str) -> None:
    play = Play(((8, 5), (6, 5)), STARTING_BOARD, chosen)
    journal.decision(
        game,
        r.DecisionKind.PLAY,
        position_id=position,
        match_id="cAkAAAAAAAAA",
        dice=dice,
        chosen=chosen,
        decision=PlayDecision((RankedPlay(play, 0.16, None, None, 1),), 16, 1, "search"),
        engine=ENGINE,
        duration=0.01,
        settings={"ply": 1},
    )


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
            if name == "last-":
                continue
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


async def one_game(
    path: Path, tell: Callable[[Journal, r.GameKey], None], *, complete: bool = True
) -> MatchRecord:
    async with Journal(path) as journal:
        match = journal.match_started(server="fibs", account="botd", opponent="anna", length=3)
        tell(journal, journal.game_started(match, 1, (0, 0), complete=complete))
        await journal.flush()
    with JournalReader(path) as reader:
        return reader.record(match)


def kinds(turns: tuple[Turn, ...]) -> list[str]:
    return [turn.kind.value for turn in turns]


OPENED = "sGfwATDgc/ABMA"
"""The position after 3-1 played from the start as 8/5 6/5, the opponent on roll."""


def open_game(journal: Journal, game: r.GameKey) -> None:
    journal.opening_rolled(game, 3, 1)
    journal.moved(game, r.Side.US, (3, 1), ((8, 5), (6, 5)), "8/5 6/5", position_id=OPENED)


async def test_a_hole_in_the_record_is_told_where_it_is(tmp_path: Path) -> None:
    def tell(journal: Journal, game: r.GameKey) -> None:
        open_game(journal, game)
        journal.gap(game, "moves before the resumption were not seen")
        journal.rolled(game, r.Side.US, (6, 5))
        decided(journal, game, (6, 5), "24/13", "4HPwATDgc/ABMA")
        journal.moved(game, r.Side.US, (6, 5), ((24, 18), (18, 13)), "24/13")

    [game] = (await one_game(tmp_path / "j", tell)).games
    assert game.gap == "moves before the resumption were not seen"
    assert [turn.gap for turn in game.turns] == ["", "moves before the resumption were not seen"]
    later = game.turns[1]
    assert later.before == STARTING_BOARD, "the decision tells the board again"
    assert later.after == rules.apply_steps(STARTING_BOARD, ((24, 18), (18, 13)))
    assert later.cube_before == Cube()


async def test_of_a_game_begun_elsewhere_boards_are_unknown_until_one_is_told(tmp_path: Path) -> None:
    def tell(journal: Journal, game: r.GameKey) -> None:
        journal.rolled(game, r.Side.OPPONENT, (6, 5))
        journal.moved(game, r.Side.OPPONENT, (6, 5), ((24, 18), (18, 13)), "24/13")
        journal.rolled(game, r.Side.US, (3, 1))
        journal.moved(game, r.Side.US, (3, 1), ((8, 5), (6, 5)), "8/5 6/5", position_id=OPENED)
        journal.rolled(game, r.Side.OPPONENT, (2, 1))

    [game] = (await one_game(tmp_path / "j", tell, complete=False)).games
    assert game.gap == "the beginning of the game was not seen"
    first, second, third = game.turns
    assert (first.gap, first.before, first.after, first.cube_before) == (game.gap, None, None, None)
    assert second.before is None
    assert second.after == rules.apply_steps(STARTING_BOARD, ((8, 5), (6, 5)))
    assert third.kind is TurnKind.ROLL
    assert third.before == second.after


async def test_events_that_do_not_follow_are_a_hole(tmp_path: Path) -> None:
    def tell(journal: Journal, game: r.GameKey) -> None:
        open_game(journal, game)
        journal.rolled(game, r.Side.US, (6, 5))  # it was not our turn
        journal.moved(game, r.Side.US, (6, 5), ((24, 18), (18, 13)), "24/13")

    [game] = (await one_game(tmp_path / "j", tell)).games
    assert game.gap == "some events were not recorded"
    assert "does not follow" in game.turns[1].gap
    assert game.turns[1].after is None


async def test_a_position_that_contradicts_the_moves_is_told(tmp_path: Path) -> None:
    def tell(journal: Journal, game: r.GameKey) -> None:
        journal.opening_rolled(game, 3, 1)
        journal.moved(game, r.Side.US, (3, 1), ((24, 21), (21, 20)), "24/20", position_id=OPENED)

    [game] = (await one_game(tmp_path / "j", tell)).games
    assert "the next position told does not follow" in game.turns[0].gap
    assert game.turns[0].before is None
    assert game.turns[0].after == rules.apply_steps(STARTING_BOARD, ((8, 5), (6, 5)))


async def test_every_kind_of_turn_and_whose_cube_it_is(tmp_path: Path) -> None:
    us, them = r.Side.US, r.Side.OPPONENT

    def tell(journal: Journal, game: r.GameKey) -> None:
        journal.opening_rolled(game, 4, 4)
        journal.cube_action(game, None, r.CubeActionKind.AUTOMATIC, 2)
        open_game(journal, game)
        journal.cube_action(game, them, r.CubeActionKind.DOUBLE, 4)
        journal.cube_action(game, us, r.CubeActionKind.BEAVER, 8)
        journal.cube_action(game, them, r.CubeActionKind.TAKE, 8)
        journal.rolled(game, them, (6, 6))
        journal.moved(game, them, (6, 6), (), "")
        journal.resignation(game, us, r.ResignationAction.OFFER, 2)
        journal.resignation(game, them, r.ResignationAction.REJECT, 2)
        journal.rolled(game, us, (2, 1))
        decided(journal, game, (2, 1), "6/3", "")

    [game] = (await one_game(tmp_path / "j", tell)).games
    assert kinds(game.turns) == [
        *(
            "tie",
            "automatic",
            "move",
            "double",
            "beaver",
            "take",
            "move",
            "offer",
            "reject",
            "roll",
            "decision",
        ),
    ]
    cubes = [turn.cube_before for turn in game.turns]
    assert cubes[:4] == [Cube(), Cube(), Cube(2), Cube(2)]
    assert cubes[6] == Cube(8, us)
    assert [turn.level for turn in game.turns[7:9]] == [2, 2]
    assert game.turns[6].move is not None
    assert game.turns[6].move.notation == ""
    assert json.loads(json.dumps(game.turns[10].decisions[0].settings)) == {"ply": 1}


async def test_turns_belong_to_their_sittings(tmp_path: Path) -> None:
    now = [1000.0]
    path = tmp_path / "j"
    async with Journal(path, clock=lambda: now[0]) as journal:
        match = journal.match_started(server="fibs", account="botd", opponent="anna", length=3)
        game = journal.game_started(match, 1, (0, 0))
        now[0] = 1010.0
        open_game(journal, game)
        now[0] = 1020.0
        journal.match_suspended(match, r.Suspension.OPPONENT_LEFT, (0, 0))
        now[0] = 9000.0
        journal.match_resumed(match, (0, 0))
        now[0] = 9005.0
        journal.rolled(game, r.Side.OPPONENT, (6, 5))
        await journal.flush()
    with JournalReader(path) as reader:
        [summary] = reader.matches()
        record = reader.record(match)
    assert [turn.sitting for turn in record.games[0].turns] == [1, 2]
    assert [sitting.how for sitting in record.sittings] == ["opponent_left", None]
    assert summary.seconds == pytest.approx(25.0, abs=0.01)
    assert (summary.sittings, summary.state, summary.ended_at) == (2, "playing", None)


EVENT_TABLES = ("rolls", "moves", "cube_actions", "resignations", "decisions")


@given(data=st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_lost_no_board_is_invented(
    tmp_path: Path, played_journals: PlayedJournals, data: st.DataObject
) -> None:
    """A full buffer drops a stretch of records; what is still told of the position is what it was."""
    path = played_journals.copy(played_journals.fibs, tmp_path)
    with JournalReader(path) as journal:
        match = data.draw(st.sampled_from(journal.matches()))
        whole = journal.record(match.key)
    game = data.draw(st.sampled_from(whole.games))
    last = game.turns[-1].seq
    first = data.draw(st.integers(1, last))
    until = data.draw(st.integers(first, last))
    tables = data.draw(st.sets(st.sampled_from(EVENT_TABLES), min_size=1))
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as buffer:
        for table in tables:
            buffer.execute(
                f"DELETE FROM {table} WHERE match = ? AND game = ? AND seq BETWEEN ? AND ?",
                (match.key, game.number, first, until),
            )
    truth = {turn.seq: turn for turn in game.turns}
    with JournalReader(path) as journal:
        [left] = [each for each in journal.record(match.key).games if each.number == game.number]
    assert [turn.number for turn in left.turns] == list(range(1, len(left.turns) + 1))
    # What comes after the last position told cannot be proved wrong, however much is missing there.
    proved = max((turn.seq for turn in left.turns if turn.move or turn.decisions), default=0)
    cubes_proved = max((turn.seq for turn in left.turns if turn.decisions), default=0)
    for turn in left.turns:
        if turn.seq in truth and turn.kind is truth[turn.seq].kind:
            for what in ("before", "after", "cube_before"):
                told = getattr(turn, what)
                if turn.seq > (cubes_proved if what == "cube_before" else proved):
                    continue
                assert told is None or told == getattr(truth[turn.seq], what), (turn.number, turn.kind, what)
