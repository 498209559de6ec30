"""One file for two things: what botd writes must not be in the place of anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from botd.config import ConfigError, load_config

ACCOUNT = '[[accounts]]\nhost = "localhost"\nname = "anna"\npassword_file = "anna.password"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "anna.password").write_text("secret\n")
    (tmp_path / "anna.password").chmod(0o600)
    (tmp_path / "link").symlink_to("anna.password")
    return tmp_path


def problems(folder: Path, text: str) -> list[str]:
    (folder / "botd.toml").write_text(text + ACCOUNT)
    try:
        load_config(folder / "botd.toml")
    except ConfigError as error:
        return [str(problem).removeprefix(f"{folder}/botd.toml:") for problem in error.problems]
    return []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[log]\nfile = "botd.toml"\n', "2: log.file: is this configuration"),
        ('[log]\nfile = "./x/../botd.sqlite3"\n', "2: log.file: is named by journal.path already"),
        (
            '[log]\nfile = "botd.sqlite3-wal"\n',
            "2: log.file: is named by journal.path (with -wal at its end) already",
        ),
        ('[log]\nfile = "anna.password"\n', "2: log.file: is named by accounts[0].password_file already"),
        ('[log]\nfile = "link"\n', "2: log.file: is named by accounts[0].password_file already"),
        ('[journal]\npath = "botd.toml"\n', "2: journal.path: is this configuration"),
        ('[journal]\npath = "link"\n', "2: journal.path: is named by accounts[0].password_file already"),
        ('[control]\npath = "botd.sqlite3"\n', "2: control.path: is named by journal.path already"),
        ('[log]\nfile = "a"\n[control]\npath = "a"\n', "4: control.path: is named by log.file already"),
        (
            '[status_page]\ntoken_file = "anna.password"\n[log]\nfile = "anna.password"\n',
            "4: log.file: is named by status_page.token_file already",
        ),
    ],
)
def test_a_file_that_is_written_is_nothing_else(folder: Path, text: str, told: str) -> None:
    assert problems(folder, text) == [f"{told}; expected a file of its own"]


@pytest.mark.parametrize(
    "text",
    [
        '[log]\nfile = "botd.log"\n[journal]\npath = "botd.sqlite3"\n[control]\npath = "botd.sock"\n',
        '[control]\nenabled = false\npath = "botd.sqlite3"\n',
        '[status_page]\ntoken_file = "anna.password"\n',  # read only: unwise, but nothing is spoilt
    ],
)
def test_other_files_are_no_trouble(folder: Path, text: str) -> None:
    assert problems(folder, text) == []
