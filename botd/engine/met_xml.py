"""The XML of match equity tables, read into plain values.

The document is walked with expat; entity declarations are refused, so nothing in it can expand or refer to
other files, and a document type named in it is never fetched.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

MAX_FILE_BYTES = 1_000_000
MAX_LENGTH = 64
_MAX_NUMBER_LENGTH = 40
_MAX_DEPTH = 8
_MAX_TEXT = 500
_MAX_PARAMETERS = 20
_ENCODINGS = ("utf-8", "utf-16", "iso-8859-1", "us-ascii")
"""Those that expat knows by itself; codecs of Python's would be looked up for others."""
_TABLES = ("pre-crawford-table", "post-crawford-table")


class MetError(ValueError):
    """A table file that is damaged or not a match equity table; the message names file and place."""


@dataclass
class TableElement:
    """One table of a document: rows of chances, or the parameters of a formula."""

    is_post_crawford: bool
    kind: str
    line: int
    rows: list[list[float]] = field(default_factory=list)
    parameters: dict[str, float] = field(default_factory=dict)

    @property
    def explicit(self) -> bool:
        return self.kind == "explicit"


@dataclass(frozen=True, slots=True)
class MetDocument:
    name: str
    description: str
    length: str
    pre_crawford: TableElement
    post_crawford: tuple[TableElement, TableElement]
    """Of player 0 and player 1; one and the same where the document has one for both."""


def read_document(path: Path, data: bytes) -> MetDocument:
    """Raises MetError, naming `path` and the line, for anything that is no such document."""
    return _Reader(path).read(data)


@dataclass
class _Reader:
    path: Path
    parser: expat.XMLParserType = field(init=False)
    open_elements: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    tables: dict[str, TableElement] = field(default_factory=dict)
    table: TableElement | None = None
    parameter: str = ""

    def read(self, data: bytes) -> MetDocument:
        self.parser = expat.ParserCreate()
        self.parser.XmlDeclHandler = self.declaration
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text.append
        self.parser.EntityDeclHandler = self.refuse_entity
        try:
            self.parser.Parse(data, True)
        except MetError:
            raise
        except expat.ExpatError as error:
            raise MetError(f"{self.path}: not well-formed XML: {error}") from error
        return self.result()

    def fail(self, message: str) -> NoReturn:
        raise MetError(f"{self.path}, line {self.parser.CurrentLineNumber}: {message}")

    def declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.lower() not in _ENCODINGS:
            self.fail(f"expected the encoding UTF-8, UTF-16, ISO-8859-1 or US-ASCII, got {encoding[:40]!r}")

    def refuse_entity(self, *_declaration: object) -> None:
        self.fail("entity declarations are not allowed in a match equity table")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.open_elements and name != "met":
            self.fail(f"expected the element <met>, got <{name[:40]}>")
        if len(self.open_elements) > _MAX_DEPTH:
            self.fail("elements nested too deeply for a match equity table")
        self.open_elements.append(name)
        self.text.clear()
        if name in _TABLES:
            self.start_table(name, attributes)
        elif name == "row":
            if self.table is None:
                self.fail("<row> outside a table")
            if not self.table.explicit:
                self.fail(f'<row> in a table with type="{self.table.kind[:40]}", expected parameters')
            if len(self.table.rows) >= MAX_LENGTH:
                self.fail(f"more than {MAX_LENGTH} rows")
            self.table.rows.append([])
        elif name == "parameter":
            self.parameter = attributes.get("name", "")
            if self.table is None or self.table.explicit:
                self.fail("<parameter> outside a table given by a formula")
            if not self.parameter or self.parameter in self.table.parameters:
                self.fail("<parameter>: expected a name of its own")
            if len(self.table.parameters) >= _MAX_PARAMETERS:
                self.fail(f"more than {_MAX_PARAMETERS} parameters")

    def start_table(self, name: str, attributes: dict[str, str]) -> None:
        if self.table is not None:
            self.fail(f"<{name}> inside another table")
        key, post_crawford = name, name == "post-crawford-table"
        if post_crawford:
            player = attributes.get("player", "both")
            if player not in ("both", "0", "1"):
                self.fail(f'<{name}>: expected player="both", "0" or "1", got "{player[:40]}"')
            key = f"{name} {player}"
        if key in self.tables:
            self.fail(f"<{key}> appears twice")
        kind = attributes.get("type", "explicit")
        line = self.parser.CurrentLineNumber
        self.table = self.tables[key] = TableElement(post_crawford, kind, line)

    def end(self, name: str) -> None:
        self.open_elements.pop()
        text = " ".join("".join(self.text).split())
        self.text.clear()
        if name == "me":
            if self.table is None or not self.table.rows:
                self.fail("<me> outside a row")
            if len(self.table.rows[-1]) >= MAX_LENGTH:
                self.fail(f"more than {MAX_LENGTH} entries in a row")
            chance = self.number(text)
            if not 0.0 <= chance <= 1.0:
                self.fail(f"<me>: expected a probability from 0 to 1, got {text[:40]!r}")
            self.table.rows[-1].append(chance)
        elif name == "parameter" and self.table is not None:
            value = self.number(text)
            if not math.isfinite(value):
                self.fail(f"<parameter> {self.parameter[:40]}: expected a number, got {text[:40]!r}")
            self.table.parameters[self.parameter] = value
        elif name in ("name", "description", "length"):
            if len(text) > _MAX_TEXT:
                self.fail(f"<{name}>: expected at most {_MAX_TEXT} characters, got {len(text)}")
            self.fields.setdefault(name, text)
        elif name in _TABLES:
            self.table = None

    @staticmethod
    def number(text: str) -> float:
        """NaN for what is none."""
        try:
            return float(text) if len(text) <= _MAX_NUMBER_LENGTH and text.isascii() else math.nan
        except ValueError:
            return math.nan

    def result(self) -> MetDocument:
        pre = self.tables.get("pre-crawford-table")
        if pre is None:
            raise MetError(f"{self.path}: expected a table before Crawford, <pre-crawford-table>")
        both = self.tables.get("post-crawford-table both")
        own = [self.tables.get(f"post-crawford-table {player}") for player in "01"]
        if both is not None and own == [None, None]:
            post = (both, both)
        elif both is None and own[0] is not None and own[1] is not None:
            post = (own[0], own[1])
        else:
            raise MetError(
                f'{self.path}: expected a post-Crawford table for player="both", or one each for "0" and '
                f'"1", got {len(self.tables) - 1}'
            )
        return MetDocument(
            name=self.fields.get("name", ""),
            description=self.fields.get("description", ""),
            length=self.fields.get("length", ""),
            pre_crawford=pre,
            post_crawford=post,
        )
