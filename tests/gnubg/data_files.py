"""gnubg's data files: those of Debian's gnubg-data and of the package gnubg-nn, which is never imported."""

from __future__ import annotations

import importlib.util
from pathlib import Path

WEIGHTS_100 = Path("/usr/lib/gnubg/gnubg.wd")  # ops/install-test-packages


def _package_data() -> Path:
    spec = importlib.util.find_spec("gnubg_nn")  # locates it without running it
    assert spec is not None, "the tests need the package gnubg-nn: pip install --editable '.[dev]'"
    assert spec.origin is not None
    return Path(spec.origin).parent / "data"


WEIGHTS_101 = _package_data() / "gnubg.weights"
ONE_SIDED = _package_data() / "gnubg_os0.bd"
TWO_SIDED = _package_data() / "gnubg_ts0.bd"
