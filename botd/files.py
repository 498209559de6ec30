"""Reading the files that people name: never without end, and never waiting for what does not come."""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from pathlib import Path

PIPE_PATIENCE_S = 5.0
"""How long a pipe or a terminal may take to tell all, as in `botd check-config <(program)`."""
_CHUNK = 1 << 16


def read_small_file(path: Path, limit: int, patience_s: float = PIPE_PATIENCE_S) -> bytes:
    """The content, but no more than `limit` + 1 bytes of it.

    Raises OSError, with `strerror` for people, also if a pipe does not tell all within `patience_s`, and
    ValueError for what cannot be a file name.
    """
    # Not blocking: opening a named pipe into which nobody writes would never end.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        give_up = None if stat.S_ISREG(os.fstat(descriptor).st_mode) else time.monotonic() + patience_s
        content = bytearray()
        while len(content) <= limit:
            if give_up is not None:
                _await_content(descriptor, give_up)
            try:
                chunk = os.read(descriptor, min(_CHUNK, limit + 1 - len(content)))
            except BlockingIOError:
                continue
            if not chunk:
                break
            content += chunk
        return bytes(content)
    finally:
        os.close(descriptor)


def _await_content(descriptor: int, give_up: float) -> None:
    patience = max(0.0, give_up - time.monotonic())
    if not select.select([descriptor], [], [], patience)[0]:
        raise TimeoutError(errno.ETIMEDOUT, "no file, and whoever writes into it does not come to an end")


def expect_regular_file(path: Path) -> None:
    """For readers that cannot be told not to wait. Raises OSError for anything but a file."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "expected a file, found something else", str(path))
