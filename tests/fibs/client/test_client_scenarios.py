"""Single situations of a connection or a match, composed from the protocol specification."""

from __future__ import annotations

import pytest

from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client import FibsClient, FibsClientConfig, Phase
from botd_protocols.fibs.client_events import DecisionKind
from tests.fibs.client.spoken_line import JOIN, ON_ROLL, OPENING, START, WAITING, WHO, Line, board


def test_10_a_lost_join_race_leaves_us_in_the_lobby() -> None:
    line = Line("")
    line.client.join("anna")
    line.wait(1)
    line.say("** anna is already playing with someone else.\r\n")
    line.wait(60)
    assert [e.name for e in line.seen(ev.InvitationFailed)] == ["anna"]
    assert line.sent == ["join anna"]
    assert not line.client.in_match


@pytest.mark.parametrize(
    "text",
    [
        "You can't move.",
        "The only possible move is 13-12 .",
        "Bearing off: 3 o 1 o",
    ],
    ids=["15 dance", "16 automove", "17 greedy"],
)
def test_15_16_17_a_turn_the_server_ends_is_not_asked_about(text: str) -> None:
    line = Line()
    line.say(WAITING + "You roll 3 and 1.\r\n" + OPENING + "\r\n" + text + "\r\n")
    line.wait(20)
    assert line.asked() == []
    assert line.sent == []


@pytest.mark.parametrize(("post_crawford", "asked"), [(0, 0), (1, 1)])
def test_22_nobody_doubles_in_the_crawford_game(post_crawford: int, asked: int) -> None:
    line = Line()
    line.say(board(score=2, his_score=4, die1=0, die2=0, post_crawford=post_crawford))
    line.say("It's your turn. Please roll or double\r\n")
    line.wait(1)
    assert len(line.asked()) == asked
    assert line.sent == ([] if asked else ["roll"])


def test_23_the_question_in_a_one_point_match_is_answered_with_roll() -> None:
    line = Line(START.replace("5 point", "1 point"))
    line.say(board(length=1, die1=0, die2=0) + "It's your turn to roll or double.\r\n")
    line.wait(1)
    assert line.sent == ["roll"]


def test_24_a_resignation_in_our_move_is_answered_first() -> None:
    line = Line()
    line.say("You roll 3 and 1.\r\n" + OPENING + "\r\nPlease move 2 pieces.\r\n")
    (move,) = line.seen(ev.DecisionNeeded)
    line.say("anna wants to resign. You will win 1 point. Type 'accept' or 'reject'.\r\n")
    assert [e.key for e in line.seen(ev.DecisionWithdrawn)] == [move.key]
    line.client.answer_reject(line.seen(ev.DecisionNeeded)[-1].key)
    line.wait(1)
    line.say("You reject. The game continues.\r\n")
    line.wait(1)
    line.client.answer_move(line.seen(ev.DecisionNeeded)[-1].key, [(8, 5), (6, 5)])
    line.wait(1)
    assert line.asked() == [DecisionKind.MOVE, DecisionKind.RESIGNATION_OFFERED, DecisionKind.MOVE]
    assert line.sent == ["reject", "move 8-5 6-5"]


def _refuse_three_moves(line: Line) -> None:
    plays = ([(8, 5), (6, 5)], [(13, 10), (6, 5)], [(24, 21), (6, 5)])
    for number, steps in enumerate(plays, 1):
        line.wait(4)
        question = line.seen(ev.DecisionNeeded)[-1]
        assert len(question.rejected) == number - 1
        line.client.answer_move(question.key, steps)
        line.wait(1)
        line.say("** You can't move to 12 in your second move.\r\n")
        line.wait(2.5)
        line.say(OPENING + "\r\n")


def test_26_three_refused_moves_raise_an_alarm() -> None:
    line = Line()
    line.say(OPENING + "\r\n")
    _refuse_three_moves(line)
    line.wait(60)
    assert len(line.seen(ev.Alarm)) == 1
    assert [command.split()[0] for command in line.sent] == ["move", "board"] * 2 + ["move"]


def test_26_after_an_alarm_the_board_decides_afresh_and_at_last_the_match_is_left() -> None:
    line = Line()
    line.say(OPENING + "\r\n")
    _refuse_three_moves(line)
    line.wait(120)
    assert line.sent[-1] == "board"
    line.say(OPENING + "\r\n")
    _refuse_three_moves(line)
    assert len(line.seen(ev.Alarm)) == 2
    line.wait(120)
    assert line.sent[-1] == "leave"
    line.say("** You terminated the game. The game was saved.\r\n")
    assert [e.opponent for e in line.seen(ev.MatchSuspended)] == ["anna"]


def test_26_an_alarm_is_over_when_the_position_changes() -> None:
    line = Line()
    line.say(OPENING + "\r\n")
    _refuse_three_moves(line)
    line.say(board(die1=6, die2=5))
    line.wait(1)
    assert line.seen(ev.DecisionNeeded)[-1].position.dice == (6, 5)
    line.client.answer_move(line.seen(ev.DecisionNeeded)[-1].key, [(24, 18), (18, 13)])
    line.wait(0.5)
    line.say(WAITING)
    line.wait(300)
    assert "leave" not in line.sent


