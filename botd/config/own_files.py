"""Files that a configuration names for two things at once, one of which would spoil the other."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from pathlib import Path

from botd.config.lines import KeyPath
from botd.config.problems import shown
from botd.config.schema import Config

_READ = ("password_file", "token_file", "tls_ca_file", "ca_file", "certificate_file", "key_file")
"""Keys of files that are only read: two of them may be the same."""


def clashes(config: Config, base: Path, file: Path | None) -> Iterator[tuple[KeyPath, str]]:
    """The keys of files that botd writes and that are something else already, and what.

    Args:
        base: where relative paths count from.
        file: the configuration itself, if it is a file.
    """
    taken: dict[str, str] = {} if file is None else {os.path.realpath(file): "this configuration"}
    for path, name in _named(config):
        taken.setdefault(_real(base, name), f"named by {shown(path)} already")
    written: list[tuple[KeyPath, Path, tuple[str, ...]]] = [
        (("journal", "path"), config.journal.path, ("", "-wal", "-shm", ".analysis.sqlite3"))
    ]
    if config.log.file is not None:
        written.append((("log", "file"), config.log.file, ("",)))
    if config.control.enabled and config.control.path is not None:
        written.append((("control", "path"), config.control.path, ("",)))
    for path, name, endings in written:
        real = _real(base, name)
        if real in taken:
            yield path, f"is {taken[real]}; expected a file of its own"
        for ending in endings:
            beside = f" (with {ending} at its end)" if ending else ""
            taken.setdefault(real + ending, f"named by {shown(path)}{beside} already")


def _named(config: Config) -> Iterator[tuple[KeyPath, Path]]:
    """Every file that is only read."""
    tables: list[tuple[KeyPath, object]] = [(("mqtt",), config.mqtt), (("status_page",), config.status_page)]
    for number, account in enumerate(config.accounts):
        tables += [(("accounts", number), account), (("accounts", number, "create"), account.create)]
    for path, table in tables:
        if not dataclasses.is_dataclass(table):
            continue
        for field in dataclasses.fields(table):
            if field.name in _READ and (name := getattr(table, field.name)) is not None:
                yield (*path, field.name), name


def _real(base: Path, name: Path) -> str:
    return os.path.realpath(base / (name.expanduser() if str(name).startswith("~/") else name))
