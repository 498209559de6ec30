"""Rating and experience after a finished match (FIBS's formula)."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What one finished match does to both ratings; experience is that before the match."""

    difference: float
    underdog_chance: float
    """Pu, the probability that the lower rated player wins."""
    factor: float
    """P: 1 - Pu if the lower rated player won, else Pu."""
    winner_k: float
    loser_k: float
    winner_gain: float
    loser_loss: float
    """Positive; to be subtracted."""


def rating_change(
    winner_rating: float, winner_experience: int, loser_rating: float, loser_experience: int, length: int
) -> RatingChange:
    """Pu = 1 / (10^(D sqrt(n)/2000) + 1), change = 4 K sqrt(n) P, K = max(1, 5 - experience/100)."""
    root = math.sqrt(length)
    difference = abs(winner_rating - loser_rating)
    chance = 1.0 / (10.0 ** (difference * root / 2000.0) + 1.0)
    factor = 1.0 - chance if winner_rating < loser_rating else chance
    winner_k = max(1.0, 5.0 - winner_experience / 100.0)
    loser_k = max(1.0, 5.0 - loser_experience / 100.0)
    return RatingChange(
        difference,
        chance,
        factor,
        winner_k,
        loser_k,
        4.0 * winner_k * root * factor,
        4.0 * loser_k * root * factor,
    )


def calculation_lines(
    change: RatingChange, length: int, winner: tuple[str, int], loser: tuple[str, int]
) -> list[str]:
    """The block that toggle `ratings` asks for; players as (name, experience before the match)."""
    return [
        "rating calculation:",
        f"rating difference D={change.difference:.6f}",
        f"match length      N={length}",
        f"Experience: {winner[0]} {winner[1]} - {loser[0]} {loser[1]}",
        f"Probability that underdog wins: Pu=1/(10^(D*sqrt(N)/2000)+1)={change.underdog_chance:.6f}",
        f"P={change.factor:.6f} is 1-Pu if underdog wins and Pu if favorite wins",
        f"K=max(1 ,  -Experience/100+5) for {winner[0]}: {change.winner_k:.6f}",
        f"change for {winner[0]}: 4*K*sqrt(N)*P={change.winner_gain:.6f}",
        f"K=max(1 ,  -Experience/100+5) for {loser[0]}: {change.loser_k:.6f}",
        f"change for {loser[0]}: -4*K*sqrt(N)*P={-change.loser_loss:.6f}",
    ]
