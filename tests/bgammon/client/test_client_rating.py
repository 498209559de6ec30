"""What bgammon tells of our own rating, and what is counted of its events."""

from __future__ import annotations

from collections import Counter

import pytest

from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client import BgammonClient, BgammonClientConfig
from botd_protocols.bgammon.client_lobby import MatchOffer
from botd_protocols.traffic import RECEIVED
from tests.bgammon.client.harness import HELLO, ME, OPPONENT, WELCOME, Line, board, event, joined, notice, win


def me(rating: int, points: int = 0) -> dict[str, object]:
    return {"Number": 1, "Name": ME, "Rating": rating, "Points": points, "Entered": True}


def at_the_table() -> Line:
    line = Line()
    line.say(HELLO, WELCOME)
    line.wait(3.0)
    line.client.offer(MatchOffer(3, "a match"))
    line.wait(1.0)
    line.say(joined(ME, 1))
    line.forget()
    return line


def ratings(line: Line) -> list[tuple[float, int | None]]:
    return [(told.rating, told.experience) for told in line.seen(ev.OwnRating)]


def test_the_board_tells_our_rating_and_its_change_after_the_match() -> None:
    line = at_the_table()
    line.say(board(opponent="", Player1=me(1622)))
    line.say(board(Player1=me(1622)))
    assert ratings(line) == [(1622.0, None)]
    line.say(joined(OPPONENT, 2), board(Player1=me(1622, 2), turn=1, roll=(3, 1), available=[[8, 5]]))
    line.say(win(ME, 1), board(Player1=me(1640, 3), Winner=1, turn=1, Ended=1796009999))
    kinds = [type(told) for told in line.events if isinstance(told, ev.MatchEnded | ev.OwnRating)]
    assert kinds == [ev.OwnRating, ev.MatchEnded, ev.OwnRating], "the change is told after the match"
    assert ratings(line)[1:] == [(1640.0, None)]


@pytest.mark.parametrize("rating", [0, -5])
def test_a_guest_has_no_rating(rating: int) -> None:
    line = at_the_table()
    line.say(board(Player1=me(rating)))
    assert ratings(line) == []


def test_every_event_and_command_is_counted_by_its_kind() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    client = BgammonClient(
        BgammonClientConfig("BOT_acme", "s3cret"), lambda direction, kind: seen.update([(direction, kind)])
    )
    client.advance(0.0)
    client.receive_data(f"{HELLO}\n".encode(), 0.0)
    assert client.data_to_send().startswith(b"lj ")
    assert seen == {("received", "login"): 1, ("sent", "login"): 1}
    for line, kind in (
        (WELCOME, "login"),
        (event("ping", Message="1"), "ping"),
        (notice("hello"), "chat"),
        (event("say", "ann", Message="hello"), "chat"),
        (event("settings", AutoPlay=False), "setting"),
        (joined(ME, 1), "lobby"),
        (board(), "board"),
        (event("rolled", ME, Roll1=1, Roll2=0), "match"),
        (event("failedroll", Reason="no"), "error"),
        (event("list", Games=None), "other"),
        (event("surprise"), "unknown"),
        (event("board", Board=[1]), "unknown"),
        ("nothing that a server says", "unknown"),
        ("", ""),
    ):
        seen.clear()
        client.receive_data(f"{line}\n".encode(), 1.0)
        assert seen == ({("received", kind): 1} if kind else {}), line
        assert not kind or kind in RECEIVED
    seen.clear()
    client.advance(2.0)
    assert client.data_to_send().startswith(b"pong 1\n")
    assert seen["sent", "pong"] == 1


def test_a_refused_command_is_told_and_the_board_is_read_again() -> None:
    line = at_the_table()
    line.say(board(), event("failedroll", Reason="It is not your turn to roll."))
    told = [(refused.command, refused.text) for refused in line.seen(ev.CommandRejected)]
    assert told == [("roll", "It is not your turn to roll.")]
    assert [out.cause for out in line.seen(ev.OutOfStep)] == ["rejected"]
