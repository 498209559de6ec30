"""The engine's seat in a local match: it decides, the match carries out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from botd.engine.types import (
    Board,
    CubeDecision,
    GameContext,
    PlayDecision,
    ResignationDecision,
    TakeAction,
)
from botd.terminal.local_match import GameResult, LocalMatch, Phase, Seat


class Engine(Protocol):
    """The part of `botd.engine.engine.SageEngine` that play needs."""

    def choose_play(
        self, board: Board, context: GameContext, dice: tuple[int, int], *, ply: int
    ) -> PlayDecision: ...

    def cube_action(self, board: Board, context: GameContext, *, ply: int) -> CubeDecision: ...

    def take_action(self, board: Board, context: GameContext, *, ply: int) -> CubeDecision: ...

    def offer_resignation(self, board: Board, context: GameContext, *, ply: int) -> ResignationDecision: ...

    def judge_resignation(
        self, board: Board, context: GameContext, level: int, *, on_roll: bool, ply: int
    ) -> ResignationDecision: ...


@dataclass(frozen=True, slots=True)
class Done:
    """What the engine did, for showing."""

    text: str
    equity: float | None = None
    """Of its choice, seen by the engine."""
    result: GameResult | None = None
    """The game ended with it."""


class EngineSeat:
    """Decides for either seat (for hints) and plays its own."""

    def __init__(self, engine: Engine, ply: int) -> None:
        self._engine = engine
        self._ply = ply
        self._refused: tuple[int, int] | None = None
        """Game and level of a resignation that was refused: not offered again."""

    def act(self, match: LocalMatch) -> Done:
        """One action of the engine's seat, which must be the one to act."""
        me = Seat.ENGINE
        match match.phase:
            case Phase.ROLL:
                return self._begin_turn(match)
            case Phase.MOVE:
                decision = self.best_play(match)
                play = match.move(me, decision.best.play)
                return Done(play.notation or "cannot move", decision.best.equity, match.result)
            case Phase.DOUBLED:
                answer = self.cube(match)
                if answer.response is TakeAction.PASS:
                    return Done("passes", -answer.double_pass, match.refuse(me))
                if answer.response is TakeAction.BEAVER and match.beavers:
                    return Done(f"beavers: the cube is at {match.beaver(me)}", -answer.double_take)
                return Done(f"takes: the cube is at {match.take(me)}", -answer.double_take)
            case Phase.BEAVERED:
                return Done(f"plays on with the cube at {match.take(me)}")
            case Phase.RESIGNING:
                verdict = self.resignation(match)
                result = match.answer_resignation(me, verdict.accept)
                return Done("accepts" if verdict.accept else "plays on", verdict.equity, result)
            case phase:
                raise ValueError(f"the engine has nothing to do in phase {phase}")

    def best_play(self, match: LocalMatch) -> PlayDecision:
        """For the side that has to move."""
        seat = match.on_roll
        assert match.dice is not None
        return self._engine.choose_play(match.board(seat), match.context(seat), match.dice, ply=self._ply)

    def cube(self, match: LocalMatch) -> CubeDecision:
        """For the side on roll, or for a double it offered."""
        seat = match.on_roll
        ask = self._engine.take_action if match.phase is Phase.DOUBLED else self._engine.cube_action
        return ask(match.board(seat), match.context(seat), ply=self._ply)

    def resignation(self, match: LocalMatch) -> ResignationDecision:
        """For the side that has to answer the open offer."""
        seat = match.to_act
        return self._engine.judge_resignation(
            match.board(seat),
            match.context(seat),
            match.resignation_level,
            on_roll=match.on_roll is seat,
            ply=self._ply,
        )

    def refused(self, match: LocalMatch, level: int) -> None:
        """The person wants to play on: no more offers of this level in this game."""
        self._refused = (match.game, level)

    def _begin_turn(self, match: LocalMatch) -> Done:
        me = Seat.ENGINE
        board, context = match.board(me), match.context(me)
        resignation = self._engine.offer_resignation(board, context, ply=self._ply)
        if resignation.level and self._refused != (match.game, resignation.level):
            match.resign(me, resignation.level)
            kind = ("a single game", "a gammon", "a backgammon")[resignation.level - 1]
            return Done(f"wants to resign {kind}", resignation.equity)
        if not match.why_no_double(me):
            cube = self.cube(match)
            if cube.double:
                return Done(f"doubles to {match.double(me)}", cube.optimal)
        first, second = match.roll(me)
        return Done(f"rolls {first} {second}")
