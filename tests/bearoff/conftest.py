"""The databases the tests read: gnubg's own, and ours, made once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botd import _core

GNUBG_ONE_SIDED = Path("/usr/share/gnubg/gnubg_os0.bd")
"""Of the Debian package gnubg-data, which the tests need."""

_DATA = Path(__file__).parents[1] / "data"


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_DATA / name).read_text().splitlines()]


@pytest.fixture(scope="session")
def records() -> list[dict[str, Any]]:
    """Records of gnubg's two standard databases."""
    return _lines("gnubg-bearoff-records.jsonl")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bearoff")


@pytest.fixture(scope="session")
def one_sided(folder: Path) -> Path:
    """Standard size, compressed, with gammons."""
    path = folder / "one_sided.bd"
    _core.generate_one_sided(path)
    return path


@pytest.fixture(scope="session")
def two_sided(folder: Path) -> Path:
    """Standard size, cubeful."""
    path = folder / "two_sided.bd"
    _core.generate_two_sided(path)
    return path


@pytest.fixture(scope="session")
def small(folder: Path) -> dict[str, Path]:
    """One small database of every layout that is generated."""
    paths = {}
    for gammons in (False, True):
        for compressed in (False, True):
            path = folder / f"one_{gammons:d}{compressed:d}.bd"
            _core.generate_one_sided(path, 2, 15, gammons, compressed)
            paths[path.stem] = path
    for cubeful in (False, True):
        path = folder / f"two_{cubeful:d}.bd"
        _core.generate_two_sided(path, 3, 2, cubeful)
        paths[path.stem] = path
    return paths
