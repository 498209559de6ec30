"""What a tally of throws comes to: figures beside what fair dice give, a verdict, and a line for a player."""

from __future__ import annotations

import math
from dataclasses import dataclass

from botd.journal.records import Dice, Side
from botd.stats import probability as pr
from botd.stats.dice import (
    DOUBLES_CHANCE,
    LEAST_EXPECTED,
    MEAN_PIPS,
    PAIRS,
    PIPS_VARIANCE,
    Comparison,
    DiceTally,
    SideTally,
    entry_chance,
    weight,
)

UNUSUAL, UNFAIR = 0.05, 0.001
"""Below these corrected p-values the dice are called unusual, unfair."""
ENOUGH_ROLLS = math.ceil(36 * LEAST_EXPECTED)
"""So many rolls of a side put enough into the rarest of the 21 classes; with fewer there is no verdict."""
_POWER_Z = 0.8416
"""Four times in five a normal variable is above minus this."""


@dataclass(frozen=True, slots=True)
class Counted:
    """How often something came up, and how often fair dice bring it up on average."""

    name: str
    count: int
    expected: float


@dataclass(frozen=True, slots=True)
class BarEntry:
    """Throws with a checker on the bar, against so many closed points."""

    closed: int
    rolls: int
    entered: int
    """In how many at least one checker could come in."""
    chance: float
    """1 - (closed / 6)^2."""


@dataclass(frozen=True, slots=True)
class SideReport:
    """One side's throws, those of the opening left out."""

    rolls: int
    faces: list[Counted]
    pairs: list[Counted]
    doubles: int
    doubles_rate: float | None
    doubles_range: tuple[float, float]
    """Where 95 of 100 fair sides lie after as many rolls."""
    pips: float | None
    """A roll, on average."""
    pips_range: tuple[float, float]
    bar: list[BarEntry]
    longest_doubles: int
    """Doubles in a row."""
    longest_without: int
    """Rolls in a row without a double."""


@dataclass(frozen=True, slots=True)
class OpeningReport:
    thrown: int
    """Opening throws that were played: two different dice."""
    equal: int
    """Equal opening dice that the server showed."""
    won_by_us: int
    pairs: list[Counted]


@dataclass(frozen=True, slots=True)
class DiceReport:
    """Everything about the dice of one server or match; ready for JSON."""

    scope: str
    matches: int
    recorded_twice: int
    """Matches between two accounts of the journal, which both have recorded; each is counted once."""
    rolls: int
    """All throws, of both sides, those of openings included."""
    us: SideReport
    opponent: SideReport
    openings: OpeningReport
    repeated: Counted
    """Throws equal to the one before in the same game."""
    tests: list[Comparison]
    tests_made: int
    verdict: str
    """`too_few`, `ordinary`, `unusual` or `unfair`."""
    summary: str
    """What follows from the tests, and what does not."""
    message: str
    """One line that can be sent to a player, in printable ASCII."""


def dice_report(tally: DiceTally, scope: str, *, recorded_twice: int = 0) -> DiceReport:
    """All figures and tests. `scope` names what was counted, such as a server."""
    tests = tally.tests()
    us, opponent = (_side_report(tally.sides[side]) for side in (Side.US, Side.OPPONENT))
    thrown = sum(tally.openings.values())
    fewest = min(us.rolls, opponent.rolls)
    verdict = _verdict(tests, fewest)
    return DiceReport(
        scope=scope,
        matches=tally.matches,
        recorded_twice=recorded_twice,
        rolls=us.rolls + opponent.rolls + thrown + tally.equal_openings,
        us=us,
        opponent=opponent,
        openings=OpeningReport(
            thrown=thrown,
            equal=tally.equal_openings,
            won_by_us=tally.opening_wins,
            pairs=[Counted(_name(pair), n, thrown / 15) for pair, n in tally.openings.items()],
        ),
        repeated=Counted("same roll again", tally.repeated, tally.repeated_expected),
        tests=tests,
        tests_made=sum(test.p is not None for test in tests),
        verdict=verdict,
        summary=_summary(verdict, tests, fewest),
        message=_message(verdict, us, opponent, tests),
    )


def _verdict(tests: list[Comparison], fewest: int) -> str:
    smallest = min((test.adjusted for test in tests if test.adjusted is not None), default=1.0)
    if smallest < UNFAIR:
        return "unfair"
    if smallest < UNUSUAL:
        return "unusual"
    return "too_few" if fewest < ENOUGH_ROLLS else "ordinary"


