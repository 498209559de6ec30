"""Named move filters against gnubg's tables, filters of one's own, and what settings refuse."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd import _core
from botd.engine.settings import FILTER_NAMES, FilterStage, MoveFilter, SearchSettings

SKIPPED = (-1, 0, 0.0)

TABLE_A = {
    "tiny": ((0, 5, 0.08), (0, 2, 0.02)),
    "narrow": ((0, 8, 0.12), (0, 2, 0.03)),
    "normal": ((0, 8, 0.16), (0, 2, 0.04)),
    "large": ((0, 16, 0.32), (0, 4, 0.08)),
    "huge": ((0, 20, 0.44), (0, 6, 0.11)),
}
TABLE_B = {
    "normal": [
        [(0, 12, 0.24)],
        [(0, 12, 0.24), (0, 6, 0.12)],
        [(0, 16, 0.32), (0, 8, 0.16), (0, 4, 0.06)],
        [(0, 16, 0.32), (0, 12, 0.16), (0, 6, 0.08), (0, 4, 0.06)],
    ],
    "large": [
        [(0, 16, 0.32)],
        [(0, 16, 0.32), (0, 8, 0.16)],
        [(0, 24, 0.40), (0, 12, 0.20), (0, 6, 0.08)],
        [(0, 32, 0.40), (0, 16, 0.20), (0, 8, 0.10), (0, 6, 0.08)],
    ],
}


@pytest.mark.parametrize("name", TABLE_A)
def test_table_a(name):
    first, third = TABLE_A[name]
    found = _core.MoveFilter.named(name, "A")
    assert found.stages(0) == []
    assert found.stages(1) == [first]
    assert found.stages(2) == [first, SKIPPED]
    assert found.stages(3) == [first, SKIPPED, third]
    assert found.stages(4) == [first, SKIPPED, third, SKIPPED]
    assert found.stages(9) == found.stages(4)


def test_table_b():
    for name, rows in TABLE_B.items():
        found = _core.MoveFilter.named(name, "B")
        assert [found.stages(ply) for ply in (1, 2, 3, 4)] == rows
    for name in FILTER_NAMES:
        if name not in TABLE_B:
            assert _core.MoveFilter.named(name, "B") == _core.MoveFilter.named(name, "A")


def test_none_skips_every_stage():
    assert _core.MoveFilter.named("none", "B").stages(4) == [SKIPPED] * 4


def test_names_are_the_known_ones():
    assert FILTER_NAMES == ("none", "tiny", "narrow", "normal", "large", "huge")
    for name in FILTER_NAMES:
        assert SearchSettings(filter=name).core_filter(default="tiny", table="B") == _core.MoveFilter.named(
            name, "B"
        )
    assert SearchSettings().core_filter(default="tiny", table="A") == _core.MoveFilter.named("tiny", "A")


stages = st.builds(
    FilterStage,
    accept=st.integers(1, 50) | st.just(-1),
    extra=st.integers(0, 50),
    threshold=st.floats(0, 10, allow_nan=False),
)


@given(
    rows=st.tuples(*(st.lists(stages, max_size=k).map(tuple) for k in (1, 2, 3, 4))), count=st.integers(1, 4)
)
def test_own_filters_keep_their_stages(rows, count):
    rows = rows[:count]
    found = MoveFilter(rows).core()
    for ply, row in itertools.zip_longest(range(1, 5), rows, fillvalue=rows[-1]):
        given_stages = [(s.accept, s.extra, s.threshold) for s in row]
        assert found.stages(ply) == given_stages + [SKIPPED] * (ply - len(row))
    assert SearchSettings(filter=MoveFilter(rows)).core_filter(default="normal", table="A") == found


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((), "filter: expected 1 to 4 rows, one for each depth, got 0"),
        (((),) * 5, "filter: expected 1 to 4 rows, one for each depth, got 5"),
        (((FilterStage(1), FilterStage(1)),), "filter for 1-ply: expected at most 1 stages, got 2"),
        (((FilterStage(0, 0, 0.1),),), "filter for 1-ply, stage 0: accepts no play at all"),
        (((FilterStage(-2),),), "stage 0: expected a number of plays to accept, or -1 to skip it, got -2"),
        (((), (FilterStage(1), FilterStage(1, -1))), "filter for 2-ply, stage 1: expected a number of extra"),
        (((FilterStage(1, 1, -0.5),),), "stage 0: expected a threshold of 0 or more"),
        (((FilterStage(1, 1, math.nan),),), "stage 0: expected a threshold of 0 or more"),
        (((FilterStage(1, 1, math.inf),),), "stage 0: expected a threshold of 0 or more"),
    ],
)
def test_impossible_filters_are_named(rows, message):
    with pytest.raises(ValueError, match=message):
        MoveFilter(rows)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"filter": "wide"}, "filter: expected one of none, tiny, narrow, normal, large, huge, got 'wide'"),
        ({"filter": ""}, "filter: expected one of"),
        ({"noise": -0.01}, "noise: expected 0 to 1"),
        ({"noise": 1.01}, "noise: expected 0 to 1"),
        ({"noise": math.nan}, "noise: expected 0 to 1"),
        ({"noise_seed": -1}, "noise seed: expected 0 to"),
        ({"noise_seed": 2**64}, "noise seed: expected 0 to"),
        ({"threads": 0}, "threads: expected 1 to 256, got 0"),
        ({"threads": 257}, "threads: expected 1 to 256, got 257"),
    ],
)
def test_settings_out_of_range_are_named(fields, message):
    with pytest.raises(ValueError, match=message):
        SearchSettings(**fields)


def test_unknown_table_is_refused():
    with pytest.raises(ValueError, match="filter table: expected A or B, got 'C'"):
        _core.MoveFilter.named("normal", "C")
