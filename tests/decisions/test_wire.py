"""Messages survive the way there and back; nothing else is taken for a message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.decisions import wire
from botd.decisions.requests import (
    CubeRequest,
    JudgeResignationRequest,
    OfferResignationRequest,
    PlayRequest,
    TakeRequest,
)
from botd.engine.engine import SageEngine
from botd.engine.random_player import RandomPlayer
from botd.engine.ranked_plays import packed
from botd.engine.types import STARTING_BOARD, CubeOwner, GameContext

CONTEXT = GameContext(match_length=7, score_opponent=3, cube_value=4, cube_owner=CubeOwner.OPPONENT)
PLAYER = RandomPlayer()
RANKING = packed(SageEngine.load().choose_play(STARTING_BOARD, CONTEXT, (6, 5), ply=0)) or b""

REPLIES = [
    wire.Ready(PLAYER.info),
    wire.Pong(3),
    wire.PlayDecided.of(
        1, 0.5, (3, 2), PLAYER.info, PLAYER.choose_play(STARTING_BOARD, CONTEXT, (6, 5), ply=0)
    ),
    wire.RankingDecided(1, 0.5, (3, 2), None, RANKING),
    wire.CubeDecided(1, 0.5, (), None, PLAYER.cube_action(STARTING_BOARD, CONTEXT, ply=0)),
    wire.ResignationDecided(1, 0.5, (), None, PLAYER.offer_resignation(STARTING_BOARD, CONTEXT, ply=0)),
    wire.Refused(1, "no"),
    wire.Failed(1, "no"),
    wire.OutOfTime(1, 0.5, (0,)),
]
ORDERS = [wire.Spawn(3), wire.Signal(4711, 9)]
REPORTS = [
    wire.Ready(PLAYER.info),
    wire.NotReady("no"),
    wire.Spawned(3, 4711),
    wire.NotSpawned(3, "no"),
    wire.Ended(4711, -9),
]
QUESTIONS = [
    wire.Ping(7),
    *(
        wire.Decide(5, request, 1.5)
        for request in (
            PlayRequest(STARTING_BOARD, CONTEXT, 2, (3, 1)),
            CubeRequest(STARTING_BOARD, CONTEXT, 2),
            TakeRequest(STARTING_BOARD, CONTEXT, 2),
            OfferResignationRequest(STARTING_BOARD, CONTEXT, 2),
            JudgeResignationRequest(STARTING_BOARD, CONTEXT, 2, 3, True),
        )
    ),
]


def body(framed: bytes) -> bytes:
    header, rest = framed[: wire.HEADER.size], framed[wire.HEADER.size :]
    assert wire.body_length(header) == len(rest)
    return rest


@pytest.mark.parametrize("message", QUESTIONS, ids=lambda message: type(message).__name__)
def test_questions(message: wire.Question) -> None:
    assert wire.decode_question(body(wire.frame(message))) == message


@pytest.mark.parametrize("message", REPLIES, ids=lambda message: type(message).__name__)
def test_replies(message: wire.Reply) -> None:
    assert wire.decode_reply(body(wire.frame(message))) == message


def test_orders_and_reports() -> None:
    for order in ORDERS:
        assert wire.decode_order(wire.packet(order)) == order
    for report in REPORTS:
        assert wire.decode_report(wire.packet(report)) == report
    for order in ORDERS:
        with pytest.raises(wire.WireError, match="report"):
            wire.decode_report(wire.packet(order))


def test_a_play_decision_is_never_empty() -> None:
    with pytest.raises(wire.WireError, match="length"):
        wire.decode_reply(body(wire.frame(wire.PlayDecided(1, 0.5, (), None, (), 0, 0, "forced"))))


def test_a_ranking_that_no_engine_makes_is_no_reply() -> None:
    good = wire.frame(wire.RankingDecided(1, 0.5, (), None, RANKING))
    assert good.count(RANKING) == 1
    for bad in (RANKING[:-1] + b"\x7f", b"\x11" + RANKING[1:], RANKING[:-2] + b"\x7f\0"):
        with pytest.raises(wire.WireError, match="ranking: expected"):
            wire.decode_reply(body(good.replace(RANKING, bad)))


@given(st.binary(max_size=200))
def test_other_bytes_are_no_message(data: bytes) -> None:
    for decode in (wire.decode_question, wire.decode_reply, wire.decode_order, wire.decode_report):
        with pytest.raises(wire.WireError):
            decode(data)


@given(st.sampled_from(REPLIES), st.data())
def test_a_message_cut_short_is_an_error(message: wire.Reply, data: st.DataObject) -> None:
    whole = body(wire.frame(message))
    length = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(wire.WireError):
        wire.decode_reply(whole[:length])


@given(st.integers(0, 2**32 - 1))
def test_a_length_is_believed_up_to_the_limit_only(length: int) -> None:
    header = wire.HEADER.pack(length)
    if 0 < length <= wire.MAX_FRAME:
        assert wire.body_length(header) == length
    else:
        with pytest.raises(wire.WireError, match="length"):
            wire.body_length(header)


def test_a_message_too_long_is_not_sent() -> None:
    with pytest.raises(wire.WireError, match="bytes"):
        wire.frame(wire.Failed(1, "x" * (wire.MAX_FRAME + 1)))
