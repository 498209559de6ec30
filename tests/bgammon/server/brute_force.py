"""Legal single steps by trying every sequence of dice, written independently of the server."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations

View = tuple[int, ...]
Step = tuple[int, int]


def moves_of(view: View, die: int) -> list[tuple[Step, View]]:
    """Every way to move one checker by one die."""
    found = []
    for source in range(1, 25) if view[26] == 0 else [26]:
        if view[source] <= 0:
            continue
        target = (25 if source == 26 else source) - die
        after = list(view)
        after[source] -= 1
        if target <= 0:
            home = view[26] == 0 and all(view[p] <= 0 for p in range(7, 25))
            if not home or (target < 0 and any(view[p] > 0 for p in range(source + 1, 7))):
                continue
            target = 0
        elif after[target] < -1:
            continue
        elif after[target] == -1:
            after[target] = 0
            after[27] -= 1
        after[target] += 1
        found.append(((source, target), tuple(after)))
    return found


@lru_cache(maxsize=50_000)
def longest_plays(view: View, dice: tuple[int, ...]) -> frozenset[tuple[tuple[Step, int], ...]]:
    """All plays of the most dice, each as (step, die) pairs in order."""
    plays: set[tuple[tuple[Step, int], ...]] = set()

    def extend(position: View, left: tuple[int, ...], made: tuple[tuple[Step, int], ...]) -> None:
        options = moves_of(position, left[0]) if left else []
        if not options:
            plays.add(made)
        for step, after in options:
            extend(after, left[1:], (*made, (step, left[0])))

    for order in set(permutations(dice)):
        extend(view, order, ())
    most = max(len(play) for play in plays)
    return frozenset(play for play in plays if len(play) == most)


def first_steps(view: View, dice: tuple[int, ...], *, fresh: bool) -> list[Step]:
    """What may be made now, highest first."""
    plays = [play for play in longest_plays(view, dice) if play]
    if fresh and len(dice) == 2 and plays and len(plays[0]) == 1:
        highest = max(play[0][1] for play in plays)
        plays = [play for play in plays if play[0][1] == highest]
    return sorted({play[0][0] for play in plays}, reverse=True)
