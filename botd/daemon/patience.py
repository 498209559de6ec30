"""An opponent who does nothing: reminded after a while, left later, so that no match holds us for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum, auto

from botd_protocols import game_events as ev

LEAVING = 30.0
"""Seconds a server may take to let us out of the match."""

_PLAY = (
    ev.MatchStarted | ev.MatchResumed | ev.GameStarted | ev.GameEnded | ev.OpeningRoll | ev.DiceRolled
    | ev.CheckersMoved | ev.Danced | ev.CubeDoubled | ev.CubeTaken | ev.CubeDropped
    | ev.ResignationOffered | ev.ResignationAccepted | ev.ResignationRejected
)  # fmt: skip
"""Something was done. A board alone is no sign of life: we may have asked for it ourselves."""


class Step(Enum):
    """What is due next."""

    REMIND = auto()
    LEAVE = auto()
    HANG_UP = auto()


class Patience:
    """For one connection. Hears the client's events; while the opponent is to act a clock runs.

    `act` is told when a step is due: REMIND after `remind_s` without anything done, LEAVE after `leave_s`,
    HANG_UP if the server has not let us out `LEAVING` seconds later. 0 seconds: that step is left out.
    """

    def __init__(self, remind_s: float, leave_s: float, act: Callable[[Step], None]) -> None:
        self._steps: list[tuple[float, Step]] = []
        if remind_s:
            self._steps.append((remind_s, Step.REMIND))
        if leave_s:
            self._steps += [(leave_s, Step.LEAVE), (leave_s + LEAVING, Step.HANG_UP)]
        self._act = act
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._ours: set[int] = set()
        """Keys of questions we have to answer: as long as there is one, nobody waits for the opponent."""
        self._began = 0.0

    def hear(self, event: ev.Event, opponent: str | None) -> None:
        """Take one event; `opponent` is whom we play."""
        match event:
            case ev.MatchEnded() | ev.MatchSuspended() | ev.Disconnected():
                self.close()
            case ev.DecisionNeeded(key=key):
                self._ours.add(key)
                self._cancel()
            case ev.DecisionWithdrawn(key=key):
                self._ours.discard(key)
                self._restart(opponent)
            case ev.Chat(name=name) if name == opponent:
                self._restart(opponent)
            case _ if isinstance(event, _PLAY):
                self._ours.clear()
                self._restart(opponent)

    def answered(self, opponent: str | None) -> None:
        """We have answered what we were asked."""
        self._ours.clear()
        self._restart(opponent)

    def close(self) -> None:
        """The match is over."""
        self._ours.clear()
        self._cancel()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _restart(self, opponent: str | None) -> None:
        self._cancel()
        if opponent is not None and not self._ours:
            self._began = self._loop.time()
            self._plan(0)

    def _plan(self, number: int) -> None:
        if number < len(self._steps):
            self._timer = self._loop.call_at(self._began + self._steps[number][0], self._due, number)

    def _due(self, number: int) -> None:
        self._timer = None
        self._plan(number + 1)
        self._act(self._steps[number][1])
