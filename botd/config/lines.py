"""Where in a TOML text each key stands. `tomllib` forgets that, but messages have to name the line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

KeyPath = tuple[str | int, ...]
"""Keys and list indices from the top, such as `("accounts", 0, "policy", "min_length")`."""

_TOKEN = re.compile(
    r"""
      (?P<skip>  [ \t\r]+ | \#[^\n]* )
    | (?P<text>  \"{3} (?:[^\\]|\\.)*? \"{3,5} | '{3} .*? '{3,5} | " (?:[^"\\\n]|\\.)* " | '[^'\n]*' )
    | (?P<bare>  [A-Za-z0-9_+:-]+ )
    | (?P<newline> \n )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)


class KeyLines:
    """Looks up the line (from 1) of a key in a text that `tomllib` has accepted."""

    def __init__(self, text: str) -> None:
        self._lines: dict[KeyPath, int] = {}
        self._scan(text)

    def line(self, path: KeyPath) -> int | None:
        """The line of this key, or of the closest table around it (inline tables); None for the top."""
        for length in range(len(path), 0, -1):
            found = self._lines.get(path[:length])
            if found is not None:
                return found
        return None

    def _scan(self, text: str) -> None:
        table: KeyPath = ()
        arrays: dict[KeyPath, int] = {}  # how many [[...]] of this name so far
        for line, statement in _statements(text):
            if statement[0] == "[":
                is_array = statement[1:2] == ["["]
                table = self._inside(_key(statement), arrays)
                if is_array:
                    arrays[table] = arrays.get(table, 0) + 1
                    table = (*table, arrays[table] - 1)
                self._lines.setdefault(table, line)
            else:
                path: KeyPath = table
                for part in _key(statement[: statement.index("=")] if "=" in statement else statement):
                    path = (*path, part)
                    self._lines.setdefault(path, line)

    @staticmethod
    def _inside(parts: list[str], arrays: dict[KeyPath, int]) -> KeyPath:
        """A header `[a.b]` below `[[a]]` means the newest a."""
        path: KeyPath = ()
        for number, part in enumerate(parts, start=1):
            path = (*path, part)
            if number < len(parts) and path in arrays:
                path = (*path, arrays[path] - 1)
        return path


def _statements(text: str) -> Iterator[tuple[int, list[str]]]:
    """Every header and every assignment with its first line; tokens as written."""
    newlines = [match.start() for match in re.finditer("\n", text)]
    tokens: list[str] = []
    line = depth = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if match.lastgroup == "skip":
            continue
        if match.lastgroup == "newline":
            if tokens and depth <= 0:
                yield line, tokens
                tokens, depth = [], 0
            continue
        if not tokens:
            line = bisect_right(newlines, match.start()) + 1
        depth += (token in ("[", "{")) - (token in ("]", "}"))
        tokens.append(token)
    if tokens:
        yield line, tokens


def _key(tokens: list[str]) -> list[str]:
    return [_unquoted(token) for token in tokens if token not in ("[", "]", ".")]


def _unquoted(token: str) -> str:
    return token[1:-1] if token[:1] in ('"', "'") else token
