"""The file of `botd serve --state`: read at the start, replaced as a whole whenever anything is new."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from botd.daemon.locks import Lock, LockError
from botd.files import read_small_file
from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_state import MAX_BYTES, State, StateError, decode


class StateFileError(Exception):
    """The file cannot be used; says which and why."""


class StateFile:
    """Held by one server at a time, from `with` on. Raises StateFileError."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        self._last: bytes | None = None
        self._failing = False
        try:
            self._lock = Lock(self._path.with_name(f"{self._path.name}.lock"), f"--state {path}")
        except LockError as error:
            raise StateFileError(str(error)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def read(self) -> State | None:
        """What the last server left; None if there is no file yet."""
        try:
            return decode(read_small_file(self._path, MAX_BYTES))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StateFileError(f"--state: cannot read {self._path}: {error.strerror}") from error
        except StateError as error:
            raise StateFileError(f"--state: {self._path}: {error}") from error

    def begin(self, server: FibsServer, state: State | None) -> None:
        """Give the server what was read, and see whether the file can be written."""
        try:
            if state is not None:
                server.restore(state)
            self._write(server.state())
        except StateError as error:
            raise StateFileError(f"--state: {self._path}: {error}") from error
        except OSError as error:
            raise StateFileError(f"--state: cannot write {self._path}: {error.strerror}") from error

    def keep(self, server: FibsServer) -> None:
        """Write what is new. Trouble is told once, and play goes on."""
        state = server.state()
        if state == self._last:
            return
        try:
            self._write(state)
            self._failing = False
        except OSError as error:
            if not self._failing:
                print(f"--state: cannot write {self._path}: {error.strerror}", file=sys.stderr, flush=True)
            self._failing = True

    def _write(self, state: bytes) -> None:
        """Whoever reads the file finds the old state or the new one, whole, whenever we are killed."""
        new = self._path.with_name(f"{self._path.name}.new")
        # For the owner only: it holds hashes of passwords.
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(state)
        new.replace(self._path)
        self._last = state
