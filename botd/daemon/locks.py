"""One process for each account and each journal: kernel locks on small files.

The kernel lets go of a lock when its process ends, however it ends, so a lock is never stale, even though a
killed process leaves its file. The file holds the process id of its owner, for whoever comes second.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from botd.config.schema import AccountConfig


class LockError(Exception):
    """Somebody else holds the lock, or there can be none; says what, who and where."""


class Lock:
    """An exclusive lock, held from `__init__` until `release` or the end of the process.

    Not inherited by child processes. Raises LockError.
    """

    def __init__(self, path: Path, what: str) -> None:
        """what: names the locked thing in messages."""
        self._path = path
        self._what = what
        self._descriptor: int | None = None
        while self._descriptor is None:
            descriptor = self._open()
            if _is_file(path, descriptor):
                self._descriptor = descriptor
            else:  # its last owner removed it between our opening and locking it
                os.close(descriptor)

    def _open(self) -> int:
        """The file, locked."""
        path, what = self._path, self._what
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise LockError(f"{what}: cannot open the lock file {path}: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError:
            holder = _holder(descriptor)
            os.close(descriptor)
            raise LockError(f"{what}: already in use by {holder} (lock file {path})") from None
        except OSError as error:
            os.close(descriptor)
            raise LockError(f"{what}: cannot lock {path}: {error.strerror}") from error
        return descriptor

    def release(self) -> None:
        """May be called more than once."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()  # while it is still locked: nobody else can own it
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def account_lock(directory: Path, account: AccountConfig) -> Lock:
    """Raises LockError if another process plays this account."""
    return Lock(account_lock_file(directory, account), f"account {account.name} on {account.server}")


def account_lock_file(directory: Path, account: AccountConfig) -> Path:
    return directory / f"{account.name.lower()}@{account.host.lower()}_{account.port}.lock"


def journal_lock(journal: Path) -> Lock:
    """Raises LockError if another process writes this journal."""
    return Lock(journal_lock_file(journal), f"journal {journal}")


def journal_lock_file(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}.lock")


def lock_holder(path: Path) -> str | None:
    """Who holds the lock of this file, such as `process 123`; None if nobody does. Raises OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(descriptor)
    finally:
        os.close(descriptor)
    return None


def state_directory(environment: Mapping[str, str]) -> Path:
    """Where locks lie: what systemd says (`StateDirectory=`), or the user's own folder for such things."""
    given = environment.get("STATE_DIRECTORY", "").split(":")[0]
    if given:
        return Path(given)
    xdg = environment.get("XDG_STATE_HOME", "")
    if xdg.startswith("/"):
        return Path(xdg) / "botd"
    try:
        return Path.home() / ".local/state/botd"
    except RuntimeError:  # no home either
        return Path(f"/tmp/botd-{os.getuid()}")  # noqa: S108 - the locks below are opened without following links


def _is_file(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def _holder(descriptor: int) -> str:
    text = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
    return f"process {text}" if re.fullmatch(r"[1-9]\d{0,9}", text) else "another process"
