"""GnubgEngine around the numbers: names, answers, filters, settings, limits, threads, resignations."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd import _core
from botd.engine import rules
from botd.engine.cube_names import DOUBLES
from botd.engine.gnubg_engine import DeadlineExceeded, GnubgEngine
from botd.engine.protocol import Engine, load_engine
from botd.engine.settings import FILTER_NAMES, FilterStage, MoveFilter, SearchSettings
from botd.engine.types import STARTING_BOARD, CubeOwner, GameContext, Scoring, TakeAction
from tests.gnubg.data_files import ONE_SIDED, TWO_SIDED, WEIGHTS_100, WEIGHTS_101
from tests.rules.strategies import boards, dice

MONEY = GameContext()
JACOBY = GameContext(jacoby=True, beavers=True)
RACE = (0, 0, 1, 2, 3, 3, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -4, -3, -3, -2, -2, -1, 0)
CLOSED_OUT = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, -3, -2, -2, -2, -2, -2, -2, 2)
BLITZ = (2, -1, 0, 0, 2, 2, 3, 0, 2, 0, 0, 0, -3, 3, 0, 0, -1, -3, 0, -4, 0, 0, 0, -1, 2, 1)


def match(length, player, opponent, **fields):
    return GameContext(match_length=length, score_player=player, score_opponent=opponent, **fields)


CONTEXTS = [
    MONEY,
    JACOBY,
    GameContext(cube_value=2, cube_owner=CubeOwner.OPPONENT),
    GameContext(cube_value=4, cube_owner=CubeOwner.PLAYER, max_cube=8),
    match(1, 0, 0),
    match(5, 2, 3),
    match(3, 1, 1),
    match(7, 6, 2, crawford=True),
    match(7, 2, 6),
    match(64, 10, 3, cube_value=4, cube_owner=CubeOwner.PLAYER),
    match(5, 2, 3, scoring=Scoring.BGAMMON, max_cube=4),
]


@pytest.fixture(scope="module", params=["A", "B"])
def engine(request):
    weights = {"A": WEIGHTS_100, "B": WEIGHTS_101}[request.param]
    return GnubgEngine.load(weights=weights, one_sided=ONE_SIDED, two_sided=TWO_SIDED)


@pytest.fixture(scope="module")
def engine_b():
    return GnubgEngine.load(weights=WEIGHTS_101, one_sided=ONE_SIDED, two_sided=TWO_SIDED)


# --- loading ---


def test_the_weights_say_which_profile_it_is(engine):
    assert engine.profile == {"1.00": "A", "1.01": "B"}[engine._parts.evaluator.weights_version]
    assert engine.info.evaluator == "gnubg"
    assert engine.info.met == "Kazaross-XG2"
    assert len(engine.info.weights_files) == 3
    assert isinstance(engine, Engine)


def test_engines_are_found_by_name():
    assert load_engine("gnubg:A").profile == "A"
    assert load_engine("gnubg:B").profile == "B"
    assert load_engine("gnubg").profile == "B"
    with pytest.raises(ValueError, match="profile: expected A or B, got 'C'"):
        load_engine("gnubg:C")


# --- plays ---


@settings(max_examples=60)
@given(board=boards(), roll=dice, context=st.sampled_from(CONTEXTS))
def test_plays_are_complete_and_in_order(engine_b, board, roll, context):
    decision = engine_b.choose_play(board, context, roll, ply=0)
    legal = {play.board for play in rules.legal_plays(board, roll)}
    assert decision.legal_count == len(legal)
    assert {ranked.play.board for ranked in decision.plays} == (legal or {board})
    finished = [rules.game_result(ranked.play.board) != 0 for ranked in decision.plays]
    for (better, over), (worse, _) in itertools.pairwise(zip(decision.plays, finished, strict=True)):
        assert over or better.equity >= worse.equity - 1e-6
    for ranked in decision.plays:
        assert rules.apply_steps(board, ranked.play.steps) == ranked.play.board
        assert_nested(ranked.probabilities)


def assert_nested(p):
    assert 0.0 <= p.win_backgammon <= p.win_gammon <= p.win <= 1.0
    assert 0.0 <= p.lose_backgammon <= p.lose_gammon <= 1.0 - p.win + 1e-6


def test_deeper_plays_stand_above_shallower_ones(engine):
    """The filter keeps a few plays for each further ply; what it dropped keeps depth and equity."""
    decision = engine.choose_play(STARTING_BOARD, MONEY, (4, 3), ply=2)
    depths = [ranked.ply for ranked in decision.plays]
    assert depths == sorted(depths, reverse=True)
    assert depths[0] == 2
    assert depths[-1] == 0
    if engine.profile == "B":
        assert 1 in depths
    statically = engine.choose_play(STARTING_BOARD, MONEY, (4, 3), ply=0)
    if engine.profile == "A":  # whose efficiencies do not depend on the depth asked for
        static = {ranked.play.board: ranked.equity for ranked in statically.plays}
        for ranked in decision.plays:
            assert ranked.ply == 2 or ranked.equity == static[ranked.play.board]


def test_without_a_filter_every_play_is_searched(engine):
    everything = engine.configured(SearchSettings(filter="none"))
    filtered = engine.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=1)
    decision = everything.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=1)
    assert {ranked.ply for ranked in decision.plays} == {1}
    equities = {ranked.play.board: ranked.equity for ranked in decision.plays}
    for ranked in filtered.plays:
        if ranked.ply == 1:
            assert ranked.equity == equities[ranked.play.board]


@pytest.mark.parametrize("name", FILTER_NAMES)
def test_a_filter_keeps_no_more_than_it_says(engine_b, name):
    decision = engine_b.configured(SearchSettings(filter=name)).choose_play(RACE, MONEY, (2, 1), ply=1)
    kept = sum(ranked.ply == 1 for ranked in decision.plays)
    stages = _core.MoveFilter.named(name, "B").stages(1)
    if stages[0][0] < 0:
        assert kept == decision.legal_count
    else:
        assert kept <= stages[0][0] + stages[0][1]


def test_an_own_filter_that_accepts_one_play_goes_on_with_it(engine_b):
    accept_one = SearchSettings(filter=MoveFilter(((FilterStage(1, 0, 0.0),),)))
    decision = engine_b.configured(accept_one).choose_play(STARTING_BOARD, MONEY, (6, 2), ply=1)
    assert [ranked.ply for ranked in decision.plays][:2] == [1, 0]
    extra_one = SearchSettings(filter=MoveFilter(((FilterStage(0, 1, 0.0),),)))
    decision = engine_b.configured(extra_one).choose_play(STARTING_BOARD, MONEY, (6, 2), ply=1)
    assert {ranked.ply for ranked in decision.plays} == {0}


@pytest.mark.parametrize("ply", [0, 1, 2])
def test_a_dance_is_one_play_without_steps(engine, ply):
    decision = engine.choose_play(CLOSED_OUT, MONEY, (6, 5), ply=ply)
    assert decision.legal_count == 0
    assert decision.source == "forced"
    assert decision.best.play.steps == ()
    assert decision.best.play.board == CLOSED_OUT
    assert decision.best.ply == 0


def test_a_forced_play_stays_at_0_ply(engine):
    board = (0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0)
    decision = engine.choose_play(board, MONEY, (2, 1), ply=2)
    assert (decision.legal_count, decision.best.ply, decision.best.equity) == (1, 0, 1.0)


def test_bearing_off_last_stands_first(engine):
    board = (0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -15, 0, 0, 0, 0, 0, 0)
    for ply in (0, 1, 2):
        assert engine.choose_play(board, MONEY, (2, 1), ply=ply).best.equity == pytest.approx(2.0)
        jacoby = GameContext(jacoby=True)
        assert engine.choose_play(board, jacoby, (2, 1), ply=ply).best.equity == pytest.approx(1.0)


def test_an_assessed_play_is_as_deep_as_the_best(engine):
    plain = engine.choose_play(STARTING_BOARD, MONEY, (6, 4), ply=2)
    worst = plain.plays[-1]
    assert worst.ply == 0
    assessed = engine.assess_play(STARTING_BOARD, MONEY, (6, 4), worst.play.board, ply=2)
    (found,) = (ranked for ranked in assessed.plays if ranked.play.board == worst.play.board)
    assert found.ply == assessed.best.ply == 2
    assert assessed.best == plain.best
    best = engine.assess_play(STARTING_BOARD, MONEY, (6, 4), plain.best.play.board, ply=2)
    assert best == plain


def test_an_early_stop_is_taken_up_for_a_play_far_behind(engine_b):
    """One play was left after 0-ply; a blunder and the best play are brought to the depth asked for."""
    narrow = engine_b.configured(SearchSettings(filter=MoveFilter(((FilterStage(0, 1, 0.0),),))))
    plain = narrow.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=1)
    assert {ranked.ply for ranked in plain.plays} == {0}
    blunder = plain.plays[-1].play.board
    assessed = narrow.assess_play(STARTING_BOARD, MONEY, (3, 1), blunder, ply=1)
    assert [ranked.ply for ranked in assessed.plays] == [1, 1] + [0] * (plain.legal_count - 2)
    assert [ranked.play.board for ranked in assessed.plays[:2]] == [plain.best.play.board, blunder]


def test_only_a_legal_play_can_be_assessed(engine_b):
    with pytest.raises(ValueError, match="not a legal result"):
        engine_b.assess_play(STARTING_BOARD, MONEY, (3, 1), STARTING_BOARD, ply=0)


# --- cube ---


@pytest.mark.parametrize(
    ("context", "name"),
    [
        (match(3, 1, 1, cube_value=2, cube_owner=CubeOwner.PLAYER), "NO_REDOUBLE_DEADCUBE"),
        (match(5, 4, 4), "NODOUBLE_DEADCUBE"),
        (match(5, 4, 2, crawford=True), "NODOUBLE_DEADCUBE"),
        (match(5, 1, 2, cube_value=2, cube_owner=CubeOwner.OPPONENT), "NOT_AVAILABLE"),
        (GameContext(cube_value=2, cube_owner=CubeOwner.OPPONENT), "NOT_AVAILABLE"),
        (GameContext(cube_value=2, cube_owner=CubeOwner.PLAYER, max_cube=2), "NOT_AVAILABLE"),
    ],
)
@pytest.mark.parametrize("ply", [0, 1])
def test_an_unavailable_cube_is_never_turned(engine, context, name, ply):
    for board in (STARTING_BOARD, RACE, BLITZ):
        decision = engine.cube_action(board, context, ply=ply)
        assert decision.decision == name
        assert not decision.double
        assert decision.optimal == decision.no_double


@settings(max_examples=60)
@given(board=boards(), context=st.sampled_from(CONTEXTS))
def test_cube_decisions_agree_with_their_equities(engine_b, board, context):
    decision = engine_b.cube_action(board, context, ply=0)
    assert_nested(decision.probabilities)
    if decision.double:
        assert decision.optimal == min(decision.double_take, decision.double_pass)
        assert decision.optimal >= decision.no_double
    else:
        assert decision.decision not in DOUBLES
    if decision.decision.endswith("_PASS"):
        assert decision.response is TakeAction.PASS
    if decision.decision.endswith("_TAKE"):
        assert decision.response is TakeAction.TAKE
    if decision.decision.endswith("_BEAVER"):
        assert context.beavers
        assert decision.response is TakeAction.BEAVER


def test_the_better_side_of_a_gammon_game_is_too_good(engine):
    board = (3, 2, 2, 2, 2, 2, 2, 0, 3, 0, 0, 0, -2, 0, 0, 0, 0, -4, 0, -5, 0, 0, 0, -1, 0, 0)
    assert engine.cube_action(board, MONEY, ply=1).decision == "TOOGOOD_PASS"
    assert engine.cube_action(board, JACOBY, ply=1).decision == "DOUBLE_PASS"


def test_the_answer_is_that_of_the_cube_action(engine):
    for board in (STARTING_BOARD, RACE, BLITZ):
        assert engine.take_action(board, JACOBY, ply=1) == engine.cube_action(board, JACOBY, ply=1)


@settings(max_examples=40)
@given(board=boards(), context=st.sampled_from(CONTEXTS))
def test_the_seat_does_not_matter_with_a_symmetric_table(engine_b, board, context):
    other_seat = replace(context, seat=0)
    assert engine_b.evaluate(board, other_seat, ply=0) == engine_b.evaluate(board, context, ply=0)
    assert engine_b.cube_action(board, other_seat, ply=0) == engine_b.cube_action(board, context, ply=0)


# --- settings ---


def test_noise_changes_plays_and_repeats(engine):
    noisy = engine.configured(SearchSettings(noise=0.06))
    again = engine.configured(SearchSettings(noise=0.06))
    first = noisy.choose_play(STARTING_BOARD, MONEY, (6, 5), ply=0)
    assert first == again.choose_play(STARTING_BOARD, MONEY, (6, 5), ply=0)
    assert first != engine.choose_play(STARTING_BOARD, MONEY, (6, 5), ply=0)


def test_seeded_noise_depends_on_the_seed_alone(engine):
    def cube(seed):
        noisy = engine.configured(SearchSettings(noise=0.05, noise_seed=seed))
        return noisy.cube_action(STARTING_BOARD, MONEY, ply=1)

    assert cube(1) == cube(1)
    assert len({cube(seed).no_double for seed in range(5)}) == 5


def test_noise_switches_pruning_off(engine):
    pruned = engine.configured(SearchSettings(noise=0.02))
    unpruned = engine.configured(SearchSettings(noise=0.02, prune=False))
    for board in (STARTING_BOARD, BLITZ):
        assert pruned.cube_action(board, MONEY, ply=1) == unpruned.cube_action(board, MONEY, ply=1)


def test_luck_has_no_noise(engine):
    noisy = engine.configured(SearchSettings(noise=0.06))
    assert noisy.luck(BLITZ, MONEY, (6, 5)) == engine.luck(BLITZ, MONEY, (6, 5))


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_change_nothing(engine, threads):
    parallel = engine.configured(SearchSettings(threads=threads))
    for board, context in itertools.product((STARTING_BOARD, BLITZ, RACE), CONTEXTS[::2]):
        for ply in (1, 2) if context in CONTEXTS[:3] else (1,):
            assert parallel.cube_action(board, context, ply=ply) == engine.cube_action(
                board, context, ply=ply
            )
            assert parallel.choose_play(board, context, (6, 1), ply=ply) == engine.choose_play(
                board, context, (6, 1), ply=ply
            )


def test_answers_do_not_depend_on_earlier_questions():
    """A warm engine and a fresh one, with depths mixed so that shared static values would show."""
    questions = list(itertools.product((STARTING_BOARD, BLITZ, RACE), CONTEXTS[:6], (2, 0, 1)))
    warm = GnubgEngine.load(weights=WEIGHTS_101, one_sided=ONE_SIDED, two_sided=TWO_SIDED)
    before = [warm.choose_play(board, context, (5, 2), ply=ply) for board, context, ply in questions]
    for (board, context, ply), answer in reversed(list(zip(questions, before, strict=True))):
        fresh = warm.configured(SearchSettings())
        assert fresh.choose_play(board, context, (5, 2), ply=ply) == answer
        assert warm.choose_play(board, context, (5, 2), ply=ply) == answer


def test_many_threads_may_ask_at_once(engine_b):
    questions = [(STARTING_BOARD, MONEY), (RACE, JACOBY), (BLITZ, match(5, 2, 3))] * 4
    alone = [engine_b.cube_action(board, context, ply=1) for board, context in questions]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda q: engine_b.cube_action(q[0], q[1], ply=1), questions))
    assert together == alone


# --- limits ---


@pytest.mark.parametrize("threads", [1, 3])
def test_time_is_up(engine_b, threads):
    searching = engine_b.configured(SearchSettings(threads=threads))
    with pytest.raises(DeadlineExceeded):
        searching.cube_action(STARTING_BOARD, MONEY, ply=4, deadline_s=0.1)
    with pytest.raises(TimeoutError):
        searching.choose_play(STARTING_BOARD, MONEY, (4, 3), ply=4, deadline_s=0.1)
    with pytest.raises(TimeoutError):
        searching.luck(STARTING_BOARD, MONEY, (3, 1), deadline_s=0.0)
    assert searching.cube_action(STARTING_BOARD, MONEY, ply=0, deadline_s=60.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda e: e.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=5), "ply: expected 0 to 4, got 5"),
        (lambda e: e.cube_action(STARTING_BOARD, MONEY, ply=-1), "ply: expected 0 to 4, got -1"),
        (lambda e: e.choose_play(STARTING_BOARD, MONEY, (0, 1), ply=0), "dice: expected"),
        (lambda e: e.luck(STARTING_BOARD, MONEY, (7, 1)), "dice: expected"),
        (lambda e: e.choose_play((0,) * 26, MONEY, (3, 1), ply=0), "board: "),
        (lambda e: e.choose_play(STARTING_BOARD[:25], MONEY, (3, 1), ply=0), "board: expected 26"),
        (lambda e: e.cube_action(FINISHED, MONEY, ply=0), "board: the game is over"),
        (lambda e: e.luck(FINISHED, MONEY, (3, 1)), "board: the game is over"),
        (lambda e: e.offer_resignation(FINISHED, MONEY, ply=0), "board: the game is over"),
        (lambda e: e.cube_action(STARTING_BOARD, GameContext(cube_value=3), ply=0), "cube: expected"),
        (lambda e: e.cube_action(STARTING_BOARD, match(5, 5, 0), ply=0), "score: expected 0 to 4"),
        (lambda e: e.cube_action(STARTING_BOARD, match(65, 0, 0), ply=0), "match length: expected"),
        (lambda e: e.evaluate(STARTING_BOARD, MONEY, ply=9), "ply: expected 0 to 4, got 9"),
        (
            lambda e: e.judge_resignation(STARTING_BOARD, MONEY, 4, on_roll=True, ply=0),
            "resignation: expected level 1, 2 or 3, got 4",
        ),
        (lambda e: e.cube_action(STARTING_BOARD, MONEY, ply=0, deadline_s=float("nan")), "deadline: "),
    ],
)
def test_impossible_questions_are_refused_by_name(engine_b, call, message):
    with pytest.raises(ValueError, match=message):
        call(engine_b)


FINISHED = (0, *(0 for _ in range(18)), *(-2 for _ in range(6)), 0)


# --- luck ---


def test_luck_of_all_rolls_averages_to_nothing(engine):
    rolls = [(a, b) for a in range(1, 7) for b in range(1, 7)]
    for context in (MONEY, match(5, 2, 3), match(7, 2, 6)):
        total = sum(engine.luck(BLITZ, context, roll).luck for roll in rolls)
        assert total == pytest.approx(0.0, abs=1e-5)


def test_luck_of_all_opening_rolls_averages_to_nothing(engine):
    """At an even score what one side's openings win is what the other side's lose."""
    rolls = [(a, b) for a in range(1, 7) for b in range(1, 7) if a != b]
    lucks = [engine.luck(STARTING_BOARD, MONEY, roll) for roll in rolls]
    assert sum(luck.average for luck in lucks) == pytest.approx(0.0, abs=1e-5)
    double = engine.luck(STARTING_BOARD, MONEY, (3, 3))
    assert double.average != pytest.approx(lucks[0].average)


def test_luck_is_worth_match_chances(engine):
    context = match(5, 2, 3, cube_value=2, cube_owner=CubeOwner.OPPONENT)
    luck = engine.luck(BLITZ, context, (6, 6))
    assert luck.gain / luck.luck == pytest.approx(0.5, abs=0.2)
    money = engine.luck(BLITZ, GameContext(cube_value=4, cube_owner=CubeOwner.PLAYER), (6, 6))
    assert money.gain == pytest.approx(4 * money.luck)


# --- resignations ---

LOST = (0, 3, 0, 0, 0, 0, 4, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0)
LOST_GAMMON = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 5, 5, 0, 0, 0, 0, 0, 0, 0, -1, 0)
LOST_BACKGAMMON = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 5, 0, 0, 0, 0, 5, 0, 0, 0, -1, 0)


@pytest.mark.parametrize(
    ("board", "context", "level"),
    [
        (STARTING_BOARD, MONEY, 0),
        (RACE, MONEY, 0),
        (CLOSED_OUT, MONEY, 0),
        (LOST, MONEY, 1),
        (LOST_GAMMON, MONEY, 2),
        (LOST_GAMMON, JACOBY, 1),
        (LOST_GAMMON, match(1, 0, 0), 2),
        (LOST_BACKGAMMON, MONEY, 3),
    ],
)
def test_what_is_resigned(engine, board, context, level):
    decision = engine.offer_resignation(board, context, ply=2)
    assert decision.level == level
    assert not decision.accept
    if level:
        assert decision.equity == decision.resign_equity


def test_resigning_where_the_position_says_what_it_costs(engine):
    """A bgammon server charges three cubes with checkers in the winner's home board, else two or one."""
    context = match(9, 2, 3, scoring=Scoring.BGAMMON)
    home = (0, 3, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0)
    deep = (0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, -1, 0)
    assert engine.offer_resignation(home, context, ply=0).level == 1
    assert engine.offer_resignation(LOST_GAMMON, context, ply=0).level == 2
    assert engine.offer_resignation(LOST_BACKGAMMON, context, ply=0).level == 3
    assert engine.offer_resignation(deep, MONEY, ply=0).level == 1
    assert engine.offer_resignation(deep, context, ply=0).level == 0


def test_what_is_accepted(engine):
    winner = rules.mirrored(LOST_GAMMON)
    for level, accept in ((1, False), (2, True), (3, True)):
        judged = engine.judge_resignation(winner, MONEY, level, on_roll=False, ply=2)
        assert judged.accept is accept
        assert judged.resign_equity == level
        assert judged.equity == pytest.approx(2.0)
    assert engine.judge_resignation(winner, JACOBY, 1, on_roll=False, ply=2).accept
    for on_roll in (True, False):
        opening = engine.judge_resignation(STARTING_BOARD, MONEY, 1, on_roll=on_roll, ply=0)
        assert opening.accept
        assert opening.equity < opening.resign_equity
