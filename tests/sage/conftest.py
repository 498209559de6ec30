"""The evaluator on every CPU path this machine has, and the recorded vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botd import _core
from botd.paths import sage_assets

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "sage-vectors.json").read_text())


@pytest.fixture(scope="session")
def vectors() -> dict[str, Any]:
    return VECTORS


@pytest.fixture(scope="session", params=_core.cpu_paths())
def evaluator(request: pytest.FixtureRequest) -> _core.SageEvaluator:
    assets = sage_assets()
    return _core.SageEvaluator.load(assets / "models", assets / "data" / "bearoff_1sided.db", request.param)
