"""The rules of a local match: turns, cube, Crawford, scoring, whole matches to the end."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd.engine.types import BAR, CubeOwner
from botd.terminal.local_match import GameEnd, IllegalActionError, LocalMatch, Phase, Seat

ME, IT = Seat.PERSON, Seat.ENGINE


def scripted(*rolls: tuple[int, int]) -> Callable[[], tuple[int, int]]:
    left: Iterable[tuple[int, int]] = iter(rolls)
    return lambda: next(iter(left))


def seeded(seed: int) -> Callable[[], tuple[int, int]]:
    generator = random.Random(seed)
    return lambda: (generator.randint(1, 6), generator.randint(1, 6))


def begun(length: int = 5, **rules: bool) -> LocalMatch:
    """The person opened with 8/5 6/5; the engine is to roll or double."""
    match = LocalMatch(length, scripted((3, 1), (6, 5), (2, 1), (4, 3)), **rules)
    assert match.start_game() == [(3, 1)]
    match.move(ME, "8/5 6/5")
    return match


def play_randomly(match: LocalMatch, seed: int, *, doubling: float = 0.05, passing: float = 0.2) -> None:
    """One action by whoever has to act, by the rules alone."""
    choose = random.Random(seed)
    while match.phase not in (Phase.BETWEEN_GAMES, Phase.OVER):
        seat = match.to_act
        if match.phase is Phase.ROLL:
            if not match.why_no_double(seat) and choose.random() < doubling:
                match.double(seat)
            else:
                match.roll(seat)
        elif match.phase is Phase.MOVE:
            plays = match.legal_plays()
            match.move(seat, choose.choice(plays) if plays else "")
        elif choose.random() < passing:
            match.refuse(seat)
        else:
            match.take(seat)


def test_the_higher_opening_die_starts_and_ties_are_rolled_again() -> None:
    match = LocalMatch(1, scripted((4, 4), (2, 6)))
    assert match.start_game() == [(4, 4), (2, 6)]
    assert (match.on_roll, match.to_act, match.dice, match.phase) == (IT, IT, (2, 6), Phase.MOVE)
    with pytest.raises(IllegalActionError, match="not your turn"):
        match.move(ME, "24/18 13/11")
    match.move(IT, "24/18 13/11")
    assert match.to_act is ME
    assert match.board(ME)[7] == -1
    assert match.board(IT)[18] == 1


def test_both_seats_see_their_own_side() -> None:
    match = begun()
    assert match.board(ME)[5] == 2
    assert match.board(IT)[20] == -2
    match.double(IT)
    match.take(ME)
    assert match.context(ME).cube_owner is CubeOwner.PLAYER
    assert match.context(IT).cube_owner is CubeOwner.OPPONENT
    assert match.context(IT).cube_value == 2


@pytest.mark.parametrize(
    ("move", "why"),
    [("8/5", "not one of"), ("13/8", "not one of"), ("", "got no move"), ("9/8", "not one of"), ("x/y", "x")],
)
def test_an_illegal_move_changes_nothing(move: str, why: str) -> None:
    match = LocalMatch(3, scripted((3, 1)))
    match.start_game()
    before = match.board(ME)
    with pytest.raises(IllegalActionError, match=why):
        match.move(ME, move)
    assert (match.board(ME), match.phase, match.dice) == (before, Phase.MOVE, (3, 1))


def test_a_double_is_answered_before_play_goes_on() -> None:
    match = begun()
    with pytest.raises(IllegalActionError, match="beginning of your turn"):
        match.double(ME)
    assert match.double(IT) == 2
    assert (match.phase, match.to_act, match.cube) == (Phase.DOUBLED, ME, 1)
    with pytest.raises(IllegalActionError, match="not your turn"):
        match.roll(IT)
    with pytest.raises(IllegalActionError, match="answer the double"):
        match.roll(ME)
    with pytest.raises(IllegalActionError, match="beavers are not in use"):
        match.beaver(ME)
    assert match.take(ME) == 2
    assert (match.phase, match.to_act, match.cube_owner) == (Phase.ROLL, IT, ME)
    with pytest.raises(IllegalActionError, match="owns the cube"):
        match.double(IT)


def test_passing_loses_the_cube_before_the_double() -> None:
    match = begun()
    match.double(IT)
    match.take(ME)
    match.roll(IT)
    match.move(IT, match.legal_plays()[0])
    match.double(ME)
    result = match.refuse(IT)
    assert (result.winner, result.points, result.how) == (ME, 2, GameEnd.PASSED)
    assert match.score == {ME: 2, IT: 0}
    assert match.phase is Phase.BETWEEN_GAMES


def test_beavers_belong_to_money_play() -> None:
    assert not LocalMatch(3, seeded(1), beavers=True).beavers
    match = begun(0, beavers=True)
    match.double(IT)
    assert match.beaver(ME) == 4
    assert (match.phase, match.to_act, match.cube_owner) == (Phase.BEAVERED, IT, ME)
    match.take(IT)
    assert (match.phase, match.to_act, match.cube) == (Phase.ROLL, IT, 4)
    match = begun(0, beavers=True)
    match.double(IT)
    match.beaver(ME)
    assert match.refuse(IT).points == 2


def test_resigning_is_offered_and_answered() -> None:
    match = begun()
    with pytest.raises(IllegalActionError, match="wait for your turn"):
        match.resign(ME, 1)
    with pytest.raises(IllegalActionError, match="1 \\(single game\\)"):
        match.resign(IT, 4)
    match.roll(IT)
    match.resign(IT, 2)
    assert (match.phase, match.to_act, match.resignation_level) == (Phase.RESIGNING, ME, 2)
    with pytest.raises(IllegalActionError, match="answer the resignation"):
        match.roll(ME)
    with pytest.raises(IllegalActionError, match="nobody wants to resign"):
        match.answer_resignation(IT, True)
    assert match.answer_resignation(ME, False) is None
    assert (match.phase, match.to_act, match.dice) == (Phase.MOVE, IT, (6, 5))
    match.resign(IT, 2)
    result = match.answer_resignation(ME, True)
    assert result is not None
    assert (result.winner, result.points, result.how) == (ME, 2, GameEnd.RESIGNED)


def win_by_pass(match: LocalMatch, winner: Seat) -> None:
    """Play the next game until `winner` may double, or resign it if doubling is off."""
    match.start_game()
    while not (match.phase is Phase.ROLL and match.to_act is winner):
        seat = match.to_act
        if match.phase is Phase.ROLL:
            match.roll(seat)
        plays = match.legal_plays()
        match.move(seat, plays[0] if plays else "")
    if match.why_no_double(winner):
        match.roll(winner)
        plays = match.legal_plays()
        match.move(winner, plays[0] if plays else "")
        match.resign(winner.other, 1)
        match.answer_resignation(winner, True)
    else:
        match.double(winner)
        match.refuse(winner.other)


def test_the_crawford_game_is_played_once() -> None:
    match = LocalMatch(4, seeded(5))
    crawford = []
    for winner in (ME, ME, ME, IT, IT, IT, ME):
        win_by_pass(match, winner)
        crawford.append(match.crawford)
    assert crawford == [False, False, False, True, False, False, False]
    assert match.phase is Phase.OVER
    assert match.winner is ME
    assert match.score == {ME: 4, IT: 3}
    with pytest.raises(IllegalActionError, match="match is over"):
        match.start_game()


def test_no_doubling_in_the_crawford_game_nor_with_a_dead_cube() -> None:
    match = LocalMatch(3, seeded(8))
    win_by_pass(match, ME)
    win_by_pass(match, ME)
    match.start_game()
    assert match.crawford
    while match.phase is not Phase.ROLL:
        match.move(match.to_act, match.legal_plays()[0])
    with pytest.raises(IllegalActionError, match="Crawford"):
        match.double(match.to_act)
    match = LocalMatch(2, seeded(8))
    match.start_game()
    match.move(match.to_act, match.legal_plays()[0])
    doubler = match.to_act
    match.double(doubler)
    match.take(doubler.other)
    match.roll(doubler)
    match.move(doubler, match.legal_plays()[0])
    assert "dead" in match.why_no_double(doubler.other)
    match = LocalMatch(1, seeded(8))
    match.start_game()
    match.move(match.to_act, match.legal_plays()[0])
    assert "1 point match" in match.why_no_double(match.to_act)


def test_jacoby_counts_a_gammon_only_after_a_double() -> None:
    points: dict[bool, set[int]] = {False: set(), True: set()}
    for seed in range(30):
        for jacoby in (False, True):
            match = LocalMatch(0, seeded(seed), jacoby=jacoby)
            match.start_game()
            play_randomly(match, seed, doubling=0)
            assert match.result is not None
            points[jacoby].add(match.result.points)
    assert points[True] == {1}
    assert points[False] > {1, 2}


def test_no_game_no_action() -> None:
    match = LocalMatch(3, seeded(1))
    for action in (match.roll, match.take, match.refuse, match.beaver):
        with pytest.raises(IllegalActionError, match="no game"):
            action(ME)
    with pytest.raises(IllegalActionError, match="nothing to resign"):
        match.resign(ME, 1)
    assert match.legal_plays() == []
    with pytest.raises(ValueError, match="match length"):
        LocalMatch(26, seeded(1))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), length=st.integers(1, 9), doubling=st.sampled_from([0.0, 0.1, 0.8]))
def test_every_match_ends_with_a_sound_score(seed: int, length: int, doubling: float) -> None:
    match = LocalMatch(length, seeded(seed))
    crawford_games = 0
    while match.phase is not Phase.OVER:
        before = dict(match.score)
        match.start_game()
        if match.crawford:
            crawford_games += 1
            assert sorted(length - points for points in before.values())[0] == 1
        play_randomly(match, seed + match.game, doubling=doubling)
        result = match.result
        assert result is not None
        assert match.score[result.winner] == before[result.winner] + result.points
        assert match.score[result.winner.other] == before[result.winner.other]
        if match.crawford:
            assert match.cube == 1
        if result.how is GameEnd.BORNE_OFF:
            assert max(match.board(result.winner)[1 : BAR + 1]) <= 0
            assert result.points in (match.cube, 2 * match.cube, 3 * match.cube)
    assert match.winner is not None
    assert match.score[match.winner] >= length > match.score[match.winner.other]
    assert crawford_games <= 1
