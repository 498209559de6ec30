"""The board line, the geometry, `move` texts, ratings and dice scripts, each by itself."""

# ruff: noqa: E501 - board lines are long and are kept whole

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd_protocols.fibs import server_board as geometry
from botd_protocols.fibs.server_board import board_line
from botd_protocols.fibs.server_match import Match, Offer, OfferKind, Phase
from botd_protocols.fibs.server_moves import MoveError, check_move, parse_pairs
from botd_protocols.fibs.server_rating import calculation_lines, rating_change
from botd_protocols.server_dice import (
    DiceExhaustedError,
    DiceScriptError,
    SeededDice,
    parse_dice_script,
)

from .board_check import own_view, read_board
from .brute_force import legal_plays

# The worked examples of the protocol specification, 3.6. All are seen by the player named You.
A = "board:You:anna:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
B = "board:You:anna:5:0:0:0:-2:0:0:0:2:4:0:2:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
B2 = "board:You:mybot:5:0:0:0:-2:0:0:0:2:4:0:2:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:0:0:0:0:1:1:1:0:-1:1:25:0:0:0:0:0:0:0:0:0"
C = "board:You:anna:7:2:4:-1:-1:0:0:1:2:4:0:3:0:0:0:-4:4:0:0:0:-3:0:-4:-2:0:0:0:1:0:-1:4:2:0:0:2:1:0:0:-1:1:25:0:0:0:1:0:2:0:0:0"
C2 = "board:You:mybot:7:4:2:-1:-1:0:0:1:2:4:0:3:0:0:0:-4:4:0:0:0:-3:0:-4:-2:0:0:0:1:0:-1:0:0:4:2:2:0:1:0:1:-1:0:25:0:0:0:1:2:0:0:0"
D = "board:You:anna:5:1:1:0:-2:0:0:2:2:4:2:3:0:0:0:-3:2:0:0:0:-3:-1:-4:-2:0:0:0:0:0:-1:0:0:0:0:1:0:0:1:-1:1:25:0:0:0:0:0:2:0:0:0"
D2 = "board:You:mybot:5:1:1:0:-2:0:0:2:2:4:2:3:0:0:0:-3:2:0:0:0:-3:-1:-4:-2:0:0:0:0:0:-1:0:0:0:0:1:0:0:0:1:-1:0:25:0:0:0:0:2:0:0:0"
E = "board:You:anna:3:2:1:0:2:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-1:0:-1:-2:0:-1:6:1:0:0:1:1:1:0:-1:1:25:0:11:12:0:0:2:0:0:0"
F = "board:You:anna:5:2:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:0:0:1:1:1:0:1:-1:0:25:15:13:0:0:2:0:0:0"


def points(text: str) -> tuple[int, ...]:
    return tuple(int(v) for v in text.split(":")[6:32])


def test_examples_a_and_b() -> None:
    match = Match(("mybot", "anna"), 5, x_side=1, can_move=[2, 0])
    match.start_game(swap_colours=True)
    match.open_with(0, (3, 1))
    assert board_line(match.view(0, you=True)) == A
    after = check_move(
        match.board, 1, (3, 1), [(8, 5), (6, 5)], legal_plays(geometry.to_own_view(match.board, 1), (3, 1))
    )
    match.board = after
    match.pass_turn()
    assert board_line(match.view(0, you=True)) == B
    assert board_line(match.view(1, you=True)) == B2
    pips = [geometry.pip_count(match.board, c) for c in (1, -1)]
    assert pips == [163, 167]


def test_example_c() -> None:
    match = Match(("mybot", "anna"), 7, [2, 4], x_side=0, can_move=[2, 2], board=points(C))
    match.phase, match.turn, match.dice, match.cube, match.cube_owner = Phase.MOVE, 0, (4, 2), 2, 0
    assert board_line(match.view(0, you=True)) == C
    assert board_line(match.view(1, you=True)) == C2
    plays = legal_plays(geometry.to_own_view(match.board, -1), (4, 2))
    for text in ("bar-4 12-14", "bar-2 19-23", "bar-4 1-3"):
        check_move(match.board, -1, (4, 2), parse_pairs(text.split(), -1), plays)


