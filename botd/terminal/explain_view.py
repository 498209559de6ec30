"""An explanation as lines of text: what was known, what comes out again, and what today's settings say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from botd.decisions.again import Verdict
from botd.decisions.explanation import SAME, Explanation
from botd.journal.decided import Option
from botd.journal.records import DecisionKind, Side
from botd.printable import printable
from botd.terminal.board import Style
from botd.terminal.match_view import paint, percentages

_OPTIONS_SHOWN = 8
_DIGEST = 12
_ASKED = {
    DecisionKind.PLAY: "How to play",
    DecisionKind.DOUBLE: "Whether to double",
    DecisionKind.TAKE: "Whether to take",
    DecisionKind.RESIGN: "Whether to resign",
    DecisionKind.ANSWER_RESIGNATION: "Whether to accept the resignation",
}


def explanation_lines(found: Explanation, names: dict[Side, str], style: Style) -> Iterator[str]:
    """Everything about one decision; equities are those of the side that decided."""
    question = found.question
    did = _word(question.did)
    asked = _ASKED[question.kind]
    dice = "" if question.dice is None else " {}{}".format(*sorted(question.dice, reverse=True))
    yield paint(f"{asked}{dice}: {names[question.side]} {_chose(question.kind, did)}", "1", style)
    if found.then is None:
        yield "  No decision of ours is recorded here; judged as analysis, in the eyes of who decided."
    else:
        yield from _then(found, style)
    for note in found.notes:
        yield paint(f"  Note: {printable(note)}.", "33", style)
    yield ""
    yield from _table(found, style)
    yield from _sentences(found, names)


def _then(found: Explanation, style: Style) -> Iterator[str]:
    then = found.then
    assert then is not None
    settings = ", ".join(f"{name} {value}" for name, value in then.settings.items() if name != "figures")
    how = f"{printable(then.evaluator)} {then.mode.value} at {then.ply}-ply, {printable(then.source)}"
    yield f"  decided with {how}, in {then.duration:.3f} s"
    yield paint(f"  settings: {printable(settings)}", "2", style)
    width = max((len(each.what) for each in found.provenance), default=0)
    for each in found.provenance:
        was, now = (text[:_DIGEST] if each.what == "weights" else text for text in (each.then, each.now))
        if each.same:
            yield f"  {each.what:<{width}}  {printable(was)}  same"
        else:
            yield paint(f"  {each.what:<{width}}  {printable(was)}  now {printable(now)}", "1;33", style)
    yield from _verdict(found, style)


def _verdict(found: Explanation, style: Style) -> Iterator[str]:
    then, again = found.then, found.again
    if then is None or again is None:
        return
    difference = found.largest_difference
    equal = "no equity of then is kept to compare"
    if difference is not None:
        equal = (
            "every equity is the same" if difference <= SAME else f"equities differ by up to {difference:.6f}"
        )
    if found.same_choice:
        yield paint(f"  Decided again: the same choice; {equal}.", "1;32", style)
    else:
        yield paint(f"  Decided again: {_word(again.chosen)} comes out; {equal}.", "1;31", style)
        unlike = [each.what for each in found.provenance if not each.same]
        if unlike:
            yield f"  The difference may come from what has changed: {', '.join(unlike)}."


def _table(found: Explanation, style: Style) -> Iterator[str]:
    columns: list[tuple[str, str, Sequence[Option]]] = []
    if found.then is not None:
        columns.append(("then", found.then.chosen, found.then.options))
    if found.again is not None:
        columns.append(("again", found.again.chosen, found.again.options))
    columns += [(verdict.setup.title, verdict.chosen, verdict.options) for verdict in found.today]
    chosen = {action for _, action, _ in columns} | {found.question.did}
    actions = found.actions
    shown = [action for place, action in enumerate(actions) if place < _OPTIONS_SHOWN or action in chosen]
    width = max([len(_word(action)) for action in shown], default=0)
    mark = "▸" if style.unicode else ">"
    cells = [[title for title, _, _ in columns]]
    for action in shown:
        row = []
        for _, choice, options in columns:
            option = next((option for option in options if option.action == action), None)
            row.append(_cell(option, mark if action == choice else " ", found.question.kind))
        cells.append(row)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)] if columns else []
    for action, row in zip(["", *shown], cells, strict=True):
        did = "*" if action and action == found.question.did else " "
        line = "   ".join(f"{cell:<{size}}" for cell, size in zip(row, widths, strict=True))
        text = f"  {did} {_word(action) if action or cells[0] is not row else '':<{width}}   {line}".rstrip()
        yield paint(text, "2" if row is cells[0] else "1" if did == "*" else "", style)
    if len(actions) > len(shown):
        yield paint(f"    ... {len(actions) - len(shown)} more", "2", style)
    yield paint(f"  * what was done   {mark} what each would do", "2", style)


def _cell(option: Option | None, mark: str, kind: DecisionKind) -> str:
    if option is None:
        return f"{mark} -" if mark.strip() else ""
    loss = f"(-{option.loss:.4f})" if option.loss >= 0.00005 else ""
    ply = f"{option.ply}p" if kind is DecisionKind.PLAY else ""
    return f"{mark} {option.equity:+.4f} {loss:<9} {ply}".rstrip()


def _sentences(found: Explanation, names: dict[Side, str]) -> Iterator[str]:
    """What each column comes to."""
    did = found.question.did
    for verdict in found.today:
        best = verdict.option(verdict.chosen)
        won = percentages(best.probabilities).split() if best is not None else []
        chance = f" ({won[0]} % won)" if won else ""
        title = f"  {verdict.setup.title}, {verdict.seconds:.2f} s: "
        if not did:
            yield f"{title}{_word(verdict.chosen)}{chance}."
        elif verdict.chosen == did:
            yield f"{title}the same, {_word(did)}{chance}."
        else:
            yield f"{title}{_word(verdict.chosen)}{chance}; {_cost(verdict, did)}."


def _cost(verdict: Verdict, did: str) -> str:
    option = verdict.option(did)
    if option is None:
        return f"it has no equity for {_word(did)}"
    if option.loss < 0.00005:
        return f"{_word(did)} is as good"
    return f"{_word(did)} costs {option.loss:.4f}"


def _chose(kind: DecisionKind, did: str) -> str:
    return f"chose {did}" if kind is not DecisionKind.PLAY else f"played {did}"


def _word(action: str) -> str:
    return printable(action) or "cannot move"
