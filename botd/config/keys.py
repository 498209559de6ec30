"""All keys of the configuration and the tables they belong to, as the schema has them."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from functools import cache

from botd.config.problems import without_none
from botd.config.schema import Config


def schema_keys(kind: type = Config, table: str = "") -> Iterator[tuple[str, str]]:
    """Table and key, such as `("accounts.policy", "min_length")`; keys before any table have an empty one."""
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        hint = without_none(hints[field.name])
        if typing.get_origin(hint) is tuple and dataclasses.is_dataclass(typing.get_args(hint)[0]):
            hint = typing.get_args(hint)[0]
        if dataclasses.is_dataclass(hint):
            yield from schema_keys(typing.cast(type, hint), f"{table}.{field.name}".lstrip("."))
        else:
            yield table, field.name


@cache
def tables_of() -> Mapping[str, tuple[str, ...]]:
    """By key the tables that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for table, key in schema_keys():
        found[key] = (*found.get(key, ()), table)
    return found


def right_place(key: str) -> str:
    """Where a key belongs, if that is one place only: for one that stands in a wrong table. Else empty."""
    tables = tables_of().get(key, ())
    if len(tables) != 1:
        return ""
    brackets = f"[[{tables[0]}]]" if tables[0] == "accounts" else f"[{tables[0]}]"
    return f"it belongs to {brackets}"
