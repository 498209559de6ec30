"""A backup is whole and checked, whatever goes on meanwhile, and never costs what was there before."""

from __future__ import annotations

import asyncio
import fcntl
import resource
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from botd.journal import Journal
from botd.journal import records as r
from botd.journal.backup import BackupError, back_up, dated_name, rotate
from botd.journal.read_only import JournalReadError
from botd.journal.reader import JournalReader
from botd.journal.schema import SCHEMA_VERSION
from tests.journal.real_files import content, names, played, written_by


def files(folder: Path) -> list[str]:
    """Without what SQLite keeps beside a journal that is only read."""
    return [name for name in names(folder) if not name.endswith((".sqlite3-shm", ".sqlite3-wal"))]


def test_it_holds_everything_for_its_owner_alone(tmp_path: Path) -> None:
    path = played(tmp_path)
    done = back_up(path, tmp_path / "copy")
    assert (done.matches, done.schema, done.bytes) == (4, SCHEMA_VERSION, (tmp_path / "copy").stat().st_size)
    assert content(tmp_path / "copy") == content(path)
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
    assert files(tmp_path) == ["copy", path.name]


def test_an_old_file_is_copied_as_it_is(tmp_path: Path) -> None:
    path = written_by(2, tmp_path)
    assert back_up(path, tmp_path / "copy").schema == 2
    assert content(tmp_path / "copy") == content(path)


async def test_while_the_daemon_writes_it_is_one_moment_of_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    async with Journal(path) as journal:
        match = journal.match_started(server="fibs", account="a", opponent="o", length=3)
        game = journal.game_started(match, 1, (0, 0))
        for _ in range(5000):
            journal.rolled(game, r.Side.US, (1, 2))
        await journal.flush()
        copies = []
        for number in range(5):
            copying = asyncio.create_task(asyncio.to_thread(back_up, path, tmp_path / f"copy{number}"))
            while not copying.done():
                journal.rolled(game, r.Side.US, (1, 2))
                await asyncio.sleep(0.001)
            await copying
            await journal.flush()  # the next copy has more, however fast this one was made
            copies.append([row["seq"] for row in content(tmp_path / f"copy{number}")["rolls"]])
        status = journal.status()
    assert (status.dropped, status.errors) == (0, 0)
    for seqs in copies:
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(seqs) >= 5000
    assert len(copies[-1]) > len(copies[0])


def test_what_is_there_stays_unless_it_may_be_replaced(tmp_path: Path) -> None:
    path = played(tmp_path)
    there = tmp_path / "there"
    there.write_text("mine")
    with pytest.raises(BackupError, match=r"there: exists already"):
        back_up(path, there)
    assert there.read_text() == "mine"
    back_up(path, there, replace=True)
    assert content(there) == content(path)


@pytest.mark.parametrize("replace", [False, True])
def test_the_journal_is_not_replaced_by_itself(tmp_path: Path, replace: bool) -> None:
    path = played(tmp_path)
    (tmp_path / "link").symlink_to(path)
    (tmp_path / "hard").hardlink_to(path)
    for target in (path, tmp_path / "link", tmp_path / "hard"):
        with pytest.raises(BackupError, match="the journal itself"):
            back_up(path, target, replace=replace)


def test_a_folder_or_a_pipe_is_no_target(tmp_path: Path) -> None:
    path = played(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(BackupError, match="expected the name of a file"):
        back_up(path, tmp_path / "folder", replace=True)
    with pytest.raises(BackupError, match="expected the name of a file"):
        back_up(path, Path("/dev/null"), replace=True)
    with pytest.raises(BackupError, match="No such file or directory"):
        back_up(path, tmp_path / "absent" / "copy")


def test_a_damaged_journal_gives_no_backup(tmp_path: Path) -> None:
    path = played(tmp_path)
    whole = path.read_bytes()
    (tmp_path / "copy").write_text("the last good one")
    for page in range(3, 40, 6):
        path.write_bytes(whole[: page * 4096] + b"\xff" * 2000 + whole[page * 4096 + 2000 :])
        with pytest.raises((BackupError, JournalReadError), match=r"damaged|malformed"):
            back_up(path, tmp_path / "copy", replace=True)
    assert (tmp_path / "copy").read_text() == "the last good one"
    assert files(tmp_path) == ["copy", path.name]


def test_what_is_no_journal_gives_no_backup(tmp_path: Path) -> None:
    with pytest.raises(JournalReadError, match="No such file"):
        back_up(tmp_path / "absent", tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "other")) as other:
        other.execute("CREATE TABLE theirs (x)")
    with pytest.raises(JournalReadError, match="no journal"):
        back_up(tmp_path / "other", tmp_path / "copy")
    assert names(tmp_path) == ["other"]


FULL_DISK = """
    import resource, signal, sys
    from pathlib import Path
    from botd.journal.backup import BackupError, back_up
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    try:
        back_up(Path(sys.argv[1]), Path(sys.argv[2]), replace=True)
    except BackupError as error:
        print(error)
"""


def test_a_full_disk_leaves_the_older_one(tmp_path: Path) -> None:
    path = played(tmp_path)
    (tmp_path / "copy").write_text("the last good one")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL_DISK), path, tmp_path / "copy"],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    )
    assert "cannot be" in done.stdout
    assert (tmp_path / "copy").read_text() == "the last good one"
    assert files(tmp_path) == ["copy", path.name]


def test_two_at_once_do_not_mix(tmp_path: Path) -> None:
    path = played(tmp_path)
    with (tmp_path / ".copy.partial").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(BackupError, match="another copy is being written"):
            back_up(path, tmp_path / "copy")
    back_up(path, tmp_path / "copy")  # what a killed one has left is in nobody's way
    assert files(tmp_path) == ["copy", path.name]


def test_of_dated_ones_the_newest_are_kept_and_nothing_else_is_touched(tmp_path: Path) -> None:
    journal = Path("botd.sqlite3")
    dated = [dated_name(journal, 1_800_000_000 + day * 86_400) for day in range(5)]
    others = ["botd-20270115T080000Z.sqlite3.keep", "other-20270115T080000Z.sqlite3", "botd.sqlite3", "notes"]
    for name in dated + others:
        (tmp_path / name).write_text("")
    (tmp_path / "botd-20200101T000000Z.sqlite3").mkdir()
    assert dated[0] == "botd-20270115T080000Z.sqlite3"
    assert rotate(journal, tmp_path, 2) == tuple(dated[:3])
    assert names(tmp_path) == sorted([*dated[3:], *others, "botd-20200101T000000Z.sqlite3"])
    assert rotate(journal, tmp_path, 2) == ()


def test_a_backup_is_a_journal_to_read_and_to_go_on_with(tmp_path: Path) -> None:
    path = played(tmp_path)
    back_up(path, tmp_path / "copy")
    with JournalReader(tmp_path / "copy") as copy, JournalReader(path) as journal:
        assert copy.matches() == journal.matches()
