"""A consistent copy of a database that others may be writing into."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

_PAGES_A_STEP = 512


def copy_database(
    source: sqlite3.Connection,
    to: Path,
    *,
    mode: int = 0o600,
    progress: Callable[[float], object] = lambda done: None,
    check: Callable[[sqlite3.Connection], None] = lambda copy: None,
) -> None:
    """Copy what `source` (in autocommit mode) holds now to the file `to`, which appears whole or not at all.

    `progress` is told the part done, 0 to 1; `check` may refuse the copy by raising. Raises OSError and
    sqlite3.Error.
    """
    partial = to.with_name(f".{to.name}.partial")
    remains = (partial, partial.with_name(f"{partial.name}-journal"))
    descriptor = _claim(partial, mode)
    try:
        with closing(sqlite3.connect(partial, isolation_level=None)) as copy:
            _copy(source, copy, progress)
            # A file in write-ahead mode cannot be read where nothing can be written.
            copy.execute("PRAGMA journal_mode = DELETE")
            check(copy)
        os.fsync(descriptor)
        partial.replace(to)
        _sync_folder(to.parent)
    finally:
        for path in remains:
            path.unlink(missing_ok=True)
        os.close(descriptor)


def _claim(partial: Path, mode: int) -> int:
    """The file as ours alone, empty. Its descriptor: SQLite's own locks would go with an earlier close."""
    descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(descriptor), partial.stat()):  # the other one has just finished
            raise BlockingIOError
        os.fchmod(descriptor, mode)  # whatever the umask says
        os.ftruncate(descriptor, 0)
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            raise OSError(errno.EBUSY, "another copy is being written there", str(partial)) from None
        raise
    return descriptor


def _copy(source: sqlite3.Connection, copy: sqlite3.Connection, progress: Callable[[float], object]) -> None:
    source.execute("BEGIN")  # one view of the file for all steps: SQLite would begin anew after every write
    try:
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        source.backup(
            copy,
            pages=_PAGES_A_STEP,
            progress=lambda status, left, total: progress(1 - left / max(total, 1)),
        )
    finally:
        source.execute("COMMIT")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
