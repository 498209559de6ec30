"""How likely a count is by chance alone: the few distributions that the statistics need.

P-values are two-sided unless a name says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

Z95 = NormalDist().inv_cdf(0.975)
"""95 % of a normal variable lie within so many standard deviations."""
_NORMAL_FROM_VARIANCE = 2000.0
"""From this variance on the normal distribution stands in for the binomial one: the two-sided p-value is then
off by less than 0.001, and summing all terms would take long."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def chi_square_p(statistic: float, degrees: int) -> float:
    """The chance that a chi-square variable with `degrees` degrees of freedom is at least `statistic`.

    The finite sums for whole degrees, Abramowitz & Stegun, Handbook of Mathematical Functions, 26.4.4 and
    26.4.5. ValueError unless degrees >= 1 and statistic >= 0.
    """
    if degrees < 1 or not statistic >= 0.0:
        raise ValueError(f"expected degrees >= 1 and a statistic >= 0, got {degrees} and {statistic}")
    half = statistic / 2
    if degrees % 2:
        term = math.sqrt(2 * statistic / math.pi) * math.exp(-half)
        total = math.erfc(math.sqrt(half))
        divisors = range(3, degrees, 2)
        count = (degrees - 1) // 2
    else:
        term = math.exp(-half)
        total = 0.0
        divisors = range(2, degrees, 2)
        count = degrees // 2
    if count:
        total += term
    for divisor in divisors:
        term *= statistic / divisor
        total += term
    return min(1.0, total)


def chi_square(observed: Sequence[float], expected: Sequence[float]) -> float:
    """Pearson's statistic; every expected count must be positive."""
    return sum((seen - mean) ** 2 / mean for seen, mean in zip(observed, expected, strict=True))


def normal_p(z: float) -> float:
    """The chance that a standard normal variable is at least as far from 0 as `z`."""
    return math.erfc(abs(z) / math.sqrt(2))


def binomial_p(successes: int, trials: int, chance: float) -> float:
    """The chance of an outcome that is no likelier than this one: the exact test, normal for many trials.

    ValueError unless 0 <= successes <= trials and 0 < chance < 1.
    """
    if not (0 <= successes <= trials and 0.0 < chance < 1.0):
        raise ValueError(f"expected 0 <= successes <= trials, got {successes} of {trials} at {chance}")
    mean, variance = trials * chance, trials * chance * (1 - chance)
    if variance >= _NORMAL_FROM_VARIANCE:
        return normal_p(max(0.0, abs(successes - mean) - 0.5) / math.sqrt(variance))
    odds = math.log(chance) - math.log1p(-chance)
    logs = [trials * math.log1p(-chance)]
    for k in range(1, trials + 1):
        logs.append(logs[-1] + math.log((trials - k + 1) / k) + odds)
    limit = logs[successes] + 1e-9  # outcomes that are equally likely but for rounding
    return min(1.0, math.fsum(math.exp(value) for value in logs if value <= limit))


def wilson_interval(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """Where the true chance lies, by Wilson's score interval (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927).

    0 to 1 without trials.
    """
    if not trials:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return Interval(max(0.0, min(low, share)), min(1.0, max(high, share)))  # whatever rounding does


def chance_range(chance: float, trials: int, confidence: float = 0.95) -> Interval:
    """Where a share of `trials` lies if its chance is `chance` (normal approximation); 0 to 1 of none."""
    if not trials:
        return Interval(0.0, 1.0)
    spread = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(chance * (1 - chance) / trials)
    return Interval(max(0.0, chance - spread), min(1.0, chance + spread))


def longest_run_p(length: int, trials: int, chance: float) -> float:
    """The chance of at least one run of `length` successes or more in a row (one-sided, exact).

    By the recurrence for trials without such a run: the first run that is too long begins after a failure
    (de Moivre's problem; W. Feller, An Introduction to Probability Theory I, chapter XIII.7).
    """
    if length <= 0:
        return 1.0
    if length > trials:
        return 0.0
    whole_run: float = chance**length
    none = [1.0] * length + [1.0 - whole_run]
    for n in range(length + 1, trials + 1):
        none.append(none[n - 1] - (1 - chance) * whole_run * none[n - length - 1])
    return min(1.0, max(0.0, 1.0 - none[trials]))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for having made them all (S. Holm, Scand. J. Statist. 6, 1979), in the same order.

    However the tests depend on each other, by chance alone one of these is below 0.05 at most once in
    twenty times.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted
