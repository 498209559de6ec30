"""Standard errors of differences, against the games' values taken apart in Python."""

from __future__ import annotations

import dataclasses
import statistics
import struct

import pytest

from botd import _core
from botd.engine import rules
from botd.engine.core_arguments import cube_state
from botd.engine.rollout import ROLLOUT_LEVELS, Kept, Roller
from botd.engine.types import STARTING_BOARD, GameContext
from tests.rollout.test_rollout import board_of
from tests.tolerances import EXACT_ROLLOUT

MONEY = GameContext(jacoby=True, beavers=True)
HOW = dataclasses.replace(ROLLOUT_LEVELS["1T"], games=108, seed=3)


def values(sums):
    """The two values of every game."""
    units = struct.unpack(f"<{2 * sums.trials}q", sums.values)
    return [(units[i] / 2**40, units[i + 1] / 2**40) for i in range(0, len(units), 2)]


def error(differences):
    return statistics.pstdev(differences) / len(differences) ** 0.5


def test_plays_have_the_error_of_their_difference_to_the_best(engine):
    kept: Kept = {}
    rolled = Roller(engine, HOW).plays(STARTING_BOARD, MONEY, (3, 1), at_least=4, kept=kept)
    best, *others = rolled.plays
    assert best.difference_error == 0.0
    seen = 0
    for play in others:
        if play.equity_error is None:
            assert play.difference_error is None
            continue
        # All these positions are no doubles, so that the first value counts.
        mine, bests = (values(kept[rules.mirrored(each.play.board)]) for each in (play, best))
        differences = [one[0] - other[0] for one, other in zip(mine, bests, strict=True)]
        assert -statistics.mean(differences) == pytest.approx(play.equity - best.equity, abs=EXACT_ROLLOUT)
        assert play.difference_error == pytest.approx(error(differences), abs=EXACT_ROLLOUT)
        seen += 1
    assert seen == 3


def test_a_cube_decision_has_the_error_of_its_difference(engine):
    kept: Kept = {}
    cube = Roller(engine, HOW).cube(STARTING_BOARD, GameContext(), kept=kept)
    differences = [no_double - take for no_double, take in values(kept[STARTING_BOARD])]
    decision = cube.decision
    assert statistics.mean(differences) == pytest.approx(
        decision.no_double - decision.double_take, abs=EXACT_ROLLOUT
    )
    assert cube.difference_error == pytest.approx(error(differences), abs=EXACT_ROLLOUT)


def test_in_a_match_the_errors_are_in_the_unit_of_the_equities(engine):
    # At 2-away 2-away every position is doubled sooner or later; equities are of the match at this score.
    context = GameContext(match_length=2)
    kept: Kept = {}
    cube = Roller(engine, HOW).cube(STARTING_BOARD, context, kept=kept)
    chances = [no_double for no_double, _ in values(kept[STARTING_BOARD])]
    scale = cube.no_double_error / error(chances)
    differences = [scale * (no_double - take) for no_double, take in values(kept[STARTING_BOARD])]
    assert scale > 1.5
    assert cube.difference_error == pytest.approx(error(differences), abs=EXACT_ROLLOUT)


def test_beside_a_play_that_ends_the_game_the_other_alone_is_uncertain(engine):
    rolled = Roller(engine, HOW).plays(board_of([1, 4], [1] * 3 + [2] * 3), MONEY, (4, 1), at_least=5)
    best, *others = rolled.plays
    assert (best.equity_error, best.difference_error) == (0.0, 0.0)
    assert others
    assert all(play.difference_error == play.equity_error for play in others if play.games)


def test_sums_refuse_games_of_another_origin_and_games_counted_already(engine):
    def run(first, count, *, board=STARTING_BOARD, context=MONEY, how=HOW):
        return engine.rollout(board, cube_state(context), how.core(), threads=1).run(first, count)

    sums = run(0, 5)
    for other, what in (
        (run(5, 5, board=board_of([6, 5], [5])), "position"),
        (run(5, 5, context=GameContext()), "position"),
        (run(5, 5, how=dataclasses.replace(HOW, truncate=4)), "way to roll out"),
    ):
        with pytest.raises(ValueError, match=f"expected games of one {what}, got two"):
            sums.add(other)
    for first, count in ((0, 5), (4, 3), (2, 1)):
        with pytest.raises(ValueError, match="expected each game once"):
            sums.add(run(first, count))
    assert sums == run(0, 5)
    sums.add(_core.RolloutSums())
    assert sums == run(0, 5)


@pytest.mark.parametrize("cpu_path", _core.cpu_paths())
def test_sums_refuse_games_of_another_cpu_path(engine, cpu_path):
    from botd.engine.engine import SageEngine

    here = engine.info.cpu_path
    other = SageEngine.load(cpu_path=cpu_path)
    kept: Kept = {}
    Roller(engine, HOW).cube(STARTING_BOARD, MONEY, kept=kept)
    more = dataclasses.replace(HOW, games=144)
    if cpu_path == here:
        assert Roller(other, more).cube(STARTING_BOARD, MONEY, kept=kept).games == 144
    else:
        with pytest.raises(ValueError, match="expected games of one evaluator and CPU path, got two"):
            Roller(other, more).cube(STARTING_BOARD, MONEY, kept=kept)
