"""`botd export`: what other programs get is what was played, whatever players are called."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from botd.journal.export import json_lines
from botd.journal.history import load_history
from botd.journal.mat import format_match
from botd.journal.reader import JournalReader
from tests.journal.real_files import content, names, played
from tests.journal.test_mat import parse, through_gnubg


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("played"))


def botd(journal: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "botd.cli.main", "export", "--journal", str(journal), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_exported_mat_file_is_imported_by_gnubg(journal: Path, tmp_path: Path) -> None:
    done = botd(journal, "--to", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"4 matches written into 4 files in {tmp_path}/out\n"
    files = sorted((tmp_path / "out").iterdir())
    assert len(files) == 4
    for file in files:
        again, _ = through_gnubg(file)
        assert parse(again)[0] == parse(file.read_text())[0]
        assert [game[1] for game in parse(again)[1]] == [game[1] for game in parse(file.read_text())[1]]


def test_one_match_to_standard_output(journal: Path) -> None:
    done = botd(journal, "2")
    with JournalReader(journal) as reader:
        assert done.stdout == format_match(load_history(reader.connection, reader.find("2").key))
    many = botd(journal)
    assert (many.returncode, many.stdout) == (2, "")
    assert many.stderr == (
        "botd export: a .mat file holds one match, and these are 4: name one, or a folder with --to\n"
    )


def test_json_lines(journal: Path, tmp_path: Path) -> None:
    done = botd(journal, "--format", "jsonl", "--state", "finished")
    with JournalReader(journal) as reader:
        keys = [match.key for match in reader.matches() if match.state == "finished"]
        assert done.stdout.splitlines() == [
            line for key in keys for line in json_lines(reader.connection, key)
        ]
    assert botd(journal, "--format", "jsonl", "--to", tmp_path, *keys).returncode == 0
    assert [name.rpartition(".")[2] for name in names(tmp_path)] == ["jsonl", "jsonl"]
    assert sum(len((tmp_path / name).read_text().splitlines()) for name in names(tmp_path)) == len(
        done.stdout.splitlines()
    )
    assert all(json.loads(line)["type"] for line in done.stdout.splitlines())


def test_a_line_a_match_for_a_spreadsheet(journal: Path, tmp_path: Path) -> None:
    done = botd(journal, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    known = content(journal)["matches"]
    assert [(int(row["number"]), row["match"], row["state"]) for row in rows] == [
        (row["number"], row["match"], row["state"]) for row in known
    ]
    assert [row["started_at"] for row in rows] == [row["started_at"] for row in known]
    assert [row["score_us"] for row in rows] == [str(row["score_us"]) for row in known]
    assert all(float(row["seconds_played"]) > 0 for row in rows)
    assert botd(journal, "--format", "csv", "--to", tmp_path).returncode == 0
    assert (tmp_path / "matches.csv").read_text() == done.stdout


@pytest.mark.parametrize(
    "name",
    [
        '=HYPERLINK("http://x")',
        "+1",
        "-1",
        "@SUM(A1)",
        "  =1+1",
        "\t=1",
        "\r=1",
        'a,"b',
        "\x1b[2J",
        "\ud7ff\u202e",
    ],
)
def test_names_of_players_do_no_harm(journal: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "journal.sqlite3"
    path.write_bytes(journal.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE matches SET opponent = ?", (name,))
        connection.commit()
    done = botd(path, "--format", "csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 4
    for row in rows:
        assert row["opponent"].isprintable()
        assert row["opponent"].lstrip()[0] not in "=+-@"
    assert botd(path, "--to", tmp_path / "out").returncode == 0
    assert len(names(tmp_path / "out")) == 4
    assert names(tmp_path) == [
        "journal.sqlite3",
        *(f"journal.sqlite3-{end}" for end in ("shm", "wal")),
        "out",
    ]


def test_what_cannot_be_is_said_in_one_line(journal: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for arguments, status, words in (
        (("99",), 1, "match '99': not in"),
        (("--to", tmp_path / "file"), 1, "cannot write: File exists"),
        (("--opponent", "nobody"), 0, "no such matches"),
        (("--format", "xls"), 2, "invalid choice"),
    ):
        done = botd(journal, *arguments)
        assert (done.returncode, done.stdout) == (status, ""), done
        assert words in done.stderr


def test_a_broken_record_is_said(journal: Path, tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    path.write_bytes(journal.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE moves SET steps = 'nonsense'")
        connection.commit()
    done = botd(path, "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert "is damaged" in done.stderr
    assert done.stderr.count("\n") == 1
