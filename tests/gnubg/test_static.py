"""Whole static evaluations against gnubg's, class by class, and what must hold for every position."""

from __future__ import annotations

import math
import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd import _core
from tests.gnubg.data_files import ONE_SIDED, TWO_SIDED, WEIGHTS_100, WEIGHTS_101
from tests.gnubg.records import load
from tests.tolerances import GNUBG_OTHER_RECIPROCAL, GNUBG_PROBABILITY

ZERO_PLY = load("gnubg-zero-ply.jsonl")
CLASSES = ("contact", "crashed", "race", "one_sided", "two_sided", "over")

Board = tuple[int, ...]


def of_class(name: str) -> tuple[list[dict[str, Any]], list[Board]]:
    records = [record for record in ZERO_PLY if record["class"] == name]
    return records, [_core.board_from_position_id(record["id"]) for record in records]


def largest_difference(values: tuple[float, ...], expected: list[float]) -> float:
    return max(abs(a - b) for a, b in zip(values, expected, strict=True))


@pytest.mark.parametrize("name", CLASSES)
def test_classes(name: str, evaluator_100: _core.GnubgEvaluator) -> None:
    records, boards = of_class(name)
    assert len(records) >= 60
    assert [evaluator_100.classify(board) for board in boards] == [name] * len(boards)


@pytest.mark.parametrize("name", CLASSES)
def test_profile_a_with_exact_division(name: str, evaluator_100: _core.GnubgEvaluator) -> None:
    """No output lies on the other side of a knot of the activation."""
    records, boards = of_class(name)
    for record, values in zip(records, evaluator_100.evaluate(boards), strict=True):
        assert largest_difference(values, record["A_exact"]) <= GNUBG_PROBABILITY, record["id"]


@pytest.mark.parametrize("name", CLASSES)
def test_profile_b(name: str, evaluator_101: _core.GnubgEvaluator) -> None:
    """Here neither."""
    records, boards = of_class(name)
    for record, values in zip(records, evaluator_101.evaluate(boards), strict=True):
        assert largest_difference(values, record["B"]) <= GNUBG_PROBABILITY, record["id"]


@pytest.mark.parametrize("name", ["contact", "crashed", "race"])
def test_profile_a_as_the_packages_compute_it(name: str) -> None:
    """The approximate reciprocal brings the values to those of gnubg 1.07, which exact division misses."""
    exact = _core.GnubgEvaluator.load(WEIGHTS_100, ONE_SIDED, TWO_SIDED)
    reciprocal = _core.GnubgEvaluator.load(WEIGHTS_100, ONE_SIDED, TWO_SIDED, division="reciprocal")
    records, boards = of_class(name)

    def differences(evaluator: _core.GnubgEvaluator) -> list[float]:
        values = evaluator.evaluate(boards)
        return [largest_difference(v, r["A"]) for v, r in zip(values, records, strict=True)]

    with_reciprocal = differences(reciprocal)
    assert max(with_reciprocal) <= GNUBG_OTHER_RECIPROCAL
    assert statistics.mean(with_reciprocal) < statistics.mean(differences(exact)) / 2


@pytest.mark.parametrize("record", load("gnubg-inputs.jsonl"), ids=lambda r: f"{r['class']}-{r['id']}")
def test_worked_examples(
    record: dict[str, Any], evaluator_100: _core.GnubgEvaluator, evaluator_101: _core.GnubgEvaluator
) -> None:
    board = _core.board_from_position_id(record["id"])
    assert largest_difference(evaluator_100.evaluate([board])[0], record["A_exact"]) <= GNUBG_PROBABILITY
    assert largest_difference(evaluator_101.evaluate([board])[0], record["B_exact"]) <= GNUBG_PROBABILITY