def test_example_d_open_double() -> None:
    match = Match(("mybot", "anna"), 5, [1, 1], x_side=0, can_move=[2, 2], board=points(D))
    match.phase, match.turn, match.offer = Phase.ROLL, 1, Offer(OfferKind.DOUBLE, 1)
    assert board_line(match.view(0, you=True)) == D
    assert board_line(match.view(1, you=True)) == D2
    hidden = read_board(board_line(match.view(0, you=True, show_double=False)))
    assert (hidden.turn, hidden.may, hidden.doubled) == (1, (1, 1), 0)


def test_example_e_crawford_bear_off() -> None:
    match = Match(("mybot", "anna"), 3, [2, 1], x_side=0, can_move=[2, 2], board=points(E))
    match.phase, match.turn, match.dice, match.crawford_game = Phase.MOVE, 0, (6, 1), True
    assert board_line(match.view(0, you=True)) == E
    assert not match.may_double(0)
    plays = legal_plays(geometry.to_own_view(match.board, -1), (6, 1))
    for text in ("21-off 24-off", "21 off 23 24", "21-22 22-o"):
        check_move(match.board, -1, (6, 1), parse_pairs(text.split(), -1), plays)


def test_example_f_between_games() -> None:
    match = Match(("mybot", "anna"), 5, [2, 1], x_side=1, can_move=[2, 2], board=points(F))
    assert board_line(match.view(0, you=True)) == F


def test_no_crawford_marker_and_post_crawford_flag() -> None:
    match = Match(("mybot", "anna"), 5, [4, 2], crawford_rule=False)
    match.start_game(swap_colours=True)
    assert match.may_double(0)
    assert read_board(board_line(match.view(0, you=True))).flags == (3, 0)
    match = Match(("mybot", "anna"), 5, [4, 2])
    match.start_game(swap_colours=True)
    assert not match.may_double(1)
    assert read_board(board_line(match.view(1, you=True))).flags == (0, 0)
    match.finish_game(1, 1)
    match.start_game(swap_colours=True)
    assert match.may_double(1)
    assert read_board(board_line(match.view(1, you=True))).flags == (0, 1)


@pytest.mark.parametrize(
    ("x_points", "points_won"),
    [({24: -1}, 1), ({24: -15}, 2), ({24: -14, 6: -1}, 3), ({24: -14, 0: -1}, 3), ({24: -14, 7: -1}, 2)],
)
def test_game_values(x_points: dict[int, int], points_won: int) -> None:
    board = [0] * 26
    for point, count in x_points.items():
        board[point] = count
    match = Match(("mybot", "anna"), 5, x_side=1, board=tuple(board), cube=2)
    assert match.result_points(0) == 2 * points_won
    assert match.result_points(1) == 0


@given(st.lists(st.integers(-15, 15), min_size=24, max_size=24), st.integers(0, 15), st.integers(0, 15))
def test_views_are_inverse(body: list[int], o_bar: int, x_bar: int) -> None:
    board = (-x_bar, *body, o_bar)
    for colour in (1, -1):
        view = geometry.to_own_view(board, colour)
        assert geometry.from_own_view(view, colour) == board
        assert view[25] == (o_bar if colour == 1 else x_bar)


def random_positions() -> st.SearchStrategy[tuple[int, ...]]:
    """Positions that came about by a few random legal plays."""

    @st.composite
    def build(draw: st.DrawFn) -> tuple[int, ...]:
        board, colour = geometry.START, 1
        for _ in range(draw(st.integers(0, 30))):
            dice = (draw(st.integers(1, 6)), draw(st.integers(1, 6)))
            plays = legal_plays(geometry.to_own_view(board, colour), dice)
            if plays:
                board = geometry.from_own_view(draw(st.sampled_from(plays))[1], colour)
            colour = -colour
        return board

    return build()


