"""One decision within a time limit: as deep as asked if time allows, else shallower, down to 0-ply.

In exact mode a search that runs out of time has no answer, so shallower ones follow it. Fast mode answers
with the best it has found; there the steps below are for real failures only.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from botd.decisions import wire
from botd.decisions.engines import Engines
from botd.decisions.requests import (
    CubeRequest,
    Decision,
    JudgeResignationRequest,
    OfferResignationRequest,
    PlayRequest,
    Request,
    TakeRequest,
)
from botd.engine.level_player import at_level
from botd.engine.modes import mode_for
from botd.engine.protocol import Engine
from botd.engine.ranked_plays import packed
from botd.engine.types import CubeDecision, EngineInfo, EngineMode, PlayDecision

SHARE = 0.7
"""Part of the time left that a search in exact mode may use before the next shallower one is tried. With
plies about twenty times apart, even 0.3 * 0.3 of the limit is plenty for the ply after next."""
LEAST_S = 0.05
"""0-ply is always given this much: it needs about a thousandth of a second."""


def decide(
    engines: Engines, question: wire.Decide, clock: Callable[[], float] = time.monotonic
) -> wire.Reply:
    """Answer the question; never raises for anything the engine does."""
    request = question.request
    began = clock()
    timed_out: list[int] = []
    try:
        for ply in range(request.ply, -1, -1):
            engine, player = _who_answers(engines, request, ply)
            allowed = _allowed(request, ply, question.time_s - (clock() - began), engine.info.mode)
            if allowed <= 0:
                timed_out.append(ply)
                continue
            try:
                decision = ask_engine(player, request, ply, allowed)
            except TimeoutError:
                timed_out.append(ply)
                continue
            other = None if engine is engines.first else engine.info
            return _decided(question.id, clock() - began, tuple(timed_out), other, decision)
    except ValueError as error:
        return wire.Refused(question.id, f"{error}")
    except Exception as error:
        return wire.Failed(question.id, f"{type(error).__name__}: {error}")
    return wire.OutOfTime(question.id, clock() - began, tuple(timed_out))


def _who_answers(engines: Engines, request: Request, ply: int) -> tuple[Engine, Engine]:
    """The engine, and the player of the level asked for that it makes; where that had no time the engine."""
    style = request.style
    if style is None:
        return engines.first, engines.first
    wished = engines.first.info.mode if style.mode is None else style.mode
    level = style.level if ply == request.ply else None
    engine = engines.in_mode(mode_for(level, wished))
    return engine, engine if level is None else at_level(engine, level, style.seed)


def _allowed(request: Request, ply: int, left_s: float, mode: EngineMode) -> float:
    """Seconds for the search to this depth. Fast mode ends its searches itself, with an answer."""
    if ply == 0:
        return max(left_s, LEAST_S)
    if mode is EngineMode.EXACT:
        return left_s * SHARE
    budget = None if request.style is None else request.style.budget_s
    return left_s if budget is None else min(left_s, budget)


def ask_engine(engine: Engine, request: Request, ply: int, limit_s: float | None) -> Decision:
    """Call the engine's method for this kind of request."""
    match request:
        case PlayRequest(board=board, context=context, dice=dice):
            return engine.choose_play(board, context, dice, ply=ply, deadline_s=limit_s)
        case CubeRequest(board=board, context=context):
            return engine.cube_action(board, context, ply=ply, deadline_s=limit_s)
        case TakeRequest(board=board, context=context):
            return engine.take_action(board, context, ply=ply, deadline_s=limit_s)
        case OfferResignationRequest(board=board, context=context):
            return engine.offer_resignation(board, context, ply=ply, deadline_s=limit_s)
        case JudgeResignationRequest(board=board, context=context, level=level, on_roll=on_roll):
            return engine.judge_resignation(
                board, context, level, on_roll=on_roll, ply=ply, deadline_s=limit_s
            )


def _decided(
    id_: int, seconds: float, timed_out: tuple[int, ...], engine: EngineInfo | None, decision: Decision
) -> wire.Reply:
    if isinstance(decision, PlayDecision):
        if (ranking := packed(decision)) is not None:
            return wire.RankingDecided(id_, seconds, timed_out, engine, ranking)
        return wire.PlayDecided.of(id_, seconds, timed_out, engine, decision)
    if isinstance(decision, CubeDecision):
        return wire.CubeDecided(id_, seconds, timed_out, engine, decision)
    return wire.ResignationDecided(id_, seconds, timed_out, engine, decision)
