"""Whatever a server says, in whatever order and pieces: no exception, no endless loop, no strange command."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.client import FibsClient, FibsClientConfig, Phase
from botd_protocols.fibs.client_events import DecisionKind
from tests.fibs.client.spoken_line import AS_X, JOIN, LOGIN, START, WHO, board

NUMBER = r"(bar|off|[1-9]|1\d|2[0-4])"
GRAMMAR = re.compile(
    r"login botd_0\.1 1008 mybot s3cret|set (boardstyle 3|linelength 0|pagelength 0|redoubles none)"
    r"|toggle( [a-z]+)?|show saved|(raw)?who \S+|time|board|roll|double|accept|reject|resign [ngb]"
    rf"|move( {NUMBER}-{NUMBER}){{1,4}}|join( \S+)?|invite \S+( \d+| unlimited)?|leave|bye"
    r"|(kibitz|tell \S+) [ -~]{1,200}"
)
NAMES = st.sampled_from(["anna", "anna", "anna", "bert", "mybot", "You", "%s", "-"])
DIE = st.integers(1, 6)
COUNT = st.sampled_from([0, 1, 1, 2, 3, 5, 64, 9999, 999999999])
TEXTS: tuple[str, ...] = (
    "{name} wants to play a {n} point match with you.",
    "{name} wants to play an unlimited match with you.",
    "{name} wants to resume a saved match with you.",
    "WARNING: Don't accept if you want to continue the saved {n} point match!",
    "** You are now playing a {n} point match with {name}",
    "** Player {name} has joined you for a {n} point match.",
    "{name} has joined you. Your running match was loaded.",
    "turn: {name}.",
    "match length: {n}",
    "Starting a new game with {name}.",
    "You rolled {a}, {name} rolled {b}",
    "The number on the doubling cube is now {n}",
    "It's your turn to move.",
    "{name} makes the first move.",
    "You roll {a} and {b}.",
    "{name} rolls {a} and {b}.",
    "It's your turn. Please roll or double",
    "Please move {a} pieces.",
    "You can't move.",
    "{name} can't move.",
    "The only possible move is 13-7 7-1 .",
    "Bearing off: {a} o {b} o",
    "{name} moves 8-5 6-5 .",
    "{name} moves  .",
    "Done.",
    "You double. Please wait for {name} to accept or reject.",
    "{name} doubles. Type 'accept' or 'reject'.",
    "You accept the double. The cube shows {n}.{name} rolls {a} and {b}.",
    "{name} accepts the double. The cube shows {n}.",
    "{name} wants to resign. You will win {n} points. Type 'accept' or 'reject'.",
    "You want to resign. {name} will win {n} points.",
    "You reject. The game continues.",
    "{name} rejects. The game continues.",
    "You win the game and get {n} points. Congratulations!",
    "{a} win the game and get %1 points. Congratulation!",
    "{name} wins the game and gets {n} points. Sorry.",
    "{name} gives up. You win {n} points.",
    "You give up. {name} wins {n} points.",
    "You accept and win {n} points.",
    "{name} accepts and wins {n} points.",
    "score in {n} point match: mybot-{a} {name}-{b}",
    "** Please wait for {name} to join too.",
    "You win the {n} point match {a}-{b} .",
    "{name} wins the {n} point match {a}-{b} .",
    "** Player {name} has left the game. The game was saved.",
    "{name} drops connection. The game was saved.",
    "** You terminated the game. The game was saved.",
    "** You're not playing.",
    "** You did already roll the dice.",
    "** It's not your turn to roll the dice.",
    "** It's not your turn to double.",
    "** You can only double before you roll the dice.",
    "** {name} didn't double or resign.",
    "** {name} wanted to resign. Type 'accept' or 'reject'.",
    "** Wait until {name} accepted or rejected your resign.",
    "** {name} hasn't responded to your double yet.",
    "** You can't move to {a} in your second move.",
    "** There's no saved match with {name}. Please give a match length.",
    "** {name} is refusing games.",
    "** Use 'toggle ready' first",
    "** Unknown command: 'board'",
    "** Unknown command: 'roll'",
    "** Not yet implemented: 'time'",
    "** something nobody has heard of",
    "no saved games.",
    "**{name}                      {n}                {a} -  {b}",
    "5 {name} - - 1 0 1500.0 {n} 0 1793749000 x c -",
    "5 mybot {name} - 1 0 1500.0 {n} 0 1793749000 x c -",
    "5 mybot - {name} 1 0 1500.0 {n} 0 1793749000 x c -",
    "6",
    "3",
    "4",
    "8 {name} {name} drops connection.",
    "12 {name} board:You:{name}:{n}",
    "15 {name} Type 'join' if you want to play the next game",
    "*** ATTENTION ! shutdown",
    " +13-14-15-16-17-18-------19-20-21-22-23-24-+ X: {name}",
    "                              Goodbye.",
    "Closed old connection with user mybot",
    JOIN.strip(),
    WHO.strip(),
)


@st.composite
def boards(draw: st.DrawFn) -> str:
    """Board lines of a possible shape, many of them of possible positions."""
    changes: dict[str, int | str] = dict(AS_X) if draw(st.booleans()) else {}
    dice = draw(st.sampled_from([(0, 0), (3, 1), (6, 6), (5, 2), (7, 0)]))
    changes |= {
        "length": draw(st.sampled_from([1, 3, 3, 5, 9999, 0])),
        "score": draw(st.sampled_from([0, 0, 1, 2, 3])),
        "his_score": draw(st.sampled_from([0, 0, 1, 2, 64])),
        "turn": draw(st.sampled_from([-1, 0, 1, 1])),
        "die1": dice[0],
        "die2": dice[1],
        "cube": draw(st.sampled_from([1, 1, 2, 4, 3])),
        "may": draw(st.integers(0, 1)),
        "his_may": draw(st.integers(0, 1)),
        "doubled": draw(st.sampled_from([0, 0, 0, 1])),
        "opponent": draw(st.sampled_from(["anna", "anna", "anna", "bert"])),
    }
    return board(**changes).strip()


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A line of a server, as it is, damaged, or nothing of the kind."""
    if draw(st.integers(0, 2)) == 0:
        text = draw(boards())
    else:
        text = draw(st.sampled_from(TEXTS)).format(name=draw(NAMES), n=draw(COUNT), a=draw(DIE), b=draw(DIE))
    data = text.encode()
    how = draw(st.sampled_from(["whole"] * 8 + ["cut", "garbled", "glued", "junk"]))
    if how == "cut":
        data = data[: draw(st.integers(0, len(data)))]
    elif how == "garbled" and data:
        at = draw(st.integers(0, len(data) - 1))
        data = data[:at] + bytes((draw(st.integers(0, 255)),)) + data[at + 1 :]
    elif how == "glued":
        return data + draw(st.sampled_from([b"", b" "]))
    elif how == "junk":
        data = draw(st.binary(max_size=60))
    return data + draw(st.sampled_from([b"\r\n", b"\r\n", b"\n", b"\r\r\n"]))


