"""Answers the questions of a client: each in a task of its own, under the question's key.

A question withdrawn meanwhile cancels its task, and an answer that comes too late all the same is ignored by
the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import msgspec
import structlog

from botd.daemon.decider import Chosen, Decider, Strength
from botd.daemon.recorder import Recorder, Situation
from botd.daemon.resigning import Resigning
from botd.daemon.servers import Parts
from botd.daemon.story import OwnPlay, Story
from botd.engine.types import CubeOwner, EngineMode, GameContext, ResignationDecision, Scoring
from botd.journal.records import DecisionKind
from botd.journal.store import format_steps
from botd.metrics.server import ServerMetrics
from botd_protocols import game_events as ev
from botd_protocols.positions import PositionView, turn_round


class Answering:
    """Decides for one connection, tells the story and the journal, and lets the client act."""

    def __init__(
        self,
        parts: Parts,
        decider: Decider,
        resigning: Resigning,
        story: Story,
        recorder: Recorder,
        metrics: ServerMetrics,
        *,
        act: Callable[[list[ev.Event]], None],
        answered: Callable[[], None],
        engine: str,
        deadline_s: float,
        log: structlog.stdlib.BoundLogger,
    ) -> None:
        """`act` hears the events that acting on the client brings, and sends what it wants sent; `answered`
        is told whenever a question is done with; `engine` is the name of the engine that decides, without its
        mode, and `deadline_s` how long a decision may take."""
        self._parts = parts
        self._client = parts.client
        self._decider = decider
        self._resigning = resigning
        self._story = story
        self._recorder = recorder
        self._metrics = metrics
        self._act = act
        self._answered = answered
        self._engine = engine
        self._deadline_s = deadline_s
        self._log = log
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def ask(self, question: ev.DecisionNeeded) -> None:
        """Begin to decide."""
        task = asyncio.create_task(self._answer(question), name=f"decision {question.key}")
        self._tasks[question.key] = task

    def withdraw(self, key: int) -> None:
        """The question is no longer open."""
        if (task := self._tasks.pop(key, None)) is not None:
            task.cancel()

    def close(self) -> None:
        """Decide nothing more."""
        for task in self._tasks.values():
            task.cancel()

    async def _answer(self, question: ev.DecisionNeeded) -> None:
        time = asyncio.get_running_loop().time
        began = time()
        try:
            match question.kind:
                case ev.DecisionKind.MOVE:
                    await self._move(question)
                case ev.DecisionKind.ROLL_OR_DOUBLE:
                    await self._roll_or_double(question)
                case ev.DecisionKind.DOUBLE_OFFERED:
                    await self._take(question)
                case ev.DecisionKind.RESIGNATION_OFFERED:
                    await self._judge_resignation(question)
            self._metrics.move_latency(time() - began)
        except Exception:
            # The client asks again once it has read the board anew.
            self._log.exception("answer_failed", kind=str(question.kind))
            self._act(self._client.read_board())
        finally:
            self._tasks.pop(question.key, None)
            self._answered()

    async def _move(self, question: ev.DecisionNeeded) -> None:
        situation = _situation(question.position, self._parts)
        assert situation.dice is not None
        chosen = await self._decider.play(situation, question.rejected)
        refused = [format_steps(steps) for steps in question.rejected]
        self._record(DecisionKind.PLAY, situation, chosen, **({"refused": refused} if refused else {}))
        assert chosen.play is not None
        steps = chosen.play.steps
        self._resigning.played(chosen.win)
        self._story.own_play(OwnPlay(situation.board, situation.dice, steps, chosen.equity))
        self._act(self._client.answer_move(question.key, steps))

    async def _roll_or_double(self, question: ev.DecisionNeeded) -> None:
        situation = _situation(question.position, self._parts)
        if await self._resign(question, situation):
            return
        if not question.table.can_double:
            self._act(self._client.answer_roll(question.key))
            return
        chosen = await self._decider.double(situation)
        self._record(DecisionKind.DOUBLE, situation, chosen)
        self._story.own_cube(chosen.equity)
        answer = self._client.answer_double if chosen.action == "double" else self._client.answer_roll
        self._act(answer(question.key))

    async def _resign(self, question: ev.DecisionNeeded, situation: Situation) -> bool:
        """Offer to resign if it is time to."""
        if not self._resigning.worth_asking(situation.board):
            return False
        offer = await self._decider.offer_resignation(situation)
        decision = None if offer.answer is None else offer.answer.decision
        if not isinstance(decision, ResignationDecision):
            return False
        level = self._resigning.level(
            situation.board, situation.context, decision, least=question.resign_cost
        )
        if level == 0:
            return False
        self._record(DecisionKind.RESIGN, situation, replace(offer, action=f"resign {level}", level=level))
        self._client.resign(level)
        self._act([])
        return True

    async def _take(self, question: ev.DecisionNeeded) -> None:
        situation = _situation(question.position, self._parts, double_offered=True)
        chosen = await self._decider.take(situation)
        self._record(DecisionKind.TAKE, situation, chosen)
        self._story.own_cube(chosen.equity)
        answer = self._client.answer_accept if chosen.action == "take" else self._client.answer_reject
        self._act(answer(question.key))

    async def _judge_resignation(self, question: ev.DecisionNeeded) -> None:
        position = question.position
        situation = _situation(position, self._parts, resignation_offered=question.resign_level, seen_by="me")
        on_roll = position.on_roll == "me"
        chosen = await self._decider.judge_resignation(situation, on_roll=on_roll)
        self._record(DecisionKind.ANSWER_RESIGNATION, situation, chosen, on_roll=on_roll)
        answer = self._client.answer_accept if chosen.action == "accept" else self._client.answer_reject
        self._act(answer(question.key))

    def _record(self, kind: DecisionKind, situation: Situation, chosen: Chosen, **more: object) -> None:
        """`more` joins the settings: what else the answer depended on."""
        answer = chosen.answer
        if answer is None:
            self._log.error("decided_without_engine", kind=str(kind), chosen=chosen.action)
            return
        self._log.debug(
            "decided",
            kind=str(kind),
            chosen=chosen.action,
            equity=chosen.equity,
            ply=answer.ply,
            mode=answer.engine.mode.value,
            source=answer.source,
            seconds=round(answer.total_s, 4),
        )
        self._recorder.decision(
            kind,
            situation,
            chosen=chosen.action,
            decision=answer.decision,
            engine=answer.engine,
            duration=answer.total_s,
            source=answer.source,
            settings=self._settings(kind, answer.ply, chosen.strength or self._decider.strength) | more,
        )

    def _settings(self, kind: DecisionKind, ply: int, strength: Strength) -> dict[str, object]:
        """What the journal needs to decide again as we have decided (see docs/journal.md)."""
        settings: dict[str, object] = {
            "engine": self._engine,
            "ply": ply,
            "asked_ply": strength.ply(kind),
            "deadline_s": self._deadline_s,
        }
        if strength.mode is EngineMode.FAST:
            settings["budget_s"] = strength.budget_s
        if (level := strength.level) is not None:
            figures = msgspec.to_builtins(level)
            settings |= {"level": level.name, "figures": figures, "seed": self._recorder.seed}
        # A Match ID has no place for these rules of the server.
        if self._parts.scoring is not Scoring.STANDARD:
            settings["scoring"] = self._parts.scoring.value
        if self._parts.max_cube is not None:
            settings["max_cube"] = self._parts.max_cube
        return settings


def _situation(
    position: PositionView,
    rules_of: Parts,
    *,
    double_offered: bool = False,
    resignation_offered: int = 0,
    seen_by: str | None = None,
) -> Situation:
    """The client's view as the engine wants it: seen by the side on roll, or by us (`seen_by` "me")."""
    board, owner = position.board, CubeOwner(position.cube_owner)
    score, opponent_score = position.score_player, position.score_opponent
    if seen_by == "me" and position.on_roll == "opponent":
        board = turn_round(board)
        score, opponent_score = opponent_score, score
        swapped = {CubeOwner.PLAYER: CubeOwner.OPPONENT, CubeOwner.OPPONENT: CubeOwner.PLAYER}
        owner = swapped.get(owner, owner)
    context = GameContext(
        match_length=position.match_length,
        score_player=score,
        score_opponent=opponent_score,
        cube_value=position.cube_value,
        cube_owner=owner,
        crawford=position.crawford,
        max_cube=rules_of.max_cube,
        scoring=rules_of.scoring,
        seat=1 if position.on_roll == "opponent" and seen_by != "me" else 0,
    )
    return Situation(board, context, position.dice, double_offered, resignation_offered)
