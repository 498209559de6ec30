"""Every reference position of both profiles at 0, 1 and 2 plies, and the analysed plays, rolls and levels.

The reference for profile B was computed by the program of profile A with the weights, filter and cube
efficiencies of profile B. It is therefore met in two ways: by an evaluator with profile A's judgement of a
board that waits for a hit checker ("as recorded"), sharply; and by plain profile B, within the reference's
own tolerance where the two judgements do not matter.
"""

from __future__ import annotations

import pytest

from botd.engine import match_id, position_id
from botd.engine.core_arguments import cube_state
from botd.engine.cube_names import CubeSituation, decision_name
from botd.engine.types import Probabilities
from tests.gnubg.records import context, load, notations, reference_positions
from tests.gnubg.searches import DIVISIONS, search
from tests.tolerances import (
    GNUBG_AS_RECORDED,
    GNUBG_KNOT,
    GNUBG_LUCK,
    GNUBG_REFERENCE,
    GNUBG_VERSION_SENSITIVE,
)

POSITIONS = reference_positions()
PLAYED = [record for record in load("gnubg-analysis.jsonl") if record["type"] == "move"]

# Profile and rule for hit checkers, division, tolerance.
RECORDED = [("A", "A", "exact", GNUBG_REFERENCE), ("B", "B", "exact", GNUBG_REFERENCE)]
if "reciprocal" in DIVISIONS:
    RECORDED += [("A", "A", "reciprocal", GNUBG_AS_RECORDED), ("B", "A", "reciprocal", GNUBG_AS_RECORDED)]

KNOTS = {("A", "match-crawford-leader-move-01", "24/21 9/8")}
"""Plays whose 0-ply value jumps between the two ways of dividing (a knot of gnubg's sigmoid)."""

both_profiles = pytest.mark.parametrize(("profile", "rule", "division", "tolerance"), RECORDED)


def allowed(record, tolerance):
    """Positions that the two generations read differently have a tolerance of their own."""
    sensitive = tolerance == GNUBG_REFERENCE and "version_sensitive" in record
    return GNUBG_VERSION_SENSITIVE if sensitive else tolerance


def analysed(record):
    state = match_id.decode(record["match_id"])
    return position_id.decode(record["position_id"]), cube_state(state.context), state.dice


@both_profiles
@pytest.mark.parametrize("ply", [0, 1, 2])
def test_evaluations(profile, rule, division, tolerance, ply):
    engine = search(profile, rule=rule, division=division)
    for record in POSITIONS:
        value = engine.evaluate(record["board"], cube_state(context(record)), ply)
        expected = record[profile][ply]["eval"]
        found = [*value.probabilities, value.equity_at_score]
        assert found == pytest.approx(expected, abs=allowed(record, tolerance)), record["id"]


@both_profiles
@pytest.mark.parametrize("ply", [0, 1, 2])
def test_plays(profile, rule, division, tolerance, ply):
    """The same plays, as deep, in the same order, with the same equities."""
    engine = search(profile, rule=rule, division=division)
    tested = 0
    for record in POSITIONS:
        if record["type"] != "move":
            continue
        tested += 1
        limit = allowed(record, tolerance)
        names = notations(record["board"], record["dice"])
        ranked = engine.rank_plays(record["board"], cube_state(context(record)), *record["dice"], ply)
        assert len(ranked) == max(record["legal_move_count"], 1)
        found = {names[play.board]: play for play in ranked}
        expected = record[profile][ply]["plays"]
        for move, depth, equity in expected:
            assert found[move].ply == depth, (record["id"], move)
            at_knot = tolerance == GNUBG_REFERENCE and (profile, record["id"], move) in KNOTS
            assert found[move].equity == pytest.approx(equity, abs=GNUBG_KNOT if at_knot else limit), (
                record["id"],
                move,
            )
        if not expected:
            assert record["legal_move_count"] == 0
            continue
        if tolerance == GNUBG_AS_RECORDED:
            order = [names[play.board] for play in ranked[: len(expected)]]
            assert order == [move for move, _, _ in expected], record["id"]
        first_is_clear = (
            len(expected) == 1
            or expected[0][1] != expected[1][1]
            or (expected[0][2] - expected[1][2] > limit)
        )
        if first_is_clear:
            assert names[ranked[0].board] == expected[0][0], record["id"]
            best = record[profile][ply]["best"]
            assert list(ranked[0].probabilities) == pytest.approx(best, abs=limit), record["id"]
    assert tested == 105


