"""What a server has lost or does not show: a way on that its rules allow, and never by repetition."""

from __future__ import annotations

import pytest

from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client_events import DecisionKind
from tests.fibs.client.spoken_line import ON_ROLL, OPENING, WAITING, Line, board

RESUMED = "You are now playing with anna. Your running match was loaded.\r\n"
NO_BOARD = "** Unknown command: 'board'\r\n"


def resumed(state: str, *, told: bool = True) -> Line:
    line = Line(RESUMED if told else "")
    if not told:
        line.client.invite("anna")
        line.say("5 mybot anna - 1 0 1543.27 412 0 1793749000 x c -\r\n")
    line.say(state)
    line.wait(3.0)
    line.forget()
    return line


def silence(line: Line, seconds: float, state: str) -> None:
    """Time in which nothing comes but the boards we ask for."""
    for _ in range(int(seconds)):
        asked = line.sent.count("board") + line.sent.count("time")
        line.wait(1.0)
        if line.sent.count("board") + line.sent.count("time") > asked:
            line.say(state)


@pytest.mark.parametrize("told", [True, False])
def test_a_double_that_a_server_saved_and_does_not_show_is_answered(told: bool) -> None:
    line = resumed(WAITING, told=told)
    silence(line, 200, WAITING)
    assert line.seen(ev.DecisionNeeded) == []  # he may be thinking, or a line was lost
    silence(line, 60, WAITING)
    (question,) = line.seen(ev.DecisionNeeded)
    assert (question.kind, question.position.on_roll) == (DecisionKind.DOUBLE_OFFERED, "opponent")
    line.client.answer_accept(question.key)
    line.wait(0.5)
    assert line.sent[-1] == "accept"
    line.say("You accept the double. The cube shows 2.\r\nanna rolls 3 and 1.\r\n")
    assert line.seen(ev.CubeTaken) == [ev.CubeTaken(True, 2)]


@pytest.mark.parametrize(
    "state",
    [
        board(length=1, turn=-1, die1=0, die2=0),
        board(score=4, turn=-1, die1=0, die2=0),  # the Crawford game
        board(turn=-1, die1=0, die2=0, may=1, his_may=0, cube=2),
    ],
)
def test_where_he_may_not_double_it_can_only_be_a_resignation(state: str) -> None:
    line = resumed(state)
    silence(line, 260, state)
    (question,) = line.seen(ev.DecisionNeeded)
    assert (question.kind, question.resign_level) == (DecisionKind.RESIGNATION_OFFERED, 1)
    line.client.answer_reject(question.key)
    line.wait(0.5)
    line.say("You reject. The game continues.\r\n")
    line.say("anna rolls 3 and 1.\r\nanna moves 8-5 6-5 .\r\n")
    silence(line, 400, state)
    assert len(line.seen(ev.DecisionNeeded)) == 1


@pytest.mark.parametrize("reply", ["** anna didn't double or resign.\r\n", ""])
def test_where_nothing_was_offered_the_server_says_so_or_nothing(reply: str) -> None:
    line = resumed(WAITING)
    silence(line, 260, WAITING)
    (question,) = line.seen(ev.DecisionNeeded)
    line.client.answer_accept(question.key)
    line.wait(0.5)
    line.say(reply)
    silence(line, 60, WAITING)
    assert line.sent.count("accept") == 1
    assert len(line.seen(ev.DecisionNeeded)) == 1
    line.forget()
    line.say("anna doubles. Type 'accept' or 'reject'.\r\n")  # now he does
    assert [q.kind for q in line.seen(ev.DecisionNeeded)] == [DecisionKind.DOUBLE_OFFERED]


def test_it_is_tried_twice_and_then_the_opponent_is_waited_for() -> None:
    line = resumed(WAITING)
    answered = 0
    for _ in range(20):
        silence(line, 100, WAITING)
        for question in line.seen(ev.DecisionNeeded)[answered:]:
            answered += 1
            line.events += line.client.answer_accept(question.key)
            line.wait(0.5)
            line.say("** anna didn't double or resign.\r\n")
    assert line.sent.count("accept") == 2


