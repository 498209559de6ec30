"""Where installed data lies, for an editable checkout and for a wheel alike."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from botd import _core


def data_directory() -> Path:
    """The folder that the build installs beside the extension (holds `met/` and `networks/`)."""
    return Path(_core.__file__).resolve().parent / "data"


def rough_network() -> Path:
    """The network that ranks plays for the fast search; docs/engine.md says how it was trained."""
    return data_directory() / "networks" / "rough.botdnet"


def sage_assets() -> Path:
    """Data folder of the installed `bgsage` package (`models/`, `data/`), found without importing it.

    Raises FileNotFoundError, saying what to install, if there is none.
    """
    spec = importlib.util.find_spec("bgsage")
    for location in (spec.submodule_search_locations or []) if spec else []:
        assets = Path(location) / "_assets"
        if (assets / "models").is_dir():
            return assets
    raise FileNotFoundError(
        "the networks of the package bgsage were not found; expected an installed 'bgsage>=2.0.20260907,<3' "
        "with a folder _assets/models (pip install bgsage)"
    )
