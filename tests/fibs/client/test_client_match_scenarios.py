"""A match from its beginning to its end and what can come between, composed from the specification."""

from __future__ import annotations

import pytest

from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client import FibsClient, FibsClientConfig, Phase
from botd_protocols.fibs.client_events import DecisionKind
from tests.fibs.client.spoken_line import AS_X, JOIN, ON_ROLL, OPENING, WAITING, WHO, Line, board

QUESTION = "It's your turn. Please roll or double\r\n"
DOUBLED = "anna doubles. Type 'accept' or 'reject'.\r\n"
FINISHED = board(turn=0, die1=0, die2=0, score=5, his_score=0)
MY_RECORD_ALONE = WHO
HER_RECORD_ALONE = "5 anna - - 1 0 1500.0 1 1 1 h - -\r\n"


def the_question(line: Line) -> ev.DecisionNeeded:
    return line.seen(ev.DecisionNeeded)[-1]


def test_11_the_same_line_twice_is_one_decision() -> None:
    line = Line()
    line.say("You rolled 5, anna rolled 2\r\nIt's your turn to move.\r\n" + board(die1=5, die2=2))
    line.wait(1)
    line.client.answer_move(the_question(line).key, [(13, 8), (13, 11)])
    line.wait(1)
    line.say(board(die1=5, die2=2))
    line.wait(5)
    assert line.asked() == [DecisionKind.MOVE]
    assert line.sent == ["move 13-8 13-11"]


@pytest.mark.parametrize("steps", [[(13, 8), (13, 11)], [(25, 20), (24, 22)], [(5, 0), (2, 0)]])
def test_12_as_x_the_numbers_grow(steps: list[tuple[int, int]]) -> None:
    line = Line()
    line.say(board(**AS_X, turn=-1, die1=5, die2=2))
    line.wait(1)
    line.client.answer_move(the_question(line).key, steps)
    line.wait(0)
    (command,) = line.sent
    word, *pairs = command.split()
    assert word == "move"
    for pair in pairs:
        start, _, end = pair.partition("-")
        assert (0 if start == "bar" else int(start)) < (25 if end == "off" else int(end))


@pytest.mark.parametrize("double", [False, True])
def test_13_the_question_is_answered_as_the_session_decides(double: bool) -> None:
    line = Line()
    line.say(ON_ROLL + QUESTION)
    key = the_question(line).key
    if double:
        line.client.answer_double(key)
    else:
        line.client.answer_roll(key)
    line.wait(1)
    assert line.asked() == [DecisionKind.ROLL_OR_DOUBLE]
    assert line.sent == ["double" if double else "roll"]


def test_14_no_question_because_the_opponent_owns_the_cube() -> None:
    line = Line()
    line.say(board(may=0, cube=2, die1=0, die2=0) + "You roll 6 and 1.\r\n")
    line.say(board(may=0, cube=2, die1=6, die2=1) + "Please move 2 pieces.\r\n")
    line.client.answer_move(the_question(line).key, [(13, 7), (8, 7)])
    line.wait(5)
    assert line.asked() == [DecisionKind.MOVE]
    assert line.sent == ["move 13-7 8-7"]


@pytest.mark.parametrize("accept", [False, True])
@pytest.mark.parametrize("told", ["", WAITING, board(turn=-1, die1=0, die2=0, may=0, his_may=0, doubled=1)])
def test_18_a_double_is_judged_with_the_doubler_on_roll_and_answered_once(told: str, accept: bool) -> None:
    line = Line()
    line.say(WAITING + DOUBLED + told)
    question = the_question(line)
    assert question.kind is DecisionKind.DOUBLE_OFFERED
    # Seen by the doubler: his checkers are the positive ones, his 24 point holds two of them.
    assert question.position.board[24] == 2
    assert question.position.board[6] == 5
    if accept:
        line.client.answer_accept(question.key)
    else:
        line.client.answer_reject(question.key)
    line.wait(1)
    line.say(told)
    line.wait(2)
    assert len(line.asked()) == 1
    assert line.sent == ["accept" if accept else "reject"]


