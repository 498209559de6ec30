"""Two engines as one: the first plays for money, the second matches."""

from __future__ import annotations

import hashlib

from botd.engine.forwarding import Asked, ForwardingEngine
from botd.engine.protocol import Engine
from botd.engine.types import EngineInfo, GameContext


class SplitEngine(ForwardingEngine):
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

    def _asked(self, context: GameContext, ply: int, deadline_s: float | None) -> Asked:
        if not context.is_money:
            return Asked(self.matches, ply, deadline_s)
        return Asked(
            self.money, ply if self._most_money_ply is None else min(ply, self._most_money_ply), deadline_s
        )
