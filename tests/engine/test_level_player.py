"""Players of a level: the book, noise that repeats, candidates, habits with the cube."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd.engine import position_id, rules
from botd.engine.engine import SageEngine
from botd.engine.level_player import LevelPlayer, at_level
from botd.engine.levels import EASY, HARD, MEDIUM, DoublingHabit, PlayingLevel, find_level
from botd.engine.protocol import Engine, load_engine
from botd.engine.random_player import RandomPlayer
from botd.engine.types import (
    STARTING_BOARD,
    Board,
    CubeOwner,
    GameContext,
    Probabilities,
    TakeAction,
)
from tests.rules.strategies import boards, dice

MONEY = GameContext(jacoby=True)
ROLLS = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]
BOOK = {(3, 1): "8/5 6/5", (6, 1): "13/7 8/7", (4, 2): "8/4 6/4"}
MIDDLE: Board = rules.apply_steps(STARTING_BOARD, [(24, 20), (13, 8)])


def chosen(player: Engine, board: Board, roll: tuple[int, int], context: GameContext = MONEY) -> str:
    return player.choose_play(board, context, roll, ply=0).best.play.notation


@pytest.mark.parametrize("level", [EASY, MEDIUM, HARD], ids=lambda level: level.name)
def test_the_book_is_for_three_rolls_of_the_untouched_start(engine: SageEngine, level: PlayingLevel) -> None:
    quick = dataclasses.replace(level, plies=0)
    player = LevelPlayer(engine, quick)
    for roll in ROLLS:
        decision = player.choose_play(STARTING_BOARD, MONEY, roll, ply=0)
        assert (decision.source == "book") == (roll in BOOK), roll
        if roll in BOOK:
            assert decision.best.play.notation == BOOK[roll]
            assert chosen(player, STARTING_BOARD, roll[::-1]) == BOOK[roll]
            assert player.choose_play(MIDDLE, MONEY, roll, ply=0).source == "search"
            assert len({entry.play.board for entry in decision.plays}) == decision.legal_count


def test_without_the_book_the_opening_is_searched(engine: SageEngine) -> None:
    player = LevelPlayer(engine, PlayingLevel("own", plies=0, book=False))
    assert {player.choose_play(STARTING_BOARD, MONEY, roll, ply=0).source for roll in BOOK} == {"search"}


@settings(max_examples=40)
@given(board=boards(), roll=dice, seed=st.integers(0, 2**32))
def test_without_noise_easy_plays_the_best(
    engine: SageEngine, board: Board, roll: tuple[int, int], seed: int
) -> None:
    calm = LevelPlayer(engine, dataclasses.replace(EASY, easy_noise=0.0, book=False), seed)
    assert calm.choose_play(board, MONEY, roll, ply=2) == engine.choose_play(board, MONEY, roll, ply=0)


@settings(max_examples=25)
@given(board=boards(), roll=dice, seed=st.integers(0, 2**32))
def test_noise_repeats_with_its_seed_and_loses_no_play(
    engine: SageEngine, board: Board, roll: tuple[int, int], seed: int
) -> None:
    first = LevelPlayer(engine, EASY, seed).choose_play(board, MONEY, roll, ply=0)
    assert LevelPlayer(engine, EASY, seed).choose_play(board, MONEY, roll, ply=1) == first
    assert chosen(LevelPlayer(engine, EASY, seed), board, roll[::-1]) == first.best.play.notation
    calm = engine.choose_play(board, MONEY, roll, ply=0)
    assert Counter(first.plays) == Counter(calm.plays)


def test_more_noise_finds_the_best_play_less_often(engine: SageEngine) -> None:
    """Shares of best plays over 60 seeds and five rolls fall from all to about one in the number of plays."""
    rolls = [(6, 5), (5, 2), (4, 3), (2, 1), (6, 3)]
    best = {roll: chosen(engine, MIDDLE, roll) for roll in rolls}
    shares = []
    for noise in (0.0, 0.1, 0.3, 1.0):
        level = dataclasses.replace(EASY, easy_noise=noise)
        players = [LevelPlayer(engine, level, seed) for seed in range(60)]
        hits = sum(chosen(player, MIDDLE, roll) == best[roll] for player in players for roll in rolls)
        shares.append(hits / 300)
    assert shares[0] == 1.0
    assert shares == sorted(shares, reverse=True)
    assert shares[3] < 0.35
    assert 0.2 < shares[2] < 0.8


def test_seeds_and_scores_make_different_players(engine: SageEngine) -> None:
    plays = {chosen(LevelPlayer(engine, EASY, seed), MIDDLE, (2, 1)) for seed in range(20)}
    assert len(plays) > 2
    player = LevelPlayer(engine, dataclasses.replace(EASY, easy_noise=1.0))
    scores = [GameContext(match_length=9, score_player=own) for own in range(9)]
    assert len({chosen(player, MIDDLE, (2, 1), context) for context in scores}) > 2


def test_medium_compares_the_best_five_at_one_ply(engine: SageEngine) -> None:
    static = engine.choose_play(MIDDLE, MONEY, (4, 3), ply=0).plays
    decision = LevelPlayer(engine, MEDIUM).choose_play(MIDDLE, MONEY, (4, 3), ply=0)
    assert [entry.ply for entry in decision.plays] == [1] * 5 + [0] * (len(static) - 5)
    assert {entry.play.board for entry in decision.plays[:5]} == {entry.play.board for entry in static[:5]}
    equities = [entry.equity for entry in decision.plays[:5]]
    assert equities == sorted(equities, reverse=True)
    deep = {entry.play.board: entry for entry in engine.choose_play(MIDDLE, MONEY, (4, 3), ply=1).plays}
    assert all(entry == deep[entry.play.board] for entry in decision.plays[:5])
    assert decision.plays[5:] == static[5:]


def test_hard_compares_the_best_fifteen_at_two_plies(engine: SageEngine) -> None:
    board = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 4, 0, 1, 0, -3, 0, -5, 0, 0, 0, 1, 1, 0)
    decision = LevelPlayer(engine, HARD).choose_play(board, MONEY, (2, 1), ply=0)
    assert decision.legal_count > 15
    assert Counter(entry.ply for entry in decision.plays) == {2: 15, 0: decision.legal_count - 15}


def test_levels_play_with_gnubgs_evaluator_too() -> None:
    player = load_engine("gnubg:A@medium")
    decision = player.choose_play(MIDDLE, MONEY, (4, 3), ply=0)
    assert [entry.ply for entry in decision.plays[:6]] == [1] * 5 + [0]
    noisy, calm = (load_engine(f"gnubg:A@{level}") for level in ("beginner", "expert"))
    assert noisy.info.evaluator == "gnubg@beginner"
    plain = load_engine("gnubg:A").choose_play(MIDDLE, MONEY, (4, 3), ply=0)
    assert calm.choose_play(MIDDLE, MONEY, (4, 3), ply=2) == plain
    assert noisy.choose_play(MIDDLE, MONEY, (4, 3), ply=2) != plain


@pytest.mark.parametrize("level", [EASY, MEDIUM, HARD], ids=lambda level: level.name)
def test_forced_plays_and_dances_are_played(engine: SageEngine, level: PlayingLevel) -> None:
    dance = (0, -2, -2, -2, -2, -2, -2, *(0,) * 10, -3, *(0,) * 7, 1)
    blocked = tuple(-2 if 19 <= i <= 24 else (1 if i == 25 else 0) for i in range(26))
    for board in (dance, blocked):
        decision = LevelPlayer(engine, level).choose_play(board, MONEY, (6, 6), ply=0)
        assert decision.source == "forced"


@pytest.mark.parametrize(
    ("win", "gammons", "medium", "hard"),
    [
        (0.65, 0.10, False, False),
        (0.66, 0.10, True, True),
        (0.82, 0.25, True, True),
        (0.82, 0.26, False, False),
        (0.80, 0.40, True, True),
        (0.83, 0.10, True, False),
        (0.88, 0.10, True, False),
        (0.89, 0.10, False, False),
        (0.99, 0.00, False, False),
    ],
)
def test_doubles_and_takes_follow_the_habit(win: float, gammons: float, medium: bool, hard: bool) -> None:
    """Chances put in by an engine with these opinions."""
    opinion = _Opinion(Probabilities(win, gammons, 0.0, 0.0, 0.0))
    for level, expected in ((EASY, False), (MEDIUM, medium), (HARD, hard)):
        cube = LevelPlayer(opinion, level).cube_action(MIDDLE, MONEY, ply=3)
        assert cube.double is expected, level.name
        takes = level is EASY or 1.0 - win >= 0.25
        assert cube.response is (TakeAction.TAKE if takes else TakeAction.PASS)
        assert LevelPlayer(opinion, level).take_action(MIDDLE, MONEY, ply=3) == cube
        assert cube.decision.startswith(("DOUBLE_",) if expected else ("NODOUBLE_", "TOOGOOD_"))
        owned = dataclasses.replace(MONEY, cube_value=2, cube_owner=CubeOwner.PLAYER)
        assert LevelPlayer(opinion, level).cube_action(MIDDLE, owned, ply=0).double is expected


@pytest.mark.parametrize(
    "context",
    [
        GameContext(cube_value=2, cube_owner=CubeOwner.OPPONENT),
        GameContext(match_length=5, score_player=4, crawford=True),
        GameContext(match_length=5, score_player=4, score_opponent=2),
        GameContext(match_length=5, score_player=3, cube_value=2, cube_owner=CubeOwner.PLAYER),
        GameContext(match_length=1),
    ],
)
def test_a_dead_or_forbidden_cube_is_never_turned(context: GameContext) -> None:
    opinion = _Opinion(Probabilities(0.75, 0.1, 0.0, 0.0, 0.0))
    for level in (EASY, MEDIUM, HARD):
        assert LevelPlayer(opinion, level).cube_action(MIDDLE, context, ply=0).double is False
    assert LevelPlayer(opinion, MEDIUM).cube_action(MIDDLE, MONEY, ply=0).double is True


def test_habits_can_be_changed() -> None:
    opinion = _Opinion(Probabilities(0.55, 0.1, 0.0, 0.0, 0.0))
    eager = dataclasses.replace(MEDIUM, doubling=DoublingHabit(0.5, 0.9), least_take_wins=0.5)
    cube = LevelPlayer(opinion, eager).cube_action(MIDDLE, MONEY, ply=0)
    assert (cube.double, cube.response, cube.decision) == (True, TakeAction.PASS, "DOUBLE_PASS")


def test_real_chances_decide(engine: SageEngine) -> None:
    """A good position is doubled by medium and hard; easy keeps the cube where it is."""
    good = position_id.decode("9N5LAAC6u0sAAA")
    wins = engine.evaluate(good, MONEY, ply=0)[0].win
    assert 0.66 < wins < 0.82
    for level in (EASY, MEDIUM, HARD):
        cube = LevelPlayer(engine, level).cube_action(good, MONEY, ply=0)
        assert cube.double == (level is not EASY)


def test_players_are_engines_with_a_name(engine: SageEngine) -> None:
    player = at_level(engine, MEDIUM)
    assert isinstance(player, Engine)
    assert player.info == dataclasses.replace(engine.info, evaluator="sage@medium")
    plain = at_level(engine, find_level("1ply"))
    assert isinstance(plain, Engine)
    assert plain.choose_play(MIDDLE, MONEY, (4, 3), ply=0).ply == 1
    assert plain.cube_action(MIDDLE, MONEY, ply=0).ply == 1
    assert plain.take_action(MIDDLE, MONEY, ply=0).ply == 1
    assert plain.offer_resignation(MIDDLE, MONEY, ply=0).ply == 1
    assert plain.judge_resignation(MIDDLE, MONEY, 1, on_roll=True, ply=3).ply == 1


def test_a_deadline_covers_both_searches(engine: SageEngine) -> None:
    with pytest.raises(TimeoutError):
        LevelPlayer(engine, HARD).choose_play(MIDDLE, MONEY, (2, 1), ply=0, deadline_s=1e-4)
    assert LevelPlayer(engine, MEDIUM).choose_play(MIDDLE, MONEY, (2, 1), ply=0, deadline_s=60.0).plays


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("random@easy", "random@easy"),
        ("random:7@Medium", "random@medium"),
        ("random@hard:12", "random@hard"),
        ("random@2ply", "random@2ply"),
        ("botd.engine.random_player:RandomPlayer@easy", "random@easy"),
    ],
)
def test_levels_in_engine_specs(spec: str, name: str) -> None:
    assert load_engine(spec).info.evaluator == name


@pytest.mark.parametrize(
    "spec", ["sage@", "sage@nobody", "@easy", "random@easy:x", "random@easy:-1", "random@easy:" + "9" * 400]
)
def test_bad_levels_in_engine_specs(spec: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        load_engine(spec)


class _Opinion(RandomPlayer):
    """Thinks that every position has the given chances."""

    def __init__(self, chances: Probabilities) -> None:
        super().__init__()
        self._chances = chances

    def cube_action(self, board, context, *, ply, deadline_s=None):
        cube = super().cube_action(board, context, ply=ply, deadline_s=deadline_s)
        return dataclasses.replace(cube, probabilities=self._chances)
