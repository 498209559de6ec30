"""Values of positions: gnubg's, exact fractions, and one answer whatever the layout of the file."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from botd.engine import bearoff, position_id, rules
from botd.engine.bearoff import Databases, OneSidedShape, TwoSidedShape
from botd.engine.types import STARTING_BOARD, Board, Probabilities
from tests.bearoff import brute_force
from tests.tolerances import BEAROFF_ENUMERATION, BEAROFF_REFERENCE, TWO_SIDED_ROUNDING

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "gnubg-bearoff-positions.jsonl")
    .read_text()
    .splitlines()
]
FIELDS = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")


def values(p: Probabilities | None) -> list[float]:
    assert p is not None
    return [getattr(p, field) for field in FIELDS]


def board_of(own: list[int], opponent: list[int]) -> Board:
    """Counts from each side's own ace point up."""
    points = [0] * 26
    for point, count in enumerate(own, 1):
        points[point] += count
    for point, count in enumerate(opponent, 1):
        points[25 - point] -= count
    return tuple(points)


@pytest.fixture(scope="module")
def both(one_sided: Path, two_sided: Path) -> Databases:
    return Databases(one_sided, two_sided)


def test_the_reference_positions(both: Databases) -> None:
    assert len(CASES) == 200
    for case in CASES:
        board = position_id.decode(case["position_id"])
        p = values(both.probabilities(board))
        assert p == pytest.approx([case["probabilities"][field] for field in FIELDS], abs=BEAROFF_REFERENCE)
        assert 2 * p[0] - 1 + p[1] - p[3] == pytest.approx(case["cubeless_equity"], abs=BEAROFF_REFERENCE)
        if "win_by_enumeration" in case:
            assert p[0] == pytest.approx(case["win_by_enumeration"], abs=BEAROFF_ENUMERATION)
        money = both.money(board)
        assert (money is None) == (case["database"] == "one-sided")
        if money is None:
            continue
        expected = case["money_cubeful"]
        assert money.opponent == pytest.approx(expected["opponent_owns"]["equity"], abs=BEAROFF_REFERENCE)
        for cube, no_double in (("centered", money.centered), ("owned", money.owned)):
            assert no_double == pytest.approx(expected[cube]["no_double"], abs=BEAROFF_REFERENCE)
            assert money.double_take == pytest.approx(expected[cube]["double_take"], abs=BEAROFF_REFERENCE)
            assert money.optimal(no_double) == pytest.approx(expected[cube]["optimal"], abs=BEAROFF_REFERENCE)


def test_one_sided_values_are_close_to_exact_ones(one_sided: Path, both: Databases) -> None:
    """Playing for the fewest rolls loses little: the exact value is at most a little better."""
    alone = Databases(one_sided)
    for case in CASES:
        board = position_id.decode(case["position_id"])
        if case["database"] == "two-sided":
            assert values(alone.probabilities(board))[0] == pytest.approx(
                values(both.probabilities(board))[0], abs=0.02
            )


def test_small_positions_against_exact_fractions(both: Databases) -> None:
    sides = [side for side in brute_force.sides(6, 2) if any(side)]
    for own in sides[::2]:
        for opponent in sides[::3]:
            board = board_of(list(own), list(opponent))
            win = float(brute_force.win(own, opponent))
            assert values(both.probabilities(board)) == pytest.approx(
                [win, 0, 0, 0, 0], abs=TWO_SIDED_ROUNDING
            )
            money = both.money(board)
            assert money is not None
            centered = float(brute_force.cubeful(own, opponent, "centre"))
            assert money.centered == pytest.approx(centered, abs=TWO_SIDED_ROUNDING)
            after_double = float(brute_force.with_cube(own, opponent, "centre"))
            assert money.optimal(money.centered) == pytest.approx(after_double, abs=2 * TWO_SIDED_ROUNDING)


def random_home_board(rng: random.Random, own: int, opponent: int) -> Board:
    sides = []
    for checkers in (own, opponent):
        counts = [0] * 6
        for _ in range(checkers):
            counts[rng.randrange(6)] += 1
        sides.append(counts)
    return board_of(*sides)