def _summary(verdict: str, tests: list[Comparison], fewest: int) -> str:
    made = [
        (test.p, test.adjusted, test) for test in tests if test.p is not None and test.adjusted is not None
    ]
    if not made:
        return "No rolls, so nothing can be said."
    p, adjusted, oddest = min(made, key=lambda entry: entry[0])
    where = oddest.name if oddest.side == "both" else f"{oddest.name} ({oddest.side})"
    by_chance = 1 - (1 - UNUSUAL) ** len(made)
    found = (
        f"The oddest of {len(made)} tests is {where}: p {_p(p)}, and p {_p(adjusted)} corrected for their"
        f" number. (With fair dice the smallest p of {len(made)} tests is below 0.05 in up to {by_chance:.0%}"
        " of such reports.)"
    )
    if verdict == "unfair":
        return f"{found} Fair dice hardly ever give that: see the roll log, tell the server's administrators."
    if verdict == "unusual":
        return f"{found} That is unusual for fair dice, and no proof: see whether it stays so with new rolls."
    seen = DOUBLES_CHANCE + (pr.Z95 + _POWER_Z) * math.sqrt(
        DOUBLES_CHANCE * (1 - DOUBLES_CHANCE) / max(fewest, 1)
    )
    power = (
        f"With {fewest} rolls of a side, doubles would have to come in more than {seen:.1%} of its rolls"
        f" (fair: {DOUBLES_CHANCE:.1%}) to be noticed reliably."
        if seen < 1
        else f"With {fewest} rolls of a side nothing could be noticed."
    )
    if verdict == "too_few":
        return f"Too few rolls to tell ({fewest} of a side, {ENOUGH_ROLLS} needed). {found} {power}"
    return f"{found} That is what fair dice look like. {power}"


def _message(verdict: str, us: SideReport, opponent: SideReport, tests: list[Comparison]) -> str:
    if us.doubles_rate is None or opponent.doubles_rate is None or us.pips is None or opponent.pips is None:
        return "The server rolls the dice, not I. I have no rolls on record yet."
    counted = (
        f"The server rolls the dice, not I, and I keep a log of every roll. So far {us.rolls} rolls for me"
        f" and {opponent.rolls} for my opponents: doubles {us.doubles_rate:.1%} and"
        f" {opponent.doubles_rate:.1%} (fair 16.7%), pips a roll {us.pips:.2f} and"
        f" {opponent.pips:.2f} (fair {MEAN_PIPS:.2f})."
    )
    if verdict == "too_few":
        return f"{counted} Too few to tell."
    tail = {
        "ordinary": "Nothing unusual.",
        "unusual": "A bit unusual, but no proof.",
        "unfair": "That is odd: please tell the administrators.",
    }[verdict]
    ps = [f"p {_p(test.p)}" for test in tests if test.name == "21 rolls" and test.p is not None]
    values = f"Chi-square tests of the 21 rolls: {' and '.join(ps)}." if ps else ""
    return " ".join(part for part in (counted, values, tail) if part)


def _side_report(tally: SideTally) -> SideReport:
    rolls = tally.rolls
    spread = pr.Z95 * math.sqrt(PIPS_VARIANCE / rolls) if rolls else math.inf
    doubles = pr.chance_range(DOUBLES_CHANCE, rolls)
    return SideReport(
        rolls=rolls,
        faces=[Counted(str(face), tally.faces[face], rolls / 3) for face in range(1, 7)],
        pairs=[Counted(_name(pair), tally.pairs[pair], rolls * weight(pair) / 36) for pair in PAIRS],
        doubles=tally.doubles,
        doubles_rate=tally.doubles / rolls if rolls else None,
        doubles_range=(doubles.low, doubles.high),
        pips=tally.pips / rolls if rolls else None,
        pips_range=(max(3.0, MEAN_PIPS - spread), min(24.0, MEAN_PIPS + spread)),
        bar=[
            BarEntry(closed, tally.bar_rolls[closed], tally.bar_entered[closed], entry_chance(closed))
            for closed in range(7)
        ],
        longest_doubles=tally.longest_doubles,
        longest_without=tally.longest_without,
    )


def _name(pair: Dice) -> str:
    return f"{pair[0]}{pair[1]}"


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"= {value:.4f}" if value < 0.01 else f"= {value:.2f}"
