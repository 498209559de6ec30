"""Static evaluations against values recorded from Open Sage, on every CPU path."""

from __future__ import annotations

from typing import Any

import pytest

from botd import _core
from tests.tolerances import BEAROFF_PROBABILITY, RAW_PROBABILITY, RECORDED_FRACTION, SAME_VALUE_OTHER_ORDER

Vectors = dict[str, Any]

# What feature k is divided by; 1 where the record holds the value itself.
DENOMINATORS = [
    2,
    5,
    1,
    1,
    36,
    6,
    36,
    36,
    36,
    24,
    24,
    167,
    100,
    432,
    36,
    1,
    36,
    1,
    3600,
    400,
    294,
    100,
    1,
    1,
    8,
    36,
]


def unfinished_static_records(vectors: Vectors) -> list[dict[str, Any]]:
    records = vectors["static"] + [r for r in vectors["edge"] if r["kind"] == "static"]
    return [r for r in records if r.get("network_index") is not None]


def largest_difference(values: Any, recorded: Any) -> float:
    return max(abs(a - b) for a, b in zip(values, recorded, strict=True))


def test_raw_outputs(evaluator: _core.SageEvaluator, vectors: Vectors) -> None:
    records = unfinished_static_records(vectors)
    assert {r["network_index"] for r in records} == set(range(24))
    worst = 0.0
    for record in records:
        (raw,) = evaluator.evaluate_raw([record["board"]], record["network_index"])
        worst = max(worst, largest_difference(raw, record["raw"]))
    assert worst < RAW_PROBABILITY


def test_network_of_the_position_before_the_move(evaluator: _core.SageEvaluator, vectors: Vectors) -> None:
    for record in vectors["static_pre_move"]:
        before, board = record["pre_move_board"], record["board"]
        assert evaluator.route(before) == record["network_index_of_pre_move"]
        assert evaluator.route(board) == record["network_index_of_board"]
        for base in (None, before):
            (raw,) = evaluator.evaluate_raw([board], record["network_index_of_pre_move"], base)
            assert largest_difference(raw, record["raw_with_pre_move_network"]) < RAW_PROBABILITY
            (raw,) = evaluator.evaluate_raw([board], record["network_index_of_board"], base)
            assert largest_difference(raw, record["raw_with_own_network"]) < RAW_PROBABILITY


def test_routing_plans_and_regions(evaluator: _core.SageEvaluator, vectors: Vectors) -> None:
    for record in unfinished_static_records(vectors):
        board = record["board"]
        assert evaluator.route(board) == record["network_index"], record
        assert list(_core.sage_plans(board)) == record["plans"], record
        for region, value in _core.sage_regions(board).items():
            assert record.get(region, value) == value, (region, record)


def test_bearoff_database(evaluator: _core.SageEvaluator, vectors: Vectors) -> None:
    covered = [r for r in vectors["static"] + vectors["edge"] if "with_bearoff_db" in r]
    assert len(covered) >= 15
    for record in covered:
        assert evaluator.covered(record["board"])
        value = evaluator.bearoff_post_move(record["board"])
        assert largest_difference(value, record["with_bearoff_db"]) < BEAROFF_PROBABILITY


def test_bearoff_sides_to_roll_complement_each_other(
    evaluator: _core.SageEvaluator, vectors: Vectors
) -> None:
    for record in vectors["static"]:
        if "with_bearoff_db" not in record:
            continue
        board = record["board"]
        other_view = [board[25], *(-n for n in board[24:0:-1]), board[0]]
        win, win_gammon, _, lose_gammon, _ = evaluator.bearoff_post_move(board)
        other_win, other_win_gammon, _, other_lose_gammon, _ = evaluator.bearoff_pre_roll(other_view)
        assert win + other_win == pytest.approx(1.0, abs=BEAROFF_PROBABILITY)
        assert win_gammon == pytest.approx(other_lose_gammon, abs=BEAROFF_PROBABILITY)
        assert lose_gammon == pytest.approx(other_win_gammon, abs=BEAROFF_PROBABILITY)


def test_features(vectors: Vectors) -> None:
    for row in vectors["features"]["rows"]:
        board = vectors["static"][row["record"]]["board"]
        for computed, recorded in zip(_core.sage_features(board), (row["own"], row["opposing"]), strict=True):
            for k, (value, numerator) in enumerate(zip(computed, recorded, strict=True)):
                denominator = DENOMINATORS[k]
                if denominator == 1:
                    assert value == pytest.approx(numerator, abs=RECORDED_FRACTION), (k, row["record"])
                else:
                    assert round(value * denominator) == numerator, (k, row["record"])


def test_siblings_have_the_values_they_have_alone(evaluator: _core.SageEvaluator, vectors: Vectors) -> None:
    for record in vectors["checker"]:
        before = record["board"]
        network = evaluator.route(before)
        boards = [play["board"] for play in record["levels"]["1P"]]
        alone = [evaluator.evaluate_raw([board], network)[0] for board in boards]
        for base in (None, before):
            together = evaluator.evaluate_raw(boards, network, base)
            for a, b in zip(alone, together, strict=True):
                assert largest_difference(a, b) < SAME_VALUE_OTHER_ORDER


def test_cpu_paths_agree(evaluator: _core.SageEvaluator, vectors: Vectors) -> None:
    plain = _core.SageEvaluator.load(evaluator.files[0].parent, cpu_path="plain")
    for record in unfinished_static_records(vectors):
        arguments = ([record["board"]], record["network_index"])
        (a,), (b,) = evaluator.evaluate_raw(*arguments), plain.evaluate_raw(*arguments)
        assert largest_difference(a, b) < SAME_VALUE_OTHER_ORDER
