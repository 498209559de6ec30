"""When a game is given up."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.config import PolicyConfig
from botd.daemon.resigning import Resigning
from botd.engine.types import (
    STARTING_BOARD,
    Board,
    CubeOwner,
    GameContext,
    Probabilities,
    ResignationDecision,
    Scoring,
)

MONEY = GameContext()
LIKELY = PolicyConfig(resign="likely")
SURE = 0.9995


def race(off: int, pips: int = 6) -> Board:
    """The opponent has `off` checkers off and the rest on his ace point; ours stand `pips` from home."""
    board = [0] * 26
    board[pips] = 15
    board[24] = -(15 - off)
    return tuple(board)


BOARDS = tuple(race(0, point) for point in range(1, 20))


def lost(
    single: float = 0.0, gammon: float = 0.0, backgammon: float = 0.0, level: int = 0
) -> ResignationDecision:
    """The engine's answer with these chances to lose at least so much, and the `level` proven."""
    chances = Probabilities(1.0 - single, 0.0, 0.0, gammon, backgammon)
    return ResignationDecision(level, False, -1.0, -1.0, chances, 1)


def offers(
    policy: PolicyConfig, answers: list[ResignationDecision], context: GameContext = MONEY
) -> list[int]:
    """What is offered at one decision after the other."""
    resigning = Resigning(policy)
    resigning.new_game()
    return [
        resigning.level(board, context, answer, 1) for board, answer in zip(BOARDS, answers, strict=False)
    ]


def test_what_is_likely_lost_is_offered_after_three_decisions_in_a_row() -> None:
    sure, unsure = lost(SURE), lost(0.998)
    assert offers(LIKELY, [sure] * 4) == [0, 0, 1, 0]
    assert offers(LIKELY, [sure, sure, unsure, sure, sure, sure]) == [0, 0, 0, 0, 0, 1]
    assert offers(PolicyConfig(resign="likely", resign_after=1), [sure]) == [1]
    assert offers(PolicyConfig(resign="likely", resign_threshold=0.99), [unsure] * 3) == [0, 0, 1]


def test_by_default_only_what_is_proven_is_offered() -> None:
    assert offers(PolicyConfig(), [lost(1.0)] * 5) == [0] * 5
    assert offers(PolicyConfig(), [lost(1.0, level=1)]) == [1]
    assert offers(LIKELY, [lost(1.0, level=1)]) == [1]


@pytest.mark.parametrize(
    ("chances", "level"),
    [
        ((1.0, 0.0, 0.0), 1),
        ((1.0, 0.0005, 0.0), 1),
        ((1.0, 0.5, 0.0), 0),
        ((1.0, SURE, 0.0), 2),
        ((1.0, SURE, 0.3), 0),
        ((1.0, 1.0, SURE), 3),
    ],
)
def test_the_level_is_what_is_lost_and_nothing_less(chances: tuple[float, float, float], level: int) -> None:
    assert offers(LIKELY, [lost(*chances)] * 3) == [0, 0, level]


def test_a_higher_level_needs_its_own_row() -> None:
    gammon = lost(1.0, 1.0)
    assert offers(LIKELY, [lost(1.0, 0.5), lost(1.0, 0.5), gammon, gammon, gammon]) == [0, 0, 0, 0, 2]


def match(away: int, cube: int = 1) -> GameContext:
    return GameContext(match_length=9, score_player=0, score_opponent=9 - away, cube_value=cube)


@pytest.mark.parametrize(
    ("context", "level"),
    [
        (match(1), 1),
        (match(2), 2),
        (match(3), 3),
        (match(2, cube=2), 1),
        (match(3, cube=2), 2),
        (match(1, cube=4), 1),
        (GameContext(jacoby=True), 1),
        (GameContext(jacoby=True, cube_value=2, cube_owner=CubeOwner.OPPONENT), 3),
    ],
)
def test_more_than_the_match_is_never_offered(context: GameContext, level: int) -> None:
    assert offers(LIKELY, [lost(1.0, 1.0, 1.0)] * 3, context) == [0, 0, level]


def test_where_a_gammon_costs_no_more_it_does_not_matter() -> None:
    assert offers(LIKELY, [lost(1.0, 0.5)] * 3, match(1)) == [0, 0, 1]


def test_nothing_is_offered_when_the_opponent_is_nearly_off() -> None:
    resigning = Resigning(PolicyConfig(resign="likely", resign_after=1))
    assert resigning.level(race(13), MONEY, lost(1.0), 1) == 0
    assert resigning.level(race(14), MONEY, lost(1.0), 1) == 0
    assert resigning.level(race(12), MONEY, lost(1.0), 1) == 1


