"""A journal file opened for reading, wherever it lies and whichever botd has written it.

Three ways, the first that works:

- a read-only connection to the file itself; it sees what a running daemon has written and never waits for it
- where SQLite cannot keep its index of the write-ahead log (read-only media, somebody else's folder): the
  file as unchangeable, or with a log beside it that nobody has folded in, a private copy of both
- for a file of an older schema: a private copy, migrated; the file itself stays as it is

Private copies lie in the system's folder for temporary files and vanish with the connection.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from botd.journal.schema import SCHEMA_VERSION, SchemaError, migrate, version_of
from botd.printable import printable

_BUSY_TIMEOUT = 5.0
_TABLES = frozenset({"matches", "sittings", "games", "rolls", "moves", "cube_actions", "decisions"})
_TEMPORARY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_NO_INDEX = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}


_HOW_MUCH = "`botd check --journal FILE` says how much of it"
_Prepare = Callable[[sqlite3.Connection], None]


class JournalReadError(Exception):
    """A journal cannot be read; one line that names the file, what is wrong and what to do."""


def read_error(path: Path, error: Exception, hint: str = _HOW_MUCH) -> JournalReadError:
    """What SQLite, or the conversion of a row, says about a file, in words for people."""
    code = getattr(error, "sqlite_errorcode", None)
    kind = None if code is None else code & 0xFF
    if kind in _TEMPORARY:
        why = "is locked by another program; try again when it has finished"
    elif kind == sqlite3.SQLITE_NOTADB:
        why = "is no journal: expected a SQLite file that `botd run` has written"
    elif kind == sqlite3.SQLITE_FULL:
        why = "needs a private copy for reading, and the disk for temporary files is full (see TMPDIR)"
    elif kind == sqlite3.SQLITE_IOERR:
        why = f"cannot be read: {error}"
    else:
        what = " ".join(str(error).split())[:200]
        why = f"is damaged ({what}); {hint}"
    return JournalReadError(f"journal {printable(path)}: {why}")


def open_read_only(path: Path, cleanup: contextlib.ExitStack) -> sqlite3.Connection:
    """A connection to the journal with the present schema; `cleanup` closes it and removes its copies.

    It may be used from any thread, by one at a time. Raises JournalReadError.
    """
    connection = open_as_is(path, cleanup)
    try:
        if version_of(connection) < SCHEMA_VERSION:
            connection = _migrated(connection, cleanup)
    except sqlite3.Error as error:
        raise read_error(path, error) from error
    except SchemaError as error:
        raise JournalReadError(f"journal {printable(path)} {error}") from error
    connection.execute("PRAGMA query_only = ON")
    return connection


def open_as_is(
    path: Path, cleanup: contextlib.ExitStack, *, even_cut_off: bool = False
) -> sqlite3.Connection:
    """The same with the schema that the file has. Raises JournalReadError.

    Args:
        even_cut_off: open also a file whose end is missing, or whose schema is spoilt, as far as it can be
            read.
    """
    _check_file(path)
    try:
        if even_cut_off:
            connection = _opened(_whole_pages(path, cleanup), cleanup, _prepare_cut_off)
        else:
            connection = _opened(path, cleanup, _prepare)
        _check_schema(path, connection)
    except sqlite3.Error as error:
        hint = "nothing in it can be read; use a backup" if even_cut_off else _HOW_MUCH
        raise read_error(path, error, hint) from error
    except OSError as error:
        raise JournalReadError(f"journal {printable(path)}: cannot be copied: {error.strerror}") from error
    return connection


def _check_file(path: Path) -> None:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):  # a named pipe would never answer
            raise JournalReadError(f"journal {printable(path)}: expected a file, found something else")
        # Never opened here: closing it would drop the locks of this process, and a daemon looks at the file
        # it writes. The next program to leave it would then take the write-ahead log for nobody's.
        if not _may(path, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        hint = "; nothing has been recorded there yet" if isinstance(error, FileNotFoundError) else ""
        raise JournalReadError(
            f"journal {printable(path)}: cannot be read: {error.strerror}{hint}"
        ) from error
    except ValueError as error:  # a NUL byte
        raise JournalReadError(f"journal {printable(path)}: not a file name") from error


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _opened(path: Path, cleanup: contextlib.ExitStack, prepare: _Prepare) -> sqlite3.Connection:
    try:
        return _connect(path, "mode=ro", cleanup, prepare)
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _NO_INDEX:
            raise
        if _may(path, os.W_OK) and _may(path.parent, os.W_OK):
            raise  # a passing trouble, such as too many open files, and the file may be one that we write
    log = path.with_name(f"{path.name}-wal")
    if not log.exists() or log.stat().st_size == 0:
        return _connect(path, "mode=ro&immutable=1", cleanup, prepare)
    return _connect(_copied(path, cleanup), "mode=rw", cleanup, prepare)


def _copied(path: Path, cleanup: contextlib.ExitStack) -> Path:
    """A private copy of the file and its log."""
    folder = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="botd-journal-")))
    copy = folder / "journal.sqlite3"
    shutil.copyfile(path, copy)
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        shutil.copyfile(log, folder / "journal.sqlite3-wal")
    return copy


def _whole_pages(path: Path, cleanup: contextlib.ExitStack) -> Path:
    """The file, or a copy without half a page at its end: SQLite would read zeros for the other half."""
    with path.open("rb") as file:
        header = file.read(18)
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    size = path.stat().st_size
    if not header.startswith(b"SQLite format 3\0") or page < 512 or size % page == 0:
        return path
    copy = _copied(path, cleanup)
    os.truncate(copy, size - size % page)
    return copy


def _connect(path: Path, how: str, cleanup: contextlib.ExitStack, prepare: _Prepare) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        uri=True,
        timeout=_BUSY_TIMEOUT,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        prepare(connection)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    cleanup.callback(connection.close)
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    # Whatever somebody has put into a text column can be shown, if not as it was.
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")


def _prepare_cut_off(connection: sqlite3.Connection) -> None:
    _prepare(connection)
    connection.execute(
        "PRAGMA writable_schema = ON"
    )  # else SQLite refuses a file shorter than its header says


def _check_schema(path: Path, connection: sqlite3.Connection) -> None:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if version > SCHEMA_VERSION and tables >= _TABLES:
        raise JournalReadError(
            f"journal {printable(path)}: was written by a newer botd (schema version {version}, "
            f"this program reads up to {SCHEMA_VERSION}); read it with that version"
        )
    if not tables >= _TABLES:
        what = "is no journal of botd" if tables or version else "is empty: no daemon has written into it yet"
        raise JournalReadError(f"journal {printable(path)}: {what}")


def _migrated(connection: sqlite3.Connection, cleanup: contextlib.ExitStack) -> sqlite3.Connection:
    """A private copy with the present schema. Its nameless file is SQLite's own affair and never remains."""
    copy = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    cleanup.callback(copy.close)
    _prepare(copy)
    connection.backup(copy)
    migrate(copy)
    return copy
