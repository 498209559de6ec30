"""The dice of rollouts: Open Sage's permutations, and what they are for."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from botd import _core
from tests.rollout.plain_dice import PlainDice, mersenne_twister

SEEDS = st.integers(0, 2**32 - 1)


def test_the_generator_of_the_test_is_the_published_one():
    # The C++ standard gives the 10,000th number of the default seed.
    assert next(itertools.islice(mersenne_twister(5489), 9999, None)) == 4123659995


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, trials=st.lists(st.integers(0, 10**9), min_size=1, max_size=20))
def test_dice_follow_their_definition(seed, trials):
    plain = PlainDice(seed)
    for trial in trials:
        for half_move in (0, 1, 2, 5, 6, 64, 127):
            assert _core.rollout_roll(seed, trial, half_move) == plain.roll(trial, half_move)


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, block=st.integers(0, 1000))
def test_every_first_roll_once_in_36_games_and_every_pair_once_in_1296(seed, block):
    games = range(1296 * block, 1296 * (block + 1))
    rolls = [tuple(_core.rollout_roll(seed, game, turn) for turn in (0, 1)) for game in games]
    assert len(set(rolls)) == 1296
    for first in range(0, 1296, 36):
        assert len({one for one, _ in rolls[first : first + 36]}) == 36


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, game=st.integers(0, 10**6), half_move=st.integers(128, 999))
def test_late_dice_are_drawn_for_the_game_alone(seed, game, half_move):
    roll = _core.rollout_roll(seed, game, half_move)
    assert all(1 <= die <= 6 for die in roll)
    assert roll == _core.rollout_roll(seed, game, half_move)


def test_late_dice_are_fair():
    rolls = [_core.rollout_roll(42, game, 128 + game % 50) for game in range(7200)]
    counts = [rolls.count((first, second)) for first in range(1, 7) for second in range(1, 7)]
    assert (
        sum((count - 200) ** 2 / 200 for count in counts) < 66.6
    )  # chi-squared, 35 degrees of freedom, 0.1 %