@both_profiles
@pytest.mark.parametrize("ply", [0, 1, 2])
def test_cube_decisions(profile, rule, division, tolerance, ply):
    engine = search(profile, rule=rule, division=division)
    tested = 0
    for record in POSITIONS:
        if record["type"] != "cube":
            continue
        tested += 1
        cube = engine.cube_action(record["board"], cube_state(context(record)), ply)
        *equities, name = record[profile][ply]["cube"]
        found = [cube.no_double, cube.double_take, cube.double_pass, cube.optimal]
        limit = allowed(record, tolerance)
        assert found == pytest.approx(equities, abs=limit), record["id"]
        situation = CubeSituation(
            cube.no_double,
            cube.double_take,
            cube.double_pass,
            cube.available,
            context(record),
            Probabilities(*cube.probabilities),
        )
        no_double, double_take, double_pass, _ = equities
        margin = min(
            abs(no_double - double_take), abs(no_double - double_pass), abs(double_take - double_pass)
        )
        if margin > 2 * limit or tolerance == GNUBG_AS_RECORDED:
            found_name = decision_name(situation, certain_losers_hold=profile == "B")
            assert found_name == name, record["id"]
    assert tested == 49


@both_profiles
def test_played_moves(profile, rule, division, tolerance):
    """The played move at full depth: its rank, its equity and that of the best one."""
    engine = search(profile, rule=rule, division=division)
    assert len(PLAYED) == 26
    for record in PLAYED:
        board, _, dice = analysed(record)
        played = position_id.decode(record["played_position_id"])
        for ply, expected in record[profile].items():
            ranking = engine.assess_play(
                board, match_id.decode(record["match_id"]).context, dice, played, int(ply)
            )
            assert len(ranking) == expected["move_count"]
            place = [ranking.play(i)[1] for i in range(len(ranking))].index(played)
            made, best = ranking.value(place)[0], ranking.value(0)[0]
            assert made == pytest.approx(expected["played_equity"], abs=tolerance), record["id"]
            assert best == pytest.approx(expected["best_equity"], abs=tolerance), record["id"]
            if tolerance == GNUBG_AS_RECORDED:
                assert place + 1 == expected["rank"], record["id"]


@both_profiles
def test_luck(profile, rule, division, tolerance):
    engine = search(profile, rule=rule, division=division)
    limit = GNUBG_LUCK if tolerance == GNUBG_AS_RECORDED else tolerance
    for record in PLAYED:
        board, state, dice = analysed(record)
        luck = engine.luck(board, state, *dice)
        assert luck.luck == pytest.approx(record["luck"][profile]["value"], abs=limit), record["id"]


LEVELS = {
    "beginner": (0, 0.06),
    "casual": (0, 0.05),
    "intermediate": (0, 0.04),
    "advanced": (0, 0.015),
    "0ply": (0, 0.0),
    "1ply": (1, 0.0),
    "2ply": (2, 0.0),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("profile", ["A", "B"])
def test_named_levels_make_the_same_mistakes(profile, level):
    """The program that recorded them reads the digest's bytes as signed numbers."""
    ply, noise = LEVELS[level]
    engine = search(profile, rule="A", division=DIVISIONS[-1], noise=noise, signed_noise=True)
    for record in load("gnubg-levels.jsonl"):
        board = position_id.decode(record["position_id"])
        state = cube_state(context(record))
        expected = record[profile][level]
        if record["dice"] is None:
            cube = engine.cube_action(board, state, ply)
            assert [cube.no_double, cube.double_take] == pytest.approx(expected[:2], abs=GNUBG_REFERENCE)
        else:
            ranked = engine.rank_plays(board, state, *record["dice"], ply)
            assert notations(board, record["dice"])[ranked[0].board] == expected, record["id"]
