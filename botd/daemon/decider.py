"""From a question about a position to an answer, whatever happens on the way.

The decision service repeats what a dying worker lost and falls back to 0-ply at the deadline. What is left
for here is the last resort: a decision that fails altogether is answered by a plain rule, because a match
that hangs is worse than a bad move.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace

import structlog

from botd.config.schema import LEAST_BUDGET_S, AccountConfig, EngineConfig
from botd.daemon.recorder import Situation
from botd.decisions.requests import Answer, Style
from botd.decisions.service import DecisionService
from botd.engine import rules
from botd.engine.levels import Level
from botd.engine.modes import mode_for
from botd.engine.types import (
    CubeDecision,
    EngineMode,
    Play,
    PlayDecision,
    ResignationDecision,
    Step,
    TakeAction,
)
from botd.journal.records import DecisionKind

log = structlog.get_logger("botd.decider")


@dataclass(frozen=True, slots=True)
class Strength:
    """How an account plays: how deep it searches for each kind of decision, or at a named level."""

    play: int
    double: int
    take: int
    resign: int
    level: Level | None = None
    mode: EngineMode = EngineMode.EXACT
    budget_s: float | None = None
    """Fast mode: seconds for a search; None is up to the deadline."""

    @classmethod
    def of(
        cls, engine: EngineConfig, account: AccountConfig, ply: int | None, level: Level | None = None
    ) -> Strength:
        """What the configuration says, unless an account has a depth or a level of its own."""
        mode = engine.mode if account.mode is None else account.mode
        budget_s = engine.budget_s
        if budget_s is None:
            budget_s = max(account.policy.think_time_s, LEAST_BUDGET_S)
        if level is not None:
            plies = (level.plies,) * 4
        elif ply is not None:
            plies = (ply,) * 4
        else:
            own = engine.plies
            play, double, take, resign = (
                engine.ply if each is None else each for each in (own.play, own.double, own.take, own.resign)
            )
            plies = (play, double, take, resign)
        return cls(*plies, level=level, mode=mode_for(level, mode), budget_s=budget_s)

    def ply(self, kind: DecisionKind) -> int:
        """How deep decisions of this kind are to be searched."""
        match kind:
            case DecisionKind.PLAY:
                return self.play
            case DecisionKind.DOUBLE:
                return self.double
            case DecisionKind.TAKE:
                return self.take
            case DecisionKind.RESIGN | DecisionKind.ANSWER_RESIGNATION:
                return self.resign


@dataclass(frozen=True, slots=True)
class Chosen:
    """What to do and why."""

    action: str
    """As the journal names it: a play's notation, `roll`, `double`, `take`, `pass`, `resign 1`, ..."""
    answer: Answer[PlayDecision] | Answer[CubeDecision] | Answer[ResignationDecision] | None
    """The decision behind it; None where the last resort chose."""
    play: Play | None = None
    equity: float | None = None
    """Ours, as the engine sees it."""
    win: float | None = None
    """Our chance to win the game after this play, as the engine sees it."""
    level: int = 0
    """Of a resignation to offer; 0 is none."""
    strength: Strength | None = None
    """How we played when this was asked; it may have changed meanwhile."""


class Decider:
    """Asks the service for one account."""

    def __init__(
        self,
        service: DecisionService,
        strength: Strength,
        *,
        think_time_s: float,
        seed: Callable[[], int] = lambda: 0,
    ) -> None:
        """`seed` gives that of the match being played, for levels that play with noise."""
        self._service = service
        self.strength = strength
        self._seed = seed
        self._think_time = think_time_s

    def _style(self) -> Style:
        strength = self.strength
        budget_s = strength.budget_s if strength.mode is EngineMode.FAST else None
        return Style.of(strength.level, self._seed(), mode=strength.mode, budget_s=budget_s)

    async def play(self, situation: Situation, refused: Collection[tuple[Step, ...]] = ()) -> Chosen:
        """The best play whose steps are not among those the server `refused`."""
        assert situation.dice is not None
        dice = situation.dice

        async def ask() -> Chosen:
            answer = await self._service.choose_play(
                situation.board, situation.context, dice, ply=self.strength.play, style=self._style()
            )
            ranked = answer.decision.plays
            best = next((entry for entry in ranked if entry.play.steps not in refused), ranked[0])
            win = None if best.probabilities is None else best.probabilities.win
            return Chosen(best.play.notation, answer, play=best.play, equity=best.equity, win=win)

        def last_resort() -> Chosen:
            plays = rules.legal_plays(situation.board, dice)
            none = rules.no_play(situation.board)
            play = next((play for play in plays if play.steps not in refused), plays[0] if plays else none)
            return Chosen(play.notation, None, play=play)

        return await self._answer(DecisionKind.PLAY, ask, last_resort)

    async def double(self, situation: Situation) -> Chosen:
        async def ask() -> Chosen:
            answer = await self._service.cube_action(
                situation.board, situation.context, ply=self.strength.double, style=self._style()
            )
            action = "double" if answer.decision.double else "roll"
            return Chosen(action, answer, equity=answer.decision.optimal)

        return await self._answer(DecisionKind.DOUBLE, ask, lambda: Chosen("roll", None))

    async def take(self, situation: Situation) -> Chosen:
        """`situation` is seen by the doubler."""

        async def ask() -> Chosen:
            answer = await self._service.take_action(
                situation.board, situation.context, ply=self.strength.take, style=self._style()
            )
            decision = answer.decision
            passing = decision.response is TakeAction.PASS
            equity = -(decision.double_pass if passing else decision.double_take)
            return Chosen("pass" if passing else "take", answer, equity=equity)

        # A wrong take costs a game; a wrong pass costs one for certain.
        return await self._answer(DecisionKind.TAKE, ask, lambda: Chosen("take", None))

    async def offer_resignation(self, situation: Situation) -> Chosen:
        async def ask() -> Chosen:
            answer = await self._service.offer_resignation(
                situation.board, situation.context, ply=self.strength.resign, style=self._style()
            )
            level = answer.decision.level
            action = f"resign {level}" if level else "play on"
            return Chosen(action, answer, equity=answer.decision.equity, level=level)

        return await self._answer(DecisionKind.RESIGN, ask, lambda: Chosen("play on", None), think=False)

    async def judge_resignation(self, situation: Situation, *, on_roll: bool) -> Chosen:
        async def ask() -> Chosen:
            answer = await self._service.judge_resignation(
                situation.board,
                situation.context,
                situation.resignation_offered,
                on_roll=on_roll,
                ply=self.strength.resign,
                style=self._style(),
            )
            decision = answer.decision
            action = "accept" if decision.accept else "reject"
            equity = decision.resign_equity if decision.accept else decision.equity
            return Chosen(action, answer, equity=equity)

        # Points in hand; the game would go on without us being able to decide anything.
        return await self._answer(DecisionKind.ANSWER_RESIGNATION, ask, lambda: Chosen("accept", None))

    async def _answer(
        self,
        kind: DecisionKind,
        ask: Callable[[], Awaitable[Chosen]],
        last_resort: Callable[[], Chosen],
        *,
        think: bool = True,
    ) -> Chosen:
        """The service's answer, not sooner than the think time; the last resort if it has none."""
        loop = asyncio.get_running_loop()
        began, strength = loop.time(), self.strength
        try:
            chosen = await ask()
        except Exception as error:
            log.exception("decision_failed", kind=str(kind), error=str(error))
            chosen = last_resort()
        if think and (left := self._think_time - (loop.time() - began)) > 0:
            await asyncio.sleep(left)
        return replace(chosen, strength=strength)
