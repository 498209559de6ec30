"""An engine that passes questions on to another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from botd.engine.protocol import Engine
from botd.engine.types import Board, CubeDecision, GameContext, PlayDecision, ResignationDecision


@dataclass(frozen=True, slots=True)
class Asked:
    """Who answers, and how."""

    engine: Engine
    ply: int
    deadline_s: float | None


class ForwardingEngine(ABC):
    """Every decision is that of the engine which `_asked` names, with the depth and time that it names.

    What the questions mean and raise is said in `botd.engine.protocol.Engine`.
    """

    @abstractmethod
    def _asked(self, context: GameContext, ply: int, deadline_s: float | None) -> Asked: ...

    def choose_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayDecision:
        to = self._asked(context, ply, deadline_s)
        return to.engine.choose_play(board, context, dice, ply=to.ply, deadline_s=to.deadline_s)

    def cube_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        to = self._asked(context, ply, deadline_s)
        return to.engine.cube_action(board, context, ply=to.ply, deadline_s=to.deadline_s)

    def take_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        to = self._asked(context, ply, deadline_s)
        return to.engine.take_action(board, context, ply=to.ply, deadline_s=to.deadline_s)

    def offer_resignation(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> ResignationDecision:
        to = self._asked(context, ply, deadline_s)
        return to.engine.offer_resignation(board, context, ply=to.ply, deadline_s=to.deadline_s)

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
        to = self._asked(context, ply, deadline_s)
        return to.engine.judge_resignation(
            board, context, level, on_roll=on_roll, ply=to.ply, deadline_s=to.deadline_s
        )