@given(random_positions(), st.sampled_from([1, -1]), st.tuples(st.integers(1, 6), st.integers(1, 6)))
def test_exactly_the_legal_plays_are_accepted(
    board: tuple[int, ...], colour: int, dice: tuple[int, int]
) -> None:
    plays = legal_plays(geometry.to_own_view(board, colour), dice)
    for steps, after in plays:
        pairs = [(geometry.point_of(a, colour), geometry.point_of(b, colour)) for a, b in steps]
        result = check_move(board, colour, dice, pairs, plays)
        assert result == geometry.from_own_view(after, colour)
        with pytest.raises(MoveError):
            check_move(board, colour, dice, pairs[:-1], plays)


@given(
    random_positions(),
    st.sampled_from([1, -1]),
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    st.lists(st.tuples(st.integers(0, 26), st.integers(0, 26)), max_size=4),
)
def test_whatever_is_accepted_is_legal(
    board: tuple[int, ...], colour: int, dice: tuple[int, int], pairs: list[tuple[int, int]]
) -> None:
    plays = legal_plays(geometry.to_own_view(board, colour), dice)
    if not plays:
        return
    results = {after for _, after in plays}
    try:
        result = check_move(board, colour, dice, pairs, plays)
    except MoveError as error:
        complaint = str(error)
        result = None
    if result is None:
        assert complaint.startswith("** ")
    else:
        assert geometry.to_own_view(result, colour) in results


def test_own_view_of_the_checker_agrees_with_the_formatter() -> None:
    for text in (A, B2, C, C2, D, E):
        line = read_board(text)
        assert own_view(line) == geometry.to_own_view(line.points, line.colour)


def test_rating_check_values() -> None:
    even = rating_change(1500, 400, 1500, 400, 1)
    assert (even.winner_gain, even.loser_loss) == pytest.approx((2.0, 2.0))
    underdog = rating_change(1543.27, 412, 1611.90, 1204, 3)
    assert underdog.underdog_chance == pytest.approx(0.465840, abs=5e-7)
    assert underdog.winner_gain == pytest.approx(3.700772, abs=5e-7)
    favourite = rating_change(1700, 500, 1500, 500, 5)
    assert favourite.underdog_chance == pytest.approx(0.374052, abs=5e-7)
    assert favourite.winner_gain == pytest.approx(3.345620, abs=5e-7)
    assert rating_change(1500, 0, 1500, 0, 1).winner_gain == pytest.approx(10.0)
    assert rating_change(1500, 0, 1500, 0, 3).winner_gain == pytest.approx(17.32, abs=0.005)
    assert rating_change(1482.68, 100, 1517.32, 100, 1).winner_gain == pytest.approx(8.16, abs=0.005)


def test_rating_block() -> None:
    change = rating_change(1500, 400, 1500, 0, 1)
    lines = calculation_lines(change, 1, ("mybot", 400), ("anna", 0))
    assert lines[0] == "rating calculation:"
    assert lines[3] == "Experience: mybot 400 - anna 0"
    assert lines[-3] == "change for mybot: 4*K*sqrt(N)*P=2.000000"
    assert lines[-1] == "change for anna: -4*K*sqrt(N)*P=-10.000000"


def test_dice_scripts() -> None:
    dice = parse_dice_script("# opening\ninviter X\n3 1\n\n6 6  # a good one\n")
    assert dice.host_is_first()
    assert [dice.roll(), dice.roll()] == [(3, 1), (6, 6)]
    assert dice.rolls_left == 0
    with pytest.raises(DiceExhaustedError):
        dice.roll()
    goes_on = parse_dice_script("", then=SeededDice(5))
    expected = SeededDice(5)
    assert [goes_on.roll() for _ in range(9)] == [expected.roll() for _ in range(9)]


@pytest.mark.parametrize("text", ["7 1", "3", "3 1 2", "inviter Z", "three one", "3 1\n0 0"])
def test_bad_dice_scripts_name_the_line(text: str) -> None:
    with pytest.raises(DiceScriptError, match=rf"line {len(text.splitlines())}: "):
        parse_dice_script(text)
