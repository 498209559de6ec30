"""Two engines as one: the first plays for money, the second matches."""

from __future__ import annotations

import hashlib

from botd.engine.protocol import Engine
from botd.engine.types import (
    Board,
    CubeDecision,
    EngineInfo,
    GameContext,
    PlayDecision,
    ResignationDecision,
)


class SplitEngine:
    """For evaluators that know money play only; every decision is that of the engine for its kind of game.

    most_money_ply: deeper questions about money play are asked at this depth, the deepest its engine has.
    """

    def __init__(self, money: Engine, matches: Engine, *, most_money_ply: int | None = None) -> None:
        self.money = money
        self.matches = matches
        self._most_money_ply = most_money_ply
        first, second = money.info, matches.info
        digests = f"{first.weights_sha256}{second.weights_sha256}"
        self.info = EngineInfo(
            version=first.version,
            evaluator=f"{first.evaluator}+{second.evaluator}",
            mode=second.mode,
            cpu_path=second.cpu_path,
            weights_sha256=hashlib.sha256(digests.encode()).hexdigest(),
            weights_files={**first.weights_files, **second.weights_files},
            met=second.met,
        )

    def choose_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayDecision:
        """All legal plays, best first, for the side on roll."""
        return self._of(context).choose_play(
            board, context, dice, ply=self._ply(context, ply), deadline_s=deadline_s
        )

    def cube_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """Whether the side on roll should double before it rolls, and the answer if it does."""
        return self._of(context).cube_action(
            board, context, ply=self._ply(context, ply), deadline_s=deadline_s
        )

    def take_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """The answer to a double; all is seen by the doubler, the cube as it was before the double."""
        return self._of(context).take_action(
            board, context, ply=self._ply(context, ply), deadline_s=deadline_s
        )

    def offer_resignation(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> ResignationDecision:
        """What the side on roll should resign before it rolls; level 0 is to play on."""
        return self._of(context).offer_resignation(
            board, context, ply=self._ply(context, ply), deadline_s=deadline_s
        )

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
        """Whether to accept the opponent's offer to lose `level` times the cube."""
        return self._of(context).judge_resignation(
            board, context, level, on_roll=on_roll, ply=self._ply(context, ply), deadline_s=deadline_s
        )

    def _of(self, context: GameContext) -> Engine:
        return self.money if context.is_money else self.matches

    def _ply(self, context: GameContext, ply: int) -> int:
        limited = context.is_money and self._most_money_ply is not None
        return min(ply, self._most_money_ply or 0) if limited else ply