ACTIONS = st.one_of(
    st.tuples(st.just("say"), lines()),
    st.tuples(st.just("say"), lines()),
    st.tuples(st.just("say"), lines()),
    st.tuples(st.just("answer"), st.integers(0, 5)),
    st.tuples(st.just("wait"), st.sampled_from([0.1, 0.4, 3.0, 11.0, 130.0])),
    st.tuples(st.just("talk"), st.text(max_size=300)),
    st.tuples(
        st.just("do"), st.sampled_from(["invite", "join", "leave", "board", "ready", "saved", "resign"])
    ),
)
STREAMS = st.lists(ACTIONS, min_size=10, max_size=80)
CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large]


class Session:
    """Does to the client what a session may, and keeps what it sends and tells."""

    def __init__(self) -> None:
        self.client = FibsClient(FibsClientConfig("mybot", "s3cret"))
        self.now = 0.0
        self.events: list[ev.Event] = []
        self.sent: list[str] = []
        self.say(LOGIN.encode())
        self.wait(300.0)
        assert self.client.phase is Phase.LOBBY

    def say(self, data: bytes) -> None:
        self.events += self.client.receive_data(data, self.now)
        self.collect()

    def wait(self, seconds: float) -> None:
        """Let time pass, waking the client whenever it asks for it."""
        end, wakings = self.now + seconds, 0
        while (due := self.client.next_timer()) is not None and due <= end:
            self.now = max(self.now, due)
            self.events += self.client.advance(self.now)
            self.collect()
            wakings += 1
            assert wakings < 10 * seconds + 200, "wakes up again and again"
        self.now = end
        self.events += self.client.advance(self.now)
        self.collect()

    def collect(self) -> None:
        self.sent += self.client.data_to_send().decode("ascii").splitlines()

    def open_question(self) -> ev.DecisionNeeded | None:
        gone = {e.key for e in self.events if isinstance(e, ev.DecisionWithdrawn)}
        asked = [e for e in self.events if isinstance(e, ev.DecisionNeeded) and e.key not in gone]
        return asked[-1] if asked else None

    def answer(self, choice: int) -> None:
        """Answer the newest question; it may have been answered before."""
        question, client = self.open_question(), self.client
        if question is None:
            return
        key, kind = question.key, question.kind
        plays = [((8, 5), (6, 5)), ((24, 23),), (), ((13, 7), (7, 1)), ((25, 20),), ((6, 0),)]
        try:
            if kind is DecisionKind.MOVE:
                events = client.answer_move(key, plays[choice])
            elif kind is DecisionKind.ROLL_OR_DOUBLE:
                events = (client.answer_double if choice == 1 else client.answer_roll)(key)
            else:
                events = (client.answer_accept if choice % 2 else client.answer_reject)(key)
        except ValueError:
            events = client.read_board()
        self.events += events
        self.collect()

    def do(self, what: str) -> None:
        client = self.client
        if what == "invite":
            client.invite("anna", 3)
        elif what == "join":
            client.join("anna")
        elif what == "leave":
            client.leave()
        elif what == "board":
            self.events += client.read_board()
        elif what == "ready":
            client.set_ready(not client.ready)
        elif what == "saved":
            client.show_saved()
        else:
            client.resign(2)
        self.collect()

    def check(self) -> None:
        for command in self.sent:
            assert GRAMMAR.fullmatch(command), command
        for found in self.events:
            for name in found.__slots__:
                value = getattr(found, name)
                assert not isinstance(value, str) or (value.isprintable() and len(value) <= 2100), value
        # The rest has been looked at.
        self.sent.clear()


