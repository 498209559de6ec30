"""Strict mode: what is counted against a client, and what is not."""

from __future__ import annotations

import pytest

from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig
from botd_protocols.bgammon.server_quirks import ServerQuirks
from botd_protocols.server_dice import SeededDice

from .harness import put, started, types, view, world


@pytest.mark.parametrize(
    ("command", "kind", "reason"),
    [
        ("fly", "format", "an unknown command"),
        ("create private pw 3", "format", "a private match without its variant stops the real server"),
        ("create public", "refused", "To create a public match"),
        ("join 9", "refused", "Match not found."),
        ("leave", "refused", "You are not currently in a match."),
        ("roll", "refused", "You are not currently in a match."),
        ("move 8/5", "refused", "You are not currently in a match."),
        ("ok", "refused", "You are not currently in a match."),
        ("board", "refused", "You are not currently in a match."),
        ("say hi", "refused", "Message not sent: "),
        ("kick bob", "refused", "Access denied."),
        ("set autoplay 7", "refused", "Invalid setting value"),
        ("json maybe", "refused", "Please specify on or off"),
    ],
)
def test_outside_a_match(command: str, kind: str, reason: str) -> None:
    w = world(strict=True)
    bob = w.log_in("bob")
    w.send(bob, command)
    violation = w.server.violations[0]
    assert (violation.name, violation.kind, violation.command) == ("Guest_bob", kind, _shown(command))
    assert violation.reason.startswith(reason)
    assert violation.expected


def _shown(command: str) -> str:
    return command.replace("private pw", "private ********")


@pytest.mark.parametrize(
    ("command", "kind", "reason"),
    [
        ("roll", "refused", "It is not your turn to roll."),
        ("ok", "refused", "The following legal moves are available: "),
        ("double", "refused", "You may not double at this time."),
        ("move 13/9", "refused", "Illegal move."),
        ("move 13-8", "refused", "Specify one or more moves"),
        ("move", "refused", "Specify one or more moves"),
        ("move 30/2", "refused", "Illegal move."),
        ("create public 1 0", "refused", "Please leave the match you are in"),
        ("join 1", "conduct", "a bot joins a match"),
        ("rematch", "refused", "The match you are in is still in progress."),
        ("history bob", "conduct", "history within a match leaves it"),
        ("replay", "conduct", "replay within a match leaves it"),
        ("leave", "conduct", "left a running match"),
        ("say " + "x" * 201, "conduct", "chat of 201 characters"),
    ],
)
def test_within_a_match(command: str, kind: str, reason: str) -> None:
    w, me, _ = started(3, [(5, 1)], strict=True)
    assert w.server.violations == ()
    w.pass_time(2)
    w.send(me, command)
    violation = w.server.violations[0]
    assert (violation.name, violation.kind) == ("BOT_acme", kind)
    assert violation.reason.startswith(reason)
    assert len(violation.command) <= 200


def test_nothing_is_recorded_unless_asked_for() -> None:
    w, me, _ = started()
    w.send(me, "fly", "roll", "history bob")
    assert w.server.violations == ()


def test_the_turn_of_the_other_and_commands_after_the_end() -> None:
    w, me, alice = started(1, [(5, 1)], strict=True)
    w.pass_time(2)
    w.send(alice, "ok", "move 8/5", "resign")
    assert [v.kind for v in w.server.violations] == ["refused"] * 3
    put(w, view({1: 1}, {24: 15}))
    w.send(me, "move 1/off")
    w.send(alice, "ok")
    assert len(w.server.violations) == 3, "alice could not have read yet that the match is over"
    w.pass_time(2)
    w.send(alice, "ok")
    w.send(me, "roll", "move 8/7")
    assert [v.kind for v in w.server.violations[3:]] == ["ignored"] * 3


def test_what_crosses_the_opponent_s_leaving_is_excused() -> None:
    w, me, alice = started(strict=True)
    w.pass_time(2)
    w.drop(alice)
    w.send(me, "move 8/5")
    assert w.server.violations == ()
    w.pass_time(1.5)
    w.send(me, "move 8/5")
    assert len(w.server.violations) == 1


