"""What a check finds, and what checks are told."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from botd.config import Config, Loaded


class State(StrEnum):
    OK = "ok"
    WARNING = "warning"
    """It works, and yet."""
    PROBLEM = "problem"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: about what, how it is, in words, and what to do."""

    name: str
    state: State
    text: str
    advice: str = ""


def ok(name: str, text: str) -> Finding:
    return Finding(name, State.OK, text)


def warning(name: str, text: str, advice: str = "") -> Finding:
    return Finding(name, State.WARNING, text, advice)


def problem(name: str, text: str, advice: str = "") -> Finding:
    return Finding(name, State.PROBLEM, text, advice)


def not_tried(name: str, text: str, advice: str = "") -> Finding:
    return Finding(name, State.NOT_TRIED, text, advice)


UNIT_FOLDERS = (
    Path("/etc/systemd/system"),
    Path("/run/systemd/system"),
    Path("/usr/local/lib/systemd/system"),
    Path("/usr/lib/systemd/system"),
)


@dataclass(frozen=True, slots=True)
class Patient:
    """What is looked at. Without a configuration only the machine and the engine are."""

    path: Path | None = None
    """Of the configuration."""
    loaded: Loaded | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    login: bool = False
    """Log in to the servers, and out."""
    unit_folders: Sequence[Path] = UNIT_FOLDERS

    @property
    def config(self) -> Config | None:
        return None if self.loaded is None else self.loaded.config


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to try. It may find several things, and has so long for all of them."""

    name: str
    """What it is about, should it fail as a whole."""
    run: Callable[[Patient], AsyncIterator[Finding]]
    limit_s: float = 20.0
