"""How long to wait before the next attempt to connect."""

from __future__ import annotations

import random

MAX_WAIT = 900.0
HEALTHY_AFTER = 60.0
"""A connection that lived so long forgets the failures before it."""


class Backoff:
    """Decorrelated jitter: every wait is drawn between `first` and three times the last one, up to `most`.

    Many clients that lost a server at once thus do not come back at once.
    (Source of the formula: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.)
    """

    def __init__(self, first: float, most: float = MAX_WAIT, source: random.Random | None = None) -> None:
        self._first = first
        self._most = max(first, most)
        self._random = source or random.Random()  # noqa: S311 - spreads load, guards nothing
        self._last = first

    def next_wait(self) -> float:
        """Seconds to wait now."""
        self._last = min(self._most, self._random.uniform(self._first, 3 * self._last))
        return self._last

    def connection_lived(self, seconds: float) -> None:
        if seconds >= HEALTHY_AFTER:
            self._last = self._first
