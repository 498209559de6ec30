"""The plays of a decision as a sequence whose entries are made when they are looked at.

Most callers want the best play and nothing else; naming and listing all of them takes longer than finding the
best at 0-ply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

from botd import _core
from botd.engine.types import PlayDecision, RankedPlay


class RankedPlays(Sequence[RankedPlay]):
    """Acts as the tuple of its entries: equal to it, with its hash, and pickled or copied as one."""

    __slots__ = ("_made", "_ranking")

    def __init__(self, ranking: _core.PlayRanking) -> None:
        self._ranking = ranking
        self._made: list[RankedPlay | None] = [None] * len(ranking)

    @overload
    def __getitem__(self, index: int) -> RankedPlay: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RankedPlay, ...]: ...
    def __getitem__(self, index: int | slice) -> RankedPlay | tuple[RankedPlay, ...]:
        made = self._made
        if isinstance(index, slice):
            return tuple(self[place] for place in range(*index.indices(len(made))))
        entry = made[index]
        if entry is None:
            place = index if index >= 0 else index + len(made)
            entry = made[index] = RankedPlay.of_ranking(self._ranking, place)
        return entry

    def __len__(self) -> int:
        return len(self._made)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, tuple | RankedPlays):
            return tuple(self) == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    @property
    def ranking(self) -> _core.PlayRanking:
        return self._ranking

    def __reduce__(self) -> tuple[Callable[..., tuple[RankedPlay, ...]], tuple[tuple[RankedPlay, ...]]]:
        return tuple, (tuple(self),)


def play_decision(ranking: _core.PlayRanking) -> PlayDecision:
    """The decision that the compiled core has ranked."""
    return PlayDecision(RankedPlays(ranking), ranking.legal_count, ranking.ply, ranking.source)


def packed(decision: PlayDecision) -> bytes | None:
    """The decision in few bytes, for another process of this program; None if it is not as the core has
    ranked it."""
    plays = decision.plays
    if not isinstance(plays, RankedPlays):
        return None
    ranking = plays.ranking
    same = (ranking.legal_count, ranking.ply, ranking.source) == (
        decision.legal_count,
        decision.ply,
        decision.source,
    )
    return ranking.packed() if same else None


def unpacked(data: bytes) -> PlayDecision:
    """The decision in `data`, checked to be one; ValueError if it is none."""
    return play_decision(_core.PlayRanking.unpacked(data))
