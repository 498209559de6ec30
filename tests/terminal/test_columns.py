"""Columns stay aligned whatever stands in them."""

from __future__ import annotations

from botd.printable import printable
from botd.terminal.columns import columns


def test_words_left_numbers_right() -> None:
    assert columns(("No", "Name"), [(1, "anna"), (100, "b")], right="No") == [
        " No  Name",
        "  1  anna",
        "100  b",
    ]


def test_wide_and_combining_characters_take_the_cells_they_take() -> None:
    wide, plain, combined = columns(("a", "b"), [("名前", 1), ("e\u0301abc", 2)])
    assert wide == "a     b"
    assert plain == "名前  1"
    assert combined == "e\u0301abc  2"


def test_control_characters_cannot_break_a_line() -> None:
    [_, line] = columns(("a", "b"), [("x\n\x1b[2J", "\u202ey")])
    assert line == "x\\n\\x1b[2J  \\u202ey"
    assert printable("\udcff\x00") == "\\udcff\\x00"
    assert printable("x" * 2000) == "x" * 1000