def play(actions: list[tuple[str, object]], *, in_match: bool) -> None:
    session = Session()
    if in_match:
        session.say((START + board()).encode())
    for what, value in actions:
        if what == "say":
            assert isinstance(value, bytes)
            session.say(value)
        elif what == "wait":
            assert isinstance(value, float)
            session.wait(value)
        elif what == "talk":
            session.client.say(str(value))
            session.client.tell("anna", str(value))
            session.collect()
        elif what == "do":
            session.do(str(value))
        else:
            assert isinstance(value, int)
            session.answer(value)
        session.check()
    session.wait(5000)
    session.check()
    assert session.client.phase is Phase.CLOSED  # nothing came any more, so somebody gave up
    end = [e for e in session.events if isinstance(e, ev.Disconnected)]
    assert len(end) == 1


@settings(max_examples=150, suppress_health_check=CHECKS)
@given(STREAMS, st.booleans())
def test_no_stream_of_lines_breaks_the_client(actions: list[tuple[str, object]], in_match: bool) -> None:
    play(actions, in_match=in_match)


@pytest.mark.nightly
@pytest.mark.timeout(3000)
@settings(max_examples=2_000, suppress_health_check=CHECKS)
@given(STREAMS, st.booleans())
def test_no_stream_of_lines_breaks_the_client_nightly(
    actions: list[tuple[str, object]], in_match: bool
) -> None:
    play(actions, in_match=in_match)