def test_20_our_double_is_taken_and_the_server_rolls() -> None:
    line = Line()
    line.say(ON_ROLL + QUESTION)
    line.client.answer_double(the_question(line).key)
    line.wait(1)
    line.say("You double. Please wait for anna to accept or reject.\r\n")
    line.say("anna accepts the double. The cube shows 2.\r\nYou roll 3 and 1.\r\n")
    line.say(board(cube=2, may=0) + "Please move 2 pieces.\r\n")
    question = the_question(line)
    assert (question.position.cube_value, question.position.cube_owner) == (2, "opponent")
    line.client.answer_move(question.key, [(8, 5), (6, 5)])
    line.wait(5)
    assert line.sent == ["double", "move 8-5 6-5"]


def test_21_our_double_is_dropped() -> None:
    line = Line()
    line.say(ON_ROLL + QUESTION)
    line.client.answer_double(the_question(line).key)
    line.wait(1)
    line.say("You double. Please wait for anna to accept or reject.\r\n")
    line.say("anna gives up. You win 1 point.\r\nscore in 5 point match: mybot-1 anna-0\r\n" + JOIN)
    line.wait(3)
    assert [(e.won, e.points) for e in line.seen(ev.GameEnded)] == [(True, 1)]
    assert (5, 1, 0) in [(e.match_length, e.score, e.opponent_score) for e in line.seen(ev.ScoreChanged)]
    assert line.sent == ["double", "join"]


def test_25_an_offer_carries_its_level() -> None:
    for points, cube, level in ((1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 2, 2), (12, 4, 3)):
        line = Line()
        line.say(board(turn=-1, die1=0, die2=0, cube=cube, may=0))
        line.say(f"anna wants to resign. You will win {points} points. Type 'accept' or 'reject'.\r\n")
        assert (the_question(line).resign_level, the_question(line).resign_points) == (level, points)


def test_28_the_colour_may_change_between_games() -> None:
    line = Line()
    line.say(OPENING + "\r\n")
    line.wait(1)
    line.client.answer_move(the_question(line).key, [(8, 5), (6, 5)])
    line.wait(1)
    line.say(WAITING + "anna wins the game and gets 1 point. Sorry.\r\n" + JOIN)
    line.wait(1)
    line.say("Starting a new game with anna.\r\n" + board(**AS_X, turn=-1))
    line.wait(1)
    line.client.answer_move(the_question(line).key, [(8, 5), (6, 5)])
    line.wait(1)
    assert line.sent == ["move 8-5 6-5", "join", "move 17-20 19-20"]
    assert not line.seen(ev.MoveRejected)


@pytest.mark.parametrize("name", ["You win", "mybot wins"])
def test_29_after_the_match_nothing_is_joined_and_trailing_boards_are_ignored(name: str) -> None:
    line = Line()
    line.say(WAITING + "You win the game and get 2 points. Congratulations!\r\n")
    line.say(f"{name} the 5 point match 6-3 .\r\n" + MY_RECORD_ALONE + HER_RECORD_ALONE + "6\r\n")
    line.say(FINISHED + FINISHED)
    line.wait(60)
    (end,) = line.seen(ev.MatchEnded)
    assert (end.won, end.length, end.score, end.opponent_score) == (True, 5, 6, 3)
    assert not line.client.in_match
    assert not line.seen(ev.MatchSuspended)
    assert line.sent == []


@pytest.mark.parametrize(
    "farewell",
    [
        "anna drops connection. The game was saved.",
        "anna logs out. The game was saved.",
        "Connection with anna timed out. The game was saved.",
        "Network error with anna. The game was saved.",
        "Closed old connection with user anna. The game was saved.",
        "** Player anna has left the game. The game was saved.",
        "** Player anna terminated the game. The game was saved.",
    ],
)
def test_30_an_answer_for_a_match_that_is_gone_is_not_sent(farewell: str) -> None:
    line = Line()
    line.say(OPENING + "\r\n")
    line.wait(1)
    key = the_question(line).key
    line.say(farewell + "\r\n")
    line.events += line.client.answer_move(key, [(8, 5), (6, 5)])
    line.wait(5)
    assert [e.key for e in line.seen(ev.DecisionWithdrawn)] == [key]
    assert [e.key for e in line.seen(ev.StaleAnswer)] == [key]
    assert [e.opponent for e in line.seen(ev.MatchSuspended)] == ["anna"]
    assert line.sent == ["show saved"]


