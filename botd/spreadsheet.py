"""Values for CSV files that people open in a spreadsheet."""

from __future__ import annotations

from botd.printable import printable

_FORMULA_STARTS = ("=", "+", "-", "@")


def cell(value: object) -> object:
    """Numbers as they are; of text, names from servers above all, nothing that a spreadsheet would take for a
    formula (a `'` before it) and no control characters."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.lstrip().startswith(_FORMULA_STARTS) else text
