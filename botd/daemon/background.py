"""A task that runs beside the rest and ends with it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def background(work: Coroutine[Any, Any, None], name: str) -> Iterator[None]:
    """Runs `work` as a task inside `with`; cancels it at the end."""
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        task.cancel()
