"""One decision within a time limit: as deep as asked if time allows, else shallower, down to 0-ply."""

from __future__ import annotations

import time
from collections.abc import Callable

from botd.decisions import wire
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
from botd.engine.protocol import Engine
from botd.engine.ranked_plays import packed
from botd.engine.types import CubeDecision, PlayDecision

SHARE = 0.7
"""Part of the time left that a search may use before the next shallower one is tried. With plies about
twenty times apart, even 0.3 * 0.3 of the limit is plenty for the ply after next."""
LEAST_S = 0.05
"""0-ply is always given this much: it needs about a thousandth of a second."""


def decide(engine: Engine, question: wire.Decide, clock: Callable[[], float] = time.monotonic) -> wire.Reply:
    """Answer the question; never raises for anything the engine does."""
    request = question.request
    began = clock()
    timed_out: list[int] = []
    try:
        for ply in range(request.ply, -1, -1):
            left = question.time_s - (clock() - began)
            allowed = left * SHARE if ply else max(left, LEAST_S)
            if allowed <= 0:
                timed_out.append(ply)
                continue
            try:
                decision = ask_engine(_player(engine, request, ply), request, ply, allowed)
            except TimeoutError:
                timed_out.append(ply)
                continue
            return _decided(question.id, clock() - began, tuple(timed_out), decision)
    except ValueError as error:
        return wire.Refused(question.id, f"{error}")
    except Exception as error:
        return wire.Failed(question.id, f"{type(error).__name__}: {error}")
    return wire.OutOfTime(question.id, clock() - began, tuple(timed_out))


def _player(engine: Engine, request: Request, ply: int) -> Engine:
    """Who answers: the level asked for, and where it had no time the plain engine."""
    style = request.style
    return engine if style is None or ply < request.ply else at_level(engine, style.level, style.seed)


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


def _decided(id_: int, seconds: float, timed_out: tuple[int, ...], decision: Decision) -> wire.Decided:
    if isinstance(decision, PlayDecision):
        if (ranking := packed(decision)) is not None:
            return wire.RankingDecided(id_, seconds, timed_out, ranking)
        return wire.PlayDecided.of(id_, seconds, timed_out, decision)
    if isinstance(decision, CubeDecision):
        return wire.CubeDecided(id_, seconds, timed_out, decision)
    return wire.ResignationDecided(id_, seconds, timed_out, decision)