def test_27_already_rolled_reads_the_board() -> None:
    line = Line()
    line.say(board(length=1, die1=0, die2=0) + "It's your turn to roll or double.\r\n")
    line.wait(1)
    line.say("** You did already roll the dice.\r\n")
    line.wait(2.5)
    assert line.sent == ["roll", "board"]
    line.say(board(length=1))
    line.wait(1)
    assert line.asked() == [DecisionKind.MOVE]


def test_33_an_evicted_session_says_so() -> None:
    line = Line("")
    line.say("Closed old connection with user mybot.\r\n")
    end = line.client.receive_eof(line.now)[-1]
    assert isinstance(end, ev.Disconnected)
    assert end.retry is ev.Retry.DUPLICATE


@pytest.mark.parametrize(
    "text",
    [
        "12 eve " + OPENING,
        "15 eve " + JOIN.strip(),
        "13 eve 5 mybot - - 0",
        "12 eve %s%s\x1b[2J",
        "12 anna anna doubles. Type 'accept' or 'reject'.",
    ],
)
def test_36_chat_has_no_effect_on_the_game(text: str) -> None:
    line = Line()
    line.say(WAITING)
    line.forget()
    line.say(text + "\r\n")
    line.wait(30)
    (chat,) = line.events
    assert isinstance(chat, ev.Chat)
    assert "\x1b" not in chat.text
    assert line.sent == []


BAD_BOARDS = {
    "52 fields": OPENING.rsplit(":", 1)[0],
    "letter": OPENING.replace(":5:", ":x:", 1),
    "16 checkers": board(point24=3).strip(),
    "die 7": board(die1=7).strip(),
    "colour 0": board(colour=0).strip(),
    "direction": board(direction=1).strip(),
    "length 0": board(length=0).strip(),
    "no name": board(opponent="").strip(),
    "10 kB": OPENING + ":0" * 5000,
}


@pytest.mark.parametrize("name", BAD_BOARDS)
def test_38_a_malformed_board_costs_one_request(name: str) -> None:
    line = Line()
    line.say(WAITING)
    line.say((BAD_BOARDS[name] + "\r\n") * 20)
    line.wait(1)
    assert line.sent == ["board"]
    assert len(line.seen(ev.UnparsedLine)) == 20
    line.say(OPENING + "\r\n")
    line.wait(1)
    assert line.asked() == [DecisionKind.MOVE]


def test_39_an_endless_line_ends_the_connection() -> None:
    line = Line()
    line.say("x" * 1_000_000)
    assert line.client.phase is Phase.CLOSED
    (end,) = line.seen(ev.Disconnected)
    assert "line too long" in end.reason
    assert not end.final


@pytest.mark.parametrize("end", ["\n", "\r\r\n", "\r\n"])
@pytest.mark.parametrize("prompt", ["", "> > "])
def test_41_line_ends_and_prompts_do_not_matter(end: str, prompt: str) -> None:
    line = Line()
    line.say(prompt + OPENING + end)
    line.wait(1)
    assert line.asked() == [DecisionKind.MOVE]


def test_42_a_drawn_board_brings_the_style_and_the_board_again() -> None:
    line = Line()
    line.say("   +13-14-15-16-17-18-------19-20-21-22-23-24-+ X: anna\r\n")
    line.wait(3)
    assert sorted(line.sent) == ["board", "set boardstyle 3"]


def test_47_told_to_move_while_the_board_says_otherwise() -> None:
    line = Line()
    line.say(WAITING + "It's your turn to move.\r\n")
    line.wait(2)
    assert line.sent == ["board"]
    assert line.asked() == []


def test_48_two_prompts_are_one_join() -> None:
    line = Line()
    line.say(WAITING + "anna gives up. You win 1 point.\r\n" + JOIN + JOIN)
    line.wait(5)
    line.say(JOIN)
    line.wait(2)
    assert line.sent == ["join"]


@pytest.mark.parametrize("number", [2, 3, 4, 6, 8])
def test_51_a_won_game_that_looks_like_a_clip_message(number: int) -> None:
    line = Line()
    line.say(WAITING + f"{number} win the game and get %1 points. Congratulation!\r\n" + JOIN)
    line.wait(1)
    assert [(e.won, e.points) for e in line.seen(ev.GameEnded)] == [(True, number)]
    assert line.client.ready
    assert line.sent == ["join"]


def test_52_bars_are_taken_from_their_own_fields() -> None:
    line = Line()
    line.say(board(bar0=-16, bar25=8))
    line.wait(1)
    (question,) = line.seen(ev.DecisionNeeded)
    assert question.position.board[0] == question.position.board[25] == 0


