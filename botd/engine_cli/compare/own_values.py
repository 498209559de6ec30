"""Our answers to cases, in the form of the recorded ones."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from botd.engine.types import GameContext
from botd.engine_cli.analysis_answers import analysecube, analysemove, luck_answer
from botd.engine_cli.compare.cases import (
    Case,
    CubeAnalysis,
    LevelAnswer,
    Luck,
    PlayAnalysis,
    PlyValue,
    PositionValue,
)
from botd.engine_cli.decision_answers import bestmove, cube, reference
from botd.engine_cli.errors import AnswerError, ErrorKind
from botd.engine_cli.float32 import shortened
from botd.engine_cli.requests import Request, Settings, decode_position

_ALL_PLAYS = 10_000
_T = TypeVar("_T")


@dataclass(slots=True)
class OwnValues:
    """What we say about one case."""

    context: dict[str, Any] = field(default_factory=dict)
    plies: dict[int, PlyValue] = field(default_factory=dict)
    luck: Luck | None = None
    levels: dict[str, LevelAnswer] = field(default_factory=dict)
    """Only those that the evaluator has."""


def own_values(case: Case, settings: Settings) -> OwnValues:
    """Answers to everything a case holds, at the same depths. Raises AnswerError, which names the case."""
    try:
        request = Request(
            op="reference", settings=settings, position_id=case.position_id, match_id=case.match_id
        )
        question = decode_position(request)
        values = OwnValues(context=_context_fields(question.state.context, question.dice))
        for ply, expected in case.plies.items():
            at_ply = dataclasses.replace(settings, ply=ply, level=None)
            values.plies[ply] = _value(case, expected, dataclasses.replace(request, settings=at_ply))
        if case.luck is not None:
            values.luck = _as(Luck, luck_answer(request))
        for name in case.levels:
            level = dataclasses.replace(settings, level=name)
            value = _level(dataclasses.replace(request, settings=level), rolled=question.dice is not None)
            if value is not None:
                values.levels[name] = value
    except AnswerError as error:
        raise AnswerError(error.kind, f"case {case.id[:80]}: {error.message}") from error
    return values


def _value(case: Case, expected: PlyValue, request: Request) -> PlyValue:
    request = dataclasses.replace(request, ranking_length=_ALL_PLAYS)
    if isinstance(expected, PlayAnalysis):
        return _as(PlayAnalysis, analysemove(dataclasses.replace(request, move=case.played_move)))
    if isinstance(expected, CubeAnalysis):
        return _as(CubeAnalysis, analysecube(dataclasses.replace(request, action=case.action)))
    return _as(PositionValue, reference(request))


def _level(request: Request, *, rolled: bool) -> LevelAnswer | None:
    try:
        if rolled:
            return LevelAnswer(move=bestmove(request)["move"])
        return _as(LevelAnswer, {"cube": cube(request)})
    except AnswerError as error:
        if error.kind is ErrorKind.UNSUPPORTED:
            return None
        raise


def _context_fields(context: GameContext, dice: tuple[int, int] | None) -> dict[str, Any]:
    return {
        "dice": dice,
        "match_length": context.match_length,
        "score_player": context.score_player,
        "score_opponent": context.score_opponent,
        "crawford": context.crawford,
        "jacoby": context.jacoby,
        "beavers": context.beavers,
        "cube_value": context.cube_value,
        "cube_owner": str(context.cube_owner),
    }


def _as(kind: type[_T], answer: dict[str, Any]) -> _T:
    return msgspec.convert(shortened(answer), kind)
