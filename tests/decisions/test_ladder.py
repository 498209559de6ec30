"""How the time of a decision is shared between depths, with a clock that only the engine moves."""

from __future__ import annotations

from typing import Any

import pytest

from botd.decisions import wire
from botd.decisions.ladder import LEAST_S, SHARE, decide
from botd.decisions.requests import PlayRequest
from botd.engine.random_player import RandomPlayer
from botd.engine.types import STARTING_BOARD, GameContext, PlayDecision


class Slow(RandomPlayer):
    """Needs `cost[ply]` seconds; gives up when its limit is over."""

    def __init__(self, cost: list[float]) -> None:
        super().__init__()
        self.now = 100.0
        self.limits: dict[int, float] = {}
        self._cost = cost

    def choose_play(self, board: Any, context: Any, dice: Any, **options: Any) -> PlayDecision:
        ply, limit = options["ply"], options["deadline_s"]
        self.limits[ply] = limit
        self.now += min(limit, self._cost[ply])
        if self._cost[ply] > limit:
            raise TimeoutError
        return super().choose_play(board, context, dice, ply=ply)


def run(engine: Slow, ply: int, time_s: float) -> wire.Reply:
    request = PlayRequest(STARTING_BOARD, GameContext(), ply, (3, 1))
    return decide(engine, wire.Decide(9, request, time_s), lambda: engine.now)


def test_enough_time() -> None:
    reply = run(Slow([0.01, 0.1, 1.0, 6.0]), 3, 10.0)
    assert isinstance(reply, wire.PlayDecided)
    assert (reply.id, reply.seconds, reply.timed_out) == (9, pytest.approx(6.0), ())


def test_each_depth_gets_its_share_of_what_is_left() -> None:
    engine = Slow([0.01, 0.1, 9.0, 90.0])
    reply = run(engine, 3, 10.0)
    assert isinstance(reply, wire.PlayDecided)
    assert reply.timed_out == (3, 2)
    assert engine.limits[3] == pytest.approx(10 * SHARE)
    assert engine.limits[2] == pytest.approx(10 * (1 - SHARE) * SHARE)
    assert reply.seconds < 10


def test_the_static_evaluation_always_gets_a_moment() -> None:
    engine = Slow([0.01, 1.0, 1.0, 1.0])
    reply = run(engine, 2, 0.0)
    assert isinstance(reply, wire.PlayDecided)
    assert reply.timed_out == (2, 1)
    assert engine.limits == {0: LEAST_S}


def test_not_even_that() -> None:
    reply = run(Slow([5.0, 5.0]), 1, 1.0)
    assert isinstance(reply, wire.OutOfTime)
    assert reply.timed_out == (1, 0)
