"""Journals that real play has left, of every schema version, and what is in a file."""

from __future__ import annotations

import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

from botd.journal.opening import old_copy, open_file
from botd.journal.schema import SCHEMA_VERSION

DATA = Path(__file__).parents[1] / "data" / "journal"
Rows = dict[str, list[dict[str, object]]]


def written_by(version: int, folder: Path) -> Path:
    """A file as the botd of that schema version left it."""
    path = folder / "journal.sqlite3"
    path.write_bytes(lzma.decompress((DATA / f"version-{version}.sqlite3.xz").read_bytes()))
    return path


def played(folder: Path) -> Path:
    """A file of today's schema: four matches of two accounts that played each other, two of them finished."""
    last = SCHEMA_VERSION - 1
    path = written_by(last, folder)
    open_file(path, busy_timeout=1).close()
    old_copy(path, last).unlink()
    return path


def content(path: Path) -> Rows:
    """Every table's rows, each with its `rowid`."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [
            row[0]
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        ]
        return {
            table: [
                dict(row)
                for row in connection.execute(f"SELECT rowid AS rowid, * FROM {table} ORDER BY rowid")
            ]
            for table in tables
        }


def names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())
