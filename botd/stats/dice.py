"""Are the dice fair? Counts of what was rolled, and tests against what fair dice give. Pure computation.

Feed a `DiceTally` with the throws of each game, then ask for its `tests`; `botd.stats.dice_report` puts them
into words. Every test is valid although games end when somebody has rolled what he needed: each sum compares
a throw with what was to be expected just before it, so that it does not matter when one stops.

What is tested is fixed beforehand, and the report says how many tests were made. A p-value below 0.05 comes
up by chance in one of twenty tests; `adjusted` allows for that (Holm's correction over all tests made).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from botd.journal.records import Dice, Side
from botd.stats import probability as pr

PAIRS: tuple[Dice, ...] = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The 21 rolls, the larger die first."""
DOUBLES_CHANCE = 1 / 6
LEAST_EXPECTED = 5.0
"""The chi-square test is an approximation, good from this expected count of a class on (Cochran's rule)."""
LEAST_VARIANCE = 9.0
"""Sums of yes and no are near enough to normal from this variance on."""
LEAST_PIPS = 30
"""The sum of so many rolls' pips is near enough to normal."""


def weight(pair: Dice) -> int:
    """In how many of 36 ways a roll comes up."""
    return 1 if pair[0] == pair[1] else 2


def pips(dice: Dice) -> int:
    """What a roll moves if all of it can be played."""
    return sum(dice) * (2 if dice[0] == dice[1] else 1)


def _mean_pips() -> Fraction:
    return Fraction(sum(weight(pair) * pips(pair) for pair in PAIRS), 36)


MEAN_PIPS = float(_mean_pips())
"""8 1/6."""
PIPS_VARIANCE = float(Fraction(sum(weight(p) * pips(p) ** 2 for p in PAIRS), 36) - _mean_pips() ** 2)


@dataclass(frozen=True, slots=True)
class Throw:
    """One throw of two dice."""

    side: Side | None
    """Who plays it; None for equal opening dice, which nobody plays."""
    dice: Dice
    """As the server showed them; of an opening throw our die, then theirs."""
    opening: bool = False
    entry: tuple[int, ...] | None = None
    """The dice that bring a checker in, where the side has one on the bar; None without, or if unknown."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison with fair dice."""

    name: str
    side: str
    """`us`, `opponent` or `both`."""
    rolls: int
    """What it rests on."""
    p: float | None
    """How often fair dice look at least so odd; None where there are too few rolls for this test."""
    adjusted: float | None
    """`p` corrected for the number of tests in this report."""
    statistic: float | None
    degrees: int | None
    """Of freedom, of a chi-square statistic; None for others (z, or a run's length)."""


@dataclass(slots=True)
class SideTally:
    """One side's throws, those of the opening left out."""

    faces: list[int] = field(default_factory=lambda: [0] * 7)
    pairs: dict[Dice, int] = field(default_factory=lambda: dict.fromkeys(PAIRS, 0))
    bar_rolls: list[int] = field(default_factory=lambda: [0] * 7)
    bar_entered: list[int] = field(default_factory=lambda: [0] * 7)
    doubles_run: int = 0
    other_run: int = 0
    longest_doubles: int = 0
    longest_without: int = 0

    def add(self, throw: Throw) -> None:
        first, second = throw.dice
        self.faces[first] += 1
        self.faces[second] += 1
        self.pairs[max(throw.dice), min(throw.dice)] += 1
        if first == second:
            self.doubles_run, self.other_run = self.doubles_run + 1, 0
        else:
            self.doubles_run, self.other_run = 0, self.other_run + 1
        self.longest_doubles = max(self.longest_doubles, self.doubles_run)
        self.longest_without = max(self.longest_without, self.other_run)
        if throw.entry is not None:
            closed = 6 - len(throw.entry)
            self.bar_rolls[closed] += 1
            self.bar_entered[closed] += first in throw.entry or second in throw.entry

    @property
    def rolls(self) -> int:
        return sum(self.pairs.values())

    @property
    def doubles(self) -> int:
        return sum(self.pairs[face, face] for face in range(1, 7))

    @property
    def pips(self) -> int:
        return sum(pips(pair) * count for pair, count in self.pairs.items())