def test_ok_after_an_automatic_play_is_excused() -> None:
    w, me, alice = started(1, [(1, 6), (3, 2), (5, 4)], strict=True)
    w.send(me, "set autoplay 1")
    put(w, view({26: 2, 6: 13}, {21: 2, 20: 2, 19: 11}), left=())
    w.pass_time(2)
    w.send(alice, "ok")
    assert "moved" in types(w.read(me))
    w.send(me, "ok")
    assert w.server.violations == ()
    w.pass_time(2)
    w.send(me, "ok")
    assert [v.reason for v in w.server.violations] == ["It is not your turn."]


def test_a_late_rejoin_excuses_the_create() -> None:
    w, me, _ = started(strict=True)
    w.drop(me)
    me = w.log_in("BOT_acme")
    assert types(w.ask(me, "create public 3 0")) == ["failedcreate", "notice"]
    assert w.server.violations == ()
    w.pass_time(4)
    w.send(me, "create public 3 0")
    assert len(w.server.violations) == 1


def test_more_than_ten_commands_a_second() -> None:
    w = world(strict=True)
    bob = w.log_in("bob")
    w.pass_time(2)
    for _ in range(10):
        w.send(bob, "list")
    assert w.server.violations == ()
    w.send(bob, "list")
    assert [v.reason for v in w.server.violations] == ["more than 10 commands a second"]
    for _ in range(20):
        w.pass_time(0.2)
        w.send(bob, "list")
    assert len(w.server.violations) == 1


def test_early_commands_bad_bytes_and_long_lines() -> None:
    w = world(strict=True)
    bob = w.connect()
    w.send(bob, "list")
    w.send(bob, "lj c/en bob")
    w.server.receive(bob, b"list \xff\xfe\n", w.now)
    w.server.receive(bob, b"say " + b"x" * 65_533 + b"\n", w.now)
    w.collect()
    assert [v.kind for v in w.server.violations] == ["early", "format", "format"]
    w.raw(bob)
    w.send(bob, "list")
    w.pass_time(1)
    assert bob in w.closed
    assert w.raw(bob) == b"", "the end comes without a word"


def test_a_line_of_exactly_the_limit_is_fine() -> None:
    w, me, alice = started()
    w.server.receive(me, b"say " + b"x" * (65_536 - 4) + b"\n", w.now)
    w.collect()
    assert len(w.read(alice)[-1]["Message"]) == 65_532


def test_an_oversized_message_ends_a_framed_connection() -> None:
    w = world()
    bob = w.connect(framed=True)
    w.server.receive(bob, b"lj c/en bob", w.now)
    w.collect()
    assert b"welcome" in w.raw(bob)
    w.server.receive(bob, b"x" * 32_769, w.now)
    w.pass_time(1)
    assert bob in w.closed


def test_passwords_are_hidden_in_violations_and_traces() -> None:
    seen: list[str] = []
    w = world(strict=True)
    w.server = BgammonServer(
        ServerConfig(strict=True), SeededDice(1), lambda _conn, _way, line: seen.append(line)
    )
    bob = w.connect()
    for line in (
        "lj c/en bob s3cret",
        "login bob s3cret",
        "rj c/en a@b.c bob s3cret s3cret",
        "register a@b.c bob s3cret",
    ):
        w.send(bob, line)
        w.pass_time(1)
        bob = w.connect()
    w.send(bob, "lj c/en bob")
    for line in (
        "password s3cret s3cret",
        "create private s3cret 3 0",
        "join 5 s3cret",
        "CREATE private s3cret",
    ):
        w.send(bob, line)
    assert seen
    assert not any("s3cret" in line for line in seen)
    assert not any("s3cret" in f"{v.command}{v.reason}{v.expected}" for v in w.server.violations)


def test_noise_does_not_disturb_a_strict_match() -> None:
    w, me, _ = started(3, [(5, 1)], strict=True, quirks=ServerQuirks(noise=True))
    kinds = set()
    for step in ("24/23", "13/8"):
        kinds |= set(types(w.ask(me, f"move {step}")))
    w.send(me, "ok")
    kinds |= set(types(w.read(me)))
    assert {"moved", "board"} < kinds
    assert kinds & {"weather", "notice"}
    assert w.server.violations == ()
