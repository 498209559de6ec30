"""How the time of a decision is shared between depths, with a clock that only the engine moves."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from botd.decisions import wire
from botd.decisions.engines import Engines
from botd.decisions.ladder import LEAST_S, SHARE, decide
from botd.decisions.requests import PlayRequest, Style
from botd.engine.levels import find_level
from botd.engine.random_player import RandomPlayer
from botd.engine.types import STARTING_BOARD, EngineInfo, EngineMode, GameContext, PlayDecision


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
    return decide(Engines(engine), wire.Decide(9, request, time_s), lambda: engine.now)


def test_enough_time() -> None:
    reply = run(Slow([0.01, 0.1, 1.0, 6.0]), 3, 10.0)
    assert isinstance(reply, wire.PlayDecided | wire.RankingDecided)
    assert (reply.id, reply.seconds, reply.timed_out) == (9, pytest.approx(6.0), ())


def test_each_depth_gets_its_share_of_what_is_left() -> None:
    engine = Slow([0.01, 0.1, 9.0, 90.0])
    reply = run(engine, 3, 10.0)
    assert isinstance(reply, wire.PlayDecided | wire.RankingDecided)
    assert reply.timed_out == (3, 2)
    assert engine.limits[3] == pytest.approx(10 * SHARE)
    assert engine.limits[2] == pytest.approx(10 * (1 - SHARE) * SHARE)
    assert reply.seconds < 10


def test_the_static_evaluation_always_gets_a_moment() -> None:
    engine = Slow([0.01, 1.0, 1.0, 1.0])
    reply = run(engine, 2, 0.0)
    assert isinstance(reply, wire.PlayDecided | wire.RankingDecided)
    assert reply.timed_out == (2, 1)
    assert engine.limits == {0: LEAST_S}


def test_not_even_that() -> None:
    reply = run(Slow([5.0, 5.0]), 1, 1.0)
    assert isinstance(reply, wire.OutOfTime)
    assert reply.timed_out == (1, 0)


def test_a_style_plays_at_its_level_and_falls_back_to_the_plain_engine() -> None:
    class Watched(Slow):
        def __init__(self, cost: list[float]) -> None:
            super().__init__(cost)
            self.plies: list[int] = []

        def choose_play(self, board: Any, context: Any, dice: Any, **options: Any) -> PlayDecision:
            self.plies.append(options["ply"])
            return super().choose_play(board, context, dice, **options)

    style = Style.of(find_level("medium"), seed=1)
    request = PlayRequest(STARTING_BOARD, GameContext(), 1, (4, 3), style)
    engine = Watched([0.01, 0.1])
    reply = decide(Engines(engine), wire.Decide(9, request, 10.0), lambda: engine.now)
    assert isinstance(reply, wire.PlayDecided | wire.RankingDecided)
    assert engine.plies == [0, 1]  # the best few at 0-ply, and those at 1-ply
    slow = Watched([0.01, 100.0])
    reply = decide(Engines(slow), wire.Decide(9, request, 1.0), lambda: slow.now)
    assert isinstance(reply, wire.PlayDecided | wire.RankingDecided)
    assert (reply.timed_out, slow.plies) == ((1,), [0, 1, 0])


def test_the_book_of_a_level() -> None:
    engine = Slow([0.01])
    request = PlayRequest(STARTING_BOARD, GameContext(), 0, (3, 1), Style.of(find_level("easy"), seed=1))
    reply = decide(Engines(engine), wire.Decide(9, request, 10.0), lambda: engine.now)
    assert isinstance(reply, wire.PlayDecided | wire.RankingDecided)
    assert reply.decision.source == "book"
    assert reply.decision.best.play.notation == "8/5 6/5"


class SlowFast(Slow):
    """The same in fast mode: it ends by itself when its time is over."""

    @property
    def info(self) -> EngineInfo:
        return dataclasses.replace(super().info, mode=EngineMode.FAST)

    def choose_play(self, board: Any, context: Any, dice: Any, **options: Any) -> PlayDecision:
        ply, limit = options["ply"], options["deadline_s"]
        self.limits[ply] = limit
        reached = max(each for each in range(ply + 1) if self._cost[each] <= limit or each == 0)
        self.now += min(limit, self._cost[ply])
        return dataclasses.replace(RandomPlayer().choose_play(board, context, dice, ply=ply), ply=reached)


@pytest.mark.parametrize(("budget_s", "limit", "ply"), [(None, 10.0, 2), (0.5, 0.5, 1), (60.0, 10.0, 2)])
def test_fast_mode_gets_its_budget_in_one_go(budget_s: float | None, limit: float, ply: int) -> None:
    engine = SlowFast([0.01, 0.1, 9.0, 90.0])
    style = Style.of(None, budget_s=budget_s)
    request = PlayRequest(STARTING_BOARD, GameContext(), 3, (3, 1), style)
    reply = decide(Engines(engine), wire.Decide(9, request, 10.0), lambda: engine.now)
    assert isinstance(reply, wire.PlayDecided | wire.RankingDecided)
    assert (engine.limits, reply.timed_out, reply.decision.ply) == ({3: limit}, (), ply)


def test_fast_mode_too_late_is_answered_at_0_ply() -> None:
    engine = SlowFast([0.01, 0.1])
    request = PlayRequest(STARTING_BOARD, GameContext(), 1, (3, 1), Style.of(None, budget_s=1.0))
    reply = decide(Engines(engine), wire.Decide(9, request, -1.0), lambda: engine.now)
    assert isinstance(reply, wire.PlayDecided | wire.RankingDecided)
    assert (engine.limits, reply.timed_out) == ({0: LEAST_S}, (1,))


def test_a_style_survives_the_wire() -> None:
    for name in (None, "easy", "hard", "grandmaster"):
        level = None if name is None else find_level(name)
        style = Style.of(level, seed=7, mode=EngineMode.FAST, budget_s=0.5)
        assert style.level == level
        request = PlayRequest(STARTING_BOARD, GameContext(), 0, (3, 1), style)
        question = wire.Decide(9, request, 10.0)
        assert wire.decode_question(wire.frame(question)[wire.HEADER.size :]) == question
