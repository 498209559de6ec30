"""The small parts of the client by themselves, the board's rules against the engine's."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd.engine import rules
from botd_protocols.bgammon import client_commands as commands
from botd_protocols.bgammon.client_board import (
    BoardState,
    apply_steps,
    can_move,
    read_board,
    resignation_cost,
    single_steps,
)
from botd_protocols.bgammon.client_lines import MAX_LINE, LineReader
from botd_protocols.bgammon.client_messages import Bad, Board, Unknown, decode
from botd_protocols.bgammon.client_queue import CHAT_GAP, CommandQueue
from botd_protocols.bgammon.client_text import Dose, notice_text, shown
from botd_protocols.bgammon.client_turn import Plan, TurnRecord
from botd_protocols.positions import Step, turn_round
from tests.bgammon.client.harness import START, board

DICE = st.tuples(st.integers(1, 6), st.integers(1, 6))


@st.composite
def boards(draw: st.DrawFn) -> tuple[int, ...]:
    """Positions of games: random plays from the start, often down to the last checkers."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    position = (*START[:26],)[:25]
    position = (0, *position[1:25], 0)
    for _ in range(draw(st.integers(0, 120))):
        plays = rules.legal_plays(position, (chance.randint(1, 6), chance.randint(1, 6)))
        if plays:
            position = chance.choice(plays).board
        if rules.game_result(position):
            break
        position = rules.mirrored(position)
    return position


def state(text: str) -> BoardState:
    message = decode(text.encode())
    assert isinstance(message, Board), message
    return read_board(message)


# -- boards --------------------------------------------------------------------------------------------------


def test_one_moment_seen_by_both_players() -> None:
    # the example of the specification: the dice are 2 and 5, A is on roll with a checker on the bar
    a = [0, 0, 1, 2, 1, 0, 4, -2, 1, 1, 0, 0, 0, 2, -2, 0, 0, 0, -4, -5, 0, 0, 0, -2, 2, 0, 1, 0]
    b = [0, -2, 2, 0, 0, 0, 5, 4, 0, 0, 0, 2, -2, 0, 0, 0, -1, -1, 2, -4, 0, -1, -2, -1, 0, 0, 0, -1]
    mine = state(board(turn=1, roll=(2, 5), spaces=a, available=[[26, 20]]))
    his = state(board(turn=2, roll=(2, 5), spaces=b, available=[[27, 5]]))
    assert mine.available == his.available == ((25, 20),)
    assert mine.board[25] == his.board[0] == 1
    assert his.board == turn_round(mine.board)
    assert mine.view("me").board == his.view("opponent").board
    assert mine.on_roll_board == his.on_roll_board
    rules.check_board(mine.board)


@pytest.mark.parametrize(
    ("change", "able"),
    [
        ({}, True),
        ({"Crawford": 1}, False),
        ({"Crawford": 2}, True),
        ({"points": 1}, False),
        ({"score": (2, 0)}, False),  # one point is enough: a dead cube
        ({"DoubleValue": 2, "DoublePlayer": 1, "points": 9}, True),
        ({"DoubleValue": 2, "DoublePlayer": 2, "points": 9}, False),
        ({"DoubleValue": 64, "DoublePlayer": 1, "points": 127}, False),
        ({"DoubleValue": 4, "DoublePlayer": 1}, False),
    ],
)
def test_when_a_double_means_something(change: dict[str, object], able: bool) -> None:
    assert state(board(turn=1, **change)).can_double is able  # type: ignore[arg-type]


@pytest.mark.parametrize("owner", [0, 1, 2])
def test_the_cube_has_the_same_owner_from_both_sides(owner: int) -> None:
    table = state(board(turn=2, DoublePlayer=owner, DoubleValue=2, score=(1, 2), points=5))
    ours, theirs = table.view("me"), table.view("opponent")
    assert [ours.cube_owner, theirs.cube_owner] == [
        ["centered", "player", "opponent"][owner],
        ["centered", "opponent", "player"][owner],
    ]
    assert (ours.score_player, ours.score_opponent) == (theirs.score_opponent, theirs.score_player) == (1, 2)


