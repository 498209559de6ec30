"""Rarely used clauses of the search: every `edge` record, and what a known mistake would give instead."""

from __future__ import annotations

import pytest

from botd.engine.types import TakeAction
from tests.search.test_sage_search import should_double
from tests.tolerances import EQUAL_EQUITIES, SAGE_EQUITY

PLY = {"1P": 0, "2P": 1, "3P": 2}


def edges(vectors, kind):
    return [record for record in vectors["edge"] if record["kind"] == kind]


def test_cube_edges(engine, vectors, context_of):
    records = edges(vectors, "cube")
    assert len(records) == 36
    for number, record in enumerate(records):
        label = f"edge cube {number}: {record['tests']}"
        ply = PLY[record["level"]]
        tolerance = SAGE_EQUITY[ply]
        decision = engine.cube_action(tuple(record["board"]), context_of(record["context"]), ply=ply)
        nd, dt, dp = record["nd"], record["dt"], record["dp"]
        got = (decision.no_double, decision.double_take, decision.double_pass)
        assert got == pytest.approx((nd, dt, dp), abs=tolerance), label
        p = decision.probabilities
        assert (p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon) == pytest.approx(
            record["probs"], abs=tolerance
        ), label
        if abs(min(dt, dp) - nd) > EQUAL_EQUITIES:
            assert decision.double == should_double(record["context"], record), label
        if abs(dt - dp) > EQUAL_EQUITIES:
            assert (decision.response is not TakeAction.PASS) == record["take"], label
        for name, wrong in record.items():
            if name.startswith("wrong_"):
                assert abs(decision.no_double - wrong["nd"]) > tolerance, label


def test_checker_edges(engine, vectors, context_of):
    records = edges(vectors, "checker")
    assert len(records) == 10
    for number, record in enumerate(records):
        label = f"edge checker {number}: {record['tests']}"
        ply = PLY[record["level"]]
        tolerance = SAGE_EQUITY[ply]
        decision = engine.choose_play(
            tuple(record["board"]),
            context_of(record["context"]),
            tuple(record["dice"]),
            ply=ply,
        )
        assert decision.legal_count == record["legal_moves"], label
        (played,) = [ranked for ranked in decision.plays if ranked.play.board == tuple(record["result"])]
        assert played.equity == pytest.approx(record["equity"], abs=tolerance), label
        assert played.cubeless_equity == pytest.approx(record["cubeless_equity"], abs=tolerance), label
        p = played.probabilities
        assert (p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon) == pytest.approx(
            record["probs"], abs=tolerance
        ), label
        for name, wrong in record.items():
            if name.startswith("wrong_"):
                assert abs(played.equity - wrong["equity"]) > tolerance, label
