"""Geometry and legal steps, against a generator that shares nothing with the server's."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd_protocols.bgammon import server_steps
from botd_protocols.bgammon.server_board import START, View, flip, flip_space, game_value, step_text
from botd_protocols.bgammon.server_rating import Rating, after_match
from botd_protocols.bgammon.server_replay import GameRecord, replay_content
from tests.tolerances import GLICKO_PUBLISHED_DIGITS

from .brute_force import first_steps, longest_plays, moves_of
from .harness import view


def random_view(seed: int) -> View:
    """A possible position: both sides' checkers anywhere they do not meet."""
    rng = random.Random(seed)
    board = [0] * 28
    spread = rng.choice([24, 24, 12, 6])
    own_points = rng.sample(range(1, spread + 1), rng.randint(1, min(6, spread)))
    free = [p for p in range(1, 25) if p not in own_points]
    other_points = rng.sample(free, rng.randint(1, 7))
    for points, sign, bar, off in ((own_points, 1, 26, 0), (other_points, -1, 27, 25)):
        for _ in range(15):
            where = rng.random()
            board[bar if where < 0.04 else off if where < 0.2 else rng.choice(points)] += sign
    return tuple(board)


def dice_left(rng: random.Random) -> tuple[server_steps.Dice, bool]:
    first, second = rng.randint(1, 6), rng.randint(1, 6)
    dice = server_steps.dice_of(first, second)
    return (dice, True) if rng.random() < 0.7 else (dice[: rng.randint(1, len(dice))], False)


@settings(max_examples=150)
@given(st.integers(0, 2**48))
def test_available_steps_are_those_of_the_longest_plays(seed: int) -> None:
    board = random_view(seed)
    dice, fresh = dice_left(random.Random(seed))
    steps = server_steps.available(board, dice, fresh=fresh)
    assert steps == first_steps(board, dice, fresh=fresh)
    for step in steps:
        after, hit = server_steps.apply_step(board, step)
        die = server_steps.die_of(step, dice)
        assert (step, after) in moves_of(board, die)
        assert server_steps.undo_step(after, step, hit) == board
        rest = server_steps.without(dice, die)
        lengths = {len(play) for play in longest_plays(after, rest)} if rest else {0}
        assert lengths == {len(next(iter(longest_plays(board, dice)))) - 1}, "the die assigned loses nothing"


@settings(max_examples=150)
@given(st.integers(0, 2**48))
def test_a_forced_play_leads_where_all_plays_lead(seed: int) -> None:
    rng = random.Random(seed)
    own = {rng.choice([26, 1, 2, 3, 4, 6]): 1 for _ in range(3)}
    board = tuple(view(own, {20: 2, 21: 2, 22: rng.choice([0, 2]), 24: 3}))
    dice, _ = dice_left(rng)

    def results(position: View, left: server_steps.Dice, made: int) -> set[View]:
        steps = first_steps(position, left, fresh=not made) if left else []
        if not steps:
            return {position}
        found = set()
        for step in steps:
            after = server_steps.apply_step(position, step)[0]
            rest = server_steps.without(left, server_steps.die_of(step, left))
            found |= results(after, rest, made + 1)
        return found

    ends = results(board, dice, 0)
    steps = server_steps.forced_play(board, dice)
    assert bool(steps) == (len(ends) == 1 and ends != {board})
    position = board
    for step in steps:
        position = server_steps.apply_step(position, step)[0]
    assert not steps or ends == {position}


@given(st.integers(0, 2**48))
def test_flipping_twice_changes_nothing(seed: int) -> None:
    board = random_view(seed)
    assert flip(flip(board)) == board
    assert sum(flip(board)) == -sum(board) == 0
    assert [flip_space(flip_space(space)) for space in range(28)] == list(range(28))


