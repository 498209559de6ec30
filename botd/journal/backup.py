"""Backups: a verified copy of a journal, made while a daemon writes into it."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from botd.journal.copying import copy_database
from botd.journal.read_only import open_as_is
from botd.journal.schema import version_of

_COPYING = 0.6
"""The part of the time that copying takes; the rest is the check."""
_STEPS_BETWEEN_CALLS = 200_000
"""Of SQLite's machine, while it checks."""


class BackupError(Exception):
    """There is no backup; one line that says why. A file that was there before is as it was."""


@dataclass(frozen=True, slots=True)
class Backup:
    file: str
    bytes: int
    matches: int
    schema: int
    removed: tuple[str, ...] = ()
    """Older backups that `keep` has removed."""


def back_up(
    journal: Path,
    to: Path,
    *,
    replace: bool = False,
    progress: Callable[[float, str], None] = lambda done, what: None,
) -> Backup:
    """Copy the journal to the file `to`, readable for its owner alone, and check the copy.

    Raises BackupError, and JournalReadError for a journal that cannot be read.
    """
    _check_target(journal, to, replace=replace)
    found: list[tuple[int, int]] = []

    def check(copy: sqlite3.Connection) -> None:
        progress(_COPYING, "checking")
        copy.set_progress_handler(lambda: progress(_COPYING, "checking"), _STEPS_BETWEEN_CALLS)
        (verdict,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise BackupError(f"{journal}: is damaged ({verdict}); `botd check` says how much of it")
        (matches,) = copy.execute("SELECT count(*) FROM matches").fetchone()
        found.append((matches, version_of(copy)))

    with contextlib.ExitStack() as cleanup:
        source = open_as_is(journal, cleanup)
        try:
            copy_database(
                source,
                to,
                mode=0o600,
                progress=lambda done: progress(done * _COPYING, "copying"),
                check=check,
            )
        except OSError as error:
            raise BackupError(f"{to}: cannot be written: {error.strerror}") from error
        except sqlite3.Error as error:
            raise BackupError(f"{journal}: cannot be copied to {to}: {error}") from error
    ((matches, schema),) = found
    return Backup(str(to), to.stat().st_size, matches, schema)


def dated_name(journal: Path, at: float | None = None) -> str:
    """`botd-20261130T152233Z.sqlite3` for `botd.sqlite3`."""
    moment = datetime.fromtimestamp(time.time() if at is None else at, UTC)
    return f"{journal.stem}-{moment:%Y%m%dT%H%M%SZ}{journal.suffix}"


def rotate(journal: Path, folder: Path, keep: int) -> tuple[str, ...]:
    """Remove all but the newest `keep` dated backups of this journal; the names of those removed.

    The date in the name counts. Raises BackupError.
    """
    pattern = re.compile(re.escape(journal.stem) + r"-\d{8}T\d{6}Z" + re.escape(journal.suffix))
    removed = []
    try:
        found = sorted(
            path.name for path in folder.iterdir() if pattern.fullmatch(path.name) and path.is_file()
        )
        for name in found[:-keep]:
            (folder / name).unlink()
            removed.append(name)
    except OSError as error:
        raise BackupError(f"{folder}: old backups cannot be removed: {error.strerror}") from error
    return tuple(removed)


def _check_target(journal: Path, to: Path, *, replace: bool) -> None:
    if not to.exists() and not to.is_symlink():
        return
    if journal.exists() and to.exists() and journal.samefile(to):
        raise BackupError(f"{to}: is the journal itself")
    if to.is_dir() or not (to.is_file() or to.is_symlink()):
        raise BackupError(f"{to}: expected the name of a file")
    if not replace:
        raise BackupError(f"{to}: exists already (--force replaces it)")
