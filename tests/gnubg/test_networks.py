"""Inputs and raw outputs of the six networks against gnubg's."""

from __future__ import annotations

import pytest

from botd import _core
from tests.gnubg.data_files import WEIGHTS_100, WEIGHTS_101
from tests.gnubg.records import load
from tests.tolerances import GNUBG_PROBABILITY, RECORDED_FRACTION

RECORDS = load("gnubg-inputs.jsonl")


def ids(record: dict[str, object]) -> str:
    return f"{record['class']}-{record['id']}"


@pytest.mark.parametrize("record", RECORDS, ids=ids)
def test_inputs(record: dict, evaluator_100: _core.GnubgEvaluator) -> None:
    board = _core.board_from_position_id(record["id"])
    expected = [record["inputs"].get(str(i), 0.0) for i in range(record["count"])]
    assert evaluator_100.inputs(board) == pytest.approx(expected, abs=RECORDED_FRACTION)


@pytest.mark.parametrize("record", RECORDS, ids=ids)
def test_inputs_of_profile_b(record: dict, evaluator_101: _core.GnubgEvaluator) -> None:
    board = _core.board_from_position_id(record["id"])
    expected = {**record["inputs"], **record["profile_B"]}
    assert evaluator_101.inputs(board) == pytest.approx(
        [expected.get(str(i), 0.0) for i in range(record["count"])], abs=RECORDED_FRACTION
    )


def test_the_profiles_differ_somewhere() -> None:
    assert any(record["profile_B"] for record in RECORDS)


@pytest.mark.parametrize("record", RECORDS, ids=ids)
def test_network_outputs(record: dict, evaluator_100: _core.GnubgEvaluator) -> None:
    board = _core.board_from_position_id(record["id"])
    assert evaluator_100.network_outputs(board) == pytest.approx(record["network"], abs=GNUBG_PROBABILITY)


@pytest.mark.parametrize("record", RECORDS, ids=ids)
def test_pruning_outputs_are_those_of_both_versions(
    record: dict, evaluator_100: _core.GnubgEvaluator, evaluator_101: _core.GnubgEvaluator
) -> None:
    board = _core.board_from_position_id(record["id"])
    assert evaluator_100.pruning_outputs(board) == pytest.approx(record["pruning"], abs=GNUBG_PROBABILITY)
    assert evaluator_101.pruning_outputs(board) == evaluator_100.pruning_outputs(board)


@pytest.mark.parametrize("division", ["exact", "reciprocal"])
def test_every_cpu_path_gives_the_same_bits(division: str) -> None:
    evaluators = [
        _core.GnubgEvaluator.load(WEIGHTS_101, division=division, cpu_path=path) for path in _core.cpu_paths()
    ]
    boards = [
        _core.board_from_position_id(r["id"]) for r in load("gnubg-zero-ply.jsonl") if r["class"] != "over"
    ]
    for board in boards:
        results = {(e.network_outputs(board), e.pruning_outputs(board)) for e in evaluators}
        assert len(results) == 1


def test_the_reciprocal_changes_little_but_something() -> None:
    exact = _core.GnubgEvaluator.load(WEIGHTS_100)
    reciprocal = _core.GnubgEvaluator.load(WEIGHTS_100, division="reciprocal")
    assert (exact.division, reciprocal.division) == ("exact", "reciprocal")
    boards = [
        _core.board_from_position_id(r["id"]) for r in load("gnubg-zero-ply.jsonl") if r["class"] == "contact"
    ]
    differences = [
        max(abs(a - b) for a, b in zip(exact.network_outputs(x), reciprocal.network_outputs(x), strict=True))
        for x in boards
    ]
    differences.sort()
    assert 1e-6 < differences[len(differences) // 2] < 1e-4
    assert differences[-1] < 2e-3  # a knot of the activation


def test_defaults_and_options() -> None:
    old = _core.GnubgEvaluator.load(WEIGHTS_100)
    assert (old.weights_version, old.profile, old.files) == ("1.00", "A", [WEIGHTS_100])
    assert old.cpu_path == _core.cpu_paths()[-1]
    new = _core.GnubgEvaluator.load(WEIGHTS_101)
    assert (new.weights_version, new.profile) == ("1.01", "B")
    assert _core.GnubgEvaluator.load(WEIGHTS_101, profile="A").profile == "A"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"profile": "C"}, "unknown profile 'C', expected A or B"),
        ({"division": "fast"}, "unknown division 'fast', expected exact or reciprocal"),
        ({"cpu_path": "mmx"}, "unknown CPU path 'mmx', expected plain, avx2 or avx512"),
    ],
)
def test_unknown_options(option: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.GnubgEvaluator.load(WEIGHTS_100, **option)


def test_finished_games_have_no_network() -> None:
    evaluator = _core.GnubgEvaluator.load(WEIGHTS_100)
    board = [0, *[0] * 23, -3, 0]
    assert evaluator.classify(board) == "over"
    for method in (evaluator.inputs, evaluator.network_outputs, evaluator.pruning_outputs):
        with pytest.raises(ValueError, match="there is no network for over"):
            method(board)