def test_31_after_a_break_in_mid_turn_the_loaded_match_goes_on() -> None:
    line = Line("")
    line.client.show_saved()
    line.wait(1)
    line.say(
        "  opponent          matchlength   score (your points first)\r\n"
        "**anna                      5                0 -  0\r\n"
    )
    line.wait(1)
    (saved,) = line.seen(ev.SavedMatches)[-1].matches
    assert (saved.opponent, saved.length, saved.online, saved.ready) == ("anna", 5, True, True)
    line.client.invite("anna")
    line.wait(1)
    line.say("anna has joined you. Your running match was loaded.\r\nturn: mybot.\r\nmatch length: 5\r\n")
    line.wait(1.5)
    assert line.sent == ["show saved", "invite anna"]
    line.wait(1)
    assert line.sent == ["show saved", "invite anna", "board"]
    line.say(OPENING + "\r\n")
    line.wait(1)
    line.client.answer_move(the_question(line).key, [(8, 5), (6, 5)])
    line.wait(1)
    assert [e.opponent for e in line.seen(ev.MatchResumed)] == ["anna"]
    assert line.sent[3:] == ["move 8-5 6-5"]


@pytest.mark.parametrize("state", [WAITING, ON_ROLL, board()])
def test_34_a_line_that_died_in_a_match_is_given_up(state: str) -> None:
    line = Line()
    line.say(state)
    line.wait(700.0)  # boards that we ask for meanwhile are no proof of life
    assert "time" in line.sent
    (end,) = line.seen(ev.Disconnected)
    assert (end.reason, end.final) == ("the server does not answer any more", False)


def test_nothing_is_said_by_nothing() -> None:
    line = Line()
    line.client.kibitz(" \r\n\x07")
    line.client.tell("anna", "")
    line.client.kibitz("\tone ")
    line.wait(1.0)
    assert line.sent == ["kibitz one"]


@pytest.mark.parametrize("answered", [False, True])
def test_34_a_silent_line_is_asked_for_the_time_and_given_up(answered: bool) -> None:
    line = Line("")
    line.client.who("anna")
    line.wait(359)
    assert line.sent == ["rawwho anna"]
    line.wait(2)
    assert line.sent == ["rawwho anna", "time"]
    if answered:
        line.say("Monday, November 02 2026 10:00:00 UTC\r\n")
    line.wait(61)
    assert line.client.phase is (Phase.LOBBY if answered else Phase.CLOSED)
    assert [e.retry for e in line.seen(ev.Disconnected)] == ([] if answered else [ev.Retry.BACK_OFF])


@pytest.mark.parametrize(
    "text",
    [
        "\x07*** ATTENTION ! The server goes down in 5 minutes.",
        "** System administrator causes shutdown. FIBS is terminating.",
        "jIBS will shutdown in 05:00.",
    ],
)
def test_35_a_shutdown_is_told_and_its_end_is_no_refusal(text: str) -> None:
    line = Line()
    line.say(WAITING + text + "\r\nYour game with anna was saved.\r\n")
    assert line.seen(ev.Shutdown)
    (end,) = [e for e in line.client.receive_eof(line.now) if isinstance(e, ev.Disconnected)]
    assert end.retry is ev.Retry.BACK_OFF


def test_40_telnet_bytes_and_nul_are_removed() -> None:
    client = FibsClient(FibsClientConfig("mybot", "s3cret"))
    client.receive_data(b"\xff\xfb\x01log\xff\xfd\x03in\x00: \xff\xf9", 0.0)
    assert client.data_to_send() == b"login botd_0.1 1008 mybot s3cret\r\n"
    line = Line()
    cut = len(OPENING) // 2
    line.say(OPENING[:cut].encode() + b"\x00\xff\xfb\x01" + OPENING[cut:].encode() + b"\r\n")
    line.wait(1)
    assert line.asked() == [DecisionKind.MOVE]


@pytest.mark.parametrize("outstanding", [False, True])
def test_43_an_unknown_refusal_matters_while_a_command_is_outstanding(outstanding: bool) -> None:
    line = Line()
    line.say(OPENING + "\r\n")
    line.wait(1)
    if outstanding:
        line.client.answer_move(the_question(line).key, [(8, 5), (6, 5)])
        line.wait(0.5)
    line.say("** The moon is in the wrong phase.\r\n")
    line.wait(2.5)
    assert line.sent == (["move 8-5 6-5", "board"] if outstanding else [])
    assert len(line.seen(ev.ServerError)) == 1


