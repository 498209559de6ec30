"""The reading end of the events, whatever arrives and in whatever pieces."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.daemon import happenings as h
from botd.live import follower as follower_module
from botd.live.documents import Live
from botd.live.follower import EventParser, Follower, FollowError
from tests.live.happening import ME, account_status, new_state, told

STREAM = b': comment\nretry: 2000\n\nevent: live\nid: 1\ndata: {"a":\ndata: 1}\n\ndata: x\r\n\r\nevent: e\n\n'
EVENTS = [("live", b'{"a":\n1}'), ("message", b"x")]


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_events_in_whatever_pieces(cuts: list[int]) -> None:
    parser = EventParser()
    edges = [0, *sorted(cuts), len(STREAM)]
    found = [event for begin, end in pairwise(edges) for event in parser.feed(STREAM[begin:end])]
    assert found == EVENTS


@given(st.lists(st.binary(max_size=50), max_size=10))
def test_garbage_is_no_fault_of_the_parser(pieces: list[bytes]) -> None:
    parser = EventParser()
    for piece in pieces:
        parser.feed(piece)


@pytest.mark.parametrize("piece", [b"x" * 60, b"data: xxxxxxxxxxx\n", b"data:\n"])
def test_an_event_without_an_end(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower_module, "MAX_EVENT", 100)

    def feed_for_ever() -> None:
        parser = EventParser()
        while True:
            parser.feed(piece)

    with pytest.raises(FollowError, match="without an end"):
        feed_for_ever()


def live() -> Live:
    return new_state(account_status("me"), account_status("you")).live(1.0, ())


def test_the_document_is_kept_up_to_date() -> None:
    follower = Follower()
    follower.take("account", b"{}")  # before everything: of no use
    assert follower.take("live", msgspec.json.encode(live())) is None
    assert follower.live == live()
    state = new_state()
    state.happened(told(h.MatchStarted, opponent="anna", length=5, score=(0, 0), resumed=False))
    account = state.account(ME)
    assert account is not None
    assert follower.take("account", msgspec.json.encode(account)) == account
    assert follower.live is not None
    assert [one.match is not None for one in follower.live.accounts] == [True, False]
    latency = b'[{"kind":"play","ply":2,"count":1,"p50":1,"p95":1,"p99":1,"new":"key"}]'
    follower.take("latency", latency)
    assert follower.live.latency[0].kind == "play"
    follower.take("something new", b"?")


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("live", b"", "not the live document"),
        ("live", b"[1]", "not the live document"),
        ("live", b'{"schema": 1}', "not the live document"),
        ("live", b'{"schema": 2, "anything": 1}', "schema 2"),
        ("live", b"\xff\xfe", "not the live document"),
        ("live", b"[" * 100_000, "not the live document"),
        ("account", b"{}", "not the live document"),
        ("latency", b"{}", "not the live document"),
    ],
)
def test_what_is_no_document(kind: str, data: bytes, words: str) -> None:
    follower = Follower()
    follower.take("live", msgspec.json.encode(live()))
    with pytest.raises(FollowError, match=words):
        follower.take(kind, data)
