"""Glicko-2 ratings (Glickman, "Example of the Glicko-2 system"), one match as one rating period."""

from __future__ import annotations

import math
from dataclasses import dataclass

_SCALE = 173.7178
_TAU = 0.5
"""How fast volatility may change; 0.3 to 1.2 are reasonable by the source."""
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Rating:
    value: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06

    @property
    def shown(self) -> int:
        return round(self.value)


def after_match(own: Rating, other: Rating, won: bool) -> Rating:
    """The own rating after one match against `other` as it was before that match."""
    mu, phi = (own.value - 1500.0) / _SCALE, own.deviation / _SCALE
    mu_other, phi_other = (other.value - 1500.0) / _SCALE, other.deviation / _SCALE
    g = 1.0 / math.sqrt(1.0 + 3.0 * phi_other**2 / math.pi**2)
    expected = 1.0 / (1.0 + math.exp(-g * (mu - mu_other)))
    variance = 1.0 / (g * g * expected * (1.0 - expected))
    score = g * ((1.0 if won else 0.0) - expected)
    sigma = _volatility(own.volatility, phi, variance, variance * score)
    phi_star = math.sqrt(phi**2 + sigma**2)
    phi_new = 1.0 / math.sqrt(1.0 / phi_star**2 + 1.0 / variance)
    mu_new = mu + phi_new**2 * score
    return Rating(mu_new * _SCALE + 1500.0, phi_new * _SCALE, sigma)


def _volatility(sigma: float, phi: float, variance: float, delta: float) -> float:
    """Step 5 of the source: the root by the Illinois variant of regula falsi."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        e = math.exp(x)
        top = e * (delta**2 - phi**2 - variance - e)
        return top / (2.0 * (phi**2 + variance + e) ** 2) - (x - a) / _TAU**2

    low = a
    if delta**2 > phi**2 + variance:
        high = math.log(delta**2 - phi**2 - variance)
    else:
        k = 1
        while f(a - k * _TAU) < 0.0:
            k += 1
        high = a - k * _TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _TOLERANCE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0.0:
            low, f_low = high, f_high
        else:
            f_low /= 2.0
        high, f_high = middle, f_middle
    return math.exp(low / 2.0)
