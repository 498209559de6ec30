"""gnubg's evaluator with both published sets of weights, on every CPU path this machine has."""

from __future__ import annotations

import pytest

from botd import _core
from tests.gnubg.data_files import ONE_SIDED, TWO_SIDED, WEIGHTS_100, WEIGHTS_101


@pytest.fixture(scope="session", params=_core.cpu_paths())
def evaluator_100(request: pytest.FixtureRequest) -> _core.GnubgEvaluator:
    return _core.GnubgEvaluator.load(WEIGHTS_100, ONE_SIDED, TWO_SIDED, cpu_path=request.param)


@pytest.fixture(scope="session", params=_core.cpu_paths())
def evaluator_101(request: pytest.FixtureRequest) -> _core.GnubgEvaluator:
    return _core.GnubgEvaluator.load(WEIGHTS_101, ONE_SIDED, TWO_SIDED, cpu_path=request.param)
