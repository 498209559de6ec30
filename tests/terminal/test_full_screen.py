"""Keys out of what a terminal sends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.terminal.full_screen import keys_of


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"", []),
        (b"q", ["q"]),
        (b"\x1b[Aq\x1bOB7", ["up", "q", "down", "7"]),
        (b"\x1b[C\x1b[D", ["right", "left"]),
        (b"\x1b", []),
        (b"\x1b[Z", []),
        (b"\t", ["\t"]),
    ],
)
def test_keys(data: bytes, keys: list[str]) -> None:
    assert list(keys_of(data)) == keys


@given(st.binary(max_size=30))
def test_whatever_is_typed(data: bytes) -> None:
    assert all(len(key) == 1 or key in ("up", "down", "left", "right") for key in keys_of(data))
