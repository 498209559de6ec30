"""The fast engine: answers, settings, time, cancellation, and that nothing but the question decides."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable

import pytest

from botd.engine import rules
from botd.engine.engine import SageEngine
from botd.engine.fast_engine import CancelToken, FastEngine, FastSettings
from botd.engine.protocol import ConfigurableEngine, Engine, EvaluatingEngine, load_engine
from botd.engine.settings import FilterStage, MoveFilter, SearchSettings
from botd.engine.types import (
    STARTING_BOARD,
    Board,
    CubeDecision,
    CubeOwner,
    EngineMode,
    GameContext,
    PlayDecision,
    Scoring,
)
from tests.fast.agreement_data import PlayCase, play_cases
from tests.tolerances import FAST_UNPRUNED

MONEY = GameContext()
EVERYTHING = SearchSettings(filter="none", prune=False)
CONTACT: Board = (0, -2, 0, 1, 0, 2, 4, 0, 2, 0, 0, -1, -3, 4, 0, 0, 0, -3, 0, -5, -1, 0, 1, 0, 1, 0)
BEAROFF: Board = (0, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -2, -2, 0)
CONTEXTS = (
    MONEY,
    GameContext(jacoby=True),
    GameContext(jacoby=True, beavers=True),
    GameContext(cube_value=2, cube_owner=CubeOwner.PLAYER),
    GameContext(cube_value=64, cube_owner=CubeOwner.OPPONENT),
    GameContext(cube_value=2, cube_owner=CubeOwner.PLAYER, max_cube=4),
    GameContext(cube_value=4, cube_owner=CubeOwner.PLAYER, max_cube=4),
    GameContext(match_length=1),
    GameContext(match_length=5, score_player=4, score_opponent=2, crawford=True),
    GameContext(match_length=5, score_player=3, score_opponent=4),
    GameContext(match_length=7, score_player=1, cube_value=2, cube_owner=CubeOwner.OPPONENT),
    GameContext(match_length=3, scoring=Scoring.BGAMMON),
)


def plain(decision: PlayDecision) -> tuple[object, ...]:
    return (decision.ply, decision.source, *decision.plays)


def some_cases(count: int) -> list[PlayCase]:
    return play_cases()[:count]


def test_it_is_an_engine_with_settings(fast: FastEngine, exact: SageEngine) -> None:
    assert isinstance(fast, Engine)
    assert isinstance(fast, EvaluatingEngine)
    assert isinstance(fast, ConfigurableEngine)
    assert fast.info == dataclasses.replace(exact.info, mode=EngineMode.FAST)
    assert fast.base is exact


def test_named_like_any_other() -> None:
    engine = load_engine("fast:sage:plain")
    assert (engine.info.mode, engine.info.evaluator, engine.info.cpu_path) == ("fast", "sage", "plain")
    assert load_engine("fast:gnubg:A").info.evaluator == "gnubg"
    for spec in ("fast:random", "fast:", "fast", "fast:nothing"):
        with pytest.raises(ValueError, match="expected"):
            load_engine(spec)


@pytest.mark.parametrize("context", CONTEXTS)
def test_with_nothing_left_out_it_is_the_exact_search(
    fast: FastEngine, exact: SageEngine, context: GameContext
) -> None:
    whole = fast.configured(EVERYTHING)
    for board, dice in ((CONTACT, (4, 2)), (BEAROFF, (2, 1))):
        for ply in (0, 1):
            ours = whole.choose_play(board, context, dice, ply=ply)
            theirs = exact.choose_play(board, context, dice, ply=ply)
            assert ours.source == theirs.source
            assert ours.legal_count == theirs.legal_count
            expected = {entry.play: entry for entry in theirs.plays}
            for entry in ours.plays:
                assert entry.equity == pytest.approx(expected[entry.play].equity, abs=FAST_UNPRUNED)
                assert entry.ply == expected[entry.play].ply
        mine, judge = (it.cube_action(board, context, ply=0) for it in (whole, exact))
        for name in ("no_double", "double_take", "double_pass", "optimal", "cubeless_equity"):
            assert getattr(mine, name) == pytest.approx(getattr(judge, name), abs=FAST_UNPRUNED)
        assert (mine.decision, mine.response, mine.double) == (judge.decision, judge.response, judge.double)
        for ply in (0, 1):
            probabilities, equity = whole.evaluate(board, context, ply=ply)
            judged, judged_equity = exact.evaluate(board, context, ply=ply)
            assert equity == pytest.approx(judged_equity, abs=FAST_UNPRUNED)
            assert dataclasses.astuple(probabilities) == pytest.approx(
                dataclasses.astuple(judged), abs=FAST_UNPRUNED
            )


@pytest.mark.parametrize("context", CONTEXTS)
def test_whatever_exact_mode_accepts(fast: FastEngine, exact: SageEngine, context: GameContext) -> None:
    for ply in (0, 1, 2):
        cube = fast.cube_action(CONTACT, context, ply=ply)
        assert cube.ply == ply
        assert (cube.decision == "NOT_AVAILABLE") == (
            exact.cube_action(CONTACT, context, ply=0).decision == "NOT_AVAILABLE"
        )
        assert fast.take_action(CONTACT, context, ply=ply) == cube
        assert fast.choose_play(CONTACT, context, (6, 3), ply=ply).best.ply == ply


def test_plays_dropped_on_the_way_stand_below(fast: FastEngine) -> None:
    for case in some_cases(30):
        decision = fast.choose_play(case.board, case.context, case.dice, ply=2)
        assert {entry.play.board for entry in decision.plays} == set(case.equities[1])
        plies = [entry.ply for entry in decision.plays]
        assert plies == sorted(plies, reverse=True)
        assert decision.ply == plies[0]
        for above, below in zip(decision.plays, decision.plays[1:], strict=False):
            assert above.ply > below.ply or above.equity >= below.equity - FAST_UNPRUNED


def test_forced_plays_and_dances(fast: FastEngine) -> None:
    barred = (0, -2, -2, -2, -2, -2, -2, *[0] * 17, 5, 2)
    dance = rules.mirrored(rules.mirrored(barred))
    shut = (0, 2, 2, 2, 2, 2, 2, *[0] * 12, -2, -2, -2, -2, -2, -2, 1)
    decision = fast.choose_play(shut, MONEY, (6, 5), ply=2)
    assert (decision.legal_count, decision.source) == (0, "forced")
    assert decision.best.play.board == shut
    assert dance == barred


def test_a_filter_of_ones_own_decides_what_is_searched(fast: FastEngine) -> None:
    keep_three = MoveFilter(((FilterStage(3),), (FilterStage(3), FilterStage(2))))
    decision = fast.configured(SearchSettings(filter=keep_three)).choose_play(
        STARTING_BOARD, MONEY, (4, 1), ply=2
    )
    assert [entry.ply for entry in decision.plays[:4]] == [2, 2, 1, 0]


def test_noise_repeats_and_changes_the_static_order(fast: FastEngine) -> None:
    noisy = [fast.configured(SearchSettings(noise=0.1, noise_seed=seed)) for seed in (1, 1, 2)]
    answers = [plain(it.choose_play(STARTING_BOARD, MONEY, (4, 1), ply=0)) for it in noisy]
    assert answers[0] == answers[1] != answers[2]


def test_the_question_and_the_settings_alone_decide(exact: SageEngine) -> None:
    """The same bits with any cache and number of threads, in any order, and asked again."""

    def answers(engine: FastEngine, cases: list[PlayCase]) -> dict[int, tuple[object, ...]]:
        return {
            case.board.__hash__(): (
                plain(engine.choose_play(case.board, case.context, case.dice, ply=2)),
                engine.cube_action(case.board, case.context, ply=2),
            )
            for case in cases
        }

    cases = some_cases(8)
    expected = answers(FastEngine.over(exact), cases)
    for mib in (0.0, 0.01, 1.0):
        engine = FastEngine.over(exact).tuned(FastSettings(cache_mib=mib))
        assert answers(engine, cases[::-1]) == expected
        assert answers(engine, cases) == expected
    for threads in (2, 3):
        assert answers(FastEngine.over(exact).configured(SearchSettings(threads=threads)), cases) == expected


@pytest.mark.parametrize("budget", [0.0, -1.0, 1e-4, 0.003, 0.05])
def test_a_budget_ends_with_the_deepest_complete_answer(fast: FastEngine, budget: float) -> None:
    by_ply = {ply: plain(fast.choose_play(CONTACT, MONEY, (6, 5), ply=ply)) for ply in (0, 1, 2)}
    decision = fast.choose_play(CONTACT, MONEY, (6, 5), ply=4, deadline_s=budget)
    assert decision.ply in (0, 1, 2, 3, 4)
    if budget <= 0.0:
        assert plain(decision) == by_ply[0]
    cube = fast.cube_action(CONTACT, MONEY, ply=4, deadline_s=budget)
    if cube.ply <= 2:
        assert cube == fast.cube_action(CONTACT, MONEY, ply=cube.ply)
    fast.evaluate(CONTACT, MONEY, ply=4, deadline_s=budget)


def test_time_enough_changes_nothing(fast: FastEngine) -> None:
    for case in some_cases(5):
        assert plain(fast.choose_play(case.board, case.context, case.dice, ply=1, deadline_s=600)) == plain(
            fast.choose_play(case.board, case.context, case.dice, ply=1)
        )
        assert fast.cube_action(case.board, case.context, ply=1, deadline_s=600) == fast.cube_action(
            case.board, case.context, ply=1
        )


def test_cancelled_before_it_began(fast: FastEngine) -> None:
    token = CancelToken()
    assert not token.cancelled
    token.cancel()
    assert token.cancelled
    assert fast.choose_play(CONTACT, MONEY, (6, 5), ply=4, cancel=token).ply == 0
    assert fast.cube_action(CONTACT, MONEY, ply=4, cancel=token).ply == 0
    assert fast.evaluate(CONTACT, MONEY, ply=4, cancel=token) == fast.evaluate(CONTACT, MONEY, ply=0)


@pytest.mark.parametrize("threads", [1, 2])
def test_cancelled_from_another_thread(fast: FastEngine, threads: int) -> None:
    """A 4-ply search of every play takes minutes; it ends when it is told to."""
    engine = fast.configured(SearchSettings(filter="none", threads=threads))
    token = CancelToken()
    timer = threading.Timer(0.3, token.cancel)
    timer.start()
    decision = engine.choose_play(STARTING_BOARD, MONEY, (4, 1), ply=4, cancel=token)
    timer.join()
    assert decision.ply < 4


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda it: it.choose_play(STARTING_BOARD, MONEY, (0, 1), ply=0), "dice"),
        (lambda it: it.choose_play((0,) * 26, MONEY, (2, 1), ply=0), "board"),
        (lambda it: it.choose_play(STARTING_BOARD, MONEY, (2, 1), ply=5), "ply"),
        (lambda it: it.cube_action(STARTING_BOARD, MONEY, ply=-1), "ply"),
        (lambda it: it.cube_action(STARTING_BOARD, GameContext(cube_value=3), ply=0), "cube"),
        (lambda it: it.evaluate(STARTING_BOARD, GameContext(match_length=99), ply=0), "match length"),
        (lambda it: it.cube_action(STARTING_BOARD, MONEY, ply=0, deadline_s=float("nan")), "deadline"),
        (lambda it: it.judge_resignation(STARTING_BOARD, MONEY, 4, on_roll=True, ply=1), "resignation"),
    ],
)
def test_impossible_questions(fast: FastEngine, ask: Callable[[FastEngine], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(fast)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"narrowing": ((1, 0.1),)}, "narrowing"),
        ({"narrowing": ((0, 0.1),) * 4}, "narrowing"),
        ({"narrowing": ((1, -0.1),) * 4}, "narrowing"),
        ({"least_replies": 0}, "replies"),
        ({"most_replies": 1}, "replies"),
        ({"reply_margin": -0.1}, "margin"),
        ({"reply_margin": float("nan")}, "margin"),
        ({"recheck": -1.0}, "recheck"),
        ({"cache_mib": -1.0}, "cache"),
        ({"cache_mib": float("inf")}, "cache"),
    ],
)
def test_impossible_settings(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FastSettings(**changes)  # type: ignore[arg-type]


def test_resignations_are_those_of_the_engine_underneath(fast: FastEngine, exact: SageEngine) -> None:
    lost = rules.mirrored((0, 1, 1, *[0] * 16, -2, -3, -3, -3, -2, -2, 0))
    for board in (CONTACT, BEAROFF, lost):
        for ply in (0, 1, 2):
            offer = fast.offer_resignation(board, MONEY, ply=ply)
            assert (offer.level, offer.ply) == (
                exact.offer_resignation(board, MONEY, ply=1).level,
                max(ply, 1),
            )
            for on_roll in (True, False):
                for level in (1, 2, 3):
                    verdict = fast.judge_resignation(board, MONEY, level, on_roll=on_roll, ply=ply)
                    assert verdict.accept == (verdict.resign_equity >= verdict.equity - FAST_UNPRUNED)
                    assert verdict.resign_equity == level


def test_gnubg_decides_by_its_own_rules() -> None:
    exact = load_engine("gnubg:B")
    fast = load_engine("fast:gnubg:B")
    assert isinstance(fast, FastEngine)
    same = 0
    cases = some_cases(40)
    for case in cases:
        mine, judge = (it.choose_play(case.board, case.context, case.dice, ply=1) for it in (fast, exact))
        same += mine.best.play == judge.best.play
        asked = (case.board, case.context)
        cubes: tuple[CubeDecision, CubeDecision] = (
            fast.cube_action(*asked, ply=0),
            exact.cube_action(*asked, ply=0),
        )
        assert cubes[0].decision == cubes[1].decision
        assert cubes[0].no_double == pytest.approx(cubes[1].no_double, abs=FAST_UNPRUNED)
        assert fast.evaluate(*asked, ply=0)[1] == pytest.approx(
            exact.evaluate(*asked, ply=0)[1],  # type: ignore[attr-defined]
            abs=FAST_UNPRUNED,
        )
    assert same >= 0.95 * len(cases)
    assert fast.offer_resignation(CONTACT, MONEY, ply=2).ply == 0
