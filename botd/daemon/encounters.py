"""Whom an account has played lately, for rules about the same opponent again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from botd.journal.records import Lately

REMEMBERED = 1000
"""Opponents, and players asked."""
ROW_FORGOTTEN = 3600.0
"""Seconds after which matches in a row with one opponent no longer count: nobody else may be there."""
LONGEST = 604_800.0
"""Seconds after which nothing counts any more: the longest cooldown there can be."""


class Encounters:
    """One for each account; lives through reconnections. Times are seconds of any steady clock.

    `tell_asked` is told of everybody invited unasked, so that it can be kept for the next life.
    """

    def __init__(self, tell_asked: Callable[[str], None] = lambda name: None) -> None:
        self._tell_asked = tell_asked
        self._ended: OrderedDict[str, float] = OrderedDict()
        self._asked: OrderedDict[str, float] = OrderedDict()
        self._last = ""
        self._row = 0

    def match_ended(self, opponent: str, now: float) -> None:
        """A match with this opponent was played to its end."""
        self._row = self.in_a_row(opponent, now) + 1
        self._last = opponent
        self._ended[opponent] = now
        self._ended.move_to_end(opponent)
        while len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)

    def recall(self, lately: Lately, now: float, time: float) -> None:
        """What is remembered of earlier lives. `time`: of the clock of `lately`, the same moment as `now`."""
        here = sorted(self._ended.items(), key=lambda item: item[1])
        earlier = [(name, now - max(0.0, time - at)) for name, at in lately.played]
        asked = {name: now - max(0.0, time - at) for name, at in lately.asked} | dict(self._asked)
        self._ended.clear()
        self._row = 0
        for name, at in earlier + here:
            self.match_ended(name, at)
        self._asked.clear()
        for name, at in sorted(asked.items(), key=lambda item: item[1]):
            self._remember_asked(name, at)

    def since(self, opponent: str, now: float) -> float | None:
        """Seconds since the last match with this opponent; None if there was none."""
        ended = self._ended.get(opponent)
        return None if ended is None else now - ended

    def in_a_row(self, opponent: str, now: float) -> int:
        """How many matches were last played with this opponent and nobody else."""
        since = self.since(opponent, now)
        return self._row if opponent == self._last and since is not None and since < ROW_FORGOTTEN else 0

    def asked(self, name: str, now: float) -> None:
        """This player was invited unasked."""
        self._remember_asked(name, now)
        self._tell_asked(name)

    def _remember_asked(self, name: str, now: float) -> None:
        self._asked[name] = now
        self._asked.move_to_end(name)
        while len(self._asked) > REMEMBERED:
            self._asked.popitem(last=False)

    def asked_within(self, name: str, now: float, seconds: float) -> bool:
        """Whether the player was invited unasked so lately."""
        return now - self._asked.get(name, float("-inf")) < seconds
