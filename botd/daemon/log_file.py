"""The log as a file: rotated between whole lines, by a thread of its own, so that nobody waits for a disk.

The standard library's rotating handlers write in the caller's thread, rotate by size or by time but not both,
and leave half a line behind on a full disk.
"""

from __future__ import annotations

import gzip
import logging
import os
import shutil
import stat
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

MODE = 0o640
"""Of new files: the owner writes, the group reads."""
_BUFFER = 20_000
"""Lines that wait while the disk is full or slow; then new ones are lost, which the log tells afterwards."""
_RETRY = 1.0
_ROTATION_RETRY = 60.0
_DAY = 86_400


class LogFileError(Exception):
    """There can be no log file of this name; one line that says why."""


@dataclass(frozen=True, slots=True)
class Rotation:
    """When to begin a new file, and what becomes of the old ones (`FILE.1` is the newest of them)."""

    bytes: int = 0
    """Before the file would grow larger; 0 never."""
    days: int = 0
    """After so many days, at midnight UTC; 0 never."""
    keep: int = 7
    compress: bool = False


class LogFile(logging.Handler):
    """Appends each record as a whole line to a file, which it opens anew if somebody has moved it away.

    Trouble with the disk is told once on standard error; lines wait in a bounded buffer until it is over.
    """

    def __init__(self, path: Path, rotation: Rotation | None = None) -> None:
        """Raises LogFileError if the file cannot be opened."""
        super().__init__()
        self.path = path
        self._rotation = rotation or Rotation()
        self._lines: deque[bytes] = deque()
        self._wake = threading.Condition()
        self._busy = self._stopping = self._reopen = False
        self._lost = 0
        self._failing = ""
        self._rotate_from = 0.0
        try:
            self._descriptor = _open(path)
        except OSError as error:
            raise LogFileError(f"log.file {path}: cannot be opened: {error.strerror}") from error
        self._thread = threading.Thread(target=self._main, name="botd-log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = f"{self.format(record)}\n".encode("utf-8", "backslashreplace")
        except Exception:
            self.handleError(record)
            return
        with self._wake:
            if len(self._lines) >= _BUFFER or self._stopping:
                self._lost += 1
                return
            self._lines.append(line)
            self._wake.notify_all()

    def reopen(self) -> None:
        """Open the file anew before the next line. Does not wait."""
        with self._wake:
            self._reopen = True
            self._wake.notify_all()

    def flush(self) -> None:
        """Wait until all is written, or for two seconds."""
        with self._wake:
            self._wake.wait_for(lambda: not self._lines and not self._busy, 2.0)

    def close(self) -> None:
        """Write what waits, as `flush` does, and end."""
        self.flush()
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        self._thread.join(2.0)
        super().close()

    # -- the thread ------------------------------------------------------------------------------------------

    def _main(self) -> None:
        while True:
            with self._wake:
                self._busy = False
                self._wake.notify_all()
                while not (self._lines or self._stopping or self._reopen):
                    self._wake.wait()
                if self._stopping and not self._lines:
                    break
                lines, self._lines = list(self._lines), deque()
                reopen, self._reopen = self._reopen, False
                self._busy = True
            left = self._write(lines, reopen)
            if left:
                with self._wake:
                    self._lines.extendleft(reversed(left))
                    if self._wake.wait_for(lambda: self._stopping, _RETRY):
                        break
        os.close(self._descriptor)

    def _write(self, lines: list[bytes], reopen: bool) -> list[bytes]:
        """Write the lines; those that could not be written."""
        done = 0
        try:
            if reopen or _moved(self._descriptor, self.path):
                self._open_anew()
            self._tell_lost()
            while done < len(lines):
                size = os.fstat(self._descriptor).st_size
                if size and self._due(size + len(lines[done])):
                    self._try_to_rotate()
                    size = os.fstat(self._descriptor).st_size
                done += self._append(lines[done:], size)
        except OSError as error:
            self._tell(f"{error}; lines wait")
        else:
            self._failing = ""
        return lines[done:]

    def _append(self, lines: list[bytes], size: int) -> int:
        """As many whole lines as fit before the next rotation; how many that were."""
        number, total = 0, 0
        while number < len(lines) and (
            number == 0
            or not self._rotation.bytes
            or size + total + len(lines[number]) <= self._rotation.bytes
        ):
            total += len(lines[number])
            number += 1
        data = b"".join(lines[:number])
        written = 0
        try:
            while written < total:
                written += os.write(self._descriptor, data[written:])
        except OSError:
            # No half line stays, and none is written twice.
            whole = data.rfind(b"\n", 0, written) + 1
            os.ftruncate(self._descriptor, size + whole)
            kept = data.count(b"\n", 0, whole)
            if kept:
                return kept
            raise
        return number

    def _tell_lost(self) -> None:
        with self._wake:
            lost = self._lost
        if lost:
            text = f"{lost} lines of this log were lost: the disk was full or too slow"
            record = logging.makeLogRecord({"name": "botd.daemon", "levelno": logging.WARNING, "msg": text})
            record.levelname = "WARNING"
            data = f"{self.format(record)}\n".encode()
            if os.write(self._descriptor, data) == len(data):
                with self._wake:
                    self._lost -= lost

    def _tell(self, trouble: str) -> None:
        """Once, where somebody may see it: not in this log."""
        if self._failing != trouble:
            self._failing = trouble
            print(f"botd: log file {self.path}: {trouble}", file=sys.stderr)

    def _due(self, size: int) -> bool:
        if time.monotonic() < self._rotate_from:
            return False
        if 0 < self._rotation.bytes < size:
            return True
        if not self._rotation.days:
            return False
        changed = os.fstat(self._descriptor).st_mtime
        return int(time.time()) // _DAY // self._rotation.days > int(changed) // _DAY // self._rotation.days

    def _try_to_rotate(self) -> None:
        """Where the files cannot be renamed, this one goes on and becomes larger."""
        try:
            self._rotate()
        except OSError as error:
            self._rotate_from = time.monotonic() + _ROTATION_RETRY
            self._tell(f"cannot be rotated: {error}")

    def _rotate(self) -> None:
        """Rename the files one further and begin a new one."""
        first = _numbered(self.path, 1)
        for number in range(self._rotation.keep, 0, -1):
            for ending in ("", ".gz"):
                old = _numbered(self.path, number, ending)
                if old.exists():
                    if number == self._rotation.keep:
                        old.unlink()
                    else:
                        old.replace(_numbered(self.path, number + 1, ending))
        self.path.replace(first)
        self._open_anew()
        if self._rotation.compress:
            _compress(first)

    def _open_anew(self) -> None:
        descriptor = _open(self.path)
        os.close(self._descriptor)
        self._descriptor = descriptor


def _open(path: Path) -> int:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOCTTY
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, MODE)
        os.fchmod(descriptor, MODE)  # whatever the umask says
    except FileExistsError:  # its owner may have other ideas of who reads it
        descriptor = os.open(path, flags | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "expected a file, found something else")
    return descriptor


def _moved(descriptor: int, path: Path) -> bool:
    try:
        return not os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return True


def _numbered(path: Path, number: int, ending: str = "") -> Path:
    return path.with_name(f"{path.name}.{number}{ending}")


def _compress(path: Path) -> None:
    packed = path.with_name(f"{path.name}.gz")
    partial = path.with_name(f".{packed.name}.partial")
    try:
        with (
            path.open("rb") as source,
            os.fdopen(_open_new(partial), "wb") as raw,
            gzip.open(raw, "wb") as out,
        ):
            shutil.copyfileobj(source, out)
        partial.replace(packed)
        path.unlink()
    finally:
        partial.unlink(missing_ok=True)


def _open_new(path: Path) -> int:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE)
    os.fchmod(descriptor, MODE)
    return descriptor
