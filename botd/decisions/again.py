"""Deciding something again: with the engine, mode, level and depth of old, or with others.

Nothing here looks at a clock: a search goes to the depth that is asked for.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from botd.decisions.engines import Engines
from botd.decisions.ladder import ask_engine
from botd.decisions.requests import (
    CubeRequest,
    Decision,
    JudgeResignationRequest,
    OfferResignationRequest,
    PlayRequest,
    Request,
    TakeRequest,
)
from botd.engine.analysis import analyse_play
from botd.engine.fast_engine import FastEngine
from botd.engine.level_player import at_level
from botd.engine.levels import Level, PlayingLevel, SearchLevel, find_level
from botd.engine.modes import EVALUATORS_WITH_MODES, in_mode, mode_for
from botd.engine.protocol import Engine, load_engine
from botd.engine.types import (
    CubeDecision,
    EngineInfo,
    EngineMode,
    PlayDecision,
    TakeAction,
)
from botd.journal.decided import Candidates, Decided, Option, candidates_of, options_of
from botd.journal.questions import Question
from botd.journal.records import DecisionKind

_NAMED_IN_FULL = ("sage", "gnubg", "random")
"""Evaluators whose name says which engine it is."""
_OWN_ENGINES = (*EVALUATORS_WITH_MODES, "random")


class CannotRepeatError(Exception):
    """The record lacks what is needed, or this machine does; one line that says what."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How to decide."""

    engine: str
    """As `load_engine` takes it, without a mode."""
    mode: EngineMode
    ply: int
    level: Level | None = None
    seed: int = 0
    recheck: bool = True
    """Fast mode: close options are valued once more at the end, which a budget may leave no time for."""

    @property
    def title(self) -> str:
        """`sage fast 2-ply`, `gnubg:A exact easy`."""
        how = f"{self.ply}-ply" if self.level is None else self.level.name
        return f"{self.engine} {self.mode.value} {how}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came out."""

    setup: Setup
    info: EngineInfo
    chosen: str
    options: tuple[Option, ...]
    candidates: Candidates
    ply: int
    """Reached: less than asked for where there was nothing to search."""
    source: str
    seconds: float

    def option(self, action: str) -> Option | None:
        return next((option for option in self.options if option.action == action), None)


def setup_of(decision: Decided) -> tuple[Setup, list[str]]:
    """How a decision of the journal was made, and what of it had to be guessed.

    Raises CannotRepeatError.
    """
    notes: list[str] = []
    settings = decision.settings
    spec = settings.get("engine")
    if not isinstance(spec, str):
        spec = decision.evaluator
        if spec not in _NAMED_IN_FULL:
            raise CannotRepeatError(
                f"the file of the evaluator {spec[:40]!r} was not recorded then; name it with --evaluator"
            )
        notes.append(f"the engine's full name was not recorded then; {spec} is assumed")
    if spec.partition(":")[0] not in _OWN_ENGINES:
        # Such a name is code to run, and a journal may come from anybody.
        raise CannotRepeatError(f"the engine {spec[:100]!r} is none of botd's own; name it with --evaluator")
    level = _level(settings, notes)
    seed = settings.get("seed", 0)
    if level is not None and isinstance(level, PlayingLevel) and "seed" not in settings:
        notes.append("the seed of the level's noise was not recorded; 0 is assumed")
    if decision.source == "rules":
        raise CannotRepeatError("no engine answered then: a legal move was made by rule, without any equity")
    return Setup(spec, decision.mode, decision.ply, level, seed if isinstance(seed, int) else 0), notes


def _level(settings: dict[str, Any], notes: list[str]) -> Level | None:
    name = settings.get("level")
    if not isinstance(name, str):
        return None
    figures = settings.get("figures")
    if isinstance(figures, dict):
        # Only a searching level says `prune`, and only a playing one `book`.
        kind: type[Level] = SearchLevel if "prune" in figures else PlayingLevel
        try:
            return msgspec.convert(figures, kind)
        except (msgspec.ValidationError, ValueError) as error:
            notes.append(f"the recorded figures of the level {name} are not usable ({error}); today's are")
    else:
        notes.append(f"the figures of the level {name} were not recorded then; today's are used")
    try:
        return find_level(name)
    except ValueError as error:
        raise CannotRepeatError(str(error)) from error