def test_the_same_question_asked_twice_counts_once() -> None:
    resigning = Resigning(LIKELY)
    assert [resigning.level(race(0), MONEY, lost(1.0), 1) for _ in range(5)] == [0] * 5


def test_an_offer_is_made_once_and_only_a_larger_one_after_it() -> None:
    resigning = Resigning(PolicyConfig())
    assert [resigning.level(race(0), MONEY, lost(level=level), 1) for level in (2, 2, 1, 3, 3)] == [
        2,
        0,
        0,
        3,
        0,
    ]
    assert not resigning.worth_asking(race(0))
    resigning.new_game()
    assert resigning.worth_asking(race(0))
    assert resigning.level(race(0), MONEY, lost(level=1), 1) == 1


def test_a_reconnection_does_not_forget_an_offer_but_another_match_does() -> None:
    resigning = Resigning(PolicyConfig())
    resigning.match_goes_on("anna")
    assert resigning.level(race(0), MONEY, lost(level=1), 1) == 1
    resigning.match_goes_on("anna")
    assert resigning.level(race(0), MONEY, lost(level=1), 1) == 0
    resigning.match_goes_on("bert")
    assert resigning.level(race(0), MONEY, lost(level=1), 1) == 1


def test_a_server_that_sets_the_price_gets_no_offer_below_it() -> None:
    resigning = Resigning(PolicyConfig())
    assert resigning.level(race(0), MONEY, lost(level=1), 2) == 0
    assert resigning.level(race(0), MONEY, lost(level=2), 2) == 2


@pytest.mark.parametrize(
    ("price", "chances", "level"),
    [
        (1, (1.0, 0.5, 0.0), 1),
        (2, (1.0, 0.5, 0.0), 0),
        (2, (1.0, SURE, 0.5), 2),
        (3, (1.0, 1.0, 0.5), 0),
        (3, (1.0, 1.0, SURE), 3),
    ],
)
def test_where_the_position_sets_the_price_it_must_be_what_is_lost_anyway(
    price: int, chances: tuple[float, float, float], level: int
) -> None:
    context = GameContext(match_length=9, scoring=Scoring.BGAMMON)
    resigning = Resigning(LIKELY)
    made = [resigning.level(board, context, lost(*chances), price) for board in BOARDS[:3]]
    assert made == [0, 0, level]


def test_at_match_point_the_price_does_not_matter() -> None:
    context = GameContext(match_length=9, score_opponent=8, scoring=Scoring.BGAMMON)
    resigning = Resigning(PolicyConfig(resign="likely", resign_after=1))
    assert resigning.level(race(0), context, lost(1.0), 3) == 3


@pytest.mark.parametrize(
    ("policy", "in_race", "in_contact"),
    [("never", False, False), ("proven", True, False), ("likely", True, True)],
)
def test_when_the_engine_is_asked(policy: str, in_race: bool, in_contact: bool) -> None:
    resigning = Resigning(PolicyConfig(resign=policy))  # type: ignore[arg-type]
    assert resigning.worth_asking(race(0)) is in_race
    assert resigning.worth_asking(STARTING_BOARD) is in_contact


def test_a_good_position_in_between_ends_the_row() -> None:
    resigning = Resigning(LIKELY)
    for board in BOARDS[:2]:
        resigning.played(0.0)
        assert resigning.level(board, MONEY, lost(1.0), 1) == 0
    resigning.played(0.4)
    assert not resigning.worth_asking(STARTING_BOARD)
    resigning.played(0.01)
    assert resigning.worth_asking(STARTING_BOARD)
    levels = [resigning.level(board, MONEY, lost(1.0), 1) for board in BOARDS[2:5]]
    assert levels == [0, 0, 1]


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)), max_size=len(BOARDS)),
    st.sampled_from([0.9, 0.99, 0.999, 1.0]),
    st.integers(1, 4),
)
def test_whatever_the_chances_no_offer_without_its_row(
    chances: list[tuple[float, float, float]], threshold: float, after: int
) -> None:
    answers = [lost(*sorted(three, reverse=True)) for three in chances]
    made = offers(PolicyConfig(resign="likely", resign_threshold=threshold, resign_after=after), answers)
    assert all(earlier < later for earlier, later in itertools.pairwise(level for level in made if level))
    for number, level in enumerate(made):
        if level:
            row = [answer.probabilities for answer in answers[: number + 1][-after:]]
            assert len(row) == after
            for p in row:
                assert (1.0 - p.win, p.lose_gammon, p.lose_backgammon)[level - 1] >= threshold
