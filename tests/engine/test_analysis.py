"""Skill, luck and cube errors against GNU Backgammon's, and the rules behind them with our own engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.engine import match_id, position_id, rules
from botd.engine.analysis import (
    CubeActionTaken,
    LuckRating,
    Skill,
    analyse_cube,
    analyse_play,
    cube_loss,
    luck,
    luck_rating,
    skill_of,
)
from botd.engine.core_arguments import other_side
from botd.engine.engine import SageEngine
from botd.engine.gnubg_engine import GnubgEngine
from botd.engine.settings import FilterStage, MoveFilter, SearchSettings
from botd.engine.types import (
    STARTING_BOARD,
    CubeDecision,
    CubeOwner,
    GameContext,
    Probabilities,
    TakeAction,
)
from tests.tolerances import EQUAL_EQUITIES, SINGLE_PRECISION_DIFFERENCE

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "gnubg-analysis.jsonl").read_text().splitlines()
]
RESULTS = [(case, result) for case in CASES for profile in ("A", "B") for result in case[profile].values()]
MONEY = GameContext(jacoby=True)


def test_skills_are_those_of_gnubg() -> None:
    seen = set()
    for case, result in RESULTS:
        assert skill_of(result["equity_loss"]) == result["skill"], case["id"]
        seen.add(result["skill"])
    assert seen == set(Skill)


def test_cube_losses_are_those_of_gnubg() -> None:
    checked = 0
    for case, result in RESULTS:
        if case["type"] == "cube" and result["analysed"]:
            cube = CubeDecision(
                **result["cube"],
                double=False,
                response=TakeAction.TAKE,
                probabilities=Probabilities(0.5, 0, 0, 0, 0),
                cubeless_equity=0.0,
                ply=0,
            )
            loss = cube_loss(cube, CubeActionTaken(case["action"]))
            assert loss == pytest.approx(result["equity_loss"], abs=SINGLE_PRECISION_DIFFERENCE), case["id"]
            checked += 1
    assert checked == 132


def test_luck_ratings_are_those_of_gnubg() -> None:
    lucks = [result for case in CASES if "luck" in case for result in case["luck"].values()]
    assert len(lucks) == 52
    for result in lucks:
        assert luck_rating(result["value"]) == result["rating"]
    assert {result["rating"] for result in lucks} == set(LuckRating)


def test_cubes_are_analysed_where_gnubg_looks_at_them(engine: SageEngine) -> None:
    checked = 0
    for case in CASES:
        if case["type"] == "cube":
            board = position_id.decode(case["position_id"])
            context = match_id.decode(case["match_id"]).context
            ours = analyse_cube(engine, board, context, CubeActionTaken(case["action"]), ply=0)
            assert (ours.cube is not None) == case["B"]["0"]["analysed"], case["id"]
            assert ours.equity_loss <= 0
            checked += 1
    assert checked == 26


def test_the_cube_is_not_analysed_at_the_start(engine: SageEngine) -> None:
    analysis = analyse_cube(engine, STARTING_BOARD, MONEY, CubeActionTaken.DOUBLE, ply=0)
    assert (analysis.cube, analysis.equity_loss, analysis.skill) == (None, 0.0, Skill.NONE)


def test_plays_are_ranked_as_they_were_evaluated(engine: SageEngine) -> None:
    for case in CASES:
        if case["type"] != "move":
            continue
        board = position_id.decode(case["position_id"])
        state = match_id.decode(case["match_id"])
        assert state.dice is not None
        played = position_id.decode(case["played_position_id"])
        ours = analyse_play(engine, board, state.context, state.dice, played, ply=0)
        decision = engine.choose_play(board, state.context, state.dice, ply=0)
        assert ours.decision == decision
        assert ours.decision.legal_count == case["B"]["0"]["move_count"], case["id"]
        assert ours.played == decision.plays[ours.rank - 1]
        assert ours.played.play.board == played
        assert ours.equity_loss == min(0.0, ours.played.equity - decision.best.equity)


def test_a_play_that_is_none_is_refused(engine: SageEngine) -> None:
    with pytest.raises(ValueError, match="expected one of the 16 legal plays"):
        analyse_play(engine, STARTING_BOARD, MONEY, (3, 1), STARTING_BOARD, ply=0)


def test_a_play_that_a_filter_dropped_is_searched_as_deeply_as_the_best(engine: SageEngine) -> None:
    """With gnubg's evaluator by itself, with another one among all plays: the same as without a filter."""
    played = rules.legal_plays(STARTING_BOARD, (4, 3))[-1].board
    narrow = MoveFilter(((FilterStage(accept=2),),))
    engines = [engine, GnubgEngine.load(profile="A")]
    for one in engines:
        filtered = one.configured(SearchSettings(filter=narrow))
        dropped = next(
            entry
            for entry in filtered.choose_play(STARTING_BOARD, MONEY, (4, 3), ply=1).plays
            if entry.play.board == played
        )
        assert dropped.ply == 0
        ours = analyse_play(filtered, STARTING_BOARD, MONEY, (4, 3), played, ply=1)
        full = one.configured(SearchSettings(filter="none"))
        expected = analyse_play(full, STARTING_BOARD, MONEY, (4, 3), played, ply=1)
        assert ours.played == expected.played
        assert ours.played.ply == 1
        assert ours.equity_loss == expected.equity_loss
        assert ours.equity_loss < 0


def test_luck_averages_to_nothing(engine: SageEngine) -> None:
    """Over all rolls the luck of a position is 0; over the opening rolls it is that of having the move."""
    board = rules.apply_steps(STARTING_BOARD, [(13, 7), (8, 7)])
    for context in (MONEY, GameContext(match_length=5, score_player=2, cube_owner=CubeOwner.OPPONENT)):
        total = sum(
            (1 if a == b else 2) * luck(engine, board, context, (a, b)).value
            for a in range(1, 7)
            for b in range(1, a + 1)
        )
        assert total == pytest.approx(0, abs=EQUAL_EQUITIES)
    opening = [(a, b) for a in range(2, 7) for b in range(1, a)]
    values = [luck(engine, STARTING_BOARD, MONEY, roll).value for roll in opening]
    first = engine.choose_play(STARTING_BOARD, MONEY, opening[0], ply=0).best.equity
    assert values[0] == pytest.approx(first, abs=EQUAL_EQUITIES)  # at an even score the average is 0


def test_luck_of_an_opening_depends_on_the_score_alone_through_both_sides(engine: SageEngine) -> None:
    ahead = GameContext(match_length=5, score_player=3)
    roll = (3, 1)
    one = luck(engine, STARTING_BOARD, ahead, roll).value
    other = luck(engine, STARTING_BOARD, other_side(ahead), roll).value
    best = [
        engine.choose_play(STARTING_BOARD, context, roll, ply=0).best.equity
        for context in (ahead, other_side(ahead))
    ]
    assert best[0] - one == pytest.approx(-(best[1] - other), abs=EQUAL_EQUITIES)


@given(value=st.floats(-2, 2))
def test_ratings_are_symmetrical(value: float) -> None:
    opposite = {
        LuckRating.VERY_LUCKY: LuckRating.VERY_UNLUCKY,
        LuckRating.LUCKY: LuckRating.UNLUCKY,
        LuckRating.NONE: LuckRating.NONE,
        LuckRating.UNLUCKY: LuckRating.LUCKY,
        LuckRating.VERY_UNLUCKY: LuckRating.VERY_LUCKY,
    }
    assert luck_rating(-value) is opposite[luck_rating(value)]
