"""The journal: whether it can be read and written, is whole, and has room."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path

from botd.doctor.findings import Check, Finding, Patient, not_tried, ok, problem, warning
from botd.journal.read_only import JournalReadError
from botd.journal.reader import JournalReader

LITTLE_ROOM, NO_ROOM = 1 << 30, 100 << 20
"""Bytes. A match takes some hundred kilobytes."""
QUICK_CHECK_S = 10.0
_STEPS = 10_000


async def journal(patient: Patient) -> AsyncIterator[Finding]:
    if patient.config is None:
        return
    path = patient.config.journal.path
    if not path.exists():
        yield not_tried("journal", f"{path} is not there yet; botd makes it")
        return
    try:
        yield await asyncio.to_thread(_examine, path)
    except JournalReadError as error:
        yield problem("journal", str(error), "restore a copy made by botd backup, or name another file")


def _examine(path: Path) -> Finding:
    """Raises JournalReadError."""
    size = f"{path.stat().st_size / 1e6:.1f} MB"
    with JournalReader(path) as reader:
        matches = len(reader.matches())
        verdict = _quick_check(reader.connection)
    if verdict is None:
        return warning(
            "journal",
            f"{path}: {matches} matches, {size}; not all examined in {QUICK_CHECK_S:g} s",
            f"botd check --journal {path} takes its time",
        )
    if verdict != "ok":
        return problem(
            "journal", f"{path}: damaged: {verdict}", "restore a copy made by botd backup; keep this one"
        )
    return ok("journal", f"{path}: {matches} matches, {size}, whole")


def _quick_check(connection: sqlite3.Connection) -> str | None:
    """SQLite's own words, `ok` if it is whole; None if that took too long."""
    end = time.monotonic() + QUICK_CHECK_S
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        with contextlib.closing(connection.execute("PRAGMA quick_check(1)")) as rows:
            return str(rows.fetchone()[0])
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            return None
        return str(error)
    except sqlite3.DatabaseError as error:
        return str(error)
    finally:
        connection.set_progress_handler(None, 0)


async def room(patient: Patient) -> AsyncIterator[Finding]:
    if patient.config is None:
        return
    path = patient.config.journal.path
    there = next(each for each in path.parents if each.exists())
    usage = await asyncio.to_thread(shutil.disk_usage, there)
    text = f"{usage.free / 1e9:.1f} GB free at {there}"
    advice = "make room, or set journal.keep_days"
    if usage.free < NO_ROOM:
        yield problem("disk", text, advice)
    elif usage.free < LITTLE_ROOM:
        yield warning("disk", text, advice)
    else:
        yield ok("disk", text)


CHECKS = (Check("journal", journal, limit_s=60), Check("disk", room))
