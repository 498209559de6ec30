"""Waiting for what other processes do. A test that waits in vain ends by its time-out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object]) -> None:
    """Return once `condition()` is true."""
    while not condition():  # noqa: ASYNC110 - other processes set no event of ours
        await asyncio.sleep(0.005)
