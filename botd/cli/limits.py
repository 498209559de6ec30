"""What the system lets a process have."""

from __future__ import annotations

import contextlib
import resource


def allow_many_files() -> None:
    """As many open files as we may have: the usual limit of 1,024 is less than what many connections need.

    It is low for programs that cannot count further, of which this is none.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # refused after all: no reason not to play
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
