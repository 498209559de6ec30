"""Both engines once for all tests of the fast search."""

from __future__ import annotations

import pytest

from botd.engine.engine import SageEngine
from botd.engine.fast_engine import FastEngine


@pytest.fixture(scope="session")
def exact() -> SageEngine:
    return SageEngine.load()


@pytest.fixture(scope="session")
def fast(exact: SageEngine) -> FastEngine:
    return FastEngine.over(exact)
