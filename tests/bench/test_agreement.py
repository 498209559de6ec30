"""Two engines beside each other: what counts as the same choice, and what another one costs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from botd.bench.agreement import agreement, cube_loss, play_loss
from botd.bench.workload import Task, tasks_from_games
from botd.engine.engine import SageEngine
from botd.engine.random_player import RandomPlayer
from botd.engine.types import STARTING_BOARD, CubeDecision, GameContext, TakeAction


@pytest.fixture(scope="module")
def sage() -> SageEngine:
    return SageEngine.load()


@pytest.fixture
def tasks(sage: SageEngine) -> Iterator[Task]:
    return tasks_from_games(sage, 11)


def test_an_engine_agrees_with_itself(sage: SageEngine, tasks: Iterator[Task]) -> None:
    for one in agreement(sage, sage, tasks, decisions=20, ply=0, seed=3):
        assert (one.decisions, one.same, one.mean_loss, one.disagreements) == (20, 20, 0.0, ())
        assert one.worst.loss == 0.0
        assert one.met


def test_a_player_without_a_clue_does_not(sage: SageEngine, tasks: Iterator[Task]) -> None:
    plays, cubes = agreement(sage, RandomPlayer(), tasks, decisions=40, ply=0, seed=3)
    assert plays.same < 20
    assert plays.mean_loss > 0.01
    assert plays.worst.loss >= plays.mean_loss
    assert [case.loss for case in plays.disagreements] == sorted(
        (case.loss for case in plays.disagreements), reverse=True
    )
    assert not plays.met
    assert not cubes.met
    # It never doubles and always takes.
    assert {case.fast for case in cubes.disagreements} == {"no double, take"}


def test_the_same_seed_asks_the_same(sage: SageEngine) -> None:
    runs = [
        agreement(sage, RandomPlayer(), tasks_from_games(sage, 5), decisions=15, ply=0, seed=9)
        for _ in range(2)
    ]
    assert runs[0] == runs[1]


def test_scores_and_cubes_vary(sage: SageEngine, tasks: Iterator[Task]) -> None:
    plays, cubes = agreement(sage, RandomPlayer(), tasks, decisions=60, ply=0, seed=1)
    contexts = [case.context for one in (plays, cubes) for case in one.disagreements]
    assert {context.is_money for context in contexts} == {True, False}
    assert len({context.cube_owner for context in contexts}) == 3
    assert len({context.match_length for context in contexts}) >= 4


def test_a_play_costs_what_the_exact_equities_say(sage: SageEngine) -> None:
    exact = sage.choose_play(STARTING_BOARD, GameContext(), (6, 4), ply=0)
    second = dataclasses.replace(exact, plays=exact.plays[1:])
    assert play_loss(exact, exact) == 0.0
    assert play_loss(exact, second) == exact.plays[0].equity - exact.plays[1].equity


def decision(no_double: float, double_take: float, *, double: bool, response: TakeAction) -> CubeDecision:
    probabilities = RandomPlayer().cube_action(STARTING_BOARD, GameContext(), ply=0).probabilities
    return CubeDecision(
        no_double=no_double,
        double_take=double_take,
        double_pass=1.0,
        optimal=max(no_double, min(double_take, 1.0)),
        decision="",
        decision_text="",
        double=double,
        response=response,
        probabilities=probabilities,
        cubeless_equity=0.0,
        ply=0,
    )


@pytest.mark.parametrize(
    ("exact", "double", "response", "loss"),
    [
        ((0.5, 0.7, True, TakeAction.TAKE), True, TakeAction.TAKE, 0.0),
        ((0.5, 0.7, True, TakeAction.TAKE), False, TakeAction.TAKE, 0.2),
        ((0.5, 0.25, False, TakeAction.TAKE), True, TakeAction.TAKE, 0.25),
        ((0.5, 0.7, True, TakeAction.TAKE), True, TakeAction.PASS, 0.3),
        ((0.8, 1.5, True, TakeAction.PASS), True, TakeAction.TAKE, 0.5),
        ((0.8, 1.5, True, TakeAction.PASS), False, TakeAction.PASS, 0.2),
        ((1.25, 1.5, False, TakeAction.PASS), True, TakeAction.PASS, 0.25),
        ((0.5, 0.7, True, TakeAction.TAKE), False, TakeAction.PASS, 0.3),
        ((-0.5, -0.7, False, TakeAction.TAKE), False, TakeAction.BEAVER, 0.0),
    ],
)
def test_a_cube_action_costs_its_side(
    exact: tuple[float, float, bool, TakeAction], double: bool, response: TakeAction, loss: float
) -> None:
    no_double, double_take, doubles, answer = exact
    one = decision(no_double, double_take, double=doubles, response=answer)
    other = decision(0.0, 0.0, double=double, response=response)
    assert cube_loss(one, other) == pytest.approx(loss)
