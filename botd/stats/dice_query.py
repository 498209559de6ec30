"""Dice statistics of a journal, by server or match. Blocking; the daemon asks from a thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from botd.journal.reader import JournalReader, MatchQuery, MatchSummary
from botd.stats.dice import DiceTally
from botd.stats.dice_report import DiceReport, dice_report
from botd.stats.throws import match_throws

TOGETHER_S = 60.0
"""Two accounts of one daemon see a match begin within this."""


def dice_by_server(
    journal: JournalReader,
    query: MatchQuery | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> list[DiceReport]:
    """One report for each server in alphabetical order; `progress` gets the part done. `query.limit` bounds
    the work: reading 100 matches to 3 points takes a third of a second. Raises JournalReadError."""
    found = journal.matches(query or MatchQuery())
    matches = recorded_once(found)
    left_out = Counter(match.server for match in found)
    tallies: dict[str, DiceTally] = {}
    for done, match in enumerate(matches, start=1):
        _add(journal, tallies.setdefault(match.server, DiceTally()), match)
        left_out[match.server] -= 1
        progress(done / len(matches))
    return [dice_report(tallies[name], name, recorded_twice=left_out[name]) for name in sorted(tallies)]


def recorded_once(matches: Iterable[MatchSummary]) -> list[MatchSummary]:
    """Without the second record of a match between two accounts of the same journal: the same dice again.

    It is known by its server, length, exchanged names, and its start within TOGETHER_S.
    """
    chosen: list[MatchSummary] = []
    partners: dict[tuple[object, ...], list[float]] = {}
    for match in matches:
        names = match.account.casefold(), match.opponent.casefold()
        other_way = partners.get((match.server, match.length, *reversed(names)), [])
        same = next((at for at in other_way if abs(at - match.started_at) < TOGETHER_S), None)
        if same is not None:
            other_way.remove(same)
            continue
        partners.setdefault((match.server, match.length, *names), []).append(match.started_at)
        chosen.append(match)
    return chosen


def dice_by_match(
    journal: JournalReader,
    matches: Iterable[MatchSummary],
    progress: Callable[[float], None] = lambda _: None,
) -> list[DiceReport]:
    """One report for each match, in the same order; `scope` is the match's key. Raises JournalReadError."""
    chosen = list(matches)
    reports = []
    for done, match in enumerate(chosen, start=1):
        tally = DiceTally()
        _add(journal, tally, match)
        reports.append(dice_report(tally, match.key))
        progress(done / len(chosen))
    return reports


def _add(journal: JournalReader, tally: DiceTally, match: MatchSummary) -> None:
    with journal.reading() as connection:
        tally.add_match(match_throws(connection, match.key))