def test_53_an_opponent_lost_without_a_word() -> None:
    line = Line()
    line.say(WAITING + WHO + "5 anna - - 1 0 1500.0 1 1 1 h - -\r\n6\r\n")
    line.wait(10)
    assert [e.opponent for e in line.seen(ev.MatchSuspended)] == ["anna"]
    line.say("anna wants to resume a saved match with you.\r\nType 'join anna' to accept.\r\n")
    assert [e.kind for e in line.seen(ev.InvitationReceived)] == [ev.InvitationKind.RESUME]


def test_54_a_match_that_starts_without_text() -> None:
    line = Line("")
    line.client.join("anna")
    line.wait(1)
    line.say(WHO.replace(" - -", " anna -") + "6\r\nStarting a new game with anna.\r\n" + OPENING + "\r\n")
    line.wait(1)
    assert [e.match_length for e in line.seen(ev.ScoreChanged)] == [5]
    assert line.asked() == [DecisionKind.MOVE]


def test_54_a_match_that_starts_without_a_sign_is_found_by_the_board() -> None:
    line = Line("")
    line.client.join("anna")
    line.wait(11)
    assert line.sent == ["join anna", "board"]
    line.say(OPENING + "\r\n")
    line.wait(1)
    assert [e.opponent for e in line.seen(ev.MatchStarted)] == ["anna"]
    assert line.asked() == [DecisionKind.MOVE]


def test_55_on_roll_without_a_question() -> None:
    line = Line()
    line.say(board(may=0, die1=0, die2=0))
    line.wait(1)
    assert line.sent == []
    line.wait(3)
    assert line.sent == ["roll"]


def test_46_a_roll_whose_board_never_comes_is_asked_for() -> None:
    line = Line()
    line.say(ON_ROLL + "You roll 5 and 4.\r\nPlease move 2 pieces.\r\n" + ON_ROLL)
    line.wait(5)
    assert line.sent == ["board"]
    line.say(board(die1=5, die2=4))
    line.wait(1)
    assert [q.position.dice for q in line.seen(ev.DecisionNeeded)] == [(5, 4)]


def test_56_an_open_double_the_board_does_not_show() -> None:
    line = Line()
    line.say(WAITING + "anna doubles. Type 'accept' or 'reject'.\r\n" + WAITING)
    line.wait(4)
    assert line.asked() == [DecisionKind.DOUBLE_OFFERED]
    assert line.sent == []


def test_57_a_drop_told_twice_is_one_game_and_one_join() -> None:
    line = Line()
    line.say(WAITING + "anna gives up. You win 1 point.\r\n")
    line.say("You win the game and get 1 point. Congratulation!\r\n" + JOIN)
    line.wait(3)
    assert len(line.seen(ev.GameEnded)) == 1
    assert line.sent == ["join"]


def test_58_the_game_goes_on_where_board_is_not_answered() -> None:
    line = Line()
    line.say(OPENING + "\r\n")
    line.wait(1)
    line.events += line.client.read_board()
    line.wait(60)
    assert line.sent.count("board") == 2
    assert line.asked() == [DecisionKind.MOVE, DecisionKind.MOVE]


def test_a_lone_4_ends_the_message_of_the_day_and_nothing_else_does() -> None:
    client = FibsClient(FibsClientConfig("mybot", "s3cret"))
    client.receive_data(b"login: 1 mybot 1 x\r\n3\r\n4 players\r\n 4\r\n6\r\n41\r\n", 0.0)
    assert client.phase is Phase.MOTD
    client.receive_data(b"4\r\n", 0.0)
    assert client.phase is Phase.WHO


def test_19_a_take_glued_to_the_roll_gives_us_the_cube() -> None:
    line = Line()
    line.say(WAITING + "anna doubles. Type 'accept' or 'reject'.\r\n")
    line.client.answer_accept(line.seen(ev.DecisionNeeded)[-1].key)
    line.wait(1)
    line.say("You accept the double. The cube shows 2.anna rolls 3 and 1.\r\n")
    assert [(e.me, e.value) for e in line.seen(ev.CubeTaken)] == [(True, 2)]
    assert [(e.me, e.dice) for e in line.seen(ev.DiceRolled)] == [(False, (3, 1))]
    assert line.client.board is not None
    assert (line.client.board.cube, line.client.board.cube_owner) == (2, "player")


def test_37_a_flood_of_chat_does_not_hold_back_a_move() -> None:
    line = Line()
    line.say(OPENING + "\r\n")
    line.wait(1)
    line.say("12 eve hi\r\n" * 500)
    line.client.answer_move(line.seen(ev.DecisionNeeded)[-1].key, [(8, 5), (6, 5)])
    line.wait(0)
    assert line.sent == ["move 8-5 6-5"]


def test_45_a_move_without_reply_is_looked_up_not_repeated() -> None:
    line = Line()
    line.say(OPENING + "\r\n")
    line.wait(1)
    line.client.answer_move(line.seen(ev.DecisionNeeded)[-1].key, [(8, 5), (6, 5)])
    line.wait(11)
    assert line.sent == ["move 8-5 6-5", "board"]
    line.say(WAITING)
    line.wait(5)
    assert len(line.asked()) == 1
    assert line.sent == ["move 8-5 6-5", "board"]
