"""Checker plays and cube decisions against numbers produced by running Open Sage."""

from __future__ import annotations

import pytest

from botd.engine.types import TakeAction
from tests.tolerances import EQUAL_EQUITIES, SAGE_EQUITY

LEVELS = {0: "1P", 1: "2P", 2: "3P"}


def should_double(context, recorded):
    """Open Sage's answer; but it has a post-Crawford trailer double always, also where he is too good."""
    trailer = context.get("away2") == 1 and context["away1"] > 1 and not context.get("is_crawford", False)
    return min(recorded["dt"], recorded["dp"]) > recorded["nd"] if trailer else recorded["double"]


def assert_cube(decision, context, expected, tolerance, label):
    got = (decision.no_double, decision.double_take, decision.double_pass)
    want = (expected["nd"], expected["dt"], expected["dp"])
    assert got == pytest.approx(want, abs=tolerance), label
    p = decision.probabilities
    probabilities = (p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon)
    assert probabilities == pytest.approx(expected["probs"], abs=tolerance), label
    if "cubeless_equity" in expected:
        assert decision.cubeless_equity == pytest.approx(expected["cubeless_equity"], abs=tolerance), label
    nd, dt, dp = want
    if abs(min(dt, dp) - nd) > EQUAL_EQUITIES:
        assert decision.double == should_double(context, expected), label
    if abs(dt - dp) > EQUAL_EQUITIES:
        assert (decision.response is not TakeAction.PASS) == expected["take"], label
    assert (decision.response is TakeAction.BEAVER) == expected["beaver"], label


def assert_plays(decision, expected, tolerance, label):
    by_board = {ranked.play.board: ranked for ranked in decision.plays}
    for play in expected:
        ranked = by_board[tuple(play["board"])]
        assert ranked.equity == pytest.approx(play["equity"], abs=tolerance), label
        assert ranked.cubeless_equity == pytest.approx(play["cubeless_equity"], abs=tolerance), label
        p = ranked.probabilities
        probabilities = (p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon)
        assert probabilities == pytest.approx(play["probs"], abs=tolerance), label
    assert [ranked.play.board for ranked in decision.plays[: len(expected)]] == [
        tuple(play["board"]) for play in expected
    ], label


@pytest.mark.parametrize("ply", [0, 1, 2])
def test_cube_decisions(engine, vectors, context_of, ply):
    assert len(vectors["cube"]) == 135
    for number, record in enumerate(vectors["cube"]):
        decision = engine.cube_action(tuple(record["board"]), context_of(record["context"]), ply=ply)
        levels = record["levels"]
        assert_cube(decision, record["context"], levels[LEVELS[ply]], SAGE_EQUITY[ply], f"cube {number}")


@pytest.mark.parametrize("ply", [0, 1, 2])
def test_checker_plays(engine, vectors, context_of, ply):
    assert len(vectors["checker"]) == 44
    for number, record in enumerate(vectors["checker"]):
        decision = engine.choose_play(
            tuple(record["board"]), context_of(record["context"]), tuple(record["dice"]), ply=ply
        )
        assert decision.legal_count == record["legal_moves"] or decision.legal_count == 0
        assert_plays(decision, record["levels"][LEVELS[ply]], SAGE_EQUITY[ply], f"checker {number}")
