"""Standard streams as a command may find them: closed by whoever started it, full, or without a reader."""

from __future__ import annotations

import os
import sys


def open_missing() -> None:
    """Put the null device where a standard stream was closed, so that nothing else takes its descriptor."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - stays open


def silence_output() -> None:
    """After a failed write: the interpreter flushes once more at its end, which must not fail again."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def bear_any_text() -> None:
    """Escape what the encoding of standard output lacks, as in names from servers, instead of failing."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