def test_44_an_unlimited_match_is_played_and_left_after_the_game() -> None:
    line = Line("")
    line.client.join("anna")
    line.wait(1)
    line.say("** You are now playing an unlimited match with anna\r\nStarting a new game with anna.\r\n")
    line.say(board(length=9999, score=123456, his_score=987654))
    line.wait(1)
    assert line.asked() == [DecisionKind.MOVE]
    assert [e.match_length for e in line.seen(ev.ScoreChanged)] == [0]
    line.client.leave_after_game()
    line.say("You win the game and get 3 points. Congratulations!\r\n" + JOIN)
    line.wait(1)
    line.say("** You terminated the game. The game was saved.\r\n")
    assert [e.opponent for e in line.seen(ev.MatchSuspended)] == ["anna"]
    assert line.sent[:2] == ["join anna", "leave"]


def test_49_two_thousand_records_before_the_end_of_the_list() -> None:
    client = FibsClient(FibsClientConfig("mybot", "s3cret"))
    client.receive_data(b"login: 1 mybot 1793749000 x\r\n3\r\nWelcome\r\n4\r\n", 0.0)
    records = "".join(f"5 player{n} - - 1 0 1500.0 1 1 1 h - -\r\n" for n in range(2000))
    events = client.receive_data(records.encode(), 1.0)
    assert sum(isinstance(e, ev.PlayerSeen) for e in events) == 2000
    assert client.phase is Phase.WHO
    events = client.receive_data((WHO + "6\r\n").encode(), 2.0)
    assert any(isinstance(e, ev.LoggedIn) for e in events)


def test_50_good_bye_is_said_and_the_close_awaited() -> None:
    line = Line("")
    line.client.bye()
    line.wait(0.5)
    assert line.sent == ["bye"]
    line.say("     Goodbye.\r\nPlease come again.\r\nanna wants to play a 3 point match with you.\r\n")
    assert line.client.phase is Phase.LOBBY
    assert not line.seen(ev.InvitationReceived)
    (end,) = line.client.receive_eof(line.now)
    assert isinstance(end, ev.Disconnected)
    assert end.retry is ev.Retry.NEVER


def test_59_a_torn_record_has_no_effect() -> None:
    line = Line()
    line.say(WAITING)
    line.forget()
    line.say("5                               Goodbye.\r\nanna - - 1 0 1500.0 1 1 1 h - -\r\n")
    line.wait(30)
    assert line.client.in_match
    assert line.sent == []
    assert not line.seen(ev.PlayerSeen)
    assert not line.seen(ev.MatchSuspended)


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, the server is shutting down. Please come back later.",
        "** System administrator causes shutdown. FIBS is terminating.",
        "",
    ],
)
def test_60_closed_before_the_prompt_is_no_refusal_of_the_password(text: str) -> None:
    client = FibsClient(FibsClientConfig("mybot", "s3cret"))
    events = client.receive_data((text + "\r\n").encode(), 0.0) + client.receive_eof(0.1)
    (end,) = [e for e in events if isinstance(e, ev.Disconnected)]
    assert end.retry is ev.Retry.BACK_OFF
    assert not any(isinstance(e, ev.LoginRefused) for e in events)


def test_61_a_falling_score_is_believed() -> None:
    line = Line()
    line.say(board(score=2) + "You win the game and get 1 point. Congratulations!\r\n" + JOIN)
    line.wait(1)
    line.say("Starting a new game with anna.\r\n" + board(score=1))
    line.wait(1)
    scores = [(e.score, e.opponent_score) for e in line.seen(ev.ScoreChanged)]
    assert scores == [(2, 0), (1, 0)]
    assert the_question(line).kind is DecisionKind.MOVE


def test_62_a_server_that_rolls_by_itself_where_the_question_was_wanted() -> None:
    line = Line()
    line.say(ON_ROLL + "You roll 3 and 1.\r\n" + OPENING + "\r\nPlease move 2 pieces.\r\n")
    line.wait(1)
    line.client.answer_move(the_question(line).key, [(8, 5), (6, 5)])
    line.wait(5)
    assert line.asked() == [DecisionKind.MOVE]
    assert line.sent == ["move 8-5 6-5"]


@pytest.mark.parametrize("ready", [False, True])
def test_a_server_that_forgot_that_we_are_ready_is_told_again(ready: bool) -> None:
    line = Line("")
    while "rawwho mybot" not in line.sent:
        line.wait(30)
        line.say("Monday, November 02 2026 10:00:00 UTC\r\n")  # the keep-alive is answered
    assert 840 < line.now < 1000
    line.forget()
    line.say(WHO.replace(" - - 1 ", f" - - {int(ready)} ") + "6\r\n")
    line.wait(5)
    assert line.sent == ([] if ready else ["toggle ready"])


