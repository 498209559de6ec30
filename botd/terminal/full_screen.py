"""A terminal taken over as a whole and given back as it was, whatever ends us."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

_ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[?7l"
"""Another screen, no cursor, no wrapping."""
_LEAVE: Final = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_KEYS: Final = {
    b"\x1b[A": "up", b"\x1b[B": "down", b"\x1b[C": "right", b"\x1b[D": "left",
    b"\x1bOA": "up", b"\x1bOB": "down", b"\x1bOC": "right", b"\x1bOD": "left",
}  # fmt: skip


def keys_of(data: bytes) -> Iterator[str]:
    """Names of the keys pressed: `up`, `down`, `left`, `right` or the character itself."""
    while data:
        if data.startswith(b"\x1b") and len(data) > 1:
            sequence, data = data[:3], data[3:]
            if sequence in _KEYS:
                yield _KEYS[sequence]
            continue
        character, data = data[:1], data[1:]
        if character != b"\x1b":
            yield character.decode("latin-1")


class FullScreen:
    """Standard output as a screen and standard input as keys, inside `with` and an event loop.

    `pressed` is called with each key, `resized` when the size has changed or all must be drawn anew.
    """

    def __init__(self, pressed: Callable[[str], None], resized: Callable[[], None]) -> None:
        self._pressed = pressed
        self._resized = resized
        self._loop = asyncio.get_running_loop()
        self._before: list[Any] | None = None
        self._in = sys.stdin.fileno()

    @property
    def size(self) -> tuple[int, int]:
        """Columns, rows."""
        size = shutil.get_terminal_size()
        return max(1, size.columns), max(1, size.lines)

    def __enter__(self) -> FullScreen:
        self._take()
        self._loop.add_signal_handler(signal.SIGWINCH, self._resized)
        self._loop.add_signal_handler(signal.SIGTSTP, self._suspend)
        return self

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGWINCH, signal.SIGTSTP):
            self._loop.remove_signal_handler(number)
        self._give_back()

    def draw(self, lines: Sequence[str]) -> None:
        body = "\r\n".join(f"{line}\x1b[K" for line in lines)
        self._write(f"\x1b[?2026h\x1b[H{body}\x1b[J\x1b[?2026l")

    def _take(self) -> None:
        if os.isatty(self._in):
            self._before = termios.tcgetattr(self._in)
            tty.setcbreak(self._in)
            self._loop.add_reader(self._in, self._read)
        self._write(_ENTER)

    def _give_back(self) -> None:
        with contextlib.suppress(OSError):  # the terminal may be gone
            self._write(_LEAVE)
        if self._before is not None:
            self._loop.remove_reader(self._in)
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._in, termios.TCSADRAIN, self._before)
            self._before = None

    def _suspend(self) -> None:
        """Ctrl-Z: the shell gets its terminal as it was, and we take it again afterwards."""
        self._give_back()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._take()
        self._resized()

    def _read(self) -> None:
        data = os.read(self._in, 256)
        if not data:  # the terminal is gone
            self._loop.remove_reader(self._in)
            self._pressed("q")
            return
        for key in keys_of(data):
            self._pressed(key)

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
