"""Of a damaged journal everything that can be read is saved, and nothing is made up."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from botd.journal import Journal
from botd.journal import records as r
from botd.journal.check import check
from botd.journal.read_only import JournalReadError
from botd.journal.rescue import RescueError, rescue
from botd.journal.rows import EVENTS
from botd.journal.schema import SCHEMA_VERSION
from tests.journal.real_files import content, names, played, written_by

PAGE = 4096


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("played"))


def leaves(path: Path, table: str) -> list[int]:
    """Pages of rows, first page 1."""
    with closing(sqlite3.connect(path)) as connection:
        try:
            rows = connection.execute(
                "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno", (table,)
            ).fetchall()
        except sqlite3.OperationalError:  # an SQLite without that table: look at the bytes
            rows = []
    return [row[0] for row in rows] or [
        page + 1 for page in range(1, path.stat().st_size // PAGE) if path.read_bytes()[page * PAGE] == 0x0D
    ]


def spoiled(journal: Path, folder: Path, *pages: int) -> Path:
    data = bytearray(journal.read_bytes())
    for page in pages:
        data[(page - 1) * PAGE : page * PAGE] = b"\xa5" * PAGE
    path = folder / "damaged.sqlite3"
    path.write_bytes(data)
    return path


def nothing_made_up(before: list[dict[str, object]], after: list[dict[str, object]]) -> bool:
    """Every row is one there was, at most without what was considered."""
    known = {row["rowid"]: row for row in before}
    return all(row in (known[row["rowid"]], known[row["rowid"]] | {"candidates": "{}"}) for row in after)


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_of_a_sound_file_all_is_saved(tmp_path: Path, version: int) -> None:
    path = written_by(version, tmp_path)
    before = content(path)
    done = rescue(path, tmp_path / "new")
    assert (done.damaged, done.left_out, done.gaps) == ([], 0, 0)
    after = content(tmp_path / "new")
    for table, rows in before.items():
        assert [
            {name: new[name] for name in old} for new, old in zip(after[table], rows, strict=True)
        ] == rows
    assert check(tmp_path / "new").findings == ()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
    assert set(names(tmp_path)) == {"journal.sqlite3", "journal.sqlite3-shm", "journal.sqlite3-wal", "new"}


def test_of_a_damaged_file_all_but_the_damaged_pages_is_saved(journal: Path, tmp_path: Path) -> None:
    before = content(journal)
    draw = random.Random(9)
    pages = leaves(journal, "decisions")
    assert len(pages) > 20
    lost_rows = 0
    for number in range(12):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = spoiled(journal, folder, *draw.sample(pages, 1 + number % 3))
        done = rescue(path, folder / "new")
        after = content(folder / "new")
        for table, rows in before.items():
            if table in ("games", "meta", "sqlite_stat1"):  # games may have got a gap
                continue
            assert nothing_made_up(rows, after[table])
            lost_rows += len(rows) - len(after[table])
        assert len(after["matches"]) == 4
        assert len(after["games"]) == 10
        again = check(folder / "new")
        assert [finding.what for finding in again.findings if not finding.note] == []
        if len(after["decisions"]) < len(before["decisions"]):
            assert "decisions" in done.damaged
            assert done.gaps >= 1
    assert 0 < lost_rows < 12 * 3 * 12


def test_any_page_may_be_damaged(journal: Path, tmp_path: Path) -> None:
    before = content(journal)
    draw = random.Random(10)
    saved = 0
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        page = draw.randrange(2, journal.stat().st_size // PAGE + 1)
        path = spoiled(journal, folder, page)
        try:
            rescue(path, folder / "new")
        except (RescueError, JournalReadError):
            assert not (folder / "new").exists()
            continue
        after = content(folder / "new")
        for table in ("matches", *EVENTS):
            assert nothing_made_up(before[table], after[table])
        saved += sum(len(after[table]) for table in EVENTS)
    assert saved > 0.75 * 20 * sum(len(before[table]) for table in EVENTS)


def test_of_a_file_that_is_cut_off_what_is_there_is_saved(journal: Path, tmp_path: Path) -> None:
    """As a copy that ran out of disk, or an interrupted one, leaves it."""
    before = content(journal)
    whole = journal.read_bytes()
    part = 0.9
    path = tmp_path / "damaged.sqlite3"
    path.write_bytes(whole[: int(part * len(whole))])
    found = check(path)
    assert any(finding.what.startswith("the file is damaged") for finding in found.findings)
    done = rescue(path, tmp_path / "new")
    assert done.damaged
    after = content(tmp_path / "new")
    for table in ("matches", *EVENTS):
        assert nothing_made_up(before[table], after[table])
    assert sum(len(after[table]) for table in EVENTS) > 0.5 * part * sum(
        len(before[table]) for table in EVENTS
    )


@pytest.mark.parametrize("size", [1, 99, 100, 1000, PAGE, PAGE + 100])
def test_of_hardly_any_file_nothing_is_left(journal: Path, tmp_path: Path, size: int) -> None:
    path = tmp_path / "damaged.sqlite3"
    path.write_bytes(journal.read_bytes()[:size])
    for look in (lambda: check(path), lambda: rescue(path, tmp_path / "new")):
        with pytest.raises(JournalReadError) as told:
            look()
        assert "says how much" not in str(told.value)  # there is nothing more to say
    assert not (tmp_path / "new").exists()


async def test_a_rescued_journal_is_played_on_with(journal: Path, tmp_path: Path) -> None:
    path = spoiled(journal, tmp_path, *leaves(journal, "decisions")[3:5])
    rescue(path, tmp_path / "new")
    async with Journal(tmp_path / "new") as new:
        match = new.match_started(server="fibs", account="botd", opponent="anna", length=3)
        new.match_ended(match, r.Side.US, (3, 0))
    assert {row["match"]: row["number"] for row in content(tmp_path / "new")["matches"]}[match] == 5


def test_rows_of_a_lost_match_are_left_out(journal: Path, tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    path.write_bytes(journal.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM matches WHERE number = 1")
        connection.commit()
    done = rescue(path, tmp_path / "new")
    assert done.left_out > 100
    assert check(tmp_path / "new").findings == ()


def test_nothing_is_overwritten(journal: Path, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    for name, why in (("there", "File exists"), ("link", "File exists"), ("no/where", "No such file")):
        with pytest.raises(RescueError, match=rf"{name}: cannot be made: {why}"):
            rescue(journal, tmp_path / name)
    assert (tmp_path / "there").read_text() == "mine"


def test_what_is_no_journal_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database\n" * 100)
    with pytest.raises(JournalReadError):
        rescue(tmp_path / "text", tmp_path / "new")
    assert names(tmp_path) == ["text"]
