"""Fair dice are called fair about as often as they should be, loaded ones are found; counts are right."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from botd.journal.records import Dice, Side
from botd.stats.dice import MEAN_PIPS, PAIRS, PIPS_VARIANCE, DiceTally, Throw, pips, weight
from botd.stats.dice_report import DiceReport, dice_report

Roller = Callable[[random.Random, Throw | None, Side], Dice]
GAMES, ROLLS_A_GAME = 60, 40
JOURNALS = 200


def fair(generator: random.Random, before: Throw | None, side: Side) -> Dice:
    return generator.randint(1, 6), generator.randint(1, 6)


def game(generator: random.Random, roll: Roller, entry: Callable[[Dice], bool] | None = None) -> list[Throw]:
    """A game's worth of throws; every fifth finds a checker on the bar against one to five closed points."""
    while True:
        ours, theirs = fair(generator, None, Side.US)
        if ours != theirs:
            break
    side = Side.US if ours > theirs else Side.OPPONENT
    throws = [Throw(side, (ours, theirs), opening=True)]
    before: Throw | None = None
    for _ in range(ROLLS_A_GAME):
        side = side.other
        dice = roll(generator, before, side)
        opened = None
        if generator.random() < 0.2:
            opened = tuple(sorted(generator.sample(range(1, 7), generator.randint(1, 5))))
            if entry is not None and entry(dice) and not set(dice) & set(opened):
                dice = opened[0], opened[-1]
        before = Throw(side, dice, entry=opened)
        throws.append(before)
    return throws


def report(seed: int, roll: Roller, games: int = GAMES) -> DiceReport:
    generator = random.Random(seed)
    tally = DiceTally()
    tally.add_match([game(generator, roll) for _ in range(games)])
    return dice_report(tally, "here")


@pytest.fixture(scope="module")
def fair_reports() -> list[DiceReport]:
    return [report(seed, fair) for seed in range(JOURNALS)]


def test_fair_dice_fall_below_five_percent_about_as_often(fair_reports: list[DiceReport]) -> None:
    """Tests of continuous statistics: 5 %, give or take four standard errors of so many journals."""
    by_test: dict[tuple[str, str], list[float]] = {}
    for each in fair_reports:
        for test in each.tests:
            if test.p is not None:
                by_test.setdefault((test.name, test.side), []).append(test.p)
    assert len(by_test) == 18
    spread = 4 * (0.05 * 0.95 / JOURNALS) ** 0.5
    for (name, side), values in by_test.items():
        assert len(values) == JOURNALS, name
        share = sum(p < 0.05 for p in values) / JOURNALS
        discrete = name.startswith("longest") or name == "who wins the opening"
        assert share < 0.05 + spread, (name, side, share)
        assert discrete or share > 0.0, (name, side)
    every = [p for (name, _), values in by_test.items() for p in values if not name.startswith("longest")]
    assert sum(p < 0.05 for p in every) / len(every) == pytest.approx(0.05, abs=0.01)


def test_when_a_game_ends_makes_no_difference() -> None:
    """Games that end with the first double, as if somebody had needed it: the tests stay as they were."""
    ps = []
    for seed in range(JOURNALS):
        generator = random.Random(1000 + seed)
        tally = DiceTally()
        games = []
        for _ in range(6 * GAMES):
            throws = game(generator, fair)
            ends = (n for n, throw in enumerate(throws, 1) if throw.dice[0] == throw.dice[1])
            games.append(throws[: next(ends, None)])
        tally.add_match(games)
        ps += [t.p for t in tally.tests() if t.name in ("doubles", "21 rolls", "pips a roll", "faces")]
    assert sum(p < 0.05 for p in ps if p is not None) / len(ps) == pytest.approx(0.05, abs=0.015)


def test_fair_dice_are_seldom_called_unusual(fair_reports: list[DiceReport]) -> None:
    verdicts = [each.verdict for each in fair_reports]
    assert verdicts.count("ordinary") >= 0.9 * JOURNALS
    assert verdicts.count("unfair") <= 2  # one in a thousand
    assert verdicts.count("too_few") == 0


def sixes(generator: random.Random, before: Throw | None, side: Side) -> Dice:
    first, second = generator.choices(range(1, 7), weights=(9, 9, 9, 9, 9, 15), k=2)
    return first, second


def doubles_for_us(generator: random.Random, before: Throw | None, side: Side) -> Dice:
    dice = fair(generator, before, side)
    return (dice[0], dice[0]) if side is Side.US and generator.random() < 0.12 else dice


def sticky(generator: random.Random, before: Throw | None, side: Side) -> Dice:
    return before.dice if before is not None and generator.random() < 0.08 else fair(generator, before, side)


def high_after_low(generator: random.Random, before: Throw | None, side: Side) -> Dice:
    dice = [fair(generator, before, side) for _ in range(2)]
    low = before is not None and pips(before.dice) < MEAN_PIPS and generator.random() < 0.5
    return max(dice, key=pips) if low else dice[0]


