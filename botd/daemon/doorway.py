"""Many accounts on one server log in a few at a time.

Whoever logs in is told of everybody there, and everybody is told of him: a crowd at the door would keep the
event loop, and the server, busy for seconds with nothing else.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque

AT_ONCE = 4
"""Connecting or logging in."""
GAP = 0.1
"""Seconds from one to the next, half as much to half as much again."""
PATIENCE = 5.0
"""Seconds after which whoever stands in the door does not keep the next one any more."""


class Doorway:
    """Of one server; for the running event loop."""

    def __init__(self, at_once: int = AT_ONCE, gap: float = GAP, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._at_once = at_once
        self._gap = gap
        self._loop = asyncio.get_running_loop()
        self._line: deque[Visitor] = deque()
        self._inside = 0
        self._opens = float("-inf")
        self._opening: asyncio.TimerHandle | None = None
        self._random = random.Random()  # noqa: S311 - spreads load, guards nothing

    def line_up(self) -> Visitor:
        """Go to the end of the line."""
        visitor = Visitor(self)
        self._line.append(visitor)
        self._admit()
        return visitor

    def _admit(self) -> None:
        while self._line and self._inside < self._at_once and self._opening is None:
            if (now := self._loop.time()) < self._opens:
                self._opening = self._loop.call_at(self._opens, self._open)
                return
            self._opens = now + self._gap * self._random.uniform(0.5, 1.5)
            self._inside += 1
            self._line.popleft().go_in()

    def _open(self) -> None:
        self._opening = None
        self._opens = float("-inf")
        self._admit()

    def left(self, visitor: Visitor, *, inside: bool) -> None:
        """Called by the visitor."""
        if inside:
            self._inside -= 1
        else:
            self._line.remove(visitor)
        self._admit()


class Visitor:
    """Somebody in the line, then in the door."""

    def __init__(self, doorway: Doorway) -> None:
        self._doorway = doorway
        self._loop = asyncio.get_running_loop()
        self._turn: asyncio.Future[None] = self._loop.create_future()
        self._limit: asyncio.TimerHandle | None = None
        self._gone = False

    async def turn(self) -> None:
        """Wait for our turn, or until somebody called `leave`."""
        await asyncio.shield(self._turn)

    def go_in(self) -> None:
        """Called by the doorway: it is our turn."""
        self._limit = self._loop.call_later(self._doorway.patience, self.leave)
        self._turn.set_result(None)

    def leave(self) -> None:
        """Logged in, refused, or not coming after all: the next one, please. May be called more than once."""
        if self._gone:
            return
        self._gone = True
        inside = self._limit is not None
        if self._limit is not None:
            self._limit.cancel()
        else:
            self._turn.set_result(None)
        self._doorway.left(self, inside=inside)