def test_the_specification_s_two_views_of_one_moment() -> None:
    a = (0, 0, 1, 2, 1, 0, 4, -2, 1, 1, 0, 0, 0, 2, -2, 0, 0, 0, -4, -5, 0, 0, 0, -2, 2, 0, 1, 0)
    b = (0, -2, 2, 0, 0, 0, 5, 4, 0, 0, 0, 2, -2, 0, 0, 0, -1, -1, 2, -4, 0, -1, -2, -1, 0, 0, 0, -1)
    assert flip(a) == b
    assert flip(START) == START
    assert server_steps.available(a, (2, 5), fresh=True) == [(26, 20)]
    assert (flip_space(26), flip_space(20)) == (27, 5)


def test_both_dice_even_for_the_last_checker() -> None:
    board = tuple(view({4: 1}, {24: 2}))
    assert server_steps.available(board, (5, 2), fresh=True) == [(4, 2)]
    assert server_steps.available(board, (5, 2), fresh=True, last_checker_free=True) == [(4, 2), (4, 0)]


@pytest.mark.parametrize(
    ("own", "value"),
    [
        ({6: 15}, 2), ({6: 14}, 1), ({19: 1, 6: 14}, 3), ({26: 1, 6: 14}, 3), ({18: 1, 6: 14}, 2),
        ({24: 1, 6: 5}, 3), ({26: 1, 6: 5}, 3), ({18: 1, 6: 5}, 1),
    ],
)  # fmt: skip
def test_game_value(own: dict[int, int], value: int) -> None:
    assert game_value(view(own, {1: 2})) == value


def test_recorded_games() -> None:
    record = GameRecord(1796004581, ("BOT_acme", "Guest_alice"), 3, (0, 1), 0)
    record.turn(1, (3, 1), [(8, 5), (6, 5)])
    record.turn(2, (2, 6), [(26, 23), (6, 0)])
    record.double(1, 2, True)
    record.gave_up(2)
    record.winner, record.points = 1, 4
    expected = (
        "i 1796004581 BOT_acme Guest_alice 3 0 1 1 4 0\n1 r 3-1 8/5 6/5\n2 r 6-2 bar/2 19/off\n1 d 2 1\n2 t\n"
    )
    assert base64.b64decode(replay_content([record])).decode() == expected
    both = base64.b64decode(replay_content([record, record]))
    lines = both.decode().splitlines()
    offsets = [int(line.split()[1]) for line in lines if line.startswith("bgammon-replay ")]
    assert [both[offset:].decode().startswith("i 1796004581") for offset in offsets] == [True, True]
    assert step_text((26, 0)) == "bar/off"


def test_glicko_2_with_the_figures_of_its_paper_s_first_opponent() -> None:
    # Glickman's example player (1500, RD 200) and his first opponent (1400, RD 30): g and E are published as
    # 0.9955 and 0.639; the rest of the step follows from them.
    player, opponent = Rating(1500.0, 200.0, 0.06), Rating(1400.0, 30.0, 0.06)
    won, lost = after_match(player, opponent, True), after_match(player, opponent, False)
    variance = 1.0 / (0.9955**2 * 0.639 * 0.361)
    phi_star = (200.0 / 173.7178) ** 2 + 0.06**2
    phi = 1.0 / (1.0 / phi_star + 1.0 / variance)
    assert won.value - 1500.0 == pytest.approx(173.7178 * phi * 0.9955 * 0.361, rel=GLICKO_PUBLISHED_DIGITS)
    assert 1500.0 - lost.value == pytest.approx(173.7178 * phi * 0.9955 * 0.639, rel=GLICKO_PUBLISHED_DIGITS)
    assert won.deviation == pytest.approx(173.7178 * phi**0.5, rel=GLICKO_PUBLISHED_DIGITS)
    assert won.volatility == pytest.approx(0.06, rel=GLICKO_PUBLISHED_DIGITS)


@given(st.floats(0, 4000), st.floats(30, 350), st.floats(0, 4000), st.floats(30, 350), st.booleans())
def test_a_win_never_costs_and_a_loss_never_gives(
    own: float, own_deviation: float, other: float, other_deviation: float, won: bool
) -> None:
    after = after_match(Rating(own, own_deviation), Rating(other, other_deviation), won)
    assert (after.value >= own) if won else (after.value <= own)
    assert 0.0 < after.volatility < 1.0
    assert 0.0 < after.deviation <= 500.0
