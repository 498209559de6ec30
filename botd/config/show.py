"""A configuration as it is in force: every key with its value, as a TOML file that says the same."""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from botd.config.load import Loaded
from botd.config.rules import BGAMMON_KEYS, PASSWORD_KEYS, TOKEN_KEYS
from botd.config.schema import AccountConfig

_SECRET_SOURCES = (*PASSWORD_KEYS, *TOKEN_KEYS)


def effective(loaded: Loaded) -> str:
    """Keys without a value are comments. No password is in it, only where each of them is."""
    return "\n".join(_table(loaded.config, "")) + "\n"


def as_map(loaded: Loaded) -> dict[str, Any]:
    """The same as plain values, for JSON."""
    plain: dict[str, Any] = _plain(loaded.config)
    return plain


def toml_value(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, enum.Enum):
        return toml_value(value.value)
    if isinstance(value, str | Path):
        # JSON's escapes are TOML's, but for the one character that JSON leaves alone.
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple | list):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    return repr(value)


def _table(table: Any, name: str) -> Iterator[str]:
    inner: list[tuple[str, Any]] = []
    for field in dataclasses.fields(table):
        value = getattr(table, field.name)
        if isinstance(table, AccountConfig) and table.protocol == "fibs" and field.name in BGAMMON_KEYS:
            continue
        path = f"{name}.{field.name}" if name else field.name
        if dataclasses.is_dataclass(value) or field.name == "accounts":
            inner.append((path, value))
        elif value is None:
            yield f"# {field.name} ="
        else:
            note = "  # read from there, never shown" if field.name in _SECRET_SOURCES else ""
            yield f"{field.name} = {toml_value(value)}{note}"
    # Plain keys first: those behind a header would belong to its table.
    for path, value in sorted(inner, key=lambda item: item[0] == "accounts"):
        for each in value if isinstance(value, tuple) else (value,):
            yield ""
            yield f"[[{path}]]" if isinstance(value, tuple) else f"[{path}]"
            yield from _table(each, path)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, enum.Enum):
        return value.value
    return str(value) if isinstance(value, Path) else value
