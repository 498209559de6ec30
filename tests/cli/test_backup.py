"""`botd backup` as a person and as a timer use it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.journal.real_files import played


def botd(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "botd.cli.main", "backup", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


def test_one_file(tmp_path: Path) -> None:
    path = played(tmp_path)
    done = botd("--journal", path, "copy.sqlite3", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 matches" in done.stdout
    again = botd("--journal", path, "copy.sqlite3", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == "botd backup: copy.sqlite3: exists already (--force replaces it)\n"
    assert botd("--journal", path, "--force", "copy.sqlite3", cwd=tmp_path).returncode == 0


def test_dated_ones_in_a_folder(tmp_path: Path) -> None:
    played(tmp_path)
    (tmp_path / "botd.toml").write_text('[journal]\npath = "journal.sqlite3"\n')
    folder = tmp_path / "backups"
    folder.mkdir()
    for day in range(10, 14):
        (folder / f"journal-202601{day}T030000Z.sqlite3").write_text("")
    done = botd("--keep", 2, "--json", "backups", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["removed"] == [f"journal-202601{day}T030000Z.sqlite3" for day in range(10, 13)]
    assert told["matches"] == 4
    assert (tmp_path / told["file"]).is_file()
    assert len(list(folder.iterdir())) == 2


def test_what_cannot_be_is_said_in_one_line(tmp_path: Path) -> None:
    played(tmp_path)
    for arguments, status, words in (
        (("--journal", "journal.sqlite3", "--keep", "3", "copy"), 2, "--keep: expected a folder"),
        (("--journal", "journal.sqlite3", "no/such/copy"), 1, "No such file or directory"),
        (("--journal", "absent.sqlite3", "copy"), 1, "absent.sqlite3: cannot be read"),
        (("--journal", "journal.sqlite3", "journal.sqlite3", "--force"), 1, "is the journal itself"),
        (("copy",), 1, "no journal found"),
    ):
        done = botd(*arguments, cwd=tmp_path)
        assert done.returncode == status, arguments
        assert words in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "copy").exists()