@settings(max_examples=300)
@given(boards(), DICE)
def test_whether_a_side_can_move(position: tuple[int, ...], dice: tuple[int, int]) -> None:
    assert can_move(position, dice) == bool(rules.legal_plays(position, dice))


@settings(max_examples=300)
@given(boards(), DICE)
def test_plays_of_the_engine_can_be_made(position: tuple[int, ...], dice: tuple[int, int]) -> None:
    for play in rules.legal_plays(position, dice):
        assert apply_steps(position, play.steps) == play.board
        if play.steps:
            first = play.steps[0]
            assert any(first in single_steps(position, die) for die in dice)


@settings(max_examples=200)
@given(boards())
def test_the_price_of_giving_up(position: tuple[int, ...]) -> None:
    own = [point for point in range(1, 26) if position[point] > 0]
    off = rules.borne_off(position)[0]
    expected = 3 if own and max(own) >= 19 else 1 if off else 2
    assert resignation_cost(position) == expected


# -- plans and turns -----------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(boards(), DICE, st.randoms(use_true_random=False))
def test_a_plan_is_carried_out_in_whatever_order_steps_are_offered(
    position: tuple[int, ...], dice: tuple[int, int], chance: random.Random
) -> None:
    plays = [play for play in rules.legal_plays(position, dice) if play.steps]
    if not plays:
        return
    play = chance.choice(plays)
    plan = Plan(position, play.steps, dice)
    now, made = position, []
    for _ in range(4):
        if now == play.board:
            break
        left = 4 if dice[0] == dice[1] else 2
        # what a server offers: the steps that some legal play still has before it
        offered = sorted({step for die in set(dice) for step in single_steps(now, die)}, reverse=True)
        chance.shuffle(offered)
        assert len(made) < left
        step = plan.next_step(_turn(now, dice, made, offered))
        assert step is not None
        after = apply_steps(now, (step,))
        assert after is not None
        now = after
        made.append(step)
    assert now == play.board


def _turn(
    position: tuple[int, ...],
    dice: tuple[int, int],
    made: list[Step],
    offered: list[Step],
) -> BoardState:
    return BoardState(
        "Guest_alice", 0, 0, 3, 0, 0, position, "me", dice, 0, tuple(made), tuple(offered), None, 1,
        "centered", crawford=False, double_open=False, forced=False, started=True, rated=False,
    )  # fmt: skip


def test_a_plan_that_nothing_on_offer_leads_to() -> None:
    position = (0, *START[1:25], 0)
    plan = Plan(position, ((24, 23), (23, 18)), (5, 1))
    assert plan.next_step(_turn(position, (5, 1), [], [(13, 8), (6, 5)])) is None
    with pytest.raises(ValueError, match="cannot be made"):
        Plan(position, ((5, 4),), (1, 1))


def test_what_moved_says_is_believed_only_if_it_fits() -> None:
    first = state(board(turn=2, roll=(5, 1), available=[[1, 2]]))
    turn = TurnRecord("opponent", (5, 1), first)
    after = [*START]
    after[17], after[18] = -2, -1
    turn.board(state(board(turn=2, roll=(5, 1), moves=[[17, 18]], spaces=after)))
    turn.moved([(7, 6)])  # said after the last board, and never made
    reached = state(board(turn=1, spaces=after)).seen_by("opponent")
    assert turn.played(reached, ()) == ((8, 7),)
    elsewhere = turn_round((0, *after[1:24], 1, 0))
    assert turn.played(elsewhere, ()) is None


def test_steps_taken_back_are_no_part_of_the_play() -> None:
    turn = TurnRecord("me", (5, 1), state(board(turn=1, roll=(5, 1), available=[[8, 7]])))
    turn.moved([(8, 7), (13, 8)])
    turn.moved([(8, 13)])
    turn.moved([(6, 5)])
    assert turn.played(None, ()) == ((8, 7), (6, 5))
    turn.moved([(24, 23)] * 100)
    assert turn.played(None, ()) is None


