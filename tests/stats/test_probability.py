"""The distributions against published tables, exact enumeration and simulation."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.stats import probability as pr
from tests.tolerances import EXACT_SUM, TABLED_CHI_SQUARE

CRITICAL = {
    # NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4: upper critical values of chi-square.
    1: {0.10: 2.706, 0.05: 3.841, 0.025: 5.024, 0.01: 6.635, 0.001: 10.828},
    2: {0.10: 4.605, 0.05: 5.991, 0.025: 7.378, 0.01: 9.210, 0.001: 13.816},
    5: {0.10: 9.236, 0.05: 11.070, 0.025: 12.833, 0.01: 15.086, 0.001: 20.515},
    14: {0.10: 21.064, 0.05: 23.685, 0.025: 26.119, 0.01: 29.141, 0.001: 36.123},
    20: {0.10: 28.412, 0.05: 31.410, 0.025: 34.170, 0.01: 37.566, 0.001: 45.315},
}


@pytest.mark.parametrize(("degrees", "row"), CRITICAL.items())
def test_chi_square_has_the_published_critical_values(degrees: int, row: dict[float, float]) -> None:
    for p, statistic in row.items():
        low = pr.chi_square_p(statistic + TABLED_CHI_SQUARE, degrees)
        high = pr.chi_square_p(statistic - TABLED_CHI_SQUARE, degrees)
        assert low < p < high


@given(st.floats(0, 1e6), st.integers(1, 60))
def test_chi_square_is_a_falling_chance(statistic: float, degrees: int) -> None:
    p = pr.chi_square_p(statistic, degrees)
    assert 0.0 <= p <= 1.0
    assert pr.chi_square_p(statistic * 1.1, degrees) <= p + EXACT_SUM
    assert pr.chi_square_p(0.0, degrees) == 1.0


@pytest.mark.parametrize(("statistic", "degrees"), [(-1.0, 3), (math.nan, 3), (1.0, 0)])
def test_chi_square_of_nonsense_is_refused(statistic: float, degrees: int) -> None:
    with pytest.raises(ValueError, match="expected degrees"):
        pr.chi_square_p(statistic, degrees)


@given(st.integers(0, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.integers(1, 11))
def test_the_binomial_test_is_the_sum_over_outcomes_no_likelier(case: tuple[int, int], twelfths: int) -> None:
    successes, trials = case
    chance = Fraction(twelfths, 12)
    each = [math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(trials + 1)]
    exact = float(sum(value for value in each if value <= each[successes]))
    assert pr.binomial_p(successes, trials, float(chance)) == pytest.approx(exact, rel=EXACT_SUM)


def test_the_normal_stand_in_continues_the_binomial_test() -> None:
    below, above = 14_390, 14_410  # on both sides of the switch at chance 1/6
    for share in (0.155, 0.16, 0.17, 0.175):
        exact = pr.binomial_p(round(share * below), below, 1 / 6)
        normal = pr.binomial_p(round(share * above), above, 1 / 6)
        assert normal == pytest.approx(exact, rel=0.1, abs=1e-3)


@pytest.mark.parametrize("case", [(-1, 3, 0.5), (4, 3, 0.5), (1, 3, 0.0), (1, 3, 1.0)])
def test_impossible_binomials_are_refused(case: tuple[int, int, float]) -> None:
    with pytest.raises(ValueError, match="successes"):
        pr.binomial_p(*case)


def test_normal_tails() -> None:
    # The 97.5 % and 99.5 % points of the normal distribution.
    assert pr.normal_p(1.959964) == pytest.approx(0.05, abs=1e-6)
    assert pr.normal_p(-2.575829) == pytest.approx(0.01, abs=1e-6)


def test_wilson_by_its_definition() -> None:
    """The ends are the chances whose own distance to the share is 1.96 standard errors."""
    found = pr.wilson_interval(27, 60)
    for end in (found.low, found.high):
        assert abs(27 / 60 - end) / math.sqrt(end * (1 - end) / 60) == pytest.approx(pr.Z95)
    assert pr.wilson_interval(0, 0) == pr.Interval(0.0, 1.0)
    assert pr.wilson_interval(0, 5).low == pytest.approx(0.0)
    assert pr.wilson_interval(5, 5).high == pytest.approx(1.0)


@pytest.mark.parametrize("trials", [1, 2, 5, 9])
def test_longest_runs_against_all_sequences(trials: int) -> None:
    chance = Fraction(1, 6)
    for length in range(trials + 2):
        total = Fraction(0)
        for outcome in itertools.product((False, True), repeat=trials):
            longest = max((len(list(run)) for hit, run in itertools.groupby(outcome) if hit), default=0)
            if longest >= length:
                wins = sum(outcome)
                total += chance**wins * (1 - chance) ** (trials - wins)
        assert pr.longest_run_p(length, trials, 1 / 6) == pytest.approx(float(total), abs=EXACT_SUM)


def test_holm_by_hand() -> None:
    # Holm's steps: 4 * 0.005, 3 * 0.01, 2 * 0.03, then never less than the one before.
    assert pr.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert pr.holm([]) == []
    assert pr.holm([0.9, 0.8]) == [1.0, 1.0]
