"""How far a long computation is, on one line that redraws itself."""

from __future__ import annotations

from types import TracebackType
from typing import Self, TextIO

_WIDTH = 40


class ProgressBar:
    """Call it with the part done, 0 to 1, and perhaps what is being done.

    Silent unless `out` is a terminal; erases itself in the end.
    """

    def __init__(self, out: TextIO | None, label: str) -> None:
        self._out = out if out is not None and out.isatty() else None
        self._label = label
        self._percent = -1
        self._what = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Take it off the line, for something else to be written there."""
        if self._out is not None and self._percent >= 0:
            self._out.write("\r\x1b[K")
            self._out.flush()
            self._percent = -1

    def __call__(self, done: float, what: str = "") -> None:
        percent = int(100 * min(max(done, 0.0), 1.0))
        if self._out is None or (percent, what) == (self._percent, self._what):
            return
        self._percent, self._what = percent, what
        filled = _WIDTH * percent // 100
        bar = "#" * filled + "." * (_WIDTH - filled)
        self._out.write(f"\r{self._label} [{bar}] {percent:3} % {what}".rstrip() + "\x1b[K")
        self._out.flush()
