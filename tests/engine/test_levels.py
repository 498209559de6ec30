"""The table of levels and its names."""

from __future__ import annotations

import dataclasses

import pytest

from botd.engine.levels import EASY, HARD, LEVELS, MEDIUM, DoublingHabit, PlayingLevel, find_level


def test_names_are_found_however_they_are_written() -> None:
    for name, level in LEVELS.items():
        assert find_level(name) is level
        assert find_level(name.upper().replace(" ", "-")) is level
    for text in ("casual", "Casual_Play", " world-class", "WORLD CLASS", "worldclass"):
        assert find_level(text).name in ("casual play", "world class")


@pytest.mark.parametrize("text", ["", "master", "2", "hard\n\x00", "ply2", "easy" * 100])
def test_unknown_names_are_refused_with_the_list(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected one of beginner, .*easy, medium, hard") as error:
        find_level(text)
    assert len(str(error.value)) < 400


def test_figures_out_of_range_are_refused() -> None:
    for changes in (
        {"easy_noise": 1.1},
        {"easy_noise": -0.1},
        {"easy_noise": float("nan")},
        {"least_take_wins": 2.0},
        {"plies": -1},
        {"candidates": 0},
        {"doubling": DoublingHabit(0.6, 1.5)},
    ):
        with pytest.raises(ValueError, match="level own"):
            dataclasses.replace(PlayingLevel("own", plies=1), **changes)


def test_the_three_players_differ_as_documented() -> None:
    assert (EASY.easy_noise, EASY.doubling, EASY.least_take_wins) == (0.30, None, None)
    assert (MEDIUM.plies, MEDIUM.candidates) == (1, 5)
    assert (HARD.plies, HARD.candidates) == (2, 15)
    assert MEDIUM.doubling == DoublingHabit(0.66, 0.88, 0.80, 0.25)
    assert HARD.doubling == DoublingHabit(0.66, 0.82, 0.80, 0.25)
    assert MEDIUM.least_take_wins == HARD.least_take_wins == 0.25