@pytest.mark.parametrize(
    ("roll", "found"),
    [
        (sixes, ("faces", "us")),
        (sixes, ("21 rolls", "opponent")),
        (sixes, ("pips a roll", "us")),
        (doubles_for_us, ("doubles", "us")),
        (doubles_for_us, ("pips of the two sides", "both")),
        (sticky, ("same roll again", "both")),
        (high_after_low, ("pips after pips", "both")),
    ],
)
def test_loaded_dice_are_found(roll: Roller, found: tuple[str, str]) -> None:
    for seed in range(5):
        each = report(seed, roll, games=150)
        adjusted = {(test.name, test.side): test.adjusted for test in each.tests}[found]
        assert adjusted is not None
        assert adjusted < 0.001
        assert each.verdict == "unfair"
        assert "administrators" in each.summary


def test_dice_that_enter_too_often_are_found() -> None:
    generator = random.Random(1)
    tally = DiceTally()
    tally.add_match([game(generator, fair, entry=lambda _: generator.random() < 0.5) for _ in range(150)])
    each = dice_report(tally, "here")
    assert {t.name for t in each.tests if t.adjusted is not None and t.adjusted < 0.001} >= {
        "entering from the bar"
    }
    for entry in each.us.bar[1:6]:
        assert entry.entered / entry.rolls > entry.chance


def test_the_opening_is_looked_at() -> None:
    tally = DiceTally()
    tally.add_match([[Throw(Side.US, (6, low + 1), opening=True)] for low in range(5) for _ in range(20)])
    each = dice_report(tally, "here")
    assert each.openings.won_by_us == each.openings.thrown == 100
    odd = {test.name for test in each.tests if test.adjusted is not None and test.adjusted < 0.001}
    assert odd == {"opening rolls", "who wins the opening"}


def test_constants_of_a_fair_roll() -> None:
    assert sum(weight(pair) for pair in PAIRS) == 36
    rolls = [(a, b) for a in range(1, 7) for b in range(1, 7)]
    assert pytest.approx(sum(map(pips, rolls)) / 36) == MEAN_PIPS == pytest.approx(8 + 1 / 6)
    assert pytest.approx(sum((pips(roll) - MEAN_PIPS) ** 2 for roll in rolls) / 36) == PIPS_VARIANCE


def test_counts_by_hand() -> None:
    us, opponent = Side.US, Side.OPPONENT
    tally = DiceTally()
    tally.add_match(
        [
            [
                Throw(None, (2, 2), opening=True),
                Throw(us, (5, 2), opening=True),
                Throw(opponent, (1, 6)),
                Throw(us, (6, 1), entry=(6,)),
                Throw(opponent, (3, 3), entry=(1, 2)),
                Throw(us, (4, 4)),
            ],
            [Throw(opponent, (3, 4), opening=True), Throw(us, (4, 4))],
        ]
    )
    each = dice_report(tally, "here")
    assert (each.matches, each.rolls) == (1, 8)
    assert (each.us.rolls, each.opponent.rolls) == (3, 2)
    assert {c.name: c.count for c in each.us.pairs if c.count} == {"61": 1, "44": 2}
    assert [c.count for c in each.us.faces] == [1, 0, 0, 4, 0, 1]
    assert [c.expected for c in each.us.faces] == [1.0] * 6
    assert (each.us.doubles, each.us.longest_doubles, each.us.longest_without) == (2, 2, 1)
    assert each.us.pips == pytest.approx((7 + 16 + 16) / 3)
    assert [(e.rolls, e.entered) for e in each.us.bar] == [(0, 0)] * 5 + [(1, 1), (0, 0)]
    assert [(e.rolls, e.entered) for e in each.opponent.bar] == [(0, 0)] * 4 + [(1, 0), (0, 0), (0, 0)]
    assert each.us.bar[5].chance == pytest.approx(11 / 36)
    assert (each.openings.thrown, each.openings.equal, each.openings.won_by_us) == (2, 1, 1)
    # 61 was thrown after 61; nothing follows an opening, nothing goes over to the next game.
    assert each.repeated.count == 1
    assert each.repeated.expected == pytest.approx((2 + 2 + 1) / 36)
    assert each.verdict == "too_few"
    assert "Too few rolls to tell (2 of a side, 180 needed)" in each.summary


def test_nothing_and_one_roll_are_too_few() -> None:
    nothing = dice_report(DiceTally(), "here")
    assert (nothing.rolls, nothing.tests_made, nothing.verdict) == (0, 0, "too_few")
    tally = DiceTally()
    tally.add_match([[Throw(Side.US, (6, 6))]])
    one = dice_report(tally, "here")
    assert one.verdict == "too_few"
    assert one.opponent.pips is None
    for each in (nothing, one):
        assert each.message.isascii()
        assert each.message.isprintable()


def test_messages_fit_a_line(fair_reports: list[DiceReport]) -> None:
    for each in fair_reports[:20]:
        assert each.message.isascii()
        assert each.message.isprintable()
        assert len(each.message) < 400
        assert f"{each.us.rolls} rolls for me" in each.message
