"""Tables of text with aligned columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from botd.printable import printable


def columns(heads: Sequence[str], rows: Sequence[Sequence[object]], *, right: str = "") -> list[str]:
    """A line for the heads and one for each row, two blanks between the columns.

    Columns whose head is one of the words in `right` are aligned right. Control characters are escaped.
    """
    cells = [[printable(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    to_right = [head in right.split() for head in heads]
    lines = []
    for row in cells:
        padded = (
            " " * (width - _width(cell)) + cell if flush else cell + " " * (width - _width(cell))
            for cell, width, flush in zip(row, widths, to_right, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    return lines


def _width(text: str) -> int:
    """Cells of a terminal that the text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)
