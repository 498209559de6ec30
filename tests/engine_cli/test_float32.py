"""The shortest digits of 32-bit floats."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.engine_cli.float32 import shortened, shortest, to_float32


@pytest.mark.parametrize(
    "text",
    [
        "0.5214864",
        "0.15416948",
        "0.0075651794",
        "-0.00017876095",
        "0.067567706",
        "-0.033687104",
        "1.0",
        "0.1",
        "0.0",
        "-1.1174883",
        "1.1754944e-38",
        "3.4028235e+38",
        "1e-45",
        "16777216.0",
        "8388608.0",
    ],
)
def test_numbers_in_their_shortest_form_stay_as_they_are(text: str) -> None:
    assert json.dumps(shortest(to_float32(float(text)))) == text


@given(value=st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_the_digits_restore_the_float_and_one_digit_less_does_not(value: float) -> None:
    text = repr(shortest(value))
    assert to_float32(float(text)) == value
    digits = len(text.lower().split("e")[0].replace("-", "").replace(".", "").strip("0"))
    assert digits <= 9
    if 1 < digits < 9:
        assert to_float32(float(f"{value:.{digits - 1}g}")) != value


def test_only_floats_are_touched_and_everything_nested_is_reached() -> None:
    third = 1 / 3
    assert shortened({"a": [third, 1, "x", None, True], "b": {"c": third}}) == {
        "a": [0.33333334, 1, "x", None, True],
        "b": {"c": 0.33333334},
    }


def test_what_is_not_finite_has_no_json_form() -> None:
    for value in (math.nan, math.inf, 1e39, -1e300):
        with pytest.raises(ValueError, match="finite"):
            shortest(value)
