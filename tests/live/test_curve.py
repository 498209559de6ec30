"""The curve of a match is bounded and loses neither its first nor its newest point."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.live.curve import Curve


def curve(number: int, most: int) -> list[int]:
    curve = Curve(most)
    for n in range(number):
        curve.add(1, n / 1000, None, None)
    return [point.n for point in curve.points]


@pytest.mark.parametrize("number", [0, 1, 5])
def test_a_short_curve_is_whole(number: int) -> None:
    assert curve(number, 8) == list(range(1, number + 1))


@given(st.integers(1, 3000), st.integers(1, 20).map(lambda half: 2 * half))
def test_a_long_curve_is_thinned_evenly(number: int, most: int) -> None:
    numbers = curve(number, most)
    assert len(numbers) <= most
    assert (numbers[0], numbers[-1]) == (1, number)
    gaps = {later - earlier for earlier, later in pairwise(numbers[:-1])}
    assert len(gaps) <= 1, "all but the newest are evenly spaced"
    assert len(numbers) >= min(number, most // 2), "no thinner than it must be"