@pytest.mark.parametrize("lost", ["their move", "our roll", "their take", "our resignation's answer"])
def test_a_lost_line_stops_a_match_for_two_minutes_at_most(lost: str) -> None:
    line = Line()
    if lost == "their move":
        line.say(WAITING)
    else:
        line.say(ON_ROLL + QUESTION)
        if lost == "our roll":
            line.client.answer_roll(the_question(line).key)
            line.wait(1)
            line.say("You roll 5 and 4.\r\n")  # damaged: the dice were others
        elif lost == "their take":
            line.client.answer_double(the_question(line).key)
            line.wait(1)
            line.say("You double. Please wait for anna to accept or reject.\r\n")
        else:
            line.client.resign(1)
            line.wait(1)
            line.say("You want to resign. anna will win 1 point.\r\n")
    line.forget()
    line.wait(125)
    assert "board" in line.sent
    line.say(board(cube=2, may=0) if lost == "their take" else OPENING + "\r\n")
    line.wait(1)
    assert line.asked()[-1] is DecisionKind.MOVE


@pytest.mark.parametrize(
    "sign", ["** Error: No one to leave.", "anna wants to resume a saved match with you."]
)
def test_a_match_that_only_we_believe_in_is_given_up(sign: str) -> None:
    line = Line()
    line.say(WAITING + sign + "\r\n")
    assert [e.opponent for e in line.seen(ev.MatchSuspended)] == ["anna"]
    assert not line.client.in_match


def test_a_prompt_said_twice_is_not_a_refusal() -> None:
    client = FibsClient(FibsClientConfig("mybot", "s3cret"))
    assert client.receive_data(b"login: login: ", 0.0) == []
    assert client.data_to_send() == b"login botd_0.1 1008 mybot s3cret\r\n"
    (refused, end) = client.receive_data(b"login: ", 1.0)
    assert isinstance(refused, ev.LoginRefused)
    assert isinstance(end, ev.Disconnected)
    assert end.retry is ev.Retry.NEVER


LOADED = "anna has joined you. Your running match was loaded.\r\nmatch length: 5\r\n"


@pytest.mark.parametrize("loaded", [LOADED, WHO.replace(" - - 1", " anna - 1") + "6\r\n"])
@pytest.mark.parametrize(("score", "command"), [(2, "join"), (5, "leave")])
def test_a_match_that_was_saved_between_two_games_goes_on(loaded: str, score: int, command: str) -> None:
    line = Line("")
    line.client.invite("anna")
    line.wait(1)
    line.say(loaded)
    line.wait(15)
    assert line.sent[:2] == ["invite anna", "board"]
    line.say(board(turn=0, die1=0, die2=0, score=score))
    line.wait(1)
    assert line.sent[-1] == command
    assert [e.opponent for e in line.seen(ev.MatchResumed)] == ["anna"]


def test_a_match_that_the_server_does_not_show_is_left_so_that_it_can_be_resumed() -> None:
    line = Line("")
    line.say("** Unknown command: 'board'\r\n" + WHO.replace(" - - 1", " anna - 1") + "6\r\n")
    line.wait(60)
    assert line.sent == ["leave"]


def test_a_server_that_never_rolls_for_us_is_waited_for_once() -> None:
    line = Line()
    for turn in range(3):
        line.say(board(may=0, die1=0, die2=0))
        line.wait(0.6)
        assert line.sent == ([] if turn == 0 else ["roll"])
        line.wait(2.5)
        assert line.sent == ["roll"]
        line.say("You roll 3 and 1.\r\n" + board(may=0))
        line.wait(0.5)
        line.client.answer_move(the_question(line).key, [(8, 5), (6, 5)])
        line.wait(0.5)
        line.say(WAITING)
        line.forget()


@pytest.mark.parametrize("text", ["anna moves  .", "anna moves .", "anna moves"])
def test_a_dance_told_as_an_empty_move(text: str) -> None:
    line = Line()
    line.say(WAITING + text + "\r\n")
    assert [e.me for e in line.seen(ev.Danced)] == [False]
    assert not line.seen(ev.UnparsedLine)
