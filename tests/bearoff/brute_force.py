"""Bear-off values from first principles: small, slow, and written without a look at the engine's code.

A side is a tuple of counts on points 1, 2, ... Plays are found by trying everything; probabilities are exact
fractions.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

Side = tuple[int, ...]

ROLLS = [((a, b), 1 if a == b else 2) for a, b in combinations_with_replacement(range(1, 7), 2)]


def steps(side: Side, die: int) -> list[Side]:
    """All ways to play one die, from the highest point down."""
    occupied = [point for point, count in enumerate(side, 1) if count]
    out = []
    for point in reversed(occupied):
        target = point - die
        if target < 0 and point != occupied[-1]:
            continue
        if target <= 0 and occupied[-1] > 6:
            continue
        after = list(side)
        after[point - 1] -= 1
        if target > 0:
            after[target - 1] += 1
        out.append(tuple(after))
    return out


@cache
def plays(side: Side, dice: tuple[int, int]) -> tuple[Side, ...]:
    """All results of a roll, the first appearance of each in the order of generation: larger die first."""
    low, high = dice
    orders = [(low,) * 4] if low == high else [(high, low), (low, high)]
    found: dict[Side, None] = {}

    def play(current: Side, left: tuple[int, ...]) -> None:
        if not left or not any(current):
            found[current] = None
            return
        for after in steps(current, left[0]):
            play(after, left[1:])

    for order in orders:
        play(side, order)
    return tuple(found)


@cache
def stored_rolls(side: Side) -> tuple[int, ...]:
    """The bear-off distribution as the file has it: 32 integers that sum to 65535."""
    if not any(side):
        return (65535,) + (0,) * 31
    sums = [0] * 32
    for dice, ways in ROLLS:
        best = min((stored_rolls(after) for after in plays(side, dice)), key=_mean)
        for k in range(31):
            sums[k + 1] += ways * best[k]
    return _rounded(sums)


@cache
def stored_first(side: Side) -> tuple[int, ...]:
    """The same until the first of fifteen checkers is off."""
    if sum(side) < 15:
        return (65535,) + (0,) * 31
    sums = [0] * 32
    for dice, ways in ROLLS:
        best = min((stored_first(after) for after in plays(side, dice)), key=_mean)
        for k in range(31):
            sums[k + 1] += ways * best[k]
    return _rounded(sums)


def _mean(values: tuple[int, ...]) -> int:
    return sum(k * value for k, value in enumerate(values))


def _rounded(sums: list[int]) -> tuple[int, ...]:
    values = [(total + 18) // 36 for total in sums]
    values[values.index(max(values))] -= sum(values) - 65535
    return tuple(values)


@cache
def win(own: Side, opponent: Side) -> Fraction:
    """Exact chance of the side on roll with cubeless perfect play."""
    if not any(own):
        return Fraction(1)
    if not any(opponent):
        return Fraction(0)
    total = Fraction(0)
    for dice, ways in ROLLS:
        total += ways * max(1 - win(opponent, after) for after in plays(own, dice))
    return total / 36


@cache
def cubeful(own: Side, opponent: Side, cube: str) -> Fraction:
    """Exact money equity before the roll of the side on roll, who does not double now; per unit of the cube.

    `cube` is its owner: "own", "centre" or "opponent". From its next roll on each side doubles perfectly.
    """
    if not any(own):
        return Fraction(1)
    if not any(opponent):
        return Fraction(-1)
    after_cube = {"own": "opponent", "centre": "centre", "opponent": "own"}[cube]
    total = Fraction(0)
    for dice, ways in ROLLS:
        total += ways * max(-with_cube(opponent, after, after_cube) for after in plays(own, dice))
    return total / 36


def with_cube(own: Side, opponent: Side, cube: str) -> Fraction:
    """The same, the side on roll doubling first if that is best."""
    no_double = cubeful(own, opponent, cube)
    if cube == "opponent" or not any(own) or not any(opponent):
        return no_double
    return max(no_double, min(Fraction(1), 2 * cubeful(own, opponent, "opponent")))


def sides(points: int, checkers: int) -> list[Side]:
    """All positions with 0..checkers checkers, in the order of the index."""
    out: list[Side] = []
    for total in range(checkers + 1):
        out += sorted((s for s in _compositions(points, total)), reverse=True)
    return out


def _compositions(points: int, total: int) -> list[Side]:
    if points == 1:
        return [(total,)]
    return [(first, *rest) for first in range(total + 1) for rest in _compositions(points - 1, total - first)]