class Deciders:
    """Engines by name, each loaded once."""

    def __init__(self) -> None:
        self._loaded: dict[str, Engines] = {}

    def load(self, spec: str, mode: EngineMode = EngineMode.EXACT) -> Engine:
        """Raises CannotRepeatError, saying why, for an engine that cannot be had here."""
        # Two engines that share the games are of one mode each; any other has both with one set of networks.
        name = in_mode(spec, mode if "+" in spec else EngineMode.EXACT)
        if name not in self._loaded:
            try:
                self._loaded[name] = Engines(load_engine(name))
            except (OSError, ValueError, RuntimeError, TypeError) as error:
                raise CannotRepeatError(f"engine {spec[:100]!r} cannot be loaded: {error}") from error
        return self._loaded[name].in_mode(mode)

    def on_path(self, spec: str, cpu_path: str) -> str:
        """The name of the same engine on this CPU path, if it can be had here; else as it is."""
        if spec == "sage" and self.load(spec).info.cpu_path != cpu_path:
            try:
                self.load(f"sage:{cpu_path}")
            except CannotRepeatError:
                return spec
            return f"sage:{cpu_path}"
        return spec

    def decide(self, question: Question, setup: Setup) -> Verdict:
        """Raises CannotRepeatError for what this engine cannot answer."""
        engine = self.load(setup.engine, mode_for(setup.level, setup.mode))
        if isinstance(engine, FastEngine) and not setup.recheck:
            engine = engine.tuned(replace(engine.fast_settings, recheck=0.0))
        began = time.perf_counter()
        try:
            player = engine if setup.level is None else at_level(engine, setup.level, setup.seed)
            decision = ask_engine(player, _request(question, setup.ply), setup.ply, None)
            if isinstance(decision, PlayDecision) and setup.level is None:
                decision = _as_deep(player, question, decision)
        except (ValueError, RuntimeError) as error:
            raise CannotRepeatError(f"{setup.title}: {error}") from error
        candidates = candidates_of(decision)
        return Verdict(
            setup=setup,
            info=engine.info,
            chosen=action_of(question.kind, decision),
            options=options_of(question.kind, candidates, decision.ply),
            candidates=candidates,
            ply=decision.ply,
            source=decision.source if isinstance(decision, PlayDecision) else "search",
            seconds=time.perf_counter() - began,
        )


def _as_deep(engine: Engine, question: Question, decision: PlayDecision) -> PlayDecision:
    """With the play that was made searched as deeply as the best one, where the search has dropped it."""
    made = next((ranked for ranked in decision.plays if ranked.play.notation == question.did), None)
    if made is None or question.dice is None or made.ply >= decision.best.ply:
        return decision
    return analyse_play(
        engine, question.board, question.context, question.dice, made.play.board, ply=decision.best.ply
    ).decision


def action_of(kind: DecisionKind, decision: Decision) -> str:
    """The choice in the journal's words."""
    if isinstance(decision, PlayDecision):
        return decision.best.play.notation
    if isinstance(decision, CubeDecision):
        if kind is DecisionKind.DOUBLE:
            return "double" if decision.double else "roll"
        return "pass" if decision.response is TakeAction.PASS else "take"
    if kind is DecisionKind.RESIGN:
        return f"resign {decision.level}" if decision.level else "play on"
    return "accept" if decision.accept else "reject"


def _request(question: Question, ply: int) -> Request:
    board, context = question.board, question.context
    match question.kind:
        case DecisionKind.PLAY:
            if question.dice is None:
                raise CannotRepeatError("the dice are not in the record")
            return PlayRequest(board, context, ply, question.dice)
        case DecisionKind.DOUBLE:
            return CubeRequest(board, context, ply)
        case DecisionKind.TAKE:
            return TakeRequest(board, context, ply)
        case DecisionKind.RESIGN:
            return OfferResignationRequest(board, context, ply)
        case DecisionKind.ANSWER_RESIGNATION:
            return JudgeResignationRequest(board, context, ply, question.level, question.on_roll)
