"""The garbage collector of a process that runs for months."""

from __future__ import annotations

import gc


def settle() -> None:
    """What is there now stays: the collector need not look at it again.

    Modules, configuration and the daemon's parts are tens of thousands of objects. A full collection that
    goes through them holds up the event loop for tens of milliseconds, and finds nothing.
    """
    gc.collect()
    gc.freeze()
