"""Stopping by signal: the first one asks, the second one does not."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable

import structlog

EXIT_AT_ONCE = 130

log = structlog.get_logger("botd.daemon")


class StopSignals:
    """SIGINT and SIGTERM while inside `with`. The first calls `stop`; a second ends the process at once.

    Handlers run on the event loop, between callbacks, so they find everything in order.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self, stop: Callable[[], None], at_once: Callable[[], None]) -> None:
        self._stop = stop
        self._at_once = at_once
        self._seen = False

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for number in self.SIGNALS:
            loop.add_signal_handler(number, self._received, number)

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in self.SIGNALS:
            loop.remove_signal_handler(number)

    def _received(self, number: signal.Signals) -> None:
        if self._seen:
            log.warning("stopping_at_once", signal=signal.Signals(number).name)
            self._at_once()
            os._exit(EXIT_AT_ONCE)
        self._seen = True
        log.info("stopping", signal=signal.Signals(number).name, hint="a second signal stops at once")
        self._stop()
