"""Names of cube decisions, by GNU Backgammon's rules applied to three equities."""

from __future__ import annotations

from dataclasses import dataclass

from botd.engine.types import CubeOwner, GameContext, Probabilities

TIE = 1e-5
"""Equities closer than this count as equal: such a double is optional."""

DECISION_TEXTS = {
    "DOUBLE_TAKE": "Double, take",
    "DOUBLE_PASS": "Double, pass",
    "NODOUBLE_TAKE": "No double, take",
    "TOOGOOD_TAKE": "Too good to double, take",
    "TOOGOOD_PASS": "Too good to double, pass",
    "DOUBLE_BEAVER": "Double, beaver",
    "NODOUBLE_BEAVER": "No double, beaver",
    "REDOUBLE_TAKE": "Redouble, take",
    "REDOUBLE_PASS": "Redouble, pass",
    "NO_REDOUBLE_TAKE": "No redouble, take",
    "TOOGOODRE_TAKE": "Too good to redouble, take",
    "TOOGOODRE_PASS": "Too good to redouble, pass",
    "NO_REDOUBLE_BEAVER": "No redouble, beaver",
    "NODOUBLE_DEADCUBE": "Never double, take (dead cube)",
    "NO_REDOUBLE_DEADCUBE": "Never redouble, take (dead cube)",
    "NOT_AVAILABLE": "Cube not available",
    "OPTIONAL_DOUBLE_TAKE": "Optional double, take",
    "OPTIONAL_REDOUBLE_TAKE": "Optional redouble, take",
    "OPTIONAL_DOUBLE_BEAVER": "Optional double, beaver",
    "OPTIONAL_DOUBLE_PASS": "Optional double, pass",
    "OPTIONAL_REDOUBLE_PASS": "Optional redouble, pass",
}
"""Every name with the text shown to people."""

DOUBLES = frozenset({"DOUBLE_TAKE", "DOUBLE_PASS", "DOUBLE_BEAVER", "REDOUBLE_TAKE", "REDOUBLE_PASS"})
"""Names that recommend doubling (an optional double is not made)."""


@dataclass(frozen=True, slots=True)
class CubeSituation:
    """Three equities of a side that might double, per unit of the cube before the double."""

    no_double: float
    double_take: float
    """Before any beaver."""
    double_pass: float
    available: bool
    """The side may double and gains something from the cube."""
    context: GameContext
    probabilities: Probabilities


def decision_name(cube: CubeSituation, *, certain_losers_hold: bool = True) -> str:
    """A key of DECISION_TEXTS.

    certain_losers_hold: a side that cannot win at all is told not to double where a double and take costs it
    nothing, as gnubg has it from 1.08 on; 1.07 calls that a (possibly optional) double.
    """
    context = cube.context
    owned = context.cube_owner is not CubeOwner.CENTERED
    if not cube.available:
        return unavailable_name(context)
    nd, dt, dp = cube.no_double, cube.double_take, cube.double_pass
    beaver = context.is_money and context.beavers and -2.0 <= dt <= 0.0
    can_win_gammon = cube.probabilities.win_gammon > 0.0
    if dt >= nd and dp >= nd:
        if dp > dt:
            hold = certain_losers_hold and cube.probabilities.win <= 0.0
            return _double_take(cube, beaver=beaver, owned=owned, hold=hold)
        gammons_count = not context.is_money or owned or not context.jacoby
        if abs(nd - dp) <= TIE and can_win_gammon and gammons_count:
            return "OPTIONAL_REDOUBLE_PASS" if owned else "OPTIONAL_DOUBLE_PASS"
        return "REDOUBLE_PASS" if owned else "DOUBLE_PASS"
    pass_name = (
        ("REDOUBLE_PASS" if owned else "DOUBLE_PASS")
        if not can_win_gammon
        else ("TOOGOODRE_PASS" if owned else "TOOGOOD_PASS")
    )
    no_double_take = "NO_REDOUBLE_TAKE" if owned else "NODOUBLE_TAKE"
    if dt >= nd or dt > dp:
        return pass_name
    if nd > dp:
        return ("TOOGOODRE_TAKE" if owned else "TOOGOOD_TAKE") if can_win_gammon else no_double_take
    if beaver:
        return "NO_REDOUBLE_BEAVER" if owned else "NODOUBLE_BEAVER"
    return no_double_take


def unavailable_name(context: GameContext) -> str:
    """The name where the side on roll may not double or gains nothing by it."""
    if context.is_money or context.cube_owner is CubeOwner.OPPONENT:
        return "NOT_AVAILABLE"
    return "NODOUBLE_DEADCUBE" if context.cube_owner is CubeOwner.CENTERED else "NO_REDOUBLE_DEADCUBE"


def _double_take(cube: CubeSituation, *, beaver: bool, owned: bool, hold: bool) -> str:
    optional = abs(cube.double_take - cube.no_double) <= TIE
    if beaver:
        if 2.0 * cube.double_take < cube.no_double:
            return "NODOUBLE_BEAVER"
        return "OPTIONAL_DOUBLE_BEAVER" if optional else "DOUBLE_BEAVER"
    if hold:
        return "NO_REDOUBLE_TAKE" if owned else "NODOUBLE_TAKE"
    if optional:
        return "OPTIONAL_REDOUBLE_TAKE" if owned else "OPTIONAL_DOUBLE_TAKE"
    return "REDOUBLE_TAKE" if owned else "DOUBLE_TAKE"
