"""Where generated bear-off databases lie."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def default_folder() -> Path:
    """Where generated databases go if nothing else is said: botd's folder in the user's cache (XDG).

    Raises FileNotFoundError for a user without a home folder.
    """
    configured = os.environ.get("XDG_CACHE_HOME", "")
    try:
        cache = Path(configured) if configured.startswith("/") else Path.home() / ".cache"
    except RuntimeError as error:
        raise FileNotFoundError(errno.ENOENT, "no home folder; set HOME or XDG_CACHE_HOME", "~") from error
    return cache / "botd"
