"""What a rough network is worth to the search: plays kept and equity lost, over all rolls and by class."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from botd import _core
from botd.training.ranking import Ranking
from botd.training.teacher import Floats, SiblingSets

SHARE = 0.995
"""Of the rolls, those in which the search should find the best play among the ones it looks at."""
_MARGINS = (0.04, 0.08, 0.12, 0.16, 0.2)
_COUNTS = (3, 4, 5, 6, 8, 10)
_CLASS_MARGIN = 0.12
_FEWEST = 50
"""A class with fewer rolls says nothing."""
_RACE = 0
_PRIMES = (3, 7, 9, 10, 11, 12, 15)
"""Networks of pairs of game plans, one of which is priming."""
_BACK_GAMES = 17
"""The first of the networks for back games, containment and the like."""


def rough_values(net: _core.PruneNet, data: SiblingSets) -> Floats:
    """What a loaded network says of every board."""
    raw = net.evaluate(data.boards.tobytes(), data.unmoved.tobytes(), data.sizes.tolist())
    return np.frombuffer(raw, np.float32)


def position_classes(data: SiblingSets) -> dict[str, npt.NDArray[np.bool_]]:
    """Which rolls belong to each class, by the position that was rolled in."""
    race = data.network == _RACE
    away = (data.unmoved[:, 7:] > 0).any(axis=1) | (data.unmoved[:, 1:19] < 0).any(axis=1)
    back = data.network >= _BACK_GAMES
    prime = np.isin(data.network, _PRIMES)
    return {
        "bear-off": race & ~away,
        "other races": race & away,
        "primes": prime,
        "back games": back,
        "other contact": ~(race | back | prime),
    }


def report(values: Floats, data: SiblingSets) -> str:
    """The figures of one network's values, as text of several lines."""
    lines = [f"{len(data.sizes)} rolls, {len(values) / len(data.sizes):.1f} plays each"]
    for name, true in (("cubeless", data.cubeless), ("cubeful", data.cubeful)):
        ranking = Ranking(values, true, data.sizes)
        margin = ranking.margin(SHARE)
        lines.append(
            f"{name}: the best play is within {margin:.3f} or among {ranking.count(SHARE)} "
            f"in {100 * SHARE} % of rolls"
        )
        lines += [f"  within {m:.3f}: {ranking.pruned(margin=m)}" for m in (*_MARGINS, margin)]
        lines += [f"  best {c:2}:      {ranking.pruned(count=c)}" for c in _COUNTS]
    lines.append(f"by class, cubeless: margin for {100 * SHARE} % of rolls, and within {_CLASS_MARGIN}")
    for name, chosen in position_classes(data).items():
        if chosen.sum() < _FEWEST:
            continue
        boards = np.repeat(chosen, data.sizes)
        ranking = Ranking(values[boards], data.cubeless[boards], data.sizes[chosen])
        lines.append(
            f"  {name:13} {chosen.sum():6} rolls, {data.sizes[chosen].mean():4.1f} plays: "
            f"margin {ranking.margin(SHARE):.3f}; {ranking.pruned(margin=_CLASS_MARGIN)}"
        )
    return "\n".join(lines)
