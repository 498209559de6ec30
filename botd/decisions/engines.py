"""The engines of one worker: the one it was started with, and its other mode once somebody asks for it."""

from __future__ import annotations

from botd.engine.fast_engine import FastEngine, Searchable
from botd.engine.protocol import Engine
from botd.engine.types import EngineMode


class Engines:
    """One evaluator in both modes, with one set of networks. An engine without modes stands for both."""

    def __init__(self, first: Engine) -> None:
        self.first = first
        """The one the worker was started with."""
        self._exact: Engine = first.base if isinstance(first, FastEngine) else first
        self._fast: Engine | None = first if isinstance(first, FastEngine) else None

    def in_mode(self, mode: EngineMode) -> Engine:
        """The evaluator in this mode, made at the first call."""
        if mode is EngineMode.EXACT:
            return self._exact
        if self._fast is None:
            self._fast = FastEngine.over(self._exact) if isinstance(self._exact, Searchable) else self._exact
        return self._fast
