"""An engine in fast mode that gives every decision the same limited time."""

from __future__ import annotations

from botd.engine.fast_engine import FastEngine
from botd.engine.forwarding import Asked, ForwardingEngine
from botd.engine.settings import SearchSettings
from botd.engine.types import Board, EngineInfo, GameContext, Probabilities


class BudgetedEngine(ForwardingEngine):
    """Asks `engine` with `budget_s` seconds, or what is left of a shorter deadline."""

    def __init__(self, engine: FastEngine, budget_s: float) -> None:
        self.engine = engine
        self._budget_s = budget_s

    @property
    def info(self) -> EngineInfo:
        return self.engine.info

    def configured(self, settings: SearchSettings) -> BudgetedEngine:
        return BudgetedEngine(self.engine.configured(settings), self._budget_s)

    def evaluate(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> tuple[Probabilities | None, float]:
        return self.engine.evaluate(board, context, ply=ply, deadline_s=self._limit(deadline_s))

    def _asked(self, context: GameContext, ply: int, deadline_s: float | None) -> Asked:
        return Asked(self.engine, ply, self._limit(deadline_s))

    def _limit(self, deadline_s: float | None) -> float:
        return self._budget_s if deadline_s is None else min(self._budget_s, deadline_s)