def test_weights_and_rule_are_a_pair() -> None:
    """Weights 1.01 with the hitting rule of profile A are another evaluator."""
    mixed = _core.GnubgEvaluator.load(WEIGHTS_101, ONE_SIDED, TWO_SIDED, profile="A")
    records, boards = of_class("contact")
    differences = [
        largest_difference(v, r["B"]) for v, r in zip(mixed.evaluate(boards), records, strict=True)
    ]
    assert 0.01 < sum(d > 1e-3 for d in differences) / len(differences) < 0.15
    assert max(differences) < 0.05


# ---- databases ----


def test_two_sided_equities(evaluator_101: _core.GnubgEvaluator) -> None:
    _, boards = of_class("two_sided")
    for board, values in zip(boards, evaluator_101.evaluate(boards), strict=True):
        cubeless, owned, centered, opponent = evaluator_101.two_sided(board)
        assert values == pytest.approx(((cubeless + 1) / 2, 0, 0, 0, 0), abs=1e-7)
        assert owned >= centered >= opponent - 1e-4
    with pytest.raises(ValueError, match="board: of class contact, expected one in the two-sided"):
        evaluator_101.two_sided(_core.board_from_position_id("4HPwATDgc/ABMA"))


def test_missing_databases_make_classes_fall() -> None:
    none = _core.GnubgEvaluator.load(WEIGHTS_101)
    one = _core.GnubgEvaluator.load(WEIGHTS_101, ONE_SIDED)
    two = _core.GnubgEvaluator.load(WEIGHTS_101, None, TWO_SIDED)
    for name, falls in (
        ("two_sided", ("race", "one_sided", "two_sided")),
        ("one_sided", ("race", "one_sided", "race")),
    ):
        _, boards = of_class(name)
        for board in boards:
            assert (none.classify(board), one.classify(board), two.classify(board)) == falls
    assert (none.files, one.files, two.files) == (
        [WEIGHTS_101],
        [WEIGHTS_101, ONE_SIDED],
        [WEIGHTS_101, TWO_SIDED],
    )
    # The networks were not made for the end, but they are not far off.
    records, boards = of_class("one_sided")
    differences = [abs(v[0] - r["B"][0]) for v, r in zip(none.evaluate(boards), records, strict=True)]
    assert statistics.mean(differences) < 0.02


def test_unsuitable_one_sided_databases(tmp_path: Any) -> None:
    for points, checkers, gammons, found in (
        (5, 15, True, "5 points and 15 checkers with gammons"),
        (6, 14, True, "6 points and 14 checkers with"),
        (6, 15, False, "6 points and 15 checkers without gammons"),
    ):
        path = tmp_path / "database"
        _core.generate_one_sided(path, points, checkers, gammons)
        with pytest.raises(_core.DataError, match=f"database: a one-sided database of {found}") as error:
            _core.GnubgEvaluator.load(WEIGHTS_101, path)
        assert "expected at least 6 points and 15 checkers, with gammons" in str(error.value)
    with pytest.raises(_core.DataError):
        _core.GnubgEvaluator.load(WEIGHTS_101, TWO_SIDED, ONE_SIDED)


def test_a_larger_one_sided_database(tmp_path: Any) -> None:
    """It takes more positions; those that the standard one has keep their values."""
    path = tmp_path / "seven points"
    _core.generate_one_sided(path, 7, 15)
    large = _core.GnubgEvaluator.load(WEIGHTS_101, path)
    standard = _core.GnubgEvaluator.load(WEIGHTS_101, ONE_SIDED)
    _, boards = of_class("one_sided")
    assert large.evaluate(boards) == standard.evaluate(boards)
    seventh = (0, 1, 2, 2, 3, 3, 3, 1, *[0] * 11, -4, -3, -3, -3, -2, 0, 0)
    assert (large.classify(seventh), standard.classify(seventh)) == ("one_sided", "race")
    by_database, by_network = large.evaluate([seventh])[0], standard.evaluate([seventh])[0]
    assert by_database[0] == pytest.approx(by_network[0], abs=0.02)


# ---- tables ----


@pytest.mark.parametrize("record", load("gnubg-clearing.jsonl"), ids=lambda r: "".join(map(str, r["men"])))
def test_clearing(record: dict[str, Any]) -> None:
    assert _core.gnubg_clearing_rolls(record["men"]) == record["turns"]


