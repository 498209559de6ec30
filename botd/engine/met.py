"""Match equity tables from files in GNU Backgammon's XML form.

Only explicit tables are read (`type="explicit"`), which all published ones are. The document is walked with
expat; entity declarations are refused, so nothing in it can expand or refer to other files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from botd import _core, paths

DEFAULT_MET = "kazaross-xg2.xml"
MAX_FILE_BYTES = 1_000_000
MAX_LENGTH = 64
_MAX_NUMBER_LENGTH = 40


class MetError(ValueError):
    """A table file that is damaged or not a match equity table; the message names file and place."""


@dataclass(frozen=True, slots=True)
class MatchEquities:
    """The explicit part of a table, chances from 0 to 1."""

    name: str
    description: str
    pre_crawford: tuple[tuple[float, ...], ...]
    """[i][j]: a player needing i+1 points against one needing j+1; row and column 0 are the Crawford game."""
    post_crawford: tuple[float, ...]
    """[i]: the trailer, needing i+1 points."""

    def table(self, *, derive_last: bool = False) -> _core.MatchEquityTable:
        """The table as the engine uses it, extended to 64 points (ValueError if it contradicts itself).

        derive_last: compute the last post-Crawford entry from those before it, as gnubg does.
        """
        return _core.MatchEquityTable(
            [list(row) for row in self.pre_crawford],
            list(self.post_crawford),
            derive_last_post_crawford=derive_last,
        )


def default_met_path() -> Path:
    """The table that comes with botd: Kazaross-XG2."""
    return paths.data_directory() / "met" / DEFAULT_MET


def load_met(path: Path) -> MatchEquities:
    """Read and check a table.

    Raises MetError for anything wrong with the content, OSError if the file cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise MetError(f"{path}: larger than {MAX_FILE_BYTES} bytes, expected a match equity table in XML")
    equities = _Reader(path).read(data)
    try:
        equities.table()
    except ValueError as error:
        raise MetError(f"{path}: {error}") from error
    return equities


@dataclass
class _Reader:
    path: Path
    parser: expat.XMLParserType = field(init=False)
    open_elements: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    tables: dict[str, list[list[float]]] = field(default_factory=dict)
    table: list[list[float]] | None = None

    def read(self, data: bytes) -> MatchEquities:
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text.append
        self.parser.EntityDeclHandler = self.refuse_entity
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            raise MetError(f"{self.path}: not well-formed XML: {error}") from error
        return self.result()

    def fail(self, message: str) -> NoReturn:
        raise MetError(f"{self.path}, line {self.parser.CurrentLineNumber}: {message}")

    def refuse_entity(self, *_declaration: object) -> None:
        self.fail("entity declarations are not allowed in a match equity table")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.open_elements and name != "met":
            self.fail(f"expected the element <met>, got <{name[:40]}>")
        if len(self.open_elements) > 8:
            self.fail("elements nested too deeply for a match equity table")
        self.open_elements.append(name)
        self.text.clear()
        if name in ("pre-crawford-table", "post-crawford-table"):
            kind = attributes.get("type", "")
            if kind != "explicit":
                self.fail(f'<{name}>: expected type="explicit", got type="{kind[:40]}"')
            key = name
            if name == "post-crawford-table":
                player = attributes.get("player", "both")
                if player not in ("both", "0", "1"):
                    self.fail(f'<{name}>: expected player="both", "0" or "1", got "{player[:40]}"')
                key = f"{name} {player}"
            if key in self.tables:
                self.fail(f"<{key}> appears twice")
            self.table = self.tables[key] = []
        elif name == "row":
            if self.table is None:
                self.fail("<row> outside a table")
            if len(self.table) >= MAX_LENGTH:
                self.fail(f"more than {MAX_LENGTH} rows")
            self.table.append([])

    def end(self, name: str) -> None:
        self.open_elements.pop()
        text = "".join(self.text).strip()
        self.text.clear()
        if name == "me":
            if self.table is None or not self.table:
                self.fail("<me> outside a row")
            if len(self.table[-1]) >= MAX_LENGTH:
                self.fail(f"more than {MAX_LENGTH} entries in a row")
            self.table[-1].append(self.probability(text))
        elif name in ("name", "description", "length"):
            self.fields.setdefault(name, text)
        elif name in ("pre-crawford-table", "post-crawford-table"):
            self.table = None

    def probability(self, text: str) -> float:
        try:
            value = float(text) if len(text) <= _MAX_NUMBER_LENGTH else -1.0
        except ValueError:
            value = -1.0
        if not 0.0 <= value <= 1.0:
            self.fail(f"<me>: expected a probability from 0 to 1, got {text[:40]!r}")
        return value

    def result(self) -> MatchEquities:
        length_text = self.fields.get("length", "")
        plain = length_text.isascii() and length_text.isdigit() and len(length_text) < 9
        length = int(length_text) if plain else 0
        if not 2 <= length <= MAX_LENGTH:
            raise MetError(
                f"{self.path}: <length>: expected a number from 2 to {MAX_LENGTH}, got {length_text[:40]!r}"
            )
        pre = self.tables.get("pre-crawford-table")
        if pre is None or len(pre) != length:
            raise MetError(
                f"{self.path}: expected {length} rows before Crawford, got {0 if pre is None else len(pre)}"
            )
        for i, row in enumerate(pre, start=1):
            if len(row) != length:
                raise MetError(f"{self.path}: expected {length} entries in row {i}, got {len(row)}")
        return MatchEquities(
            name=self.fields.get("name", self.path.stem),
            description=self.fields.get("description", ""),
            pre_crawford=tuple(tuple(row) for row in pre),
            post_crawford=self.post_crawford(length),
        )

    def post_crawford(self, length: int) -> tuple[float, ...]:
        found = [rows for key, rows in self.tables.items() if key.startswith("post-crawford-table")]
        if not found or any(rows != found[0] for rows in found):
            raise MetError(
                f"{self.path}: expected one post-Crawford table, the same for both players, got {len(found)}"
            )
        if len(found[0]) != 1 or len(found[0][0]) != length:
            raise MetError(f"{self.path}: expected one post-Crawford row of {length} entries")
        return tuple(found[0][0])
