"""Match equity tables that are given by parameters, as GNU Backgammon 1.07 computes them.

The types are `zadeh` (Norman Zadeh, "On Doubling in Tournament Backgammon", Management Science 23, 1977)
and `mec` (Claes Thornberg's match equity calculator). What the program makes of a file was found by
running it on files with varied parameters:

- before Crawford neither type uses its parameters: every score gets the same normal distribution of the
  difference in points that extends explicit tables (`MatchEquityTable` without rows);
- after Crawford both follow the trailer's recursion over single games and gammons, with corrections for the
  free drop at 2-away and 4-away.
"""

from __future__ import annotations

from collections.abc import Mapping

MAX_LENGTH = 64

_PARAMETERS = {
    ("zadeh", False): {
        "gammon-rate-leader": 0.25,
        "gammon-rate-trailer": 0.15,
        "delta": 0.08,
        "delta-bar": 0.06,
    },
    ("mec", False): {"gammon-rate": 0.25, "win-rate": 0.5},
    ("zadeh", True): {"gammon-rate-trailer": 0.25, "free-drop-2-away": 0.015, "free-drop-4-away": 0.004},
    ("mec", True): {
        "gammon-rate": 0.25,
        "win-rate": 0.5,
        "free-drop-2-away": 0.015,
        "free-drop-4-away": 0.004,
    },
}
"""By type and whether post-Crawford: what a file may set, with the values of what it does not."""


class FormulaError(ValueError):
    """A type or a parameter that is not known or not possible."""


def formula_rows(kind: str, given: Mapping[str, float], *, post_crawford: bool) -> tuple[float, ...]:
    """The trailer's chances needing 1, 2, ... 64 points after Crawford; before Crawford nothing but a check.

    Raises FormulaError for an unknown type, or a parameter that is unknown or no share from 0 to 1.
    """
    known = _PARAMETERS.get((kind, post_crawford))
    if known is None:
        raise FormulaError(f'expected type="explicit", "zadeh" or "mec", got type="{kind[:40]}"')
    for name, value in given.items():
        if name not in known:
            raise FormulaError(
                f"parameter {name[:40]!r}: expected one of {', '.join(known)} with type {kind}"
            )
        if not 0.0 <= value <= 1.0:
            raise FormulaError(f"parameter {name}: expected a number from 0 to 1, got {value!r}")
    if not post_crawford:
        return ()
    values = {**known, **given}
    return _zadeh(values) if kind == "zadeh" else _mec(values)


def _zadeh(values: Mapping[str, float]) -> tuple[float, ...]:
    """Free drops lower the trailer's chances where they happen, and so at all needs that lead there."""
    drops = {2: values["free-drop-2-away"], 4: values["free-drop-4-away"]}
    row: list[float] = []
    for need in range(1, MAX_LENGTH + 1):
        chance = 0.5 if need == 1 else _next(row, need, 0.5, values["gammon-rate-trailer"])
        row.append(chance - drops.get(need, 0.0))
    return tuple(row)


def _mec(values: Mapping[str, float]) -> tuple[float, ...]:
    """Free drops change the two needs alone, and at 4-away they raise the chance."""
    row: list[float] = []
    for need in range(1, MAX_LENGTH + 1):
        win_rate = values["win-rate"]
        row.append(win_rate if need == 1 else _next(row, need, win_rate, values["gammon-rate"]))
    row[1] -= values["free-drop-2-away"]
    row[3] += values["free-drop-4-away"]
    return tuple(row)


def _next(row: list[float], need: int, win_rate: float, gammon_rate: float) -> float:
    """Chance from a need whose game is played for two points, or four with a gammon."""

    def after(points: int) -> float:
        return row[need - points - 1] if need > points else 1.0

    return win_rate * (gammon_rate * after(4) + (1.0 - gammon_rate) * after(2))