def test_layouts_answer_alike(one_sided: Path, two_sided: Path, tmp_path: Path) -> None:
    """Gammon distributions that are not there are computed; a cubeless file has the same cubeless part."""
    rng = random.Random(1)
    boards = [
        random_home_board(rng, own, opponent) for own, opponent in [(15, 15), (15, 9), (8, 15), (7, 7)] * 25
    ]
    reference = Databases(one_sided)
    for gammons, compressed in [(True, False), (False, True), (False, False)]:
        path = tmp_path / "other.bd"
        bearoff.generate(OneSidedShape(gammons=gammons, compressed=compressed), path)
        other = Databases(path)
        for board in boards:
            assert other.probabilities(board) == reference.probabilities(board)
    path = tmp_path / "cubeless.bd"
    bearoff.generate(TwoSidedShape(cubeful=False), path)
    cubeful, cubeless = Databases(None, two_sided), Databases(None, path)
    for _ in range(100):
        board = random_home_board(rng, rng.randint(1, 6), rng.randint(1, 6))
        assert cubeless.probabilities(board) == cubeful.probabilities(board) is not None
        assert cubeless.money(board) is None


def test_gammons_by_playing_on(one_sided: Path) -> None:
    """A gammon before the roll is the average over the rolls of what the best reply leaves."""
    databases = Databases(one_sided)
    board = board_of([0, 0, 0, 0, 1, 1], [0, 0, 0, 5, 5, 5])
    p = databases.probabilities(board)
    assert p is not None
    assert p.win > 0.9999
    expected = 0.0
    for dice, ways in brute_force.ROLLS:
        plays = [rules.mirrored(play.board) for play in rules.legal_plays(board, dice)]
        if any(rules.game_result(after) for after in plays):
            expected += ways  # the opponent still has all fifteen
            continue
        expected += ways * max(values(databases.probabilities(after))[3] for after in plays)
    assert p.win_gammon == pytest.approx(expected / 36, abs=TWO_SIDED_ROUNDING)


def test_what_is_covered(one_sided: Path, two_sided: Path) -> None:
    contact = board_of([0] * 17 + [1], [0] * 7 + [1])
    seven = board_of([0] * 6 + [1], [1])
    over = board_of([0], [3])
    race = board_of([2, 2, 3], [1])
    exact = board_of([2, 2, 2], [1])
    both = Databases(one_sided, two_sided)
    for board in (STARTING_BOARD, contact, seven, over, rules.mirrored(seven)):
        assert not both.covers(board)
        assert both.probabilities(board) is None
        assert both.money(board) is None
    assert both.covers(race)
    assert both.money(race) is None
    assert both.money(exact) is not None
    assert Databases(None, two_sided).probabilities(race) is None
    assert Databases(one_sided).money(exact) is None
    assert Databases().probabilities(exact) is None
    assert both.files == [one_sided, two_sided]
    assert Databases().files == []


def test_larger_databases_reach_further(tmp_path: Path) -> None:
    path = tmp_path / "large.bd"
    bearoff.generate(OneSidedShape(points=12, checkers=3, gammons=False), path)
    databases = Databases(path)
    side = (0,) * 8 + (1, 0, 1)
    board = board_of(list(side), [0, 0, 0, 0, 0, 0, 2])
    p = databases.probabilities(board)
    assert p is not None
    expected = float(brute_force.win((*side, 0), (0,) * 6 + (2,) + (0,) * 5))
    assert p.win == pytest.approx(expected, abs=0.002)  # one-sided: not quite the best play


def test_gammons_away_from_home_need_a_database_that_has_them(tmp_path: Path) -> None:
    """With a checker outside the home board nothing else knows when the first checker goes off."""
    path = tmp_path / "seven.bd"
    away = board_of([0, 0, 0, 5, 5, 4, 1], [0, 0, 0, 0, 0, 5])
    home = board_of([0, 0, 0, 5, 5, 5], [0, 0, 0, 0, 0, 5])
    bearoff.generate(OneSidedShape(points=7), path)
    with_gammons = Databases(path)
    assert with_gammons.probabilities(away) is not None
    bearoff.generate(OneSidedShape(points=7, gammons=False), path.with_suffix(".no"))
    without = Databases(path.with_suffix(".no"))
    assert without.probabilities(away) is None
    assert without.probabilities(home) == with_gammons.probabilities(home) is not None
    fewer = board_of([0, 0, 0, 5, 5, 3, 1], [0, 0, 0, 0, 0, 0, 5])
    assert without.probabilities(fewer) == with_gammons.probabilities(fewer) is not None
