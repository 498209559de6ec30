"""A command waits for the reply to the one before, and nothing that other people cause is taken for it."""

from __future__ import annotations

import pytest

from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client import FibsClient, FibsClientConfig, Phase
from botd_protocols.fibs.client_messages import parse_line
from botd_protocols.fibs.client_replies import may_answer
from tests.fibs.client.spoken_line import AS_X, JOIN, LOGIN, ON_ROLL, START, WAITING, board

REPLIES = {
    "roll": ["You roll 6 and 1.", board(), "** You did already roll the dice.", "** You're not playing."],
    "move 13-8": [board(), "Done.", "** You can't move to 12 in your second move.",
                  "You win the game and get 1 point. Congratulations!"],
    "double": ["You double. Please wait for anna to accept or reject.", "** It's not your turn to double."],
    "accept": ["You accept the double. The cube shows 2.", "You accept and win 2 points."],
    "reject": ["You give up. anna wins 1 point.", "You reject. The game continues."],
    "resign n": ["You want to resign. anna will win 1 point.", "** You already did that."],
    "join": ["** Please wait for anna to join too.", "Starting a new game with anna.", "** Error: Join who?"],
    "leave": ["** You terminated the game. The game was saved.", "** Error: No one to leave."],
    "board": [board(), WAITING, "** You're not playing.", "** Unknown command: 'board'"],
    "join anna": ["** You are now playing a 3 point match with anna", "** anna didn't invite you.",
                  "You are now playing with anna. Your running match was loaded.",
                  "5 mybot anna - 1 0 1543.27 412 0 1793749000 x c -"],
    "invite anna 3": ["** You invited anna to a 3 point match.", "** anna is refusing games.",
                      "anna is away:  lunch", "** Player anna has joined you for a 3 point match."],
    "show saved": ["no saved games.", "  opponent          matchlength   score (your points first)",
                   "**anna                      5                2 -  1",
                   "** Not yet implemented: 'show saved'"],
    "toggle ready": ["** You're now ready to invite or join someone."],
    "who anna": ["5 anna - - 1 0 1500.00 12 0 1793749000 x c -", "6", "** There is no one called anna."],
    "time": ["Monday, November 30 12:00:00 2026 UTC", "a text in other words", "** Unknown command: 'time'"],
    "tell anna hi": ["16 anna hi", "** There is no one called anna.", "10 anna"],
    "kibitz hi": ["19 hi", "** You're not playing."],
}  # fmt: skip
UNASKED = [
    "5 dora - bjorn 0 1 1390.10 2210 640 1793740000 192.0.2.77 - -",
    "6",
    "7 carl carl logs in.",
    "8 carl carl drops connection.",
    "9 carl 1793740000 hello",
    "12 carl hello",
    "13 carl hello",
    "14 carl hello",
    "15 carl hello",
    "20 carl hello",
    "carl wants to play a 3 point match with you.",
    "carl wants to resume a saved match with you.",
    "Type 'join carl' to accept.",
    "WARNING: Don't accept if you want to continue the saved 3 point match!",
    "anna rolls 3 and 1.",
    "anna moves 8-5 6-5 .",
    "anna can't move.",
    "anna doubles. Type 'accept' or 'reject'.",
    "anna accepts the double. The cube shows 2.",
    "anna wants to resign. You will win 1 point. Type 'accept' or 'reject'.",
    "anna rejects. The game continues.",
    "anna wins the game and gets 1 point. Sorry.",
    "** Player anna has left the game. The game was saved.",
    "anna drops connection. The game was saved.",
    "carl and dora start a 3 point match.",
    "dora wins a 3 point match against carl 3-1 .",
    "carl is watching you.",
    "*** ATTENTION !",
    "jIBS will shutdown in 05:00.",
]


@pytest.mark.parametrize(("command", "line"), [(c, line) for c, lines in REPLIES.items() for line in lines])
def test_a_reply_is_known_as_one(command: str, line: str) -> None:
    assert may_answer(command, parse_line(line.rstrip("\r\n")))


@pytest.mark.parametrize("line", UNASKED)
def test_what_other_people_cause_is_no_reply(line: str) -> None:
    asked_for = {
        "5 dora": ("who anna",),
        "6": ("who anna",),
        "** Player anna has left": ("leave",),
        "anna drops": ("leave",),
    }
    fits = next((words for start, words in asked_for.items() if line.startswith(start)), ())
    for command in REPLIES:
        known = may_answer(command, parse_line(line))
        assert known == (command in fits) or (command == "time" and parse_line(line) is None), command


@pytest.mark.parametrize("line", [board(), "You roll 6 and 1.", "Please move 2 pieces.", JOIN.strip()])
def test_what_the_match_brings_is_no_reply_to_what_we_say_or_set(line: str) -> None:
    for command in (
        "tell anna hi",
        "kibitz hi",
        "show saved",
        "toggle ready",
        "set boardstyle 3",
        "who anna",
    ):
        assert not may_answer(command, parse_line(line.rstrip("\r\n")))


class Hurried:
    """A client without any gap between its commands, which notes what it sends at each moment."""

    def __init__(self) -> None:
        self.client = FibsClient(FibsClientConfig("mybot", "s3cret", command_gap=0.0))
        self.now = 0.0
        self.events: list[ev.Event] = []
        self.sent: list[str] = []
        self.say(LOGIN)
        while self.client.phase is not Phase.LOBBY:
            self.pass_time(11.0)
        self.pass_time(10.0)
        self.sent.clear()

    def say(self, text: str) -> list[str]:
        """What the client sends at once."""
        self.events += self.client.receive_data(text.encode(), self.now)
        return self.take()

    def take(self) -> list[str]:
        new = self.client.data_to_send().decode().splitlines()
        self.sent += new
        return new

    def pass_time(self, seconds: float) -> list[str]:
        self.now += seconds
        self.events += self.client.advance(self.now)
        return self.take()


@pytest.mark.parametrize("line", UNASKED)
def test_without_a_gap_the_next_command_waits_for_the_reply_all_the_same(line: str) -> None:
    hurried = Hurried()
    hurried.say(START + WAITING)
    hurried.client.kibitz("one")
    hurried.client.kibitz("two")
    assert hurried.take() == ["kibitz one"]
    assert "kibitz two" not in hurried.say(line + "\r\n")
    assert hurried.say("19 one\r\n") != []
    hurried = Hurried()
    hurried.client.kibitz("one")
    hurried.client.kibitz("two")
    assert hurried.take() == ["kibitz one"]
    assert hurried.pass_time(2.4) == []
    assert hurried.pass_time(0.2) == ["kibitz two"]  # nobody answered


def test_an_opponent_who_leaves_while_our_join_is_on_its_way() -> None:
    hurried = Hurried()
    hurried.say(START + ON_ROLL)
    hurried.say(
        "You win the game and get 1 point. Congratulations!\r\nscore in 5 point match: mybot-1 anna-0\r\n"
    )
    assert hurried.say(JOIN) == ["join"]
    assert hurried.say("** Player anna has left the game. The game was saved.\r\n") == []
    assert hurried.say("** Error: Join who?\r\n") == ["show saved"]


def test_the_opponents_move_is_not_the_reply_to_our_line_of_chat() -> None:
    hurried = Hurried()
    hurried.say(START + WAITING)
    hurried.client.kibitz("hello")
    assert hurried.take() == ["kibitz hello"]
    assert hurried.say("anna moves 8-5 6-5 .\r\n" + board(die1=0, die2=0, **AS_X)) == []