def test_clearing_distributions_are_complete() -> None:
    """The last entry counts all longer ways, too."""
    for men in ([0, 0, 0, 0, 6], [1, 1, 1, 1, 1], [0, 0, 1, 0, 0]):
        turns = _core.gnubg_clearing_rolls(men)
        assert sum(t * 36 ** (5 - k) for k, t in enumerate(turns, 1)) == 36**5
    assert _core.gnubg_clearing_rolls([1, 0, 0, 0, 0]) == [36, 0, 0, 0, 0]
    for men in ([0] * 5, [7, 0, 0, 0, 0], [-1, 2, 0, 0, 0], [1 << 30, 1 << 30, 1, 0, 0]):
        with pytest.raises(ValueError, match="expected one to six in all"):
            _core.gnubg_clearing_rolls(men)


@pytest.mark.parametrize("record", load("gnubg-escapes.jsonl"), ids=lambda r: str(r["mask"]))
def test_escapes(record: dict[str, int]) -> None:
    assert _core.escape_rolls(record["mask"]) == (record["escapes"], record["escapes_past_block"])


# ---- every position ----


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Possible boards of every kind."""
    points = [0] * 26
    for sign, bar in ((1, 25), (-1, 0)):
        left = draw(st.integers(1, 15))
        points[bar] = draw(st.integers(0, min(left, 3)))
        left -= points[bar]
        home_only = draw(st.booleans())
        while left > 0:
            place = draw(st.integers(1, 6 if home_only else 24))
            point = place if sign > 0 else 25 - place
            if points[point] * sign < 0:
                break
            stack = draw(st.integers(1, left))
            points[point] += sign * stack
            left -= stack
    if not any(p > 0 for p in points[1:]):
        points[25] = max(points[25], 1)
    return tuple(points)


@pytest.fixture(scope="module")
def evaluator() -> _core.GnubgEvaluator:
    return _core.GnubgEvaluator.load(WEIGHTS_101, ONE_SIDED, TWO_SIDED)


def check_outcomes(p: tuple[float, float, float, float, float], nested: float = 0.0) -> None:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = p
    assert all(math.isfinite(x) and 0 <= x <= 1 + 1e-6 for x in p)
    assert win_backgammon <= win_gammon <= win
    assert lose_backgammon <= lose_gammon <= 1 - win + 1e-7


@given(board=boards())
def test_outcomes_are_consistent(board: Board, evaluator: _core.GnubgEvaluator) -> None:
    (p,) = evaluator.evaluate([board])
    check_outcomes(p)
    own_off, opponent_off = _core.borne_off(board)
    if opponent_off > 0:
        assert p[1:3] == (0, 0)
    if own_off > 0:
        assert p[3:5] == (0, 0)
    if evaluator.classify(board) in ("race", "crashed", "contact"):
        check_outcomes(evaluator.prune_value(board))
    else:
        with pytest.raises(ValueError, match="there is no network for"):
            evaluator.prune_value(board)
    for seed in (None, 7):
        check_outcomes(evaluator.noisy(board, 0.3, seed=seed))


@given(batch=st.lists(boards(), max_size=8))
def test_a_batch_has_the_values_of_its_boards(batch: list[Board], evaluator: _core.GnubgEvaluator) -> None:
    assert evaluator.evaluate(batch) == [evaluator.evaluate([board])[0] for board in batch]


@pytest.mark.parametrize("board", [[0] * 26, [0] * 25, [1] * 26, ["x"] * 26, [0, 16, *[0] * 24]])
def test_impossible_boards_are_refused(board: list[Any], evaluator: _core.GnubgEvaluator) -> None:
    for method in (
        lambda b: evaluator.evaluate([b]),
        evaluator.classify,
        evaluator.inputs,
        evaluator.prune_value,
        evaluator.two_sided,
        lambda b: evaluator.noisy(b, 0.1),
    ):
        with pytest.raises(ValueError, match="board: "):
            method(board)