@pytest.mark.parametrize("text", ["anna rolls 3 and 1.", "anna moves 8-5 6-5 .", "anna can't move."])
def test_once_something_has_happened_nothing_is_suspected(text: str) -> None:
    line = resumed(WAITING)
    line.say(text + "\r\n")
    silence(line, 700, WAITING)
    assert line.seen(ev.DecisionNeeded) == []


def test_in_a_match_that_was_not_resumed_nothing_is_suspected() -> None:
    line = Line()
    line.say(WAITING)
    silence(line, 700, WAITING)
    assert line.seen(ev.DecisionNeeded) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("** anna hasn't responded to your double yet.", "double"),
        ("** Wait until anna accepted or rejected your resign.", "resignation"),
    ],
)
def test_an_opponent_who_cannot_see_our_offer_is_told_of_it_once(text: str, what: str) -> None:
    line = resumed(ON_ROLL)
    for _ in range(3):
        line.say(text + "\r\n")
        line.wait(3.0)
    assert [s for s in line.sent if s.startswith("kibitz")] == [
        f"kibitz My {what} is still open: please type 'accept' or 'reject'."
    ]


def answers(line: Line, seconds: int, replies: dict[str, str]) -> None:
    """Play a server that has one reply to each command."""
    seen = len(line.sent)
    for _ in range(10 * seconds):
        line.wait(0.1)
        for command in line.sent[seen:]:
            line.say(replies.get(command.split()[0], "") + "\r\n")
        seen = len(line.sent)
        for question in line.seen(ev.DecisionNeeded)[-1:]:
            if question.kind is DecisionKind.MOVE:
                line.events += line.client.answer_move(question.key, [(8, 5), (6, 5)])
            else:
                line.events += line.client.answer_roll(question.key)


def test_dice_that_only_a_resumption_shows() -> None:
    line = Line()
    line.say(ON_ROLL)
    left = {"board": NO_BOARD.strip(), "leave": "** You terminated the game. The game was saved."}
    answers(line, 60, {"roll": "** You did already roll the dice.", **left})
    assert line.sent.count("roll") == 4  # the first refusal asks for the board, which is not to be had
    assert line.sent.count("leave") == 1
    assert [e.left_by_us for e in line.seen(ev.MatchSuspended)] == [True]


def test_dice_that_were_old_are_rolled_anew() -> None:
    line = Line()
    line.say(OPENING + "\r\n" + NO_BOARD)
    refused = {"board": NO_BOARD.strip(), "move": "** You have to roll the dice before moving."}
    answers(line, 10, {"roll": "You roll 3 and 1.", **refused} | {"roll": ""})
    assert [s.split()[0] for s in line.sent][:2] == ["move", "roll"]


@pytest.mark.parametrize(
    "refusal",
    [
        "** It's not your turn to move.",
        "** You have to roll the dice before moving.",
        "** something nobody has heard of",
        "** anna didn't double or resign.",
    ],
)
def test_refusals_of_a_server_without_boards_come_to_an_end(refusal: str) -> None:
    line = Line()
    line.say(OPENING + "\r\n" + NO_BOARD)
    saved = {"leave": "** You terminated the game. The game was saved.", "board": NO_BOARD.strip()}
    answers(line, 400, {"move": refusal, "roll": refusal, **saved})
    game = [s for s in line.sent if s.split()[0] in ("move", "roll")]
    assert len(game) <= 14
    assert line.seen(ev.MatchSuspended)


def test_a_lost_leave_is_said_again() -> None:
    line = Line()
    line.say(OPENING + "\r\n" + NO_BOARD)
    answers(line, 700, {"move": "** It's not your turn to move.", "board": NO_BOARD.strip()})
    assert line.sent.count("leave") >= 2
