"""Rollouts that end by their standard error: batches with new seeds, until the first that is enough."""

from __future__ import annotations

import contextlib
import dataclasses
import statistics

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botd.engine.core_arguments import other_side
from botd.engine.rollout import ROLLOUT_LEVELS, Kept, Roller
from botd.engine.rollout_file import RolloutFileError, read_rollout, write_rollout
from botd.engine.types import STARTING_BOARD
from tests.rollout.test_rollout_file import MONEY, QUESTION, QUICK, Cut, changed, refused, rolled
from tests.tolerances import EXACT_ROLLOUT

BATCH = dataclasses.replace(QUICK, games=36)


def longest(how):
    """All 16 batches."""
    return dataclasses.replace(how.until(1.0), target=None)


def test_batches_are_rollouts_with_open_sages_seeds(engine):
    how = dataclasses.replace(ROLLOUT_LEVELS["1T"], seed=0xF0000000)
    many = dataclasses.replace(how, games=216, batch=72)
    parts = [dataclasses.replace(how, seed=(how.seed + number * 0x9E3779B9) % 2**32) for number in range(3)]
    equities = [rolled(engine, part, {}, dice=None).decision.no_double for part in parts]
    assert len(set(equities)) == 3
    together = rolled(engine, many, {}, dice=None)
    assert together.games == 216
    assert together.decision.no_double == pytest.approx(statistics.mean(equities), abs=EXACT_ROLLOUT)


@pytest.mark.parametrize("dice", [None, (3, 1)])
def test_the_first_batch_that_is_enough_is_the_last(engine, dice):
    def error(result):
        return result.no_double_error if dice is None else result.plays[0].equity_error

    def games(result):
        return result.games if dice is None else result.plays[0].games

    errors = {}
    for count in range(1, 17):
        how = dataclasses.replace(BATCH, games=36 * count, batch=36)
        errors[count] = error(rolled(engine, how, {}, dice=dice))
    for target in (errors[1], errors[2] * 1.0001, errors[5], errors[16], errors[16] * 0.5):
        result = rolled(engine, BATCH.until(target), {}, dice=dice)
        enough = min((count for count in errors if errors[count] <= target), default=16)
        assert games(result) == 36 * enough
        assert error(result) == errors[enough]


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    dice=st.sampled_from([None, (3, 1), (6, 4), (2, 1)]),
    seed=st.integers(0, 2**32 - 1),
    cuts=st.lists(st.integers(0, 25), max_size=3),
    part=st.floats(0.3, 1.0),
)
def test_cut_and_gone_on_with_it_ends_where_it_would_have(engine, tmp_path, dice, seed, cuts, part):
    path = tmp_path / "rollout.json"
    how = dataclasses.replace(BATCH, seed=seed).until(0.03 * part)
    question = dataclasses.replace(QUESTION, dice=dice)
    context = MONEY if dice is None else other_side(MONEY)
    kept: Kept = {}
    for cut in cuts:
        with contextlib.suppress(KeyboardInterrupt):
            rolled(engine, how, kept, dice=dice, threads=2, progress=Cut(cut))
        write_rollout(path, question, how, engine.info, kept)
        kept = read_rollout(path).games(engine.info, context)
    whole = rolled(engine, how, {}, dice=dice)
    assert rolled(engine, how, kept, dice=dice) == whole
    closer = dataclasses.replace(how, target=0.02 * part)
    assert rolled(engine, closer, kept, dice=dice) == rolled(engine, closer, {}, dice=dice)


def test_progress_grows_and_ends(engine):
    seen: list[float] = []
    rolled(engine, longest(BATCH), {}, dice=(3, 1), progress=seen.append)
    assert seen == sorted(seen)
    assert 0.0 <= seen[0] < 0.05
    assert 0.95 < seen[-1] <= 1.0


def test_a_file_has_a_target_or_a_number_of_games(engine, tmp_path):
    path = tmp_path / "rollout.json"
    write_rollout(path, QUESTION, BATCH.until(0.01), engine.info, {})
    saved = read_rollout(path)
    assert saved.extended(None) == BATCH.until(0.01)
    assert saved.extended(None, 0.005) == BATCH.until(0.005)
    for games, target in ((720, None), (720, 0.1)):
        with pytest.raises(RolloutFileError, match="expected a target, as it has, not a number of games"):
            saved.extended(games, target)
    for field, value in (("target", -1), ("target", "x"), ("batch", 35), ("batch", None), ("batch", 0)):
        write_rollout(path, QUESTION, BATCH.until(0.01), engine.info, {})
        changed(path, lambda rollout, f=field, v=value: rollout["settings"].update({f: v}))
        refused(engine, path)
    write_rollout(path, QUESTION, BATCH, engine.info, {})
    with pytest.raises(RolloutFileError, match="expected a number of games, as it has, not a target"):
        read_rollout(path).extended(None, 0.1)


def test_settings_of_the_two_ways_are_not_mixed(engine):
    kept: Kept = {}
    Roller(engine, BATCH).cube(STARTING_BOARD, MONEY, kept=kept)
    with pytest.raises(ValueError, match="expected games of one way to roll out, got two"):
        Roller(engine, BATCH.until(0.001)).cube(STARTING_BOARD, MONEY, kept=kept)
