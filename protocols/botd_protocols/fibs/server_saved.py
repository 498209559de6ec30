"""Interrupted matches, one for each pair of players."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .server_match import Match


class SavedMatches:
    def __init__(self) -> None:
        self._matches: dict[frozenset[str], Match] = {}

    def __iter__(self) -> Iterator[Match]:
        return iter(self._matches.values())

    def put(self, match: Match) -> None:
        """Save a match as it stands, in place of an older one of the same pair."""
        self._matches[frozenset(match.players)] = match.suspended_copy()

    def get(self, a: str, b: str) -> Match | None:
        return self._matches.get(frozenset((a, b)))

    def pop(self, a: str, b: str) -> Match | None:
        return self._matches.pop(frozenset((a, b)), None)

    def of(self, name: str) -> list[Match]:
        """Matches of one player, by the opponent's name."""
        found = [m for pair, m in self._matches.items() if name in pair]
        return sorted(found, key=lambda m: m.opponent_of(name))

    def listing(self, name: str, online: Iterable[str], ready: Iterable[str]) -> list[str]:
        """The reply to `show saved`."""
        matches = self.of(name)
        if not matches:
            return ["no saved games."]
        online, ready = set(online), set(ready)
        lines = ["  opponent          matchlength   score (your points first)"]
        for match in matches:
            opponent = match.opponent_of(name)
            side = match.side_of(name)
            mark = "**" if opponent in ready & online else " *" if opponent in online else "  "
            length = "unlimited" if match.unlimited else str(match.length)
            score = f"{match.scores[side]:>17} - {match.scores[1 - side]:>2}"
            lines.append(f"{mark}{opponent:<18}{length:>9}{score}")
        return lines

    def count_text(self, name: str) -> str:
        count = len(self.of(name))
        amount = "no" if count == 0 else str(count)
        return f"{name} has {amount} saved game{'' if count == 1 else 's'}."
