"""What is told of each happening."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from botd.daemon import happenings as h
from botd.engine.random_player import RandomPlayer
from botd.engine.types import STARTING_BOARD, GameContext
from botd.journal.records import CubeActionKind, DecisionKind, ResignationAction, Side
from botd.mqtt.messages import CANDIDATES, EVENTS, SCHEMA, encoder, event_of, status_message

WHERE: dict[str, Any] = {"account": "anna", "server": "localhost:4321", "at": 0.0}
PLAYER = RandomPlayer(seed=1)
PLAY = PLAYER.choose_play(STARTING_BOARD, GameContext(), (3, 1), ply=0)
CUBE = PLAYER.cube_action(STARTING_BOARD, GameContext(), ply=0)
RESIGNATION = PLAYER.offer_resignation(STARTING_BOARD, GameContext(), ply=0)
DECISION: dict[str, Any] = {
    "position_id": "4HPwATDgc/ABMA",
    "match_id": "cAgAAAAAAAAA",
    "dice": None,
    "engine": PLAYER.info,
    "source": "search",
    "duration": 0.25,
}

HAPPENINGS: list[tuple[h.Happening, str, dict[str, Any]]] = [
    (h.Connected(**WHERE), "connected", {}),
    (h.Disconnected(**WHERE, reason="lost"), "disconnected", {"reason": "lost"}),
    (
        h.Invited(**WHERE, player="bert", length=5, resume=False, refusal="length"),
        "invited",
        {"player": "bert", "length": 5, "resume": False, "accepted": False, "refusal": "length"},
    ),
    (
        h.MatchStarted(**WHERE, opponent="bert", length=5, score=(1, 2), resumed=True),
        "match_started",
        {"opponent": "bert", "length": 5, "score": [1, 2], "resumed": True},
    ),
    (
        h.GameStarted(**WHERE, number=3, score=(1, 2), crawford=False),
        "game_started",
        {"game": 3, "score": [1, 2], "crawford": False},
    ),
    (
        h.Rolled(**WHERE, side=Side.US, dice=(3, 1), board=STARTING_BOARD),
        "roll",
        {"side": "us", "dice": [3, 1], "position_id": "4HPwATDgc/ABMA"},
    ),
    (
        h.Moved(**WHERE, side=Side.OPPONENT, dice=(3, 1), notation="8/5 6/5", board=None, equity=None),
        "move",
        {"side": "opponent", "dice": [3, 1], "move": "8/5 6/5", "position_id": "", "equity": None},
    ),
    *(
        (
            h.CubeActed(**WHERE, side=Side.US, action=action, cube=4, equity=0.1234567),
            kind,
            {"side": "us", "cube": 4, "equity": 0.123457},
        )
        for action, kind in [
            (CubeActionKind.DOUBLE, "double"),
            (CubeActionKind.TAKE, "take"),
            (CubeActionKind.PASS, "pass"),
            (CubeActionKind.BEAVER, "beaver"),
            (CubeActionKind.AUTOMATIC, "automatic_double"),
        ]
    ),
    (
        h.Resigned(**WHERE, side=Side.US, action=ResignationAction.OFFER, level=1),
        "resignation",
        {"side": "us", "action": "offer", "level": 1},
    ),
    (
        h.GameOver(**WHERE, winner=Side.US, points=2, score=(2, 0)),
        "game_result",
        {"winner": "us", "points": 2, "score": [2, 0]},
    ),
    (
        h.MatchOver(**WHERE, opponent="bert", winner=Side.US, score=(5, 0)),
        "match_result",
        {"opponent": "bert", "winner": "us", "score": [5, 0]},
    ),
    (
        h.MatchSuspended(**WHERE, opponent="bert", reason="left", score=(5, 0)),
        "match_suspended",
        {"opponent": "bert", "reason": "left", "score": [5, 0]},
    ),
    (
        h.RatingSeen(**WHERE, rating=1543.2749, experience=412),
        "rating",
        {"rating": 1543.27, "experience": 412},
    ),
    (
        h.Decided(
            **WHERE, **(DECISION | {"dice": (3, 1)}), kind=DecisionKind.PLAY, chosen="8/5 6/5", decision=PLAY
        ),
        "decision",
        {"kind": "play", "dice": [3, 1], "chosen": "8/5 6/5", "source": "search", "seconds": 0.25},
    ),
    (
        h.Decided(**WHERE, **DECISION, kind=DecisionKind.DOUBLE, chosen="roll", decision=CUBE),
        "decision",
        {"kind": "double", "dice": None, "chosen": "roll", "no_double": CUBE.no_double},
    ),
    (
        h.Decided(**WHERE, **DECISION, kind=DecisionKind.RESIGN, chosen="play on", decision=RESIGNATION),
        "decision",
        {"kind": "resign", "chosen": "play on", "level": RESIGNATION.level},
    ),
    (
        h.Trouble(**WHERE, what="login_refused", detail="reason=password"),
        "error",
        {"error": "login_refused", "detail": "reason=password"},
    ),
]


@pytest.mark.parametrize(("happening", "kind", "fields"), HAPPENINGS)
def test_every_happening_has_its_message(happening: h.Happening, kind: str, fields: dict[str, Any]) -> None:
    event = event_of(happening)
    assert event.kind == kind
    message = event.message(7)
    decoded = json.loads(encoder("json")(message))
    assert decoded == msgspec.msgpack.decode(encoder("msgpack")(message))
    head = {"schema": SCHEMA, "type": kind, "seq": 7, "at": "1970-01-01T00:00:00.000Z"}
    assert head.items() <= decoded.items()
    assert (decoded["account"], decoded["server"]) == ("anna", "localhost:4321")
    assert fields.items() <= decoded.items()
    if kind != "decision":
        assert set(decoded) == {*head, "account", "server", *fields}


def test_the_list_above_is_complete() -> None:
    kinds = {kind for kind in vars(h).values() if isinstance(kind, type) and issubclass(kind, h.Happening)}
    told = {kind for kind in kinds if not issubclass(kind, h.Detail)}  # a broker asks for no details
    assert {type(happening) for happening, _, _ in HAPPENINGS} == told - {h.Happening}
    assert {kind for _, kind, _ in HAPPENINGS} == set(EVENTS)


def test_a_decision_is_told_with_the_best_plays_and_their_equities() -> None:
    decided = h.Decided(
        **WHERE, **(DECISION | {"dice": (3, 1)}), kind=DecisionKind.PLAY, chosen="x", decision=PLAY
    )
    message = event_of(decided).message(0)
    assert message["legal"] == PLAY.legal_count
    assert [play["move"] for play in message["plays"]] == [p.play.notation for p in PLAY.plays[:CANDIDATES]]
    assert all(len(play["probabilities"]) == 5 for play in message["plays"])


def test_results_are_sent_until_confirmed_and_the_rest_once() -> None:
    sure = {kind for happening, kind, _ in HAPPENINGS if event_of(happening).qos == 1}
    assert sure == {
        "connected", "disconnected", "match_started", "game_result", "match_result", "match_suspended",
        "rating", "error",
    }  # fmt: skip


def test_a_position_that_has_no_identifier_costs_only_the_identifier() -> None:
    impossible = dataclasses.replace(
        h.Rolled(**WHERE, side=Side.US, dice=(1, 1), board=STARTING_BOARD), board=(0, *[15] * 25)
    )
    assert event_of(impossible).fields["position_id"] == ""


def test_every_topic_and_key_is_documented() -> None:
    document = (Path(__file__).parents[2] / "docs" / "mqtt.md").read_text()
    rows = dict(re.findall(r"^\| `event/([a-z_]+)` \|[^|]*\|[^|]*\|([^|]*)\|$", document, re.MULTILINE))
    assert set(rows) == set(EVENTS)
    for happening, kind, _ in HAPPENINGS:
        keys = set(event_of(happening).fields) - {"at", "account", "server"}
        missing = keys - set(re.findall(r"`(\w+)`", rows[kind]))
        assert not missing, kind
    for key in status_message("online"):
        assert f"`{key}`" in document
