"""An engine in fast mode that gives every decision the same limited time."""

from __future__ import annotations

from botd.engine.fast_engine import FastEngine
from botd.engine.settings import SearchSettings
from botd.engine.types import (
    Board,
    CubeDecision,
    EngineInfo,
    GameContext,
    PlayDecision,
    Probabilities,
    ResignationDecision,
)


class BudgetedEngine:
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

    def choose_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayDecision:
        return self.engine.choose_play(board, context, dice, ply=ply, deadline_s=self._limit(deadline_s))

    def cube_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        return self.engine.cube_action(board, context, ply=ply, deadline_s=self._limit(deadline_s))

    def take_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        return self.engine.take_action(board, context, ply=ply, deadline_s=self._limit(deadline_s))

    def offer_resignation(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> ResignationDecision:
        return self.engine.offer_resignation(board, context, ply=ply, deadline_s=self._limit(deadline_s))

    def judge_resignation(
        self,
        board: Board,
        context: GameContext,
        level: int,
        *,
        on_roll: bool,
        ply: int,
        deadline_s: float | None = None,
    ) -> ResignationDecision:
        return self.engine.judge_resignation(
            board, context, level, on_roll=on_roll, ply=ply, deadline_s=self._limit(deadline_s)
        )

    def _limit(self, deadline_s: float | None) -> float:
        return self._budget_s if deadline_s is None else min(self._budget_s, deadline_s)
