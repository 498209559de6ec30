"""An analysis is kept, goes on where it stopped, and is the same in one process and in several."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from botd.journal import records as r
from botd.journal.reader import JournalReader
from botd.stats.analyse import PIECE, AnalysisError, Judge, JudgedPiece, Piece, analyse
from botd.stats.analysis_file import AnalysisFile, AnalysisFileError, EngineId, GameState, analysis_path
from botd.stats.judging import Judged
from tests.played import PlayedJournals
from tests.stats.journals import Played, journal_writer
from tests.waiting import until

SPEC = "sage"


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(SPEC)


def identity(judge: Judge, ply: int = 0) -> EngineId:
    return EngineId.of(judge.engine.info, ply)


def run(path: Path, judge: Judge, *, jobs: int = 1, ply: int = 0, file: Path | None = None) -> list[float]:
    """Analyse everything; the progress that was told."""
    told: list[float] = []
    with (
        JournalReader(path) as journal,
        AnalysisFile(file or analysis_path(path), identity(judge, ply)) as kept,
    ):
        matches = journal.matches()
        analyse(
            journal,
            matches,
            kept,
            judge,
            spec=SPEC,
            ply=ply,
            jobs=jobs,
            progress=lambda done, what: told.append(done),
        )
    return told


def all_judged(path: Path, judge: Judge, file: Path | None = None) -> dict[str, list[tuple[int, Judged]]]:
    with JournalReader(path) as journal, AnalysisFile(file or analysis_path(path), identity(judge)) as kept:
        return {match.key: kept.judged(match.key) for match in journal.matches()}


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "j.sqlite3"
    with journal_writer(path) as write:
        for seed in range(2):
            Played(write, seed, 1).whole_match()
    return path


class Counting(Judge):
    """Counts the pieces it is asked for, and is interrupted at some of them."""

    def __init__(self, interrupt_at: int | None = None) -> None:
        super().__init__(SPEC)
        self.asked: list[Piece] = []
        self.interrupt_at = interrupt_at

    def __call__(self, piece: Piece) -> JudgedPiece:
        if len(self.asked) == self.interrupt_at:
            raise KeyboardInterrupt
        self.asked.append(piece)
        return super().__call__(piece)


def test_real_matches_are_judged_whole_and_once(
    played_journals: PlayedJournals, tmp_path: Path, judge: Judge
) -> None:
    for number, path in enumerate((played_journals.fibs, played_journals.bgammon)):
        before = path.read_bytes()
        file = tmp_path / f"{number}.analysis"
        told = run(path, judge, file=file)
        assert told == sorted(told)
        assert all(0.0 <= done <= 1.0 for done in told)
        again = Counting()
        run(path, again, file=file)
        assert again.asked == []
        assert path.read_bytes() == before
        with JournalReader(path) as journal, AnalysisFile(file, identity(judge)) as kept:
            keys = [match.key for match in journal.matches()]
            assert kept.reasons(keys) == {}
            for key in keys:
                states = kept.states(key)
                with journal.reading() as connection:
                    ended = connection.execute(
                        "SELECT game FROM games WHERE match = ? AND winner IS NOT NULL", (key,)
                    ).fetchall()
                assert {game for (game,) in ended} <= {game for game, state in states.items() if state.whole}
                rolls = [j for _, j in kept.judged(key) if j.kind == "roll"]
                assert {j.side for j in rolls} == set(r.Side)


def test_several_processes_judge_as_one(journal: Path, tmp_path: Path, judge: Judge) -> None:
    run(journal, judge)
    run(journal, judge, jobs=2, file=tmp_path / "other")
    assert all_judged(journal, judge, tmp_path / "other") == all_judged(journal, judge)


def test_an_interrupted_analysis_goes_on_where_it_stopped(
    journal: Path, tmp_path: Path, judge: Judge
) -> None:
    whole = Counting()
    run(journal, whole, file=tmp_path / "whole")
    assert len(whole.asked) > 8
    first = Counting(interrupt_at=5)
    with pytest.raises(KeyboardInterrupt):
        run(journal, first)
    rest = Counting()
    run(journal, rest)
    assert first.asked + rest.asked == whole.asked
    assert all_judged(journal, judge) == all_judged(journal, judge, tmp_path / "whole")


def test_a_match_that_goes_on_is_judged_from_there(tmp_path: Path, judge: Judge) -> None:
    path = tmp_path / "j.sqlite3"
    counting = Counting()
    with journal_writer(path) as write:
        match = Played(write, 3, 3)
        match.game()
        write.connection.execute("COMMIT")
        run(path, counting)
        seen = len(counting.asked)
        write.connection.execute("BEGIN")
        match.whole_match()
    run(path, counting)
    assert {piece.game.number for piece in counting.asked[seen:]} == set(range(2, match.match.game + 1))
    fresh = tmp_path / "fresh"
    run(path, judge, file=fresh)
    assert all_judged(path, judge) == all_judged(path, judge, fresh)


def test_engines_and_depths_do_not_mix(journal: Path, judge: Judge) -> None:
    run(journal, judge)
    other = Counting()
    run(journal, other, ply=1)
    assert other.asked
    values = {}
    for ply in (0, 1):
        with (
            JournalReader(journal) as reader,
            AnalysisFile(analysis_path(journal), identity(judge, ply)) as kept,
        ):
            values[ply] = [j for match in reader.matches() for _, j in kept.judged(match.key)]
    assert len(values[0]) == len(values[1])
    assert values[0] != values[1]


def test_what_the_engine_cannot_judge_is_kept_with_the_reason(tmp_path: Path, judge: Judge) -> None:
    path = tmp_path / "j.sqlite3"
    with journal_writer(path) as write:
        match = Played(write, 1, 25)
        match.game()
        write.connection.execute("UPDATE matches SET length = 99")
    run(path, judge)
    with JournalReader(path) as journal, AnalysisFile(analysis_path(path), identity(judge)) as kept:
        [(reason, games)] = kept.reasons(m.key for m in journal.matches()).items()
    assert games == 1
    assert "64" in reason
    again = Counting()
    run(path, again)
    assert again.asked == []


async def test_ctrl_c_keeps_what_was_judged(tmp_path: Path, judge: Judge) -> None:
    """As a terminal does it: the whole process group is interrupted."""
    path, file = tmp_path / "j.sqlite3", tmp_path / "kept"
    with journal_writer(path) as write:
        for seed in range(3):
            Played(write, seed, 3).whole_match()
    command = [
        sys.executable,
        "-m",
        "botd.cli.main",
        "stats",
        "--journal",
        str(path),
        "--analysis",
        str(file),
    ]
    options = ["--engine", "sage", "--ply", "1", "--jobs", "2"]
    process = await asyncio.create_subprocess_exec(
        *command, *options, stderr=subprocess.PIPE, start_new_session=True
    )

    def pieces() -> int:
        try:
            with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as connection:
                return int(connection.execute("SELECT coalesce(sum(judged), 0) FROM games").fetchone()[0])
        except sqlite3.Error:  # not made yet
            return 0

    await until(lambda: process.returncode is not None or pieces() >= PIECE)
    os.killpg(process.pid, signal.SIGINT)
    _, error = await process.communicate()
    assert process.returncode == 130
    assert error.decode().splitlines()[-1] == "botd stats: interrupted; what was judged so far is kept"
    assert b"Traceback" not in error
    assert pieces() >= PIECE


def test_a_process_that_dies_is_one_line(
    journal: Path, judge: Judge, capfd: pytest.CaptureFixture[str]
) -> None:
    with JournalReader(journal) as reader, AnalysisFile(None, identity(judge)) as kept:
        matches = reader.matches()
        with pytest.raises(AnalysisError, match="ended by itself"):
            analyse(reader, matches, kept, judge, spec="nobody", ply=0, jobs=2)


def test_foreign_and_damaged_side_files_are_refused(tmp_path: Path, judge: Judge) -> None:
    text, foreign, newer = tmp_path / "text", tmp_path / "foreign", tmp_path / "newer"
    text.write_text("not a database, but long enough to be taken for one" * 50)
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE accounts (name)")
    with AnalysisFile(newer, identity(judge)):
        pass
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    contents = {path: path.read_bytes() for path in (text, foreign)}
    for path in (text, foreign, newer, tmp_path / "no folder" / "file", tmp_path):
        with pytest.raises(AnalysisFileError) as caught:
            AnalysisFile(path, identity(judge))
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    assert {path: path.read_bytes() for path in contents} == contents


def test_rows_that_botd_has_not_written_are_an_error(journal: Path, judge: Judge) -> None:
    run(journal, judge)
    with sqlite3.connect(analysis_path(journal)) as connection:
        connection.execute("UPDATE judged SET kind = 'guess' WHERE event = 0")
    with pytest.raises(AnalysisFileError, match="not written"):
        all_judged(journal, judge)


def test_the_state_of_a_game() -> None:
    assert GameState(4, 4, 4).whole
    assert GameState(4, 4, 6).done
    assert not GameState(4, 4, 6).whole
    assert not GameState(3, 4, 4).done
    assert GameState(3, 4, 4, "too long").done
    assert not GameState(4, 4, 4, "too long").whole
