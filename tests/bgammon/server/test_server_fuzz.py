"""Random and hostile command streams: the server never raises, and every match stays possible."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from botd_protocols.bgammon.server_quirks import ServerQuirks
from botd_protocols.server_dice import SeededDice

from .harness import World, check_board, world

_NAMES = ("", "bob", "ann", "BOT_acme", "bob pw", "ann pw", "guest_bob", "x" * 30, "9", "é", "bob wrong")
_SPACES = (*map(str, range(-1, 28)), "bar", "off", "b", "o", "home", "99999999999999", "", "²", "x")
_ANYTHING = (
    *(
        "list",
        "leave",
        "board",
        "reset",
        "resign",
        "rematch",
        "replay",
        "achievements",
        "help",
        "motd",
        "defcon",
    ),
    *(
        "join 1",
        "join 2",
        "join bob",
        "join",
        "join 1 a b",
        "history bob",
        "history bob 9999999999",
        "history",
    ),
    *(
        "create public 1 0",
        "create public 3 0",
        "create private a 2 0 x",
        "create public 5 1",
        "create private a 3",
    ),
    *(
        "create public 127 2",
        "create",
        "c public 00 0",
        "say hi",
        "say " + "y" * 4000,
        "pong",
        "pong 5",
        "set",
    ),
    *(
        "set autoplay 1",
        "set autoplay 0",
        "set speed 9",
        "disconnect",
        "json on",
        "json off",
        "json on",
        "lj",
        "fly",
    ),
    *(
        "follow ann",
        "unfollow ann",
        "password pw pw",
        "password",
        "broadcast x",
        "kick bob",
        "double",
        "ok",
        "roll",
    ),
    *(
        "m",
        "k",
        "d",
        "r",
        "\x00",
        "\u2028",
        "{}",
        "Roll",
        "  roll  ",
        "move 8/7 8/7",
        "move 24/23 23/18",
        "move a",
    ),
)


def log_in() -> st.SearchStrategy[str]:
    words = ("lj c/en", "loginjson c", "login", "rj c/en a@b.c", "rj c/en", "register a@b.c", "lj boxcars/de")
    return st.tuples(st.sampled_from(words), st.sampled_from(_NAMES)).map(" ".join)


def step() -> st.SearchStrategy[str]:
    spaces = st.sampled_from(_SPACES)
    return st.lists(st.tuples(spaces, spaces).map("/".join), min_size=1, max_size=3).map(
        lambda words: "move " + " ".join(words)
    )


PLAY = st.sampled_from(("roll", "double", "ok", "resign", "step", "step", "step", "ok", "roll", "undo"))
COMMAND = st.one_of(PLAY, PLAY, PLAY, PLAY, st.sampled_from(_ANYTHING), step(), log_in())
ACTION = st.tuples(
    st.integers(0, 3),
    st.one_of(
        COMMAND,
        COMMAND,
        COMMAND,
        COMMAND,
        COMMAND,
        COMMAND,
        st.binary(max_size=40),
        st.sampled_from((0.2, 5.0, 29.0, 61.0, 1000.0)),
        st.sampled_from(("!drop", "!framed", "!huge", "!half")),
    ),
)
QUIRKS = st.builds(
    ServerQuirks,
    empty_lists=st.sampled_from(("mixed", "null", "empty")),
    lying_moved=st.booleans(),
    roll_while_doubled=st.booleans(),
    insist_on_both_dice=st.booleans(),
    drop_scoring=st.sampled_from(("position", "cube")),
    autoplay_incomplete=st.booleans(),
    queries_leave_match=st.booleans(),
    rejoin_delay_s=st.sampled_from((0.0, 1.0)),
    lose_both=st.booleans(),
    noise=st.booleans(),
    board_after_left=st.booleans(),
    held_reversed=st.booleans(),
)


@dataclass
class Fuzz:
    """Four connections that send what they are told, and what they have been shown."""

    world: World
    conns: list[int]
    boards: list[dict[str, object] | None]

    @classmethod
    def begin(cls, quirks: ServerQuirks, in_match: bool, dice_seed: int, keep: bool) -> Fuzz:
        w = world(
            SeededDice(dice_seed), quirks, accounts={"bob": "pw", "ann": "pw"}, strict=True, keep_matches=keep
        )
        conns = [w.connect() for _ in range(4)]
        fuzz = cls(w, conns, [None] * 4)
        if in_match:
            for number, name in enumerate(("bob pw", "ann pw", "BOT_acme")):
                w.send(conns[number], f"lj c/en {name}")
            w.send(conns[0], "create public 3 0")
            w.send(conns[1], "join 1", "roll")
            w.send(conns[0], "roll")
        return fuzz

    def act(self, who: int, action: str | bytes | float) -> None:
        w, conn = self.world, self.conns[who]
        if isinstance(action, float):
            w.pass_time(action)
        elif isinstance(action, bytes):
            w.server.receive(conn, action, w.now)
        elif action == "!huge":
            w.server.receive(conn, b"z" * 70_000, w.now)
        elif action == "!half":
            w.server.receive(conn, b"ro", w.now)
        elif action in {"!drop", "!framed"}:
            w.drop(conn)
            self.conns[who] = w.connect(framed=action == "!framed")
            w.send(self.conns[who], f"lj c/en {('bob pw', 'ann pw', 'BOT_acme', '')[who]}")
        else:
            w.send(conn, self._spelled(who, action))
        w.collect()
        self.check()

    def _spelled(self, who: int, action: str) -> str:
        """`step` and `undo` become what the last board offers, so that games get somewhere."""
        if action not in {"step", "undo"}:
            return action
        board = self.boards[who]
        steps = board["Available" if action == "step" else "Moves"] if board is not None else None
        if not isinstance(steps, list) or not steps:
            return "ok"
        start, end = steps[-1]
        return f"move {start}/{end}" if action == "step" else f"move {end}/{start}"

    def check(self) -> None:
        w = self.world
        for who, conn in enumerate(self.conns):
            pieces = w.unread.pop(conn, [])
            for line in b"\n".join(pieces).decode().split("\n"):
                if line.startswith("{"):
                    event = json.loads(line)
                    assert list(event)[:2] == ["Type", "Player"]
                    if event["Type"] == "board":
                        check_board(event)
                        self.boards[who] = event
        seated: list[str] = []
        for match in w.server.matches:
            for number in (1, 2):
                assert sum(n for n in match.view(number) if n > 0) == 15
                assert match.seat(number).points <= 127
            assert match.cube in (1, 2, 4, 8, 16, 32, 64)
            assert match.turn in (0, 1, 2)
            assert len(match.left) + len(match.made) in (0, 2, 4)
            assert match.winner == 0 or match.over
            seated += [session.name for session in match.clients]
        assert len(seated) == len(set(seated)), "nobody is in two places"
        assert set(seated) <= set(w.server.online)

    def end(self) -> None:
        """Whatever has happened: silence closes everything, and sweeping leaves nothing but kept matches."""
        w = self.world
        for _ in range(8):
            w.pass_time(600.0)
        assert w.server.online == []
        assert set(self.conns) <= w.closed
        for match in w.server.matches:
            assert all(seat.may_rejoin for seat in match.seats)
        deadline = w.server.next_deadline
        assert deadline is None or deadline > w.now


def run(
    actions: list[tuple[int, str | bytes | float]], quirks: ServerQuirks, options: tuple[bool, int, bool]
) -> None:
    in_match, dice_seed, keep = options
    fuzz = Fuzz.begin(quirks, in_match, dice_seed, keep)
    for who, action in actions:
        fuzz.act(who, action)
    fuzz.end()


STREAMS = given(
    st.lists(ACTION, min_size=20, max_size=120),
    QUIRKS,
    st.tuples(st.sampled_from((True, True, True, False)), st.integers(0, 9), st.booleans()),
)
_CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large]


@seed(20261130)
@settings(max_examples=150, suppress_health_check=_CHECKS, database=None)
@STREAMS
def test_hostile_streams(
    actions: list[tuple[int, str | bytes | float]], quirks: ServerQuirks, options: tuple[bool, int, bool]
) -> None:
    run(actions, quirks, options)


@pytest.mark.nightly
@seed(1337)
@settings(max_examples=2_000, suppress_health_check=_CHECKS, database=None)
@STREAMS
def test_many_hostile_streams(
    actions: list[tuple[int, str | bytes | float]], quirks: ServerQuirks, options: tuple[bool, int, bool]
) -> None:
    run(actions, quirks, options)
