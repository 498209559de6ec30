"""What a server remembers over a restart: exactly that, from any moment; and nothing else is believed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd_protocols.fibs import client_events as ev
from botd_protocols.fibs.server import FibsServer
from botd_protocols.fibs.server_accounts import Account, ServerConfig
from botd_protocols.fibs.server_match import Match, Offer, OfferKind, Phase
from botd_protocols.fibs.server_state import StateError, decode, encode
from botd_protocols.server_dice import SeededDice
from tests.fibs.both_ends import PASSWORD, Table


def new_server(**options: Any) -> FibsServer:
    return FibsServer(ServerConfig(**options), SeededDice(1), lambda board, dice: [])


def phases_remembered(seed: int) -> set[Phase]:
    """Play a match with doubles and resignations; look at every state of it."""
    table = Table(seed)
    for seat in table.seats:
        seat.resignations = 0.02
    phases: set[Phase] = set()
    last = b""

    def over() -> bool:
        nonlocal last
        if (data := table.server.state()) != last:
            last = data
            state = decode(data)
            assert encode(state.accounts.values(), state.matches, state.starts) == data
            running = table.server.match_of("alice")
            assert state.matches == ([] if running is None else [running])
            phases.update(match.phase for match in state.matches)
        return all(seat.seen(ev.MatchEnded) for seat in table.seats)

    table.run_until(lambda: all(seat.seen(ev.LobbyReady) for seat in table.seats))
    table.seats[0].client.invite("bob", 5)
    table.run_until(over)
    assert decode(table.server.state()).matches == []
    return phases


def test_every_moment_of_a_match_can_be_remembered_as_it_stands() -> None:
    phases = set().union(*(phases_remembered(seed) for seed in range(5)))
    assert phases == {phase for phase in Phase if phase is not Phase.OVER}


def test_a_restored_server_has_the_match_the_accounts_and_their_passwords() -> None:
    table = Table(7)
    table.run_until(lambda: all(seat.seen(ev.LobbyReady) for seat in table.seats))
    table.seats[0].client.invite("bob", 5)
    table.run_until(lambda: len(table.seats[0].seen(ev.DiceRolled)) >= 10)
    match = table.server.match_of("alice")
    data = table.server.state()
    assert PASSWORD.encode() not in data
    server = new_server(open_accounts=True)
    server.restore(decode(data))
    assert match is not None
    assert server.saved.get("bob", "alice") == match.suspended_copy()
    assert server.match_of("alice") is None
    assert server.accounts["bob"].settings == table.server.accounts["bob"].settings
    for conn, (password, enters) in enumerate(((PASSWORD, True), ("wrong", False)), 1):
        server.connect(conn, 2000.0, "127.0.0.1")
        server.receive(conn, f"login x 1008 alice {password}\r\n".encode(), 2000.0)
        assert ("alice" in server.online) is enters
        server.disconnect(conn, 2001.0)
    assert decode(server.state()).starts == 1


def test_the_password_of_the_configuration_counts() -> None:
    old = new_server(accounts={"anna": "old-password", "bert": "b-password"})
    server = new_server(accounts={"anna": "new-password"})
    server.restore(decode(old.state()))
    assert server.accounts["anna"].accepts("new-password")
    assert not server.accounts["anna"].accepts("old-password")
    assert server.accounts["bert"].accepts("b-password")
    assert not server.accounts["bert"].accepts("")


def sample() -> dict[str, Any]:
    """A file with everything in it that can be."""
    anna, bert = Account("anna", "a-password", away="gone\tfishing"), Account("bert", "b-password")
    anna.stored.append(("bert", 1_796_000_000, "hello"))
    match = Match(("anna", "bert"), 5, [2, 3], games=4, phase=Phase.MOVE, dice=(3, 1), cube=2, cube_owner=1)
    match.offer = Offer(OfferKind.RESIGN, 1, 2)
    match.history = ["X: (3 1) 8-5 6-5"]
    found = json.loads(encode([anna, bert], [match], 3))
    assert isinstance(found, dict)
    return found


def put(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(file: dict[str, Any]) -> None:
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        place: Any = file
        for part in way:
            place = place[part]
        place[last] = value

    return change


def drop(path: str) -> Callable[[dict[str, Any]], None]:
    def change(file: dict[str, Any]) -> None:
        place: Any = file
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        for part in way:
            place = place[part]
        del place[last]

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (put("format", "other"), "expected 'botd FIBS server state'"),
        (put("version", 2), "version 2"),
        (put("starts", -1), "starts"),
        (put("more", 1), "more"),
        (put("accounts.0.name", "1anna"), "name"),
        (put("accounts.0.name", "guest"), "name"),
        (put("accounts.0.name", "a" * 21), "name"),
        (put("accounts.1.name", "anna"), "found twice"),
        (put("accounts.0.password_hash", "secret"), "password_hash"),
        (put("accounts.0.rating", -1), "rating"),
        (put("accounts.0.rating", "1500"), "rating"),
        (put("accounts.0.experience", -1), "experience"),
        (put("accounts.0.last_host", "two words"), "last_host"),
        (put("accounts.0.email", "a\nb"), "email"),
        (put("accounts.0.away", "bell\x07"), "away"),
        (put("accounts.0.toggles.ready", 2), "toggles"),
        (drop("accounts.0.toggles.ready"), "ready"),
        (put("accounts.0.toggles.new", True), "new"),
        (put("accounts.0.variables.boardstyle", "9"), "boardstyle"),
        (drop("accounts.0.variables.boardstyle"), "boardstyle"),
        (put("accounts.0.stored.0.2", "x\r\n5 fake"), "stored"),
        (put("matches.0.players", ["anna", "anna"]), "players"),
        (put("matches.0.players", ["anna", "carl"]), "players"),
        (put("matches.0.players", ["anna"]), "players"),
        (put("matches.0.length", 0), "length"),
        (put("matches.0.length", 10_000), "length"),
        (put("matches.0.scores", [5, 0]), "scores"),
        (put("matches.0.scores", [1, 2, 3]), "scores"),
        (put("matches.0.scores", [-1, 0]), "scores"),
        (put("matches.0.x_side", 2), "x_side"),
        (put("matches.0.turn", -1), "turn"),
        (put("matches.0.cube", 3), "cube"),
        (put("matches.0.cube", 0), "cube"),
        (put("matches.0.cube_owner", 2), "cube_owner"),
        (put("matches.0.board", [0] * 26), "board"),
        (put("matches.0.board.6", 6), "board"),
        (put("matches.0.board", [0] * 25), "board"),
        (put("matches.0.board.0", 1), "board"),
        (put("matches.0.phase", "match over"), "phase"),
        (put("matches.0.phase", "asleep"), "phase"),
        (put("matches.0.phase", "to roll"), "dice"),
        (put("matches.0.dice", [7, 1]), "dice"),
        (put("matches.0.dice", None), "dice"),
        (put("matches.0.offer.level", 4), "offer"),
        (put("matches.0.offer.by", 2), "offer"),
        (put("matches.0.offer.kind", "double"), "offer"),
        (put("matches.0.joined", [True]), "joined"),
        (put("matches.0.can_move", [0, 5]), "can_move"),
        (put("matches.0.history", ["x\n"]), "history"),
        (put("matches.0.more", 1), "more"),
        (drop("matches.0.cube"), "cube"),
    ],
)
def test_whatever_is_wrong_is_named(change: Callable[[dict[str, Any]], None], told: str) -> None:
    file = sample()
    decode(json.dumps(file).encode())
    change(file)
    with pytest.raises(StateError, match=told) as found:
        decode(json.dumps(file).encode())
    assert "\n" not in str(found.value)


def test_a_second_match_of_the_same_pair_is_refused() -> None:
    file = sample()
    file["matches"].append(copy.deepcopy(file["matches"][0]))
    file["matches"][1]["players"].reverse()
    with pytest.raises(StateError, match="match 2: a second one of bert and anna"):
        decode(json.dumps(file).encode())


def test_a_file_cut_anywhere_is_no_state() -> None:
    data = json.dumps(sample()).encode()
    for length in range(len(data)):
        with pytest.raises(StateError):
            decode(data[:length])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 20) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, inner in below for place in places(inner, (*path, key)))]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_a_changed_file_is_refused_or_can_be_served(data: st.DataObject) -> None:
    file = sample()
    path = data.draw(st.sampled_from(places(file)[1:]))
    place: Any = file
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = data.draw(VALUES)
    try:
        state = decode(json.dumps(file).encode())
    except StateError:
        return
    server = new_server(open_accounts=True)
    server.restore(state)
    decode(server.state())
    for conn in (1, 2):
        server.connect(conn, 1000.0, "127.0.0.1")
    for line in (b"login x 1008 anna a-password", b"show saved", b"invite bert", b"who", b"board"):
        server.receive(1, line + b"\r\n", 1001.0)
    for line in (b"login x 1008 bert b-password", b"join anna", b"board", b"roll", b"accept", b"leave"):
        server.receive(2, line + b"\r\n", 1002.0)
    server.take_output()


@given(st.binary(max_size=60))
def test_garbage_is_no_state(data: bytes) -> None:
    with pytest.raises(StateError):
        decode(data)
