"""Rules that differ between servers: how high the cube goes, and what a drop or a resignation costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from botd.engine import rules
from botd.engine.types import STARTING_BOARD, CubeOwner, GameContext, Scoring, TakeAction
from tests.search.test_engine import (
    LOST_BACKGAMMON,
    LOST_GAMMON,
    LOST_SINGLE,
    MONEY,
    RACE,
    SAVES_GAMMON,
    match,
    random_positions,
)


def bgammon(length, player, opponent, **fields):
    return match(length, player, opponent, scoring=Scoring.BGAMMON, max_cube=64, **fields)


# --- the largest cube ---


@pytest.mark.parametrize("ply", [0, 1])
def test_nobody_turns_a_cube_at_its_limit(engine, ply):
    for board in [RACE, *random_positions(3, 10)]:
        context = GameContext(cube_value=64, cube_owner=CubeOwner.PLAYER, max_cube=64)
        decision = engine.cube_action(board, context, ply=ply)
        assert decision.decision == "NOT_AVAILABLE"
        assert not decision.double
        in_match = match(64, 0, 0, cube_value=8, cube_owner=CubeOwner.PLAYER, max_cube=8)
        assert engine.cube_action(board, in_match, ply=ply).decision == "NO_REDOUBLE_DEADCUBE"


def test_a_cube_of_one_is_cubeless_play(engine):
    for board in [RACE, *random_positions(5, 10)]:
        decision = engine.cube_action(board, GameContext(max_cube=1), ply=1)
        assert decision.no_double == pytest.approx(decision.cubeless_equity, abs=0.01)
        at_score = engine.cube_action(board, match(7, 2, 3, max_cube=1), ply=0)
        _, cubeless = engine.evaluate(board, match(7, 2, 3), ply=0)
        assert at_score.no_double == pytest.approx(cubeless, abs=1e-6)


def test_who_has_the_last_turn_of_the_cube_matters(engine):
    """A taker who can never redouble needs more chances; one with the last turn to himself needs fewer."""
    passes = {}
    for limit in (2, 4, None):
        context = GameContext(max_cube=limit)
        decisions = [engine.cube_action(board, context, ply=0) for board in random_positions(7, 300)]
        passes[limit] = sum(decision.response is TakeAction.PASS for decision in decisions)
    assert passes[2] > passes[None] > passes[4]


def test_a_high_limit_is_no_limit_where_it_cannot_be_reached(engine):
    for board in random_positions(9, 10):
        context = match(9, 2, 3)
        capped = engine.cube_action(board, replace(context, max_cube=64), ply=1)
        assert capped == engine.cube_action(board, context, ply=1)
        money = engine.cube_action(board, replace(MONEY, max_cube=4096), ply=1)
        assert money.no_double == pytest.approx(engine.cube_action(board, MONEY, ply=1).no_double, abs=1e-4)


# --- bgammon's scoring ---


def test_a_drop_in_contact_costs_three_cubes(engine):
    """With both back checkers at home in the opponent's board nearly everything is a take."""
    for board in [STARTING_BOARD, *random_positions(11, 40)]:
        cost = position_cost(rules.mirrored(board))
        for context in (bgammon(9, 2, 3), bgammon(9, 4, 4, cube_value=2, cube_owner=CubeOwner.PLAYER)):
            decision = engine.cube_action(board, context, ply=1)
            standard = engine.cube_action(board, replace(context, scoring=Scoring.STANDARD), ply=1)
            if cost == 1:
                continue
            assert decision.double_pass > 1.5
            assert standard.double_pass == pytest.approx(1.0)
            takes = decision.double_take <= decision.double_pass
            assert (decision.response is TakeAction.TAKE) == takes
            assert decision.double == (
                min(decision.double_take, decision.double_pass) > decision.no_double + 1e-5
            )


def test_drops_get_rarer_with_their_price(engine):
    boards = [board for board in random_positions(13, 120) if position_cost(rules.mirrored(board)) == 3]
    standard = [engine.cube_action(board, match(9, 2, 3), ply=0).response for board in boards]
    dear = [engine.cube_action(board, bgammon(9, 2, 3), ply=0).response for board in boards]
    assert standard.count(TakeAction.PASS) > 3 * dear.count(TakeAction.PASS)
    for before, after in zip(standard, dear, strict=True):
        assert not (before is TakeAction.TAKE and after is TakeAction.PASS)


def position_cost(board):
    """What the side whose view this is pays for a drop, word for word from the server's table."""
    if board[25] > 0 or any(n > 0 for n in board[19:25]):
        return 3
    return 2 if sum(n for n in board[1:] if n > 0) == 15 else 1


@pytest.mark.parametrize(
    ("board", "context", "level"),
    [
        (LOST_SINGLE, bgammon(9, 0, 0), 1),
        (LOST_GAMMON, bgammon(9, 0, 0), 2),
        (LOST_BACKGAMMON, bgammon(9, 0, 0), 3),
        # A single loss is certain, but with none borne off yet resigning would cost a gammon.
        (SAVES_GAMMON, bgammon(9, 0, 0), 0),
        (SAVES_GAMMON, bgammon(9, 0, 8), 2),
        (LOST_GAMMON, bgammon(9, 0, 8), 2),
        (STARTING_BOARD, bgammon(9, 0, 0), 0),
        (STARTING_BOARD, bgammon(9, 0, 8), 0),
    ],
)
def test_a_resignation_is_counted_from_the_position(engine, board, context, level):
    decision = engine.offer_resignation(board, context, ply=0)
    assert decision.level == level
    if level:
        assert level == position_cost(board)
        assert decision.resign_equity >= decision.equity - 0.01


def test_a_late_hit_can_cost_a_backgammon_after_all(engine):
    """A side that has borne off checkers pays three cubes if it loses with one in the winner's home board."""
    won = (0, 1, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -13, 0, 0, 0, 0, 0, 0, 0)
    for ply in (0, 1, 2):
        assert engine.choose_play(won, match(9, 0, 0), (6, 5), ply=ply).best.equity == pytest.approx(1.0)
        counted = engine.choose_play(won, bgammon(9, 0, 0), (6, 5), ply=ply).best.equity
        assert counted > 2.5
    # The opponent bears off his last checker next roll: the loser saves two cubes by leaving his home board.
    lost = (0, 0, 0, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, -1, 0)
    for ply in (1, 2):
        plays = engine.choose_play(lost, bgammon(9, 0, 0), (4, 1), ply=ply).plays
        away = [ranked.play.board[22] == 0 for ranked in plays]
        assert away[0]
        assert not all(away)
        assert away == sorted(away, reverse=True)
        assert plays[-1].equity < plays[0].equity - 1.0
        standard = engine.choose_play(lost, match(9, 0, 0), (4, 1), ply=ply).plays
        assert standard[0].equity == pytest.approx(standard[-1].equity, abs=1e-4)


def test_standard_scoring_is_the_default(engine):
    for board in random_positions(15, 10):
        assert engine.cube_action(board, match(7, 2, 3), ply=1) == engine.cube_action(
            board, match(7, 2, 3, scoring=Scoring.STANDARD), ply=1
        )
