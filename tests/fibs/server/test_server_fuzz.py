"""Random and hostile command streams: the server never raises, boards stay possible, nobody is left over."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from botd_protocols.fibs.server_quirks import BALDLIES, JIBS, ServerQuirks
from botd_protocols.server_dice import SeededDice

from .board_check import read_board
from .harness import table, world

WORDS = (
    *("login", "c", "1008", "mybot", "pw", "guest", "name", "invite", "anna", "3", "join", "leave", "bye"),
    *("move", "13-9", "bar", "roll", "double", "accept", "reject", "resign", "n", "board", "redoubles"),
    *("toggle", "set", "ready", "wave", "tell", "kibitz", "watch", "say", "-", "25", "0", "999999999999"),
    *(
        "show",
        "saved",
        "savedcount",
        "who",
        "rawwho",
        "away",
        "back",
        "unlimited",
        "time",
        "redouble",
        "look",
    ),
)
POINT = st.sampled_from(["bar", "off", *map(str, range(-1, 27))])
MOVE = st.lists(st.tuples(POINT, POINT).map("-".join), min_size=1, max_size=5).map(
    lambda pairs: "move " + " ".join(pairs)
)
PLAY = st.sampled_from(
    ["roll", "double", "accept", "reject", "join", "board", "resign n", "resign g", "leave", "invite anna",
     "invite mybot", "join mybot", "join anna", "invite anna 1", "invite mybot unlimited", "toggle double"]
)  # fmt: skip
LINE = st.one_of(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), MOVE, PLAY, PLAY).map(
    lambda text: text.encode() + b"\r\n"
)
ACTION = st.one_of(
    st.tuples(st.booleans(), LINE),
    st.tuples(st.booleans(), LINE),
    st.tuples(st.booleans(), LINE),
    st.tuples(st.booleans(), st.binary(max_size=60)),
    st.tuples(st.booleans(), st.sampled_from([0.5, 40.0, 700.0])),
    st.tuples(st.booleans(), st.just("drop")),
)
_SWITCHES: dict[str, Any] = {
    "glue_accept": True, "glue_board": "any", "glue_who": True, "segment_bytes": 3, "reply_delay_s": 0.4,
    "lose_pipelined": True, "duplicate_boards": True, "noise": True, "torn_who": True, "prompts": True,
    "clip_lookalikes": True, "loss_text": False, "resume_text": False, "resume_board": False,
    "resume_prompt": False, "automatic_roll": False, "ask_without_cube": True, "board_command": "silent",
    "double_on_board": False, "wrong_bars": True, "announce_drop_twice": True, "who_group_end": False,
}  # fmt: skip
QUIRKS = st.tuples(
    st.sampled_from([ServerQuirks(), JIBS, BALDLIES]),
    st.lists(st.sampled_from(sorted(_SWITCHES)), max_size=4),
).map(lambda pair: dataclasses.replace(pair[0], **{name: _SWITCHES[name] for name in pair[1]}))


def run(actions: list[tuple[bool, bytes | float | str]], in_match: bool, quirks: ServerQuirks) -> None:
    if in_match:
        w, first, second = table("3", SeededDice(1), strict=True, quirks=quirks)
    else:
        w = world(strict=True, quirks=quirks)
        first, second = w.connect(), w.connect()
    for which, what in actions:
        conn = first if which else second
        if isinstance(what, bytes):
            w.server.receive(conn, what, w.now)
            w.collect()
        elif isinstance(what, float):
            w.pass_time(what)
        else:
            w.server.disconnect(conn, w.now)
            w.closed.add(conn)
    for line in (line for conn in (first, second) for line in w.read(conn)):
        whole = not (quirks.wrong_bars or quirks.glue_board or quirks.glue_who)
        if line.startswith("board:You:") and whole:
            read_board(line)
    w.pass_time(1e6)
    w.pass_time(10.0)  # with what was held back
    assert {first, second} <= w.closed
    deadline = w.server.next_deadline
    assert deadline is None or deadline > w.now


STREAMS = given(st.lists(ACTION, min_size=5, max_size=80), st.booleans(), QUIRKS)
_CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large]


@seed(20261130)
@settings(max_examples=150, suppress_health_check=_CHECKS, database=None)
@STREAMS
def test_hostile_streams(
    actions: list[tuple[bool, bytes | float | str]], in_match: bool, quirks: ServerQuirks
) -> None:
    run(actions, in_match, quirks)


@pytest.mark.nightly
@pytest.mark.timeout(3000)
@seed(1337)
@settings(max_examples=2_000, suppress_health_check=_CHECKS, database=None)
@STREAMS
def test_many_hostile_streams(
    actions: list[tuple[bool, bytes | float | str]], in_match: bool, quirks: ServerQuirks
) -> None:
    run(actions, in_match, quirks)
