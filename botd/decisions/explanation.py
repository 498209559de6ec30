"""Why was that decided, would it be again, and what would be decided today?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from botd.decisions.again import CannotRepeatError, Deciders, Setup, Verdict, setup_of
from botd.engine.types import EngineInfo, EngineMode
from botd.journal.decided import Decided, Option
from botd.journal.questions import Question
from botd.journal.records import DecisionKind

SAME = 1e-6
"""Equities are kept with seven digits; those of one search on one CPU path agree to the last."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """One thing that a decision depends on, then and now."""

    what: str
    then: str
    now: str

    @property
    def same(self) -> bool:
        return self.then == self.now


@dataclass(frozen=True, slots=True)
class Explanation:
    """Of one decision; of a turn without a recorded one `then`, `again` and `provenance` are empty."""

    question: Question
    then: Decided | None
    again: Verdict | None
    """With everything as it was, but for time limits."""
    today: tuple[Verdict, ...]
    """With today's settings, and others asked for."""
    provenance: tuple[Provenance, ...]
    notes: tuple[str, ...]
    """What was assumed, limited or impossible."""

    @property
    def same_choice(self) -> bool | None:
        """Whether the same comes out; None if it could not be tried."""
        return None if self.then is None or self.again is None else self.then.chosen == self.again.chosen

    @property
    def largest_difference(self) -> float | None:
        """Over the options that both have, of their equities; None without any."""
        return None if self.then is None or self.again is None else _difference(self.then, self.again)

    @property
    def actions(self) -> tuple[str, ...]:
        """All options of all columns: in the order of the first one that has them, the choices first."""
        columns: list[Sequence[Option]] = [] if self.then is None else [self.then.options]
        columns += [verdict.options for verdict in ([self.again] if self.again else []) + [*self.today]]
        order: dict[str, None] = {}
        for column in columns:
            order |= dict.fromkeys(option.action for option in column)
        return tuple(order)


def explain(
    deciders: Deciders,
    question: Question,
    decision: Decided | None,
    today: Sequence[Setup],
    working: Callable[[str], None] = lambda _: None,
) -> Explanation:
    """Decide again, then as `today` says. `working` is told what is searched next. Never raises for what
    cannot be repeated: the notes say so."""
    notes = [*question.notes]
    again: Verdict | None = None
    provenance: tuple[Provenance, ...] = ()
    if decision is not None:
        try:
            setup, assumed = setup_of(decision)
            notes += assumed
            setup = replace(setup, engine=deciders.on_path(setup.engine, decision.cpu_path))
            working(f"again, {setup.title}")
            again = deciders.decide(question, setup)
            if _had_budget(decision) and not _agrees(decision, again):
                hurried = deciders.decide(question, replace(setup, recheck=False))
                if _agrees(decision, hurried):
                    again = hurried
                    notes.append("the budget had left no time to value close options once more at the end")
            provenance = _provenance(decision, again.info)
            if decision.kind is DecisionKind.RESIGN and again.chosen != decision.chosen:
                notes.append("what to resign was the account's policy's choice, on what the engine said")
        except CannotRepeatError as error:
            notes.append(f"it cannot be decided again: {error}")
        notes += _limits(decision)
    verdicts = []
    for setup in today:
        try:
            working(setup.title)
            verdicts.append(deciders.decide(question, setup))
        except CannotRepeatError as error:
            notes.append(str(error))
    return Explanation(question, decision, again, tuple(verdicts), provenance, tuple(notes))


def _difference(then: Decided, again: Verdict) -> float | None:
    found = [
        abs(option.equity - other.equity)
        for option in then.options
        if (other := again.option(option.action)) is not None
    ]
    return max(found, default=None)


def _agrees(then: Decided, again: Verdict) -> bool:
    return then.chosen == again.chosen and (_difference(then, again) or 0.0) <= SAME


def _had_budget(decision: Decided) -> bool:
    return decision.mode is EngineMode.FAST and decision.settings.get("budget_s") is not None


def _provenance(decision: Decided, now: EngineInfo) -> tuple[Provenance, ...]:
    return (
        Provenance("engine version", decision.engine_version, now.version),
        Provenance("evaluator", decision.evaluator, now.evaluator),
        Provenance("weights", decision.weights_sha256, now.weights_sha256),
        Provenance("CPU path", decision.cpu_path, now.cpu_path),
        Provenance("MET", decision.met, now.met),
    )


def _limits(decision: Decided) -> list[str]:
    """What stood between the decision and what was asked for."""
    notes = []
    settings = decision.settings
    asked, budget = settings.get("asked_ply"), settings.get("budget_s")
    if decision.mode is not EngineMode.FAST or not isinstance(budget, int | float):
        budget = None
    if decision.source == "fallback":
        notes.append(
            "there was no time for the depth asked for, or a worker was lost: "
            f"{decision.ply}-ply was the fall-back"
        )
    elif budget is not None and asked is None and decision.ply > 0:
        notes.append(f"the search had {budget:g} s; it is repeated at {decision.ply}-ply without a limit")
    elif (
        budget is not None
        and isinstance(asked, int)
        and asked > decision.ply
        and decision.duration >= 0.9 * budget
    ):
        # Sooner, it was no lack of time: a play that is left alone is not searched any deeper.
        notes.append(
            f"the search had {budget:g} s and reached {decision.ply}-ply of {asked}; "
            f"it is repeated at {decision.ply}-ply without a limit"
        )
    if refused := settings.get("refused"):
        plays = ", ".join(map(str, refused)) if isinstance(refused, list) else str(refused)
        notes.append(f"the server had refused {plays}; the best other play was chosen")
    return notes