class DiceTally:
    """Counts of any number of games; adding is cheap."""

    def __init__(self) -> None:
        self.matches = 0
        self.sides = {side: SideTally() for side in Side}
        self.openings: dict[Dice, int] = {pair: 0 for pair in PAIRS if pair[0] != pair[1]}
        self.opening_wins = 0
        self.equal_openings = 0
        self._followers = 0
        self.repeated = 0
        self.repeated_expected = self._repeated_variance = 0.0
        self._pips_product = self._pips_product_variance = 0.0

    def add_match(self, games: Iterable[Sequence[Throw]]) -> None:
        """Count a match: for each game its throws in order."""
        self.matches += 1
        for throws in games:
            self._add_game(throws)

    def _add_game(self, throws: Sequence[Throw]) -> None:
        before: Dice | None = None
        for throw in throws:
            if throw.opening:
                self._add_opening(throw)
                continue
            if throw.side is None:
                continue
            self.sides[throw.side].add(throw)
            pair = max(throw.dice), min(throw.dice)
            if before is not None:
                self._add_successive(before, pair)
            before = pair

    def _add_opening(self, throw: Throw) -> None:
        ours, theirs = throw.dice
        if ours == theirs:
            self.equal_openings += 1
            return
        self.openings[max(throw.dice), min(throw.dice)] += 1
        self.opening_wins += ours > theirs

    def _add_successive(self, before: Dice, now: Dice) -> None:
        chance = weight(before) / 36
        self._followers += 1
        self.repeated += before == now
        self.repeated_expected += chance
        self._repeated_variance += chance * (1 - chance)
        difference = pips(before) - MEAN_PIPS
        self._pips_product += difference * (pips(now) - MEAN_PIPS)
        self._pips_product_variance += difference**2 * PIPS_VARIANCE

    def tests(self) -> list[Comparison]:
        """Every comparison with fair dice, also those for which there are too few rolls."""
        tests = [test for side in Side for test in _side_tests(str(side), self.sides[side])]
        us, opponent = self.sides[Side.US], self.sides[Side.OPPONENT]
        both = us.rolls + opponent.rolls
        enough = min(us.rolls, opponent.rolls) >= LEAST_PIPS
        difference = (
            (us.pips / us.rolls - opponent.pips / opponent.rolls)
            / math.sqrt(PIPS_VARIANCE * (1 / us.rolls + 1 / opponent.rolls))
            if enough
            else None
        )
        tests.append(_z_test("pips of the two sides", "both", both, difference))
        thrown = sum(self.openings.values())
        tests.append(_chi_square_test("opening rolls", "both", self.openings.values(), [thrown / 15] * 15))
        tests.append(_binomial_test("who wins the opening", "both", self.opening_wins, thrown, 0.5))
        repeated = _standardised(self.repeated - self.repeated_expected, self._repeated_variance)
        tests.append(_z_test("same roll again", "both", self._followers, repeated))
        product = (
            self._pips_product / math.sqrt(self._pips_product_variance)
            if self._followers >= LEAST_PIPS
            else None
        )
        tests.append(_z_test("pips after pips", "both", self._followers, product))
        return _adjusted(tests)


def _side_tests(side: str, tally: SideTally) -> list[Comparison]:
    rolls = tally.rolls
    enough = rolls >= LEAST_PIPS
    mean = (tally.pips - rolls * MEAN_PIPS) / math.sqrt(rolls * PIPS_VARIANCE) if enough else None
    entered = expected = variance = 0.0
    for closed in range(6):
        chance = entry_chance(closed)
        entered += tally.bar_entered[closed]
        expected += tally.bar_rolls[closed] * chance
        variance += tally.bar_rolls[closed] * chance * (1 - chance)
    on_bar = sum(tally.bar_rolls[1:6])
    pairs = [rolls * weight(pair) / 36 for pair in PAIRS]
    runs = (
        ("longest run of doubles", tally.longest_doubles, DOUBLES_CHANCE),
        ("longest run without a double", tally.longest_without, 1 - DOUBLES_CHANCE),
    )
    return [
        _chi_square_test("faces", side, tally.faces[1:], [rolls / 3] * 6, rolls),
        _chi_square_test("21 rolls", side, tally.pairs.values(), pairs),
        _binomial_test("doubles", side, tally.doubles, rolls, DOUBLES_CHANCE),
        _z_test("pips a roll", side, rolls, mean),
        _z_test("entering from the bar", side, on_bar, _standardised(entered - expected, variance)),
        *(_run_test(name, side, run, rolls, chance) for name, run, chance in runs),
    ]


def _chi_square_test(
    name: str, side: str, counts: Iterable[int], expected: Sequence[float], rolls: int | None = None
) -> Comparison:
    seen = list(counts)
    rolls = sum(seen) if rolls is None else rolls
    degrees = len(seen) - 1
    if min(expected) < LEAST_EXPECTED:
        return Comparison(name, side, rolls, None, None, None, degrees)
    statistic = pr.chi_square(seen, expected)
    return Comparison(name, side, rolls, pr.chi_square_p(statistic, degrees), None, statistic, degrees)


def _z_test(name: str, side: str, rolls: int, z: float | None) -> Comparison:
    return Comparison(name, side, rolls, None if z is None else pr.normal_p(z), None, z, None)


def _binomial_test(name: str, side: str, successes: int, rolls: int, chance: float) -> Comparison:
    p = pr.binomial_p(successes, rolls, chance) if rolls else None
    return Comparison(name, side, rolls, p, None, None, None)


def _run_test(name: str, side: str, longest: int, rolls: int, chance: float) -> Comparison:
    p = pr.longest_run_p(longest, rolls, chance) if rolls else None
    return Comparison(name, side, rolls, p, None, longest, None)


def _standardised(difference: float, variance: float) -> float | None:
    return difference / math.sqrt(variance) if variance >= LEAST_VARIANCE else None


def _adjusted(tests: list[Comparison]) -> list[Comparison]:
    corrected = iter(pr.holm([test.p for test in tests if test.p is not None]))
    return [test if test.p is None else replace(test, adjusted=next(corrected)) for test in tests]


def entry_chance(closed: int) -> float:
    """The chance that at least one die brings a checker in against so many closed points."""
    return 1.0 - (closed / 6) ** 2
