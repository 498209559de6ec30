"""Match equity tables from files in GNU Backgammon's XML form.

Every table that comes with that program can be read: explicit ones, of any length, with one post-Crawford row
or one for each player, and those that are given by parameters (`met_formulas`).
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from botd import _core, paths
from botd.engine.met_formulas import FormulaError, formula_rows
from botd.engine.met_xml import MAX_FILE_BYTES, MAX_LENGTH, MetError, TableElement, read_document

__all__ = ["MatchEquities", "MetError", "default_met_path", "load_met"]

DEFAULT_MET = "kazaross-xg2.xml"
_FORMULA_LENGTH = -1


@dataclass(frozen=True, slots=True)
class MatchEquities:
    """What a file says about a table, chances from 0 to 1."""

    name: str
    description: str
    pre_crawford: tuple[tuple[float, ...], ...]
    """[i][j]: player 0 needing i+1 points against player 1 needing j+1; row and column 0 are the Crawford
    game. Empty for a table given by parameters."""
    post_crawford: tuple[float, ...]
    """[i]: the trailer, needing i+1 points, if he is player 0."""
    post_crawford_1: tuple[float, ...] | None = None
    """The same for player 1, where he has a row of his own."""

    def table(self, *, derive_last: bool = False) -> _core.MatchEquityTable:
        """The table as the engine uses it, extended to 64 points (ValueError if it contradicts itself).

        derive_last: compute the last explicit post-Crawford entry from those before it, as gnubg does.
        """
        return _core.MatchEquityTable(
            [list(row) for row in self.pre_crawford],
            list(self.post_crawford),
            derive_last_post_crawford=derive_last,
            post_crawford_1=list(self.post_crawford_1 or ()),
        )


def default_met_path() -> Path:
    """The table that comes with botd: Kazaross-XG2."""
    return paths.data_directory() / "met" / DEFAULT_MET


def load_met(path: Path) -> MatchEquities:
    """Read and check a table.

    Raises MetError for anything wrong with the content, OSError if the file cannot be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise MetError(f"{path}: not a file, expected a match equity table in XML")
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise MetError(f"{path}: larger than {MAX_FILE_BYTES} bytes, expected a match equity table in XML")
    document = read_document(path, data)
    length = _length(path, document.length)
    pre = _pre_crawford(path, document.pre_crawford, length)
    first = _post_crawford(path, document.post_crawford[0], len(pre))
    second = _post_crawford(path, document.post_crawford[1], len(pre))
    equities = MatchEquities(
        name=document.name or path.stem,
        description=document.description,
        pre_crawford=pre,
        post_crawford=first,
        post_crawford_1=None if second == first else second,
    )
    try:
        equities.table()
    except ValueError as error:
        raise MetError(f"{path}: {error}") from error
    return equities


def _length(path: Path, text: str) -> int:
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdigit() and len(digits) < 9
    length = int(text) if plain else 0
    if length != _FORMULA_LENGTH and not 2 <= length <= MAX_LENGTH:
        raise MetError(
            f"{path}: <length>: expected a number from 2 to {MAX_LENGTH}, or -1 with a formula, "
            f"got {text[:40]!r}"
        )
    return length


def _pre_crawford(path: Path, element: TableElement, length: int) -> tuple[tuple[float, ...], ...]:
    if not element.explicit:
        _formula(path, element)  # the parameters must make sense, though no chance follows from them
        return ()
    if length == _FORMULA_LENGTH:
        raise MetError(
            f"{path}: <length>: expected a number from 2 to {MAX_LENGTH} with explicit rows, got -1"
        )
    if len(element.rows) != length:
        raise MetError(f"{path}: expected {length} rows before Crawford, got {len(element.rows)}")
    for i, row in enumerate(element.rows, start=1):
        if len(row) != length:
            raise MetError(f"{path}: expected {length} entries in row {i}, got {len(row)}")
    return tuple(tuple(row) for row in element.rows)


def _post_crawford(path: Path, element: TableElement, length: int) -> tuple[float, ...]:
    if not element.explicit:
        row = _formula(path, element)
        return row[:length] if length else row
    if len(element.rows) != 1:
        raise MetError(f"{path}: expected one post-Crawford row, got {len(element.rows)}")
    entries = element.rows[0]
    expected = range(1, MAX_LENGTH + 1) if length == 0 else range(length - 1, length + 1)
    if len(entries) not in expected:
        raise MetError(
            f"{path}: expected one post-Crawford row of {expected[0]} to {expected[-1]} entries, "
            f"got {len(entries)}"
        )
    return tuple(entries)


def _formula(path: Path, element: TableElement) -> tuple[float, ...]:
    try:
        return formula_rows(element.kind, element.parameters, post_crawford=element.is_post_crawford)
    except FormulaError as error:
        raise MetError(f"{path}, line {element.line}: {error}") from error
