"""SageEngine with settings: filters, noise, threads."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest

from botd.engine.engine import DeadlineExceeded
from botd.engine.settings import FilterStage, MoveFilter, SearchSettings
from botd.engine.types import STARTING_BOARD
from tests.search.test_engine import MONEY, match, random_positions

NAMES = ("tiny", "narrow", "normal", "large", "huge")


def deep_plays(decision, ply):
    return [ranked for ranked in decision.plays if ranked.ply == ply]


def test_without_a_filter_every_play_is_searched_to_the_end(engine):
    for settings in (SearchSettings(), SearchSettings(filter="none")):
        decision = engine.configured(settings).choose_play(STARTING_BOARD, MONEY, (3, 1), ply=1)
        assert decision == engine.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=1)
        assert {ranked.ply for ranked in decision.plays} == {1}


def test_named_filters_grow_and_keep_the_deep_values(engine):
    exact = {
        ranked.play.board: ranked.equity
        for ranked in engine.choose_play(STARTING_BOARD, MONEY, (6, 4), ply=1).plays
    }
    counts = []
    for name in NAMES:
        decision = engine.configured(SearchSettings(filter=name)).choose_play(
            STARTING_BOARD, MONEY, (6, 4), ply=1
        )
        deep = deep_plays(decision, 1)
        counts.append(len(deep))
        assert decision.plays[: len(deep)] == tuple(deep)
        assert {ranked.play.board for ranked in decision.plays} == set(exact)
        for ranked in deep:
            assert ranked.equity == exact[ranked.play.board]
        for better, worse in itertools.pairwise(deep):
            assert better.equity >= worse.equity - 1e-6
    assert counts == sorted(counts)
    assert 1 < counts[0] < counts[-1] <= 20


def test_a_filter_of_ones_own_in_three_stages(engine):
    stages = ((FilterStage(0, 6, 2.0),), (FilterStage(0, 6, 2.0), FilterStage(0, 2, 2.0)))
    configured = engine.configured(SearchSettings(filter=MoveFilter(stages)))
    decision = configured.choose_play(STARTING_BOARD, match(7, 2, 3), (6, 4), ply=2)
    assert [ranked.ply for ranked in decision.plays[:7]] == [2, 2, 1, 1, 1, 1, 0]
    assert decision.ply == 2
    exact = engine.choose_play(STARTING_BOARD, match(7, 2, 3), (6, 4), ply=2)
    assert decision.best == exact.best


def test_a_lonely_play_is_not_searched(engine):
    """As gnubg does: nothing is left to choose, so the value at the filter's depth will do."""
    forced = (0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0)
    decision = engine.configured(SearchSettings(filter="normal")).choose_play(forced, MONEY, (2, 1), ply=2)
    assert (decision.best.ply, decision.ply, decision.source) == (0, 0, "forced")
    assert engine.choose_play(forced, MONEY, (2, 1), ply=2).best.ply == 2


def test_noise_repeats_by_position_and_seed(engine):
    def equities(settings, board):
        return [r.equity for r in engine.configured(settings).choose_play(board, MONEY, (5, 2), ply=0).plays]

    differences = 0
    for board in random_positions(81, 30):
        fixed = SearchSettings(noise=0.06)
        assert equities(fixed, board) == equities(fixed, board)
        seeds = [equities(SearchSettings(noise=0.06, noise_seed=seed), board) for seed in (1, 2)]
        assert seeds[0] != seeds[1] or len(seeds[0]) == 1
        quiet = engine.choose_play(board, MONEY, (5, 2), ply=0).best.play
        differences += engine.configured(fixed).choose_play(board, MONEY, (5, 2), ply=0).best.play != quiet
    assert 0 < differences < 30


def test_noise_leaves_deep_decisions_alone(engine):
    noisy = engine.configured(SearchSettings(noise=0.06))
    for board in random_positions(83, 3):
        assert noisy.cube_action(board, MONEY, ply=1) == engine.cube_action(board, MONEY, ply=1)
        assert noisy.cube_action(board, MONEY, ply=0) != engine.cube_action(board, MONEY, ply=0)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_nothing(engine, threads):
    threaded = engine.configured(SearchSettings(threads=threads))
    for board in random_positions(85, 3):
        for context in (MONEY, match(9, 2, 4)):
            assert threaded.cube_action(board, context, ply=2) == engine.cube_action(board, context, ply=2)
            assert threaded.choose_play(board, context, (6, 1), ply=1) == engine.choose_play(
                board, context, (6, 1), ply=1
            )
            assert threaded.evaluate(board, context, ply=2) == engine.evaluate(board, context, ply=2)
    small = SearchSettings(threads=threads, filter="tiny")
    assert engine.configured(small).choose_play(STARTING_BOARD, MONEY, (4, 3), ply=2) == engine.configured(
        SearchSettings(filter="tiny")
    ).choose_play(STARTING_BOARD, MONEY, (4, 3), ply=2)


def test_a_threaded_search_ends_at_its_deadline(engine):
    threaded = engine.configured(SearchSettings(threads=8))
    for limit in (0.0, 0.01, 0.1):
        with pytest.raises(DeadlineExceeded):
            threaded.choose_play(STARTING_BOARD, MONEY, (4, 4), ply=4, deadline_s=limit)
        with pytest.raises(DeadlineExceeded):
            threaded.cube_action(STARTING_BOARD, MONEY, ply=4, deadline_s=limit)
    assert threaded.cube_action(STARTING_BOARD, MONEY, ply=1) == engine.cube_action(
        STARTING_BOARD, MONEY, ply=1
    )


def hammer(engine, boards, expected, seed, rounds):
    """Ask `engine` in ever different order and with ever different settings; what differs from `expected`."""
    wrong = []
    for round_ in range(rounds):
        number = (seed * 7919 + round_ * 104729) % len(boards)
        board = boards[number]
        view = engine.configured(SearchSettings(threads=1 + (seed + round_) % 4))
        answer = (
            view.choose_play(board, MONEY, (1 + number % 6, 1 + seed % 6), ply=0).legal_count,
            view.choose_play(board, match(7, 1, 3), (6, 1), ply=1),
            view.cube_action(board, MONEY, ply=1 + number % 2),
            view.evaluate(board, match(5, 1, 3), ply=1),
        )
        if round_ % 5 == 4:
            with pytest.raises(DeadlineExceeded):
                view.cube_action(STARTING_BOARD, MONEY, ply=3, deadline_s=0.0005)
        if answer[1:] != expected[number]:
            wrong.append((number, answer))
    return wrong


def answers(engine, boards):
    return [
        (
            engine.choose_play(board, match(7, 1, 3), (6, 1), ply=1),
            engine.cube_action(board, MONEY, ply=1 + number % 2),
            engine.evaluate(board, match(5, 1, 3), ply=1),
        )
        for number, board in enumerate(boards)
    ]


@pytest.mark.parametrize(
    ("workers", "positions", "rounds"),
    [(6, 6, 4), pytest.param(16, 200, 150, marks=pytest.mark.nightly)],
)
def test_many_python_threads_share_one_engine(engine, workers, positions, rounds):
    boards = random_positions(87, positions)
    expected = answers(engine, boards)
    with ThreadPoolExecutor(workers) as pool:
        found = [pool.submit(hammer, engine, boards, expected, seed, rounds) for seed in range(workers)]
        assert [future.result() for future in found] == [[]] * workers
    assert answers(engine, boards[:4]) == expected[:4]
