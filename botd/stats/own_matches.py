"""Matches between two accounts of one journal, which are in it twice, once from each seat."""

from __future__ import annotations

from collections.abc import Iterable

from botd.journal.reader import MatchSummary

TOGETHER_S = 60.0
"""Two accounts of one daemon see a match begin within this."""


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
