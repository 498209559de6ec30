"""Looking at processes from outside, by /proc."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether the process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def exists(pid: int) -> bool:
    """Whether the process runs or is a zombie, which nobody has reaped."""
    return Path(f"/proc/{pid}").exists()


_PR_SET_CHILD_SUBREAPER = 36


@contextmanager
def adopting() -> Iterator[None]:
    """Meanwhile this process adopts what its descendants leave behind, as process 1 of a container does."""
    prctl = ctypes.CDLL(None).prctl
    assert prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    try:
        yield
    finally:
        prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
