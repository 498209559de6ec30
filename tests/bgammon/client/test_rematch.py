"""Another match at the same table: asked for, agreed to, or not, and what may come in between."""

from __future__ import annotations

import pytest

from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client_lobby import MatchOffer
from tests.bgammon.client.harness import (
    ME,
    OPPONENT,
    Line,
    board,
    event,
    joined,
    notice,
    playing,
    rolled,
    win,
)

ASKED = notice("Your opponent would like to play again. Send rematch to accept.")


def after_a_match(**config: object) -> Line:
    line = playing(points=1, **config)
    line.say(win(ME, 0), board(turn=1, Winner=1, score=(1, 0), points=1))
    assert line.seen(ev.MatchEnded)
    line.take()
    return line


def begin_again(line: Line) -> None:
    line.say(joined(ME, 1), joined(OPPONENT, 2), board(points=1))


def test_without_a_wish_for_it_a_rematch_is_not_answered() -> None:
    line = after_a_match()
    line.say(ASKED)
    line.wait(4.9)
    assert line.sent == []
    line.wait(0.2)
    assert line.sent == ["leave"]


@pytest.mark.parametrize("early", [True, False])
def test_who_asks_gets_another_match(early: bool) -> None:
    line = after_a_match()
    if early:  # before the session has heard of the end
        line.say(ASKED)
    line.client.rematch(ask=False, wait=True)
    line.wait(10)
    if not early:
        assert line.take() == []
        line.say(ASKED)
    line.say(ASKED)  # says it twice
    line.wait(10)
    assert line.take() == ["rematch"]
    line.forget()
    begin_again(line)
    assert line.seen(ev.MatchOpened) == [ev.MatchOpened(11, created=False)]
    assert line.take() == ["roll"]
    line.say(rolled(ME, 3, 0), rolled(OPPONENT, 3, 5), board(turn=2, roll=(5, 3), points=1))
    assert line.seen(ev.MatchStarted) == [ev.MatchStarted(OPPONENT, 1)]
    line.keep(60)
    assert line.sent == []  # the wait of the old match is over with it


def test_asking_for_one_and_getting_no_answer() -> None:
    line = after_a_match()
    line.client.rematch(ask=True, wait=True)
    line.say(notice("Rematch offer sent."))
    line.wait(24.5)
    assert line.take() == ["rematch"]
    line.wait(1)
    assert line.sent == ["leave"]


def test_both_ask_at_once() -> None:
    line = after_a_match()
    line.client.rematch(ask=True, wait=True)
    line.say(ASKED, notice("You have already requested a rematch."))
    begin_again(line)
    assert line.take() == ["rematch", "roll"]


@pytest.mark.parametrize("wish", [True, False])
def test_an_opponent_who_goes_is_not_waited_for(wish: bool) -> None:
    line = after_a_match()
    if wish:
        line.client.rematch(ask=False, wait=True)
    line.say(event("left", "Guest_carol"))  # somebody who watched
    line.wait(1)
    assert line.sent == []
    line.say(event("left", OPPONENT))
    line.wait(1)
    assert line.sent == ["leave"]
    line.say(ASKED)
    line.wait(30)
    assert "rematch" not in line.sent


def test_a_session_that_wants_no_match_any_more_ends_the_wait() -> None:
    line = after_a_match()
    line.client.rematch(ask=True, wait=True)
    line.take()
    line.client.offer(None)
    line.wait(0)
    assert line.take() == ["leave"]


def test_a_program_gets_its_rematch_without_being_waited_for() -> None:
    line = after_a_match()
    line.client.rematch(ask=False, wait=False)
    line.wait(4)
    line.say(ASKED)
    assert line.take() == ["rematch"]
    line = after_a_match()
    line.client.rematch(ask=False, wait=False)
    line.wait(6)
    assert line.sent == ["leave"]


def test_in_a_match_and_outside_of_one_the_wish_means_nothing() -> None:
    line = playing()
    line.client.rematch(ask=True, wait=True)
    line.say(ASKED)
    line.keep(30)
    assert line.take() == []
    line.say(event("left", ME))
    line.client.rematch(ask=True, wait=True)
    line.say(ASKED)
    line.wait(1)
    assert not any(command.startswith("rematch") for command in line.sent)


def test_after_a_lost_connection_a_rematch_is_gone_and_the_next_match_offered() -> None:
    line = after_a_match()
    line.client.rematch(ask=True, wait=True)
    begin_again(line)
    line.say(rolled(ME, 3, 0), rolled(OPPONENT, 3, 1), board(turn=1, roll=(3, 1), points=1))
    line.eof()
    assert not line.seen(ev.Disconnected)[-1].final
    again = Line()
    again.client.offer(MatchOffer(1, "Test"))
    again.say("hello Welcome", event("welcome", PlayerName=ME, Clients=2, Games=1))
    again.take()
    again.wait(2.5)
    assert again.sent == ["create public 1 0 Test"]
