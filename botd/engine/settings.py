"""How an engine searches: which plays it looks at more deeply, with what noise, in how many threads."""

from __future__ import annotations

import math
from dataclasses import dataclass

from botd import _core

MAX_THREADS = 256
MAX_NOISE = 1.0


@dataclass(frozen=True, slots=True)
class FilterStage:
    """What is kept after all remaining plays were scored at one ply.

    The best `accept` plays, and up to `extra` more whose equity is not below the best one's less `threshold`
    (points per unit of the cube). With `accept` 0 the best play is one of the extra ones.
    """

    accept: int
    """-1 skips the stage."""
    extra: int = 0
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class MoveFilter:
    """A filter of one's own: `rows[k - 1]` holds the stages 0, 1, ... of a search to k plies.

    Missing stages are skipped; depths beyond the given rows (4 at most) use the last of them. Raises
    ValueError naming the stage that is impossible.
    """

    rows: tuple[tuple[FilterStage, ...], ...]

    def __post_init__(self) -> None:
        self.core()

    def core(self) -> _core.MoveFilter:
        """The filter as the compiled search takes it."""
        return _core.MoveFilter(
            [[(stage.accept, stage.extra, stage.threshold) for stage in row] for row in self.rows]
        )


FILTER_NAMES: tuple[str, ...] = tuple(_core.move_filter_names())
"""gnubg's named filters from narrow to wide, after `none`, which keeps every play."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Everything about a search but its depth, which is given with each question.

    Raises ValueError naming the setting that is out of range.
    """

    filter: str | MoveFilter | None = None
    """A name of FILTER_NAMES or a filter of one's own; None is the evaluator's default."""
    prune: bool = True
    """Inside a search of gnubg's, choose replies among the plays its pruning networks prefer."""
    noise: float = 0.0
    """Standard deviation of what is added to a static winning chance."""
    noise_seed: int | None = None
    """Seed of random noise; None draws the noise from the position, so that it repeats exactly."""
    threads: int = 1
    """Results never depend on it."""

    def __post_init__(self) -> None:
        if isinstance(self.filter, str) and self.filter not in FILTER_NAMES:
            raise ValueError(f"filter: expected one of {', '.join(FILTER_NAMES)}, got {self.filter[:40]!r}")
        if not (math.isfinite(self.noise) and 0.0 <= self.noise <= MAX_NOISE):
            raise ValueError(f"noise: expected 0 to {MAX_NOISE:g}, got {self.noise!r}")
        if self.noise_seed is not None and not 0 <= self.noise_seed < 2**64:
            raise ValueError(f"noise seed: expected 0 to 2**64 - 1, got {self.noise_seed!r}")
        if not 1 <= self.threads <= MAX_THREADS:
            raise ValueError(f"threads: expected 1 to {MAX_THREADS}, got {self.threads!r}")

    def core_filter(self, *, default: str, table: str) -> _core.MoveFilter:
        """The filter as the compiled search takes it; names are looked up in gnubg's `table` `A` or `B`."""
        if isinstance(self.filter, MoveFilter):
            return self.filter.core()
        return _core.MoveFilter.named(default if self.filter is None else self.filter, table)
