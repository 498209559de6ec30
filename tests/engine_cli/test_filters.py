"""Move filters as users write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.engine.settings import FILTER_NAMES, FilterStage, MoveFilter
from botd.engine_cli.filters import parse_filter


def test_names_are_kept() -> None:
    assert [parse_filter(name.upper() + " ") for name in FILTER_NAMES] == list(FILTER_NAMES)


def test_stages_serve_every_depth() -> None:
    first, second = FilterStage(0, 8, 0.16), FilterStage(2, 0, 0.0)
    skipped = FilterStage(-1)
    assert parse_filter("0,8,0.16; 2,0,0") == MoveFilter(((first,), (first, second), *[(first, second)] * 2))
    assert parse_filter("-1,0,0;0,8,.16;2,0,0.;-1,0,0") == MoveFilter(
        ((skipped,), (skipped, first), (skipped, first, second), (skipped, first, second, skipped))
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        "1,2",
        "1,2,3;",
        "-2,0,0",
        "1,-1,0",
        "1,1,-0.1",
        "1,1,nan",
        "1,1,inf",
        "1,1,1e9",
        "1,1,",
        "1,1,.",
        "٣,1,0",
        "1,1,0;" * 5,
        "9999,0,0",
        "normal;1,1,0",
        "n\normal",
        "1,1,0" + "0" * 5000,
    ],
)
def test_anything_else_is_refused_briefly(text: str) -> None:
    with pytest.raises(ValueError, match=r"filter: expected none, .*, got") as error:
        parse_filter(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 250


@given(text=st.text(max_size=30) | st.text("-0123456789,.;", max_size=30))
def test_any_text_is_a_filter_or_a_value_error(text: str) -> None:
    try:
        result = parse_filter(text)
    except ValueError:
        return
    assert isinstance(result, str | MoveFilter)