# -- messages ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"Type":"ping","Player":""}', "Ping"),
        ('{"Player":"","Message":"x","Type":"notice"}', "Notice"),
        ('{"Type":"list","Games":{"not":"looked at"}}', "Ignored"),
        ('{"Type":"help"}', "Unknown"),
        ('{"Type":"ping","Message":5}', "Bad"),
        ('{"Type":"board"}', "Bad"),
        ("", "Bad"),
        ("{}", "Bad"),
    ],
)
def test_messages(text: str, kind: str) -> None:
    message = decode(text.encode())
    assert type(message).__name__ == kind
    if isinstance(message, Bad):
        assert message.reason


def test_a_bad_message_says_where_and_why() -> None:
    message = decode(board(Turn=7).encode())
    assert isinstance(message, Bad)
    assert message.type == "board"
    assert "$.Turn" in message.reason
    unknown = decode(b'{"Type":"\\u001b[2J"}')
    assert unknown == Unknown("\\x1b[2J")


# -- lines, queue and text -----------------------------------------------------------------------------------


def test_an_overlong_line_is_skipped_and_the_next_one_read() -> None:
    reader = LineReader()
    data = b"x" * (MAX_LINE + 10) + b"\nnext\r\n\nlast"
    for size in (len(data), 4096):
        found = [line for at in range(0, len(data), size) for line in reader.feed(data[at : at + size])]
        assert found == [MAX_LINE + 10, b"next", b""]
        assert list(reader.feed(b"\n")) == [b"last"]
    edge = b"y" * MAX_LINE
    assert list(reader.feed(edge + b"\n")) == [edge]


def test_commands_leave_in_order_of_their_lanes_with_gaps() -> None:
    queue = CommandQueue(0.5)
    for number in range(5):
        queue.chat(f"say {number}")
    queue.chat("")
    queue.other("create")
    queue.other("create")
    queue.game("roll")
    queue.control("pong 1")
    sent: list[tuple[float, str]] = []
    now = 0.0
    while (due := queue.next_time()) is not None:
        now = max(now, due)
        command = queue.pop(now)
        assert command is not None
        sent.append((now, command))
        assert queue.pop(now - 0.001) is None
    assert sent == [
        (0.0, "pong 1"),
        (0.5, "roll"),
        (1.0, "create"),
        (1.5, "say 0"),
        (1.5 + CHAT_GAP, "say 1"),
        (1.5 + 2 * CHAT_GAP, "say 2"),
    ]


def test_what_was_meant_for_another_state_is_forgotten() -> None:
    queue = CommandQueue(1.0)
    queue.game("move 8/5")
    queue.other("leave")
    queue.drop_game()
    assert queue.pop(0.0) == "leave"
    queue.game("ok")
    queue.chat("say x")
    queue.other("create")
    queue.control("pong")
    queue.drop_match()
    assert [queue.pop(9.0), queue.pop(99.0)] == ["pong", None]


def test_doses() -> None:
    dose = Dose(3, 10.0)
    passed = [dose.take(now) for now in (0, 0, 0, 0, 9, 10, 10)]
    assert passed == [
        True,
        True,
        True,
        False,
        False,
        True,
        False,
    ]
    assert dose.dropped == 3


@given(st.text(max_size=500), st.integers(1, 300))
def test_shown_text_is_printable_and_short(text: str, limit: int) -> None:
    for made in (shown(text, limit), notice_text(text, limit)):
        assert made.isprintable()
        assert len(made) <= limit


@given(st.text(max_size=400))
def test_what_people_write_never_becomes_a_second_command(text: str) -> None:
    for command in (commands.say(text), commands.pong(text), commands.create(3, text)):
        assert command.isprintable()
        assert len(command) <= 230
        assert command == command.strip()


@pytest.mark.parametrize(
    ("step", "command"),
    [((25, 22), "move bar/22"), ((6, 0), "move 6/off"), ((24, 18), "move 24/18")],
)
def test_move_commands(step: tuple[int, int], command: str) -> None:
    assert commands.move(step) == command


@pytest.mark.parametrize("step", [(0, 1), (5, 5), (5, 8), (26, 20), (3, -1), (25, 0)])
def test_steps_that_are_none(step: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="expected a step"):
        commands.move(step)
