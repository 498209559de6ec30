"""What ends a command early: Ctrl-C, and a request to terminate."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn


@contextmanager
def ended_at_once() -> Iterator[None]:
    """Ctrl-C ends the process without Python's help, which it gets only after a whole search."""
    with _handled(signal.SIGINT, signal.SIG_DFL):
        yield


@contextmanager
def ended_with_cleanup() -> Iterator[None]:
    """A request to terminate ends like Ctrl-C, after temporary files and started programs were dealt with."""
    with _handled(signal.SIGTERM, _leave):
        yield


def _leave(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


@contextmanager
def _handled(
    number: signal.Signals, handler: signal.Handlers | Callable[[int, object], NoReturn]
) -> Iterator[None]:
    """Only the main thread may choose a handler, and a signal that is ignored (as by nohup) stays so."""
    before = signal.getsignal(number)
    if threading.current_thread() is not threading.main_thread() or before in (signal.SIG_IGN, None):
        yield
        return
    signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)
