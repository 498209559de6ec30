"""Fast mode against exact mode on recorded decisions of self-played games."""

from __future__ import annotations

import pytest

from botd.engine.fast_engine import FastEngine
from tests.fast.agreement_data import PLIES, cube_cases, play_cases
from tests.tolerances import FAST_MEAN_LOSS, FAST_SAME_CHOICE, RECORDED_EQUITY


@pytest.mark.parametrize("ply", PLIES)
def test_the_same_plays(fast: FastEngine, ply: int) -> None:
    cases = play_cases()
    assert len(cases) >= 250
    losses = []
    for case in cases:
        equities = case.equities[ply]
        chosen = fast.choose_play(case.board, case.context, case.dice, ply=ply).best.play.board
        losses.append(max(equities.values()) - equities[chosen])
    same = sum(loss <= RECORDED_EQUITY for loss in losses)
    assert same >= FAST_SAME_CHOICE * len(cases)
    assert sum(losses) / len(cases) < FAST_MEAN_LOSS


@pytest.mark.parametrize("ply", PLIES)
def test_the_same_cube_decisions(fast: FastEngine, ply: int) -> None:
    cases = cube_cases()
    assert len(cases) >= 200
    same, losses = 0, []
    for case in cases:
        no_double, take, drop = case.equities[ply]
        cube = fast.cube_action(case.board, case.context, ply=ply)
        doubles = min(cube.double_take, cube.double_pass) > cube.no_double
        takes = cube.double_take <= cube.double_pass
        same += doubles == (min(take, drop) > no_double) and takes == (take <= drop)
        made = min(take, drop) if doubles else no_double
        answered = take if takes else drop
        losses.append(max(no_double, min(take, drop)) - made + answered - min(take, drop))
    assert same >= FAST_SAME_CHOICE * len(cases)
    assert sum(losses) / len(cases) < FAST_MEAN_LOSS
