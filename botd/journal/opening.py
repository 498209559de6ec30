"""Opening a journal file to write into it: created, or brought up to date with a copy of the old one kept."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from pathlib import Path

import structlog

from botd.journal.copying import copy_database
from botd.journal.schema import SCHEMA_VERSION, migrate, version_of

log = structlog.get_logger("botd.journal")


def open_file(path: Path, *, busy_timeout: float) -> sqlite3.Connection:
    """The file in autocommit mode with today's schema; waits up to `busy_timeout` s for other programs.

    Raises SchemaError for a file from a newer program or one of another kind, and sqlite3.Error.
    """
    connection = sqlite3.connect(path, timeout=busy_timeout, isolation_level=None)
    try:
        found = version_of(connection)
        # Only a file without tables heeds it, or one that is vacuumed: so that retention can shrink the file.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        # With a write-ahead log a killed process leaves the file whole; NORMAL syncs at checkpoints.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if 0 < found < SCHEMA_VERSION:
            _keep_copy(connection, path, found)
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def old_copy(path: Path, version: int) -> Path:
    """Where a journal of an older schema is kept when it is migrated: for going back to an older botd."""
    return path.with_name(f"{path.name}.v{version}.bak")


def _keep_copy(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """A migration is safe by itself: trouble with the copy (a full disk) is told but does not prevent it."""
    kept = old_copy(path, version)
    try:
        state = path.stat()
        if kept.exists() and kept.stat().st_mtime >= _changed(path):
            return  # of an earlier try
        if shutil.disk_usage(path.parent).free < 2 * state.st_size:  # the migration itself needs room, too
            raise OSError(errno.ENOSPC, "there is too little room")
        copy_database(connection, kept, mode=state.st_mode & 0o777)
    except (OSError, sqlite3.Error) as error:
        log.warning("journal_migrated_without_copy", file=str(path), schema=version, error=str(error))
    else:
        log.info("journal_migrating", file=str(path), schema=version, to=SCHEMA_VERSION, copy=str(kept))


def _changed(path: Path) -> float:
    """When anything was last written into the file or its write-ahead log."""
    log_file = path.with_name(f"{path.name}-wal")
    in_log = log_file.exists() and log_file.stat().st_size > 0
    return max(path.stat().st_mtime, log_file.stat().st_mtime if in_log else 0.0)
