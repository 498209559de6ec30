"""What is wrong with a configuration, and the words to say it in."""

from __future__ import annotations

import difflib
import enum
import re
import types
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from botd.config.lines import KeyPath
from botd.printable import printable


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with the file, or odd in it."""

    file: str
    line: int | None
    key: str
    """Such as `accounts[0].port`; empty if no key is to blame."""
    message: str
    """What was expected and what is there."""
    suggestion: str = ""
    """What may have been meant, or what to do; often empty."""

    @property
    def where(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        text = f"{self.message}; {self.suggestion}" if self.suggestion else self.message
        return f"{self.where}: {self.key}: {text}" if self.key else f"{self.where}: {text}"


class ConfigError(Exception):
    """The configuration cannot be used; `problems` says all that is wrong, the text is one line for each."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


def without_none(hint: Any) -> Any:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        kinds = [kind for kind in typing.get_args(hint) if kind is not type(None)]
        if len(kinds) == 1:
            return kinds[0]
    return hint


def shown(path: KeyPath) -> str:
    """A key as people write it, such as `accounts[0].port`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            plain = re.fullmatch(r"[A-Za-z0-9_-]{1,60}", part)
            text += ("." if text else "") + (part if plain else printable(repr(part[:60])))
    return text


def described(value: object, path: KeyPath) -> str:
    """The value for a message: short, printable, and nothing that may be a secret."""
    if isinstance(value, dict | list) or "password" in str(path[-1]):
        return type_name(value)
    if isinstance(value, bool):
        return str(value).lower()
    text = ascii(value) if isinstance(value, str | int | float) else str(value)  # dates as TOML has them
    return text if len(text) <= 60 else text[:57] + "..."


_TYPE_NAMES = {str: "a string", bool: "a boolean", int: "an integer", float: "a number", dict: "a table"}


def type_name(value: object) -> str:
    return _TYPE_NAMES.get(type(value), "a list" if isinstance(value, list) else "a date or time")


def expected(hint: Any) -> str:
    """What a value may be, in words."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        meta = next(item for item in arguments if isinstance(item, msgspec.Meta))
        if meta.description:
            return meta.description
        return f"{_TYPE_NAMES[arguments[0]]} from {meta.ge} to {meta.le}"
    if origin is typing.Literal:
        return " or ".join(f'"{value}"' for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(expected(argument) for argument in arguments)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return " or ".join(f'"{member.value}"' for member in hint)
    return "a file name" if hint is Path else _TYPE_NAMES[hint]


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """`did you mean ...?` if one of the known words is close, else nothing."""
    by_small = {word.lower(): word for word in known}
    close = difflib.get_close_matches(wrong[:100].lower(), by_small, n=1)
    return f"did you mean {by_small[close[0]]}?" if close else ""


def suggestion(hint: Any, value: object, path: KeyPath) -> str:
    """What was probably meant by a value that does not fit; empty if there is no telling."""
    if "password" in str(path[-1]):
        return ""
    hint = without_none(hint)
    kinds = set(_kinds(hint))
    if list in kinds and not isinstance(value, list | dict):
        return "write it in brackets: [...]"
    if isinstance(value, str):
        if kinds & {int, float, bool} and re.fullmatch(r"-?\d+(\.\d+)?|true|false", value):
            return f"did you mean {value}, without quotes?"
        if path[-1] == "host":
            return _host_suggestion(value)
        word = did_you_mean(value, _words(hint))
        return f'did you mean "{word[13:-1]}"?' if word else ""
    if str in kinds and isinstance(value, int | float) and not isinstance(value, bool):
        return f'did you mean "{value}", in quotes?'
    return ""


def _host_suggestion(value: str) -> str:
    if "//" in value:
        return "without https:// and path, only the name or address"
    name, colon, port = value.rpartition(":")
    if colon and port.isdigit() and ":" not in name:
        return f"the port has a key of its own: port = {port}"
    return ""


def _words(hint: Any) -> tuple[str, ...]:
    """The words that a value may be."""
    if typing.get_origin(hint) is typing.Annotated:
        meta = next(item for item in typing.get_args(hint) if isinstance(item, msgspec.Meta))
        return tuple(map(str, meta.examples or ()))
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return tuple(str(member.value) for member in hint)
    if typing.get_origin(hint) is typing.Literal:
        return tuple(str(word) for word in typing.get_args(hint))
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(word for kind in typing.get_args(hint) for word in _words(kind))
    return ()


def _kinds(hint: Any) -> Iterable[type]:
    """The plain types behind a hint; lists count as `list`."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        yield from _kinds(arguments[0])
    elif origin in (typing.Union, types.UnionType):
        for argument in arguments:
            yield from _kinds(argument)
    elif origin is tuple:
        yield list
    elif isinstance(hint, type):
        yield hint
