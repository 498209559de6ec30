"""From a decision as it was made to what is shown of it: everything seen by us."""

from __future__ import annotations

from itertools import islice

from botd.daemon import happenings as h
from botd.engine.types import CubeDecision, PlayDecision, Probabilities, ResignationDecision, TakeAction
from botd.journal.records import Decision, DecisionKind
from botd.live.documents import MAX_CANDIDATES, Candidate, Decided, text

_DIGITS = 6


def decided(happening: h.Decided, game: int) -> Decided:
    """The document of one decision; `game` is the number of its game."""
    candidates, chosen = _weighed(happening.kind, happening.decision, happening.chosen)
    best = None if chosen is None else candidates[chosen]
    return Decided(
        at=happening.at,
        game=game,
        kind=str(happening.kind),
        dice=happening.dice,
        chosen=text(happening.chosen),
        equity=None if best is None else best.equity,
        ply=happening.decision.ply,
        source=happening.source,
        duration_s=round(happening.duration, _DIGITS),
        win=None if best is None else best.win,
        position_id=happening.position_id,
        match_id=happening.match_id,
        candidates=candidates,
        chosen_index=chosen,
    )


def outlook(kind: DecisionKind, decision: Decision, chosen: str) -> tuple[float | None, float | None]:
    """Our chance to win the game and our equity after what was chosen; each None if not known."""
    if isinstance(decision, PlayDecision):
        entry = next((entry for entry in decision.plays if entry.play.notation == chosen), None)
        return (None, None) if entry is None else (_win(entry.probabilities), round(entry.equity, _DIGITS))
    candidates, index = _weighed(kind, decision, chosen)
    return (None, None) if index is None else (candidates[index].win, candidates[index].equity)


def _weighed(kind: DecisionKind, decision: Decision, chosen: str) -> tuple[tuple[Candidate, ...], int | None]:
    match decision:
        case PlayDecision():
            return _plays(decision, chosen)
        case CubeDecision() if kind is DecisionKind.TAKE:
            return _answers(decision, chosen)
        case CubeDecision():
            return _doubles(decision, chosen)
        case ResignationDecision():
            return _resignations(kind, decision, chosen)


def _plays(decision: PlayDecision, chosen: str) -> tuple[tuple[Candidate, ...], int | None]:
    best = decision.best.equity
    entries = list(islice(decision.plays, MAX_CANDIDATES))
    names = [entry.play.notation for entry in entries]
    if chosen not in names:  # the server has refused better ones
        other = next((entry for entry in decision.plays if entry.play.notation == chosen), None)
        if other is not None:
            entries[-1], names[-1] = other, chosen
    candidates = tuple(
        Candidate(
            move=name,
            equity=round(entry.equity, _DIGITS),
            loss=round(max(0.0, best - entry.equity), _DIGITS),
            win=_win(entry.probabilities),
            ply=entry.ply,
        )
        for entry, name in zip(entries, names, strict=True)
    )
    return candidates, names.index(chosen) if chosen in names else None


def _doubles(decision: CubeDecision, chosen: str) -> tuple[tuple[Candidate, ...], int | None]:
    """Decided by the side that may double, which is us."""
    win = _win(decision.probabilities)
    passes = decision.response is TakeAction.PASS

    def candidate(move: str, equity: float, counts: bool) -> Candidate:
        loss = round(max(0.0, decision.optimal - equity), _DIGITS) if counts else None
        return Candidate(move=move, equity=round(equity, _DIGITS), loss=loss, win=win, ply=decision.ply)

    candidates = (
        candidate("No double", decision.no_double, True),
        candidate("Double, take", decision.double_take, not passes),
        candidate("Double, pass", decision.double_pass, passes),
    )
    return candidates, 0 if chosen == "roll" else 2 if passes else 1


def _answers(decision: CubeDecision, chosen: str) -> tuple[tuple[Candidate, ...], int | None]:
    """Equities are the doubler's, who is the opponent."""
    theirs = _win(decision.probabilities)
    win = None if theirs is None else round(1 - theirs, _DIGITS)
    take, refuse = -decision.double_take, -decision.double_pass
    candidates = tuple(
        Candidate(
            move=move,
            equity=round(equity, _DIGITS),
            loss=round(max(take, refuse) - equity, _DIGITS),
            win=win,
            ply=decision.ply,
        )
        for move, equity in (("Take", take), ("Pass", refuse))
    )
    return candidates, 1 if chosen == "pass" else 0


def _resignations(
    kind: DecisionKind, decision: ResignationDecision, chosen: str
) -> tuple[tuple[Candidate, ...], int | None]:
    offering = kind is DecisionKind.RESIGN
    best = max(decision.equity, decision.resign_equity)
    rows = (
        ("Play on" if offering else "Reject", decision.equity),
        (f"Resign {max(1, decision.level)}" if offering else "Accept", decision.resign_equity),
    )
    candidates = tuple(
        Candidate(
            move=move,
            equity=round(equity, _DIGITS),
            loss=round(best - equity, _DIGITS),
            win=_win(decision.probabilities),
            ply=decision.ply,
        )
        for move, equity in rows
    )
    return candidates, 0 if chosen in ("play on", "reject") else 1


def _win(chances: Probabilities | None) -> float | None:
    return None if chances is None else round(chances.win, _DIGITS)
