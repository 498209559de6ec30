"""Tables of text with aligned columns."""

from __future__ import annotations

from collections.abc import Sequence

from botd.printable import printable
from botd.terminal.text_width import width


def columns(heads: Sequence[str], rows: Sequence[Sequence[object]], *, right: str = "") -> list[str]:
    """A line for the heads and one for each row, two blanks between the columns.

    Columns whose head is one of the words in `right` are aligned right. Control characters are escaped.
    """
    texts = [[printable(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(map(width, column)) for column in zip(*texts, strict=True)]
    to_right = [head in right.split() for head in heads]
    lines = []
    for row in texts:
        padded = (
            " " * (cells - width(cell)) + cell if flush else cell + " " * (cells - width(cell))
            for cell, cells, flush in zip(row, widths, to_right, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    return lines
