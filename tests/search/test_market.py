"""Market windows against GNU Backgammon's, and against the engine's own decisions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from botd import _core
from botd.engine.market import MarketWindow, market_window
from botd.engine.types import CubeOwner, GameContext, Scoring
from tests.tolerances import SHOWN_HUNDREDTHS

DERIVED = json.loads((Path(__file__).parents[1] / "data" / "met-derived.json").read_text())["derived"]


def context_of(record, side):
    other = "opponent" if side == "player" else "player"
    length = record["match_length"]
    owner = CubeOwner(record["cube_owner"])
    if side == "opponent" and owner is not CubeOwner.CENTERED:
        owner = CubeOwner.OPPONENT if owner is CubeOwner.PLAYER else CubeOwner.PLAYER
    return GameContext(
        match_length=length,
        score_player=length - record[f"{side}_away"],
        score_opponent=length - record[f"{other}_away"],
        cube_value=record["cube_value"],
        cube_owner=owner,
        crawford=record["crawford"],
    )


def shown(windows):
    """The program's labels for the windows that exist."""
    if windows.dead is None:
        return {}
    labels = {"dead cube": windows.dead, "live cube": windows.live}
    if windows.dead_redoubled is not None:
        labels = {
            "dead cube (opponent doesn't redouble)": windows.dead,
            "dead cube (opponent redoubles)": windows.dead_redoubled,
        }
    return {label: window for label, window in labels.items() if window is not None}


@pytest.mark.parametrize("number", range(len(DERIVED)))
@pytest.mark.parametrize("side", ["player", "opponent"])
def test_windows_are_those_of_the_program(number, side):
    record = DERIVED[number]
    expected = record["gammonless_window_percent"][side]
    windows = shown(market_window(context_of(record, side)))
    assert set(windows) == set(expected)
    for label, (double_point, cash_point) in expected.items():
        window = windows[label]
        assert 100 * window.double_point == pytest.approx(double_point, abs=SHOWN_HUNDREDTHS), label
        assert 100 * window.cash_point == pytest.approx(cash_point, abs=SHOWN_HUNDREDTHS), label


def test_money_windows():
    windows = market_window(GameContext())
    assert windows.dead == MarketWindow(0.5, 0.75)
    assert windows.live == MarketWindow(0.5, 0.8)
    assert windows.dead_redoubled is None


def test_long_matches_come_near_to_money():
    windows = market_window(GameContext(match_length=64))
    assert windows.dead.cash_point == pytest.approx(0.75, abs=0.01)
    assert windows.live.cash_point == pytest.approx(0.8, abs=0.01)


def test_a_table_of_ones_own():
    """With a table that is a straight line a point is a point, as in money play."""
    line = [[0.5 + (b - a) / 128 for b in range(64)] for a in range(64)]
    table = _core.MatchEquityTable(line, [0.5] * 64)
    windows = market_window(GameContext(match_length=40), table)
    assert windows.dead.double_point == pytest.approx(0.5)
    assert windows.dead.cash_point == pytest.approx(0.75)
    assert windows.live.cash_point == pytest.approx(0.8, abs=1e-3)


def test_what_has_no_window_is_refused():
    with pytest.raises(ValueError, match="standard scoring"):
        market_window(GameContext(match_length=5, scoring=Scoring.BGAMMON))
    with pytest.raises(ValueError, match="match length"):
        market_window(GameContext(match_length=65))


@pytest.mark.parametrize("record", [r for r in DERIVED if not r["crawford"] and r["cube_value"] == 1])
def test_the_engine_passes_beyond_the_windows(engine, record):
    """In a long race without gammons a 0-ply taker's limit lies between the dead and the live window."""
    context = context_of(record, "player")
    windows = market_window(context)
    if windows.live is None:
        return
    low, high = sorted((windows.dead.cash_point, windows.live.cash_point))
    decisions = []
    for own in range(1, 11):  # one more checker on the ace point: the doubler gets worse step by step
        board = (0, own, 1, 1, 1, *[0] * 15, -1, -1, -1, -1, -2, 0)
        decisions.append(engine.cube_action(board, context, ply=0))
    for decision in decisions:
        win = decision.probabilities.win
        if win > high + 0.01:
            assert decision.double_take > decision.double_pass
        if win < low - 0.01:
            assert decision.double_take < decision.double_pass
