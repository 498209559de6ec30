"""The commented example of a configuration, and how values are put into it.

What `botd init` writes is `config/botd.example.toml` with other values, so its comments are the same, and a
key that the example has is in what is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from botd.config.show import toml_value

Values = Mapping[tuple[str, str], object]
"""By table and key, such as `("accounts.policy", "min_length")`; None takes a key out (as a comment)."""

_HEADER = re.compile(r"(?P<off># )?(?P<open>\[\[?)(?P<name>[a-z_.]+)\]\]?")
_KEY = re.compile(r"(?P<off># )?(?P<key>[a-z_]+) = ")
_VALUE = re.compile(r"\"(?:[^\"\\]|\\.)*\"|\[[^\]]*\]|[^\s#]+")
_EXAMPLE = re.compile(r"^example[;:,]?\s*(required\.?\s*)?")
_COLUMN = 24
_BGAMMON_INTRODUCTION = "# A bot on bgammon.org "


class TemplateError(Exception):
    """The example has no place for a value; a fault of ours."""


def example() -> str:
    """The text of `config/botd.example.toml`."""
    return (Path(__file__).parent / "botd.example.toml").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the example: its header, all lines up to the next one, and which table it is."""

    table: str
    lines: tuple[str, ...]
    number: int = 0
    """Which of several `[[accounts]]` it belongs to, from 0."""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def sections(text: str) -> list[Section]:
    """The example in parts, in order; the first one, before any header, has an empty name."""
    found: list[Section] = []
    table, number, lines = "", 0, list[str]()
    seen = 0
    for line in text.splitlines():
        header = _HEADER.match(line)
        introduces = line.startswith(_BGAMMON_INTRODUCTION)
        if header or introduces:
            found.append(Section(table, tuple(lines), number))
            lines = []
            if introduces:
                table, number = "bgammon", 1
            elif header is not None:
                table = header["name"]
                seen += table == "accounts"
                number = max(0, seen - 1)
        lines.append(line)
    return [*found, Section(table, tuple(lines), number)]


def keys(section: Section) -> Iterator[str]:
    """The keys that have a line of their own in a section, set or commented out."""
    for line in section.lines:
        if (found := _KEY.match(line)) is not None:
            yield found["key"]


def filled(values: Values, *, bgammon: bool = False, text: str | None = None) -> str:
    """The example with these values; its one account is on a bgammon server or a FIBS.

    A key that is commented out in the example is set if it has a value here, and the other way round with
    None. Raises TemplateError for a key that the example does not have.
    """
    parts = sections(example() if text is None else text)
    if bgammon:
        parts = _with_bgammon_account(parts)
    left = dict(values)
    out: list[str] = []
    for part in parts:
        own = {key: left.pop((part.table, key)) for key in set(keys(part)) if _takes(part, key, left)}
        out += _Filling(own).lines(part.lines)
    if left:
        raise TemplateError(f"the example has no key {', '.join('.'.join(each) for each in left)}")
    return "\n".join(out) + "\n"


def _takes(part: Section, key: str, left: Values) -> bool:
    return part.number == 0 and (part.table, key) in left


def _with_bgammon_account(parts: list[Section]) -> list[Section]:
    """The account of the example becomes one on bgammon: it gets the keys of the example's second account."""
    by_place = {(part.table, part.number): part for part in parts}
    account, other = by_place["accounts", 0], by_place["accounts", 1]
    create = by_place["accounts.create", 1]
    known = set(keys(account))
    lines: list[str] = []
    for line in other.lines:
        key = _KEY.match(line)
        if key is not None and key["key"] not in known:
            lines.append(line)
    end = next(n for n, line in enumerate(account.lines) if line.startswith("reconnect_s"))
    merged = Section("accounts", (*account.lines[:end], *lines, *account.lines[end:]))
    shown = Section("accounts.create", (*(_uncommented(line) for line in create.lines), ""))
    kept: list[Section] = []
    for part in parts:
        if part.number or part.table == "bgammon":
            continue
        if part is account:
            kept += [merged]
            continue
        if part.table == "accounts.policy":
            kept.append(shown)
        kept.append(part)
    return kept


def _uncommented(line: str) -> str:
    """A header or a key that is commented out, set; other comments stay as they are."""
    plain = _HEADER.match(line) or _KEY.match(line)
    stays = line.startswith("# password_")  # one of several places
    return line if plain is None or plain["off"] is None or stays else line[2:]


@dataclass(slots=True)
class _Filling:
    """Puts values into the lines of one table."""

    values: dict[str, object] = field(default_factory=dict)

    def lines(self, lines: tuple[str, ...]) -> Iterator[str]:
        wanted = any(value is not None for value in self.values.values())
        for line in lines:
            header = _HEADER.match(line)
            if header is not None and header["off"] and wanted:
                yield line[2:]
                continue
            key = _KEY.match(line)
            yield line if key is None or key["key"] not in self.values else self._line(key, line)

    def _line(self, key: re.Match[str], line: str) -> str:
        old = _VALUE.match(line, key.end())
        comment = line[old.end() :].strip() if old else ""
        value = self.values[key["key"]]
        if value is None:
            return line if key["off"] else f"# {line}"
        start = f"{key['key']} = {toml_value(value)}"
        words = _EXAMPLE.sub("", comment.removeprefix("#").strip())
        return f"{start:<{_COLUMN - 1}} # {words}" if words else start
