"""One engine for all tests of this folder."""

from __future__ import annotations

import pytest

from botd.engine.engine import SageEngine


@pytest.fixture(scope="session")
def engine() -> SageEngine:
    return SageEngine.load()
