"""Whatever a server says, in whatever pieces: no exception, no endless loop, no strange command."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botd_protocols.bgammon import client_events as ev
from botd_protocols.bgammon.client import Phase
from botd_protocols.bgammon.client_lobby import MatchOffer
from tests.bgammon.client.harness import (
    HELLO,
    LIST,
    ME,
    OPPONENT,
    START,
    WELCOME,
    Line,
    board,
    event,
    joined,
    moved,
    notice,
    rolled,
    win,
)

GRAMMAR = re.compile(
    r"lj botd-0\.1/en BOT_acme"
    r"|create public 3 0 Test|leave|disconnect|set autoplay 0|board|roll|ok|double|resign|reset"
    r"|rematch"
    r"|move (bar|[1-9]|1\d|2[0-4])/(off|[1-9]|1\d|2[0-4])|say [^\x00-\x1f]{1,200}|pong( [^\x00-\x1f]{1,64})?"
)

JUNK = (
    st.none()
    | st.booleans()
    | st.integers(-3, 30)
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.lists(st.lists(st.integers(-2, 30), max_size=3), max_size=5)
    | st.dictionaries(st.text(max_size=5), st.integers(), max_size=3)
)
POINTS = st.integers(0, 27)
PAIRS = st.none() | st.lists(st.lists(POINTS, min_size=2, max_size=2), max_size=6)


@st.composite
def boards(draw: st.DrawFn) -> str:
    """Boards of a possible shape, many of them of possible positions."""
    row = [*START]
    for _ in range(draw(st.integers(0, 6))):
        source, target = draw(POINTS), draw(POINTS)
        if row[source] and (row[target] == 0 or (row[target] > 0) == (row[source] > 0)):
            one = 1 if row[source] > 0 else -1
            row[source] -= one
            row[target] += one
    fields: dict[str, object] = {
        "Winner": draw(st.sampled_from([0, 0, 0, 1, 2])),
        "Crawford": draw(st.integers(0, 2)),
        "DoubleValue": draw(st.sampled_from([1, 1, 2, 4, 64])),
        "DoublePlayer": draw(st.integers(0, 2)),
        "DoubleOffered": draw(st.booleans()),
        "Forced": draw(st.sampled_from([False, False, True])),
        "Spectating": draw(st.sampled_from([False] * 9 + [True])),
        "Variant": draw(st.sampled_from([0] * 9 + [1])),
        "Moves": draw(PAIRS),
        "Available": draw(PAIRS),
    }
    return board(
        turn=draw(st.integers(0, 2)),
        roll=draw(st.sampled_from([(0, 0), (3, 1), (6, 6), (5, 2), (4, 0)])),
        spaces=row,
        opponent=draw(st.sampled_from([OPPONENT, OPPONENT, "", "Guest_bob"])),
        score=draw(st.sampled_from([(0, 0), (0, 0), (1, 0), (0, 2), (3, 0)])),
        points=draw(st.sampled_from([1, 3, 3, 127])),
        **fields,
    )


NAMES = st.sampled_from([ME, OPPONENT, "Guest_bob", "", "\x1b[2J"])
STEP = st.tuples(POINTS, POINTS)
EVENTS = st.one_of(
    boards(),
    boards(),
    boards(),
    st.builds(joined, NAMES, st.integers(0, 2)),
    st.builds(lambda name: event("left", name), NAMES),
    st.builds(rolled, NAMES, st.integers(0, 6), st.integers(0, 6)),
    st.builds(lambda name, steps: moved(name, *steps), NAMES, st.lists(STEP, max_size=4)),
    st.builds(win, NAMES, st.integers(0, 200), NAMES),
    st.builds(
        lambda kind, text: event(kind, Reason=text),
        st.sampled_from(
            ["failedcreate", "failedjoin", "failedleave", "failedroll", "failedmove", "failedok"]
        ),
        st.sampled_from(
            ["It is not your turn.", "Please leave the match you are in before", "shutting down"]
        ),
    ),
    st.builds(
        notice,
        st.sampled_from(
            [
                *(
                    "It is not your turn.",
                    "You may not double at this time.",
                    "SERVER BROADCAST: shutting down",
                ),
                "Your opponent would like to play again.",
            ]
        )
        | st.text(max_size=30),
    ),
    st.builds(lambda text: event("say", OPPONENT, Message=text), st.text(max_size=30)),
    st.builds(lambda text: event("ping", Message=text), st.text(max_size=100)),
    st.just(event("settings", AutoPlay=True)),
    st.just(LIST),
)


@st.composite
def broken(draw: st.DrawFn) -> bytes:
    """An event with some field replaced by something else, or cut, or no event at all."""
    text = draw(EVENTS)
    fields = json.loads(text)
    key = draw(st.sampled_from([*fields, "Extra"]))
    how = draw(st.integers(0, 3))
    if how == 0:
        fields[key] = draw(JUNK)
    elif how == 1:
        fields.pop(key, None)
    data = json.dumps(fields).encode("utf-8", "surrogatepass")
    if how == 2:
        data = data[: draw(st.integers(0, len(data)))]
    return draw(st.binary(max_size=60)) if how == 3 else data


ACTIONS = st.one_of(
    st.tuples(st.just("say"), EVENTS.map(str.encode)),
    st.tuples(st.just("say"), EVENTS.map(str.encode)),
    st.tuples(st.just("say"), broken()),
    st.tuples(st.just("answer"), st.integers(0, 5)),
    st.tuples(st.just("wait"), st.sampled_from([0.1, 3.0, 11.0, 40.0])),
    st.tuples(st.just("talk"), st.text(max_size=300)),
    st.tuples(st.just("rematch"), st.booleans()),
)
STREAMS = st.lists(ACTIONS, min_size=10, max_size=80)


def play(actions: list[tuple[str, object]]) -> Line:
    line = Line()
    line.client.offer(MatchOffer(3, "Test"))
    line.say(HELLO, WELCOME)
    line.wait(3)
    line.say(joined(ME, 1), board())
    for what, value in actions:
        if what == "say":
            assert isinstance(value, bytes)
            line.raw(value + b"\n")
        elif what == "wait":
            assert isinstance(value, float)
            line.wait(value)
            line.say(event("ping", Message="1"))
        elif what == "talk":
            line.client.say(str(value))
        elif what == "rematch":
            line.client.rematch(ask=bool(value), wait=not value)
        elif line.open_questions:
            assert isinstance(value, int)
            answer(line, value)
        check(line)
    line.wait(5000)
    assert line.client.phase is Phase.CLOSED  # nothing came any more, so somebody gave up
    check(line)
    return line


def answer(line: Line, choice: int) -> None:
    question = line.open_questions[-1]
    client, key = line.client, question.key
    if question.kind is ev.DecisionKind.MOVE:
        plays = [((8, 5), (6, 5)), ((24, 23),), (), ((13, 7), (7, 1)), ((25, 20),), ((6, 0),)]
        try:
            line.events += client.answer_move(key, plays[choice])
        except ValueError:
            line.events += client.read_board()
    elif question.kind is ev.DecisionKind.ROLL_OR_DOUBLE:
        if choice == 0:
            client.resign(3)
        line.events += (client.answer_double if choice == 1 else client.answer_roll)(key)
    else:
        line.events += (client.answer_accept if choice % 2 else client.answer_reject)(key)
    line.wait(0)


def check(line: Line) -> None:
    for command in line.sent:
        assert GRAMMAR.fullmatch(command), command
    for found in line.events:
        for name in found.__slots__:
            value = getattr(found, name)
            assert not isinstance(value, str) or (value.isprintable() and len(value) <= 400), value


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(STREAMS)
def test_no_stream_of_events_breaks_the_client(actions: list[tuple[str, object]]) -> None:
    play(actions)


@pytest.mark.nightly
@settings(max_examples=2000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(STREAMS)
def test_no_stream_of_events_breaks_the_client_nightly(actions: list[tuple[str, object]]) -> None:
    play(actions)


@settings(max_examples=150)
@given(st.lists(EVENTS.map(str.encode) | broken(), max_size=12), st.data())
def test_however_the_bytes_are_divided_the_events_are_the_same(
    lines: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(
        line + data.draw(st.sampled_from([b"\n", b"\r\n"]))
        for line in (HELLO.encode(), WELCOME.encode(), joined(ME, 1).encode(), board().encode(), *lines)
    )
    whole, divided = Line(), Line()
    for event_of_whole in stream.splitlines(keepends=True):
        whole.raw(event_of_whole)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        divided.raw(stream[start:end])
    assert divided.events == whole.events


@settings(max_examples=300)
@given(st.binary(max_size=300) | st.from_regex(rb"(login: |220 mail\r?\n|HTTP/1.1 400 Bad\r\n)+"))
def test_whoever_is_no_bgammon_server_gets_no_password(data: bytes) -> None:
    line = Line(password="s3cret")
    line.raw(data + b"\n")
    line.wait(60)
    line.eof()
    assert line.client.phase is Phase.CLOSED
    strange = [text for text in data.split(b"\n") if text.strip() and not text.lstrip().startswith(b"{")]
    if strange and not any(text.startswith(b"hello ") for text in strange):
        assert line.sent == []
