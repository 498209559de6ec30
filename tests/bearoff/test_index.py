"""The index numbers the positions of every size without gaps, in the order of the databases."""

from __future__ import annotations

from itertools import pairwise
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd import _core
from tests.bearoff.brute_force import plays, sides

LARGEST = _core.BEAROFF_MAX_POINTS

sizes = st.tuples(st.integers(1, LARGEST), st.integers(0, 15))


@pytest.mark.parametrize(
    ("points", "checkers"), [(1, 15), (2, 15), (3, 9), (6, 6), (6, 8), (9, 4), (18, 3), (18, 1), (4, 0)]
)
def test_counts_in_order_have_the_numbers_from_zero(points: int, checkers: int) -> None:
    expected = sides(points, checkers)
    assert _core.bearoff_position_count(points, checkers) == len(expected) == comb(points + checkers, points)
    assert [_core.bearoff_position_index(side) for side in expected] == list(range(len(expected)))
    assert [tuple(_core.bearoff_counts(i, points)) for i in range(len(expected))] == expected


@given(st.data())
def test_index_and_counts_are_inverse_up_to_the_largest_size(data: st.DataObject) -> None:
    points, checkers = data.draw(sizes)
    index = data.draw(st.integers(0, _core.bearoff_position_count(points, checkers) - 1))
    counts = _core.bearoff_counts(index, points)
    assert len(counts) == points
    assert min(counts) >= 0
    assert sum(counts) <= checkers
    assert _core.bearoff_position_index(counts) == index


@given(st.data())
def test_every_play_leads_to_a_smaller_number(data: st.DataObject) -> None:
    points = data.draw(st.integers(1, 10))
    index = data.draw(st.integers(1, _core.bearoff_position_count(points, 4) - 1))
    dice = tuple(sorted(data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))))
    for after in plays(tuple(_core.bearoff_counts(index, points)), (dice[0], dice[1])):
        assert _core.bearoff_position_index(after) < index


def test_known_numbers() -> None:
    assert _core.bearoff_position_index([0] * 6) == 0
    assert _core.bearoff_position_index([2, 0, 0, 0, 0, 0]) == 7
    assert _core.bearoff_position_index([1, 1, 0, 0, 0, 0]) == 8
    assert _core.bearoff_position_index([0, 0, 0, 0, 0, 15]) == 54263
    assert _core.bearoff_position_count(6, 15) == 54264
    assert _core.bearoff_position_count(LARGEST, 15) == comb(LARGEST + 15, 15) < 2**32


def test_gnubgs_numbers(records: list[dict[str, Any]]) -> None:
    for record in records:
        if "one_sided" in record:
            assert _core.bearoff_position_index(record["one_sided"]) == record["index"]
        else:
            own, opponent = map(_core.bearoff_position_index, record["two_sided"])
            assert own * 924 + opponent == record["record"]


def test_the_number_does_not_depend_on_the_largest_number_of_checkers() -> None:
    counts = [_core.bearoff_position_count(6, checkers) for checkers in range(16)]
    for checkers, (fewer, more) in enumerate(pairwise(counts), 1):
        for index in (fewer, more - 1):
            assert sum(_core.bearoff_counts(index, 6)) == checkers


@pytest.mark.parametrize(
    "counts", [[], [0] * (LARGEST + 1), [-1, 1], [16], [8, 8], [0, 2**31 - 1], [2**31 - 1, 2**31 - 1]]
)
def test_impossible_counts(counts: list[int]) -> None:
    with pytest.raises(ValueError, match=r"expected \d+ to \d+, got"):
        _core.bearoff_position_index(counts)


def test_impossible_sizes() -> None:
    for points, checkers in [(0, 1), (LARGEST + 1, 1), (-1, 1), (6, -1), (6, 16)]:
        with pytest.raises(ValueError, match=r"expected \d+ to \d+, got"):
            _core.bearoff_position_count(points, checkers)
    with pytest.raises(IndexError, match="expected a number below 54264"):
        _core.bearoff_counts(54264, 6)
    with pytest.raises(ValueError, match=r"points: expected 1 to 18, got 0"):
        _core.bearoff_counts(0, 0)
