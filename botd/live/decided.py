"""From a decision, as it was made or as the journal has it, to what is shown of it: everything seen by us."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

import msgspec

from botd.daemon import happenings as h
from botd.engine.match_id import decode
from botd.engine.types import CubeDecision, PlayDecision, Probabilities, ResignationDecision, TakeAction
from botd.journal import decided as j
from botd.journal.records import Decision, DecisionKind
from botd.live.documents import MAX_CANDIDATES, Candidate, Decided, text

_DIGITS = 6


class _Weighed(NamedTuple):
    candidates: tuple[Candidate, ...]
    chosen: int | None
    """Index of the candidate that was chosen."""


def decided(happening: h.Decided, game: int) -> Decided:
    """The document of a decision just made; `game` is the number of its game."""
    return _document(
        happening,
        game,
        ply=happening.decision.ply,
        duration=happening.duration,
        weighed=_made(happening.kind, happening.decision, happening.chosen),
    )


def recorded(decision: j.Decided) -> Decided:
    """The document of a decision in the journal, which may have forgotten what was weighed."""
    document = _document(
        decision,
        decision.game,
        ply=decision.ply,
        duration=decision.duration,
        weighed=_kept(decision),
    )
    if decision.candidates is not None or decision.equity is None:
        return document
    theirs = decision.kind is DecisionKind.TAKE  # seen by the doubler
    equity = round(-decision.equity if theirs else decision.equity, _DIGITS)
    return msgspec.structs.replace(document, equity=equity)


def outlook(kind: DecisionKind, decision: Decision, chosen: str) -> tuple[float | None, float | None]:
    """Our chance to win the game and our equity after what was chosen; each None if not known."""
    if isinstance(decision, PlayDecision):  # so that not all candidates are looked at
        entry = next((entry for entry in decision.plays if entry.play.notation == chosen), None)
        if entry is None:
            return None, None
        win = _win(entry.probabilities)
        return None if win is None else round(win, _DIGITS), round(entry.equity, _DIGITS)
    candidates, index = _made(kind, decision, chosen)
    return (None, None) if index is None else (candidates[index].win, candidates[index].equity)


def cube_of(match_id: str) -> int | None:
    """The cube that the equities of a decision count in; None if the identifier tells nothing."""
    try:
        return decode(match_id).context.cube_value
    except ValueError:
        return None


def _document(
    made: h.Decided | j.Decided, game: int, *, ply: int, duration: float, weighed: _Weighed
) -> Decided:
    best = None if weighed.chosen is None else weighed.candidates[weighed.chosen]
    return Decided(
        at=made.at,
        game=game,
        kind=str(made.kind),
        dice=made.dice,
        chosen=text(made.chosen),
        equity=None if best is None else best.equity,
        cube=cube_of(made.match_id),
        ply=ply,
        source=text(made.source),
        duration_s=round(duration, _DIGITS),
        win=None if best is None else best.win,
        position_id=text(made.position_id),
        match_id=text(made.match_id),
        candidates=weighed.candidates,
        chosen_index=weighed.chosen,
    )


def _made(kind: DecisionKind, decision: Decision, chosen: str) -> _Weighed:
    match decision:
        case PlayDecision():
            plays = (
                _Play(entry.play.notation, entry.equity, entry.ply, _win(entry.probabilities))
                for entry in decision.plays
            )
            return _plays(plays, chosen)
        case CubeDecision():
            passes, win = decision.response is TakeAction.PASS, _win(decision.probabilities)
            values = (decision.no_double, decision.double_take, decision.double_pass)
            return _cube(kind, values, passes, win, decision.ply, chosen)
        case ResignationDecision():
            win, ply = _win(decision.probabilities), decision.ply
            values_ = (decision.equity, decision.resign_equity)
            return _resignation(kind, decision.level, values_, win, ply, chosen)


def _kept(decision: j.Decided) -> _Weighed:
    weighed = decision.candidates
    kind, chosen, ply = decision.kind, decision.chosen, decision.ply
    match weighed:
        case None:
            return _Weighed((), None)
        case j.PlayCandidates():
            plays = (_Play(p.move, p.equity, p.ply, _first(p.probabilities)) for p in weighed.plays)
            return _plays(plays, chosen)
        case j.CubeCandidates():
            passes, win = weighed.response == TakeAction.PASS, _first(weighed.probabilities)
            values = (weighed.no_double, weighed.double_take, weighed.double_pass)
            return _cube(kind, values, passes, win, ply, chosen)
        case j.ResignationCandidates():
            win, values_ = _first(weighed.probabilities), (weighed.play_on, weighed.resign)
            return _resignation(kind, weighed.level, values_, win, ply, chosen)


def _first(chances: j.Chances | None) -> float | None:
    return None if chances is None else chances[0]


def _win(chances: Probabilities | None) -> float | None:
    return None if chances is None else chances.win


class _Play(NamedTuple):
    move: str
    equity: float
    ply: int
    win: float | None


def _plays(plays: Iterable[_Play], chosen: str) -> _Weighed:
    rest = iter(plays)
    shown = list(islice(rest, MAX_CANDIDATES))
    index = next((number for number, play in enumerate(shown) if play.move == chosen), None)
    if index is None:  # the server has refused better ones
        other = next((play for play in rest if play.move == chosen), None)
        if other is not None:
            shown[-1], index = other, len(shown) - 1
    best = shown[0].equity if shown else 0.0
    return _Weighed(
        tuple(_candidate(play.move, play.equity, best - play.equity, play.win, play.ply) for play in shown),
        index,
    )


def _cube(
    kind: DecisionKind,
    values: tuple[float, float, float],
    passes: bool,
    win: float | None,
    ply: int,
    chosen: str,
) -> _Weighed:
    """values: no double, double and take, double and pass, seen by the side that may double, as is `win`;
    `passes`: passing is the right answer."""
    no_double, take, refuse = values
    if kind is DecisionKind.TAKE:  # the opponent may double
        win, best = None if win is None else 1 - win, max(-take, -refuse)
        rows = (("Take", -take), ("Pass", -refuse))
        found = tuple(_candidate(move, equity, best - equity, win, ply) for move, equity in rows)
        return _Weighed(found, 1 if chosen == "pass" else 0)
    double = refuse if passes else take
    best = max(no_double, double)
    found = (
        _candidate("No double", no_double, best - no_double, win, ply),
        _candidate("Double, take", take, None if passes else best - double, win, ply),
        _candidate("Double, pass", refuse, best - double if passes else None, win, ply),
    )
    return _Weighed(found, 0 if chosen == "roll" else 2 if passes else 1)


def _resignation(
    kind: DecisionKind,
    level: int,
    values: tuple[float, float],
    win: float | None,
    ply: int,
    chosen: str,
) -> _Weighed:
    """values: playing on, and losing or getting what the resignation costs."""
    offering = kind is DecisionKind.RESIGN
    names = ("Play on", f"Resign {max(1, level)}") if offering else ("Reject", "Accept")
    rows = zip(names, values, strict=True)
    return _Weighed(
        tuple(_candidate(move, equity, max(values) - equity, win, ply) for move, equity in rows),
        0 if chosen in ("play on", "reject") else 1,
    )


def _candidate(move: str, equity: float, loss: float | None, win: float | None, ply: int) -> Candidate:
    return Candidate(
        move=text(move),
        equity=round(equity, _DIGITS),
        loss=None if loss is None else round(max(0.0, loss), _DIGITS),
        win=None if win is None else round(win, _DIGITS),
        ply=ply,
    )
