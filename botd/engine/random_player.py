"""A naive player: legal plays drawn at random. A sanity check for the rules and for every other engine."""

from __future__ import annotations

import random

from botd import _core
from botd.engine import rules
from botd.engine.resignations import checked_level
from botd.engine.types import (
    Board,
    CubeDecision,
    EngineInfo,
    EngineMode,
    GameContext,
    PlayDecision,
    Probabilities,
    RankedPlay,
    ResignationDecision,
    TakeAction,
)

_NO_OPINION = Probabilities(win=0.5, win_gammon=0.0, win_backgammon=0.0, lose_gammon=0.0, lose_backgammon=0.0)


class RandomPlayer:
    """Plays any legal play, all equally likely; never doubles or resigns, always takes and accepts.

    It has no opinion: every equity is 0 and every winning chance one half, at 0-ply, whatever is asked.
    In a resignation `resign_equity` is in units of the cube, also in a match. The same seed, position and
    roll give the same play in any process, whatever was asked before.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._info = EngineInfo(
            version=_core.__version__,
            evaluator="random",
            mode=EngineMode.EXACT,
            cpu_path="plain",
            weights_sha256="",
        )

    @property
    def info(self) -> EngineInfo:
        return self._info

    def choose_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        ply: int,
        deadline_s: float | None = None,
    ) -> PlayDecision:
        """All legal plays in random order."""
        _refuse_finished(board)
        plays = sorted(rules.legal_plays(board, dice), key=lambda play: play.board)
        legal_count = len(plays)
        key = (self._seed, tuple(board), min(dice), max(dice))
        random.Random(repr(key)).shuffle(plays)  # noqa: S311 - play, not cryptography
        return PlayDecision(
            plays=tuple(
                RankedPlay(play, equity=0.0, cubeless_equity=0.0, probabilities=_NO_OPINION, ply=0)
                for play in plays or [rules.no_play(tuple(board))]
            ),
            legal_count=legal_count,
            ply=0,
            source="search" if legal_count > 1 else "forced",
        )

    def cube_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """Roll; take."""
        _refuse_finished(board)
        return CubeDecision(
            no_double=0.0,
            double_take=0.0,
            double_pass=1.0,
            optimal=0.0,
            decision="NODOUBLE_TAKE",
            decision_text="No double, take",
            double=False,
            response=TakeAction.TAKE,
            probabilities=_NO_OPINION,
            cubeless_equity=0.0,
            ply=0,
        )

    def take_action(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> CubeDecision:
        """Take."""
        return self.cube_action(board, context, ply=ply, deadline_s=deadline_s)

    def offer_resignation(
        self, board: Board, context: GameContext, *, ply: int, deadline_s: float | None = None
    ) -> ResignationDecision:
        """Play on."""
        _refuse_finished(board)
        return ResignationDecision(
            level=0, accept=False, equity=0.0, resign_equity=-1.0, probabilities=_NO_OPINION, ply=0
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
        """Accept: a game won is worth more than an open one."""
        _refuse_finished(board)
        checked_level(level)
        return ResignationDecision(
            level=level,
            accept=True,
            equity=0.0,
            resign_equity=float(level),
            probabilities=_NO_OPINION,
            ply=0,
        )


def _refuse_finished(board: Board) -> None:
    if rules.game_result(board) != 0:
        raise ValueError("board: expected a game in progress, one side has borne off all checkers")
