"""What a process uses, by the kernel's own count (`/proc`)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Usage:
    cpu_s: float
    """Since its start, in user and system mode."""
    rss_bytes: int
    open_files: int


def usage(pid: int) -> Usage | None:
    """None if there is no such process any more, or no `/proc`."""
    folder = Path(f"/proc/{pid}")
    try:
        # The name in the second field may contain anything, blanks and brackets too.
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        files = len(list((folder / "fd").iterdir()))
    except OSError:
        return None
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    return Usage((int(fields[11]) + int(fields[12])) / ticks, int(fields[21]) * page, files)


def children(pid: int) -> tuple[int, ...]:
    """Process ids of the children that live; none if that cannot be told."""
    try:
        return tuple(int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    except OSError:
        return ()


def descendants(pid: int) -> tuple[int, ...]:
    """Process ids of the children, of theirs, and so on."""
    own = children(pid)
    return (*own, *(each for child in own for each in descendants(child)))
