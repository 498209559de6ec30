"""Signals: SIGINT and SIGTERM stop (the first one asks, the second one does not), SIGHUP reloads."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable

import structlog

EXIT_AT_ONCE = 130

log = structlog.get_logger("botd.daemon")


class Signals:
    """Handles the signals while inside `with`.

    The first SIGINT or SIGTERM calls `stop`; a second ends the process at once, after `at_once`. Handlers run
    on the event loop, between callbacks, so they find everything in order.
    """

    STOP = (signal.SIGINT, signal.SIGTERM)

    def __init__(
        self, stop: Callable[[], None], at_once: Callable[[], None], reload: Callable[[], None]
    ) -> None:
        self._stop = stop
        self._at_once = at_once
        self._reload = reload
        self._seen = False

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for number in self.STOP:
            loop.add_signal_handler(number, self._received, number)
        loop.add_signal_handler(signal.SIGHUP, self._reload)

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in (*self.STOP, signal.SIGHUP):
            loop.remove_signal_handler(number)

    def _received(self, number: signal.Signals) -> None:
        if self._seen:
            log.warning("stopping_at_once", signal=signal.Signals(number).name)
            self._at_once()
            os._exit(EXIT_AT_ONCE)
        self._seen = True
        log.info("stopping", signal=signal.Signals(number).name, hint="a second signal stops at once")
        self._stop()
