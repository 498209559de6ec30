"""What FIBS tells of our own rating, and what is counted of its lines."""

from __future__ import annotations

from collections import Counter

import pytest

from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client import FibsClient, FibsClientConfig
from botd_protocols.traffic import RECEIVED
from tests.fibs.client.spoken_line import LOGIN, ON_ROLL, START, WHO, Line, board


def ratings(events: list[ev.Event]) -> list[tuple[float, int | None]]:
    return [(event.rating, event.experience) for event in events if isinstance(event, ev.OwnRating)]


def logged_in() -> tuple[FibsClient, list[ev.Event], Counter[tuple[str, str]]]:
    seen: Counter[tuple[str, str]] = Counter()
    client = FibsClient(
        FibsClientConfig("mybot", "s3cret"), lambda direction, kind: seen.update([(direction, kind)])
    )
    events = client.receive_data(LOGIN[:7].encode(), 0.0)
    client.data_to_send()
    return client, events + client.receive_data(LOGIN[7:].encode(), 1.0), seen


def test_the_log_in_tells_our_rating_twice() -> None:
    """In message 2, our settings, and in our own who record."""
    assert ratings(logged_in()[1]) == [(1543.27, 412), (1543.27, 412)]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("5 mybot - - 1 0 1546.97 415 0 1793749000 x c -", [(1546.97, 415)]),
        ("5 mybot - - 1 0 1546.970772 415 0 1793749000123 x c -", [(1546.970772, 415)]),
        ("5 mybot anna - 1 0 -12.5 0 0 1793749000 x c -", [(-12.5, 0)]),
        ("5 anna - - 1 0 1611.90 1204 0 1793749000 x c -", []),
        ("5 mybot2 - - 1 0 1611.90 1204 0 1793749000 x c -", []),
        ("5 mybot - - 1 0 nan 1204 0 1793749000 x c -", []),
        ("5 mybot - - 1 0 1e999 1204 0 1793749000 x c -", []),
        ("5 mybot - - 1 0 99999999999999 1204 0 1793749000 x c -", []),
        ("12 anna 5 mybot - - 1 0 1.00 0 0 1793749000 x c -", []),
        ("13 mybot 2 mybot 1 1 0 0 0 0 1 1 9 0 1 0 1 9.00 0 1 0 1 1 UTC", []),
    ],
)
def test_later_ratings_are_those_of_our_own_record(line: str, told: list[tuple[float, int | None]]) -> None:
    client, _, _ = logged_in()
    assert ratings(client.receive_data(f"{line}\r\n".encode(), 2.0)) == told


def test_every_line_and_command_is_counted_by_its_kind() -> None:
    client, _, seen = logged_in()
    assert seen == {
        ("received", "login"): 6,  # the prompt, messages 1 to 3, the message of the day, its end
        ("sent", "login"): 1,
        ("received", "lobby"): 2,  # our record, the end of the list
    }
    seen.clear()
    for line, kind in (
        (WHO, "lobby"),
        ("7 anna anna logs in.", "lobby"),
        ("12 anna hello", "chat"),
        ("anna wants to play a 5 point match with you.", "invitation"),
        ("Value of 'boardstyle' set to 3.", "setting"),
        ("** You're now ready to invite or join someone.", "setting"),
        ("Monday, November 30 12:00:00 2026", "ping"),
        ("** There's no saved match with anna. Please give a match length.", "error"),
        (START.splitlines()[0], "match"),
        (board().strip(), "board"),
        ("board:You:torn", "board"),
        ("** You did already roll the dice.", "error"),
        ("anna rolls 3 and 1.", "match"),
        ("nothing that a server says", "unknown"),
        ("", ""),
    ):
        seen.clear()
        client.receive_data(f"{line.strip()}\r\n".encode(), 2.0)
        assert seen == ({("received", kind): 1} if kind else {}), line
        assert not kind or kind in RECEIVED


def test_a_refused_command_is_told_with_its_first_word_and_the_board_is_read_again() -> None:
    line = Line()
    line.say(ON_ROLL)
    line.say("It's your turn to roll or double.\r\n")
    question = line.seen(ev.DecisionNeeded)[-1]
    line.forget()
    line.events += line.client.answer_roll(question.key)
    line.wait(1.0)
    line.say("** It's not your turn to roll the dice.\r\n")
    assert [(event.command, "not your turn" in event.text) for event in line.seen(ev.CommandRejected)] == [
        ("roll", True)
    ]
    assert [event.cause for event in line.seen(ev.OutOfStep)] == ["rejected"]
