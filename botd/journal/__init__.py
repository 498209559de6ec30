"""The memory of the daemon: every roll, move, cube action and decision in one SQLite file."""

from botd.journal.journal import Journal, JournalError

__all__ = ["Journal", "JournalError"]
