"""How well a rough value ranks the plays of a roll."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from botd.training.teacher import Floats, Indices


@dataclass(frozen=True, slots=True)
class Pruning:
    """What it costs to look only at some of the plays."""

    kept: float
    """Plays that are looked at, on average."""
    missed: float
    """Share of rolls whose best play is not among them."""
    loss: float
    """Equity of the best play less that of the best one among them, on average over all rolls."""

    def __str__(self) -> str:
        return f"keeps {self.kept:5.2f}, misses the best in {100 * self.missed:5.2f} %, loses {self.loss:.6f}"


class Ranking:
    """Rough values beside true ones, of all siblings of many rolls.

    sizes: boards of each roll, which follow each other in rough and true. Equal best plays are all best.
    """

    def __init__(self, rough: Floats, true: Floats, sizes: Indices) -> None:
        self._rough = rough.astype(np.float64)
        self._true = true.astype(np.float64)
        self._sizes = sizes
        self._starts = np.cumsum(sizes) - sizes
        self._owners = np.repeat(np.arange(len(sizes)), sizes)
        self._best_true = np.maximum.reduceat(self._true, self._starts)
        best = self._true == self._best_true[self._owners]
        self._behind = np.maximum.reduceat(self._rough, self._starts)[self._owners] - self._rough
        """How far each play is behind the roughly best one."""
        self._gaps = np.minimum.reduceat(np.where(best, self._behind, np.inf), self._starts)
        """The same of the truly best play of each roll."""
        order = np.lexsort((self._behind, self._owners))
        self._ranks = np.empty(len(order), np.intp)
        self._ranks[order] = np.arange(len(order)) - self._starts[self._owners]
        self._best_ranks = np.minimum.reduceat(np.where(best, self._ranks, len(order)), self._starts)

    def margin(self, share: float) -> float:
        """In `share` of the rolls the truly best play is within this margin of the roughly best one."""
        return float(np.quantile(self._gaps, share, method="higher"))

    def count(self, share: float) -> int:
        """In `share` of the rolls the truly best play is among so many of the roughly best ones."""
        return int(np.quantile(self._best_ranks, share, method="higher")) + 1

    def pruned(self, *, margin: float = np.inf, count: int = 1_000_000) -> Pruning:
        """Keeping at most `count` plays, all within `margin` of the roughly best one."""
        kept = (self._behind <= margin) & (self._ranks < count)
        reached = np.maximum.reduceat(np.where(kept, self._true, -np.inf), self._starts)
        losses = self._best_true - reached
        return Pruning(
            kept=float(np.add.reduceat(kept.astype(np.float64), self._starts).mean()),
            missed=float(np.mean(losses > 0.0)),
            loss=float(losses.mean()),
        )
