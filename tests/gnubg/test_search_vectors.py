"""gnubg's search against recorded answers of gnubg 1.07 and 1.08: single positions of every class."""

from __future__ import annotations

import statistics

import pytest

from botd import _core
from botd.engine.cube_names import CubeSituation, decision_name
from botd.engine.types import Probabilities
from tests.gnubg.records import cube_state, load, naming_context, notations
from tests.gnubg.searches import DIVISIONS, search
from tests.tolerances import (
    GNUBG_EXACT_TIE,
    GNUBG_MEDIAN_EQUITY,
    GNUBG_OUTPUT,
    GNUBG_SCORE_B,
    GNUBG_SINGLE_EQUITY,
)


@pytest.mark.parametrize("division", DIVISIONS)
@pytest.mark.parametrize("ply", [0, 1, 2])
def test_cube_equities_and_outputs(ply, division):
    """Money and match, all places of the cube, every class; differences per unit of the largest price."""
    engine = search("A", division=division)
    differences = []
    for record in load("gnubg-cubeful.jsonl"):
        if record["ply"] != ply or record["class"] == "over":
            continue
        board = _core.board_from_position_id(record["id"])
        found = engine.cube_action(board, cube_state(record), ply)
        scale = max(1.0, *record["prices"])
        differences.append(
            max(
                abs(found.no_double - record["no_double"]),
                abs(found.double_take - record["double_take"]),
            )
            / scale
        )
        assert differences[-1] < GNUBG_SINGLE_EQUITY[division], record
        for value, expected in zip(found.probabilities, record["outputs"], strict=True):
            assert value == pytest.approx(expected, abs=GNUBG_OUTPUT[division]), record
    assert len(differences) == {0: 165, 1: 165, 2: 83}[ply]
    assert statistics.median(differences) < GNUBG_MEDIAN_EQUITY[division]


@pytest.mark.parametrize("division", DIVISIONS)
def test_names_of_1500_cube_decisions(division):
    engine = search("A", division=division)
    differences = []
    for record in load("gnubg-cube-decisions.jsonl"):
        board = _core.board_from_position_id(record["id"])
        cube = engine.cube_action(board, cube_state(record), 0)
        situation = CubeSituation(
            cube.no_double,
            cube.double_take,
            cube.double_pass,
            cube.available,
            naming_context(record),
            Probabilities(*cube.probabilities),
        )
        assert decision_name(situation, certain_losers_hold=False) == record["decision"], record
        differences.append(
            max(abs(cube.no_double - record["no_double"]), abs(cube.double_take - record["double_take"]))
        )
        assert differences[-1] < GNUBG_SINGLE_EQUITY["lopsided"], record
    assert len(differences) == 1500
    assert statistics.median(differences) < GNUBG_MEDIAN_EQUITY[division]


def test_best_moves_at_0_ply():
    """Cubeful and cubeless; where another move is best here, the two are worth the same."""
    engines = {cubeful: search("A", cubeful=cubeful) for cubeful in (True, False)}
    state = _core.CubeState(1, "centered", jacoby=True)
    records = load("gnubg-best-moves.jsonl")
    different = 0
    for record in records:
        board = _core.board_from_position_id(record["id"])
        names = notations(board, record["dice"])
        ranked = engines[record["cubeful"]].rank_plays(board, state, *record["dice"], 0)
        if names[ranked[0].board] == record["move"]:
            continue
        different += 1
        (other,) = (play for play in ranked if names[play.board] == record["move"])
        assert ranked[0].equity == pytest.approx(other.equity, abs=GNUBG_EXACT_TIE), record
    assert len(records) == 1500
    assert different <= 15


@pytest.mark.parametrize("ply", [0, 2])
def test_scores_of_best_moves(ply):
    """Largest score in the list, with profile B; the 2-ply ones were recorded with profile A's filter."""
    engine = search("B", table="A" if ply else "B")
    records = [record for record in load("gnubg-scored-moves.jsonl") if record["ply"] == ply]
    assert len(records) == {0: 369, 2: 25}[ply]
    for record in records:
        board = _core.board_from_position_id(record["id"])
        ranked = engine.rank_plays(board, cube_state(record), *record["dice"], ply)
        best = max(play.equity for play in ranked)
        assert best == pytest.approx(record["best_score"], abs=GNUBG_SCORE_B), record
