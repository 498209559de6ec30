"""The daemon as somebody sees it who plays against it by hand."""

from __future__ import annotations

import signal
from typing import Any

import pytest

World = Any
"""`World` of conftest.py."""


async def daemon_of_anna(world: World, policy: str = "") -> Any:
    daemon = await world.start(world.config(world.account("anna", policy)))
    await daemon.wait_for("ready_to_play")
    return daemon


async def invited_match(world: World, policy: str = "", length: int = 3) -> tuple[Any, Any]:
    """A daemon and a person who has begun a match with it."""
    daemon = await daemon_of_anna(world, policy)
    carl = await world.person("carl")
    await ready(carl)
    carl.type(f"invite anna {length}")
    await carl.read("Starting a new game with anna")
    return daemon, carl


async def stop(daemon: Any) -> None:
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0, daemon.raw


async def test_a_length_it_does_not_play_is_declined_with_a_reason_once(world: World) -> None:
    daemon = await daemon_of_anna(world, "max_length = 5")
    carl = await world.person("carl")
    await ready(carl)
    carl.type("invite anna 7")
    await carl.read("^12 anna Sorry, I play only matches of 1 to 5 points")
    carl.type("invite anna 9")
    await daemon.wait_for("invitation_declined", length=9)
    carl.type("invite anna unlimited")
    await daemon.wait_for("invitation_declined", reason="unlimited")
    carl.type("tell anna hello?")
    await daemon.wait_for("chat", text="hello?")
    assert (await carl.leave()).count("\n12 anna") == 1
    await stop(daemon)


async def ready(carl: Any) -> None:
    carl.type("rawwho anna")
    while (await carl.read(r"^5 anna \S+ \S+ ([01])"))[1] != "1":
        pass


async def test_a_tell_is_answered_once_and_a_greeting_is_one_line(world: World) -> None:
    daemon, carl = await invited_match(world, 'greeting = "Hello from a program"')
    await carl.read("^15 anna Hello from a program")
    carl.type("tell anna good morning")
    await carl.read("^12 anna I am a computer player")
    carl.type("tell anna hello?")
    await daemon.wait_for("chat", text="hello?")
    carl.type("kibitz move")
    await daemon.wait_for("chat", text="move", kind="kibitz")
    await stop(daemon)
    seen = await carl.leave()
    assert seen.count("\n12 anna") == 1
    assert seen.count("\n15 anna") == 1
    assert "The game was saved" in seen


@pytest.mark.parametrize(("letter", "points"), [("n", 1), ("b", 3)])
async def test_a_resignation_is_judged_at_any_moment(world: World, letter: str, points: int) -> None:
    daemon, carl = await invited_match(world, length=5)
    carl.type(f"resign {letter}")
    assert (await carl.read(r"anna (accepts and wins|rejects)"))[1] in ("accepts and wins", "rejects")
    accepted = "anna accepts" in carl.seen
    assert accepted == (points > 0)
    carl.type("join")
    await carl.read("Starting a new game with anna")
    await stop(daemon)
    await carl.leave()
    assert world.query("SELECT winner, points, how FROM games WHERE game = 1") == [("us", points, "resigned")]
    assert world.query("SELECT side, action FROM resignations ORDER BY seq") == [
        ("opponent", "offer"),
        ("us", "accept"),
    ]
    assert world.query("SELECT kind, chosen FROM decisions WHERE kind = 'answer_resignation'") == [
        ("answer_resignation", "accept")
    ]


async def test_the_opponent_leaving_suspends_the_match_and_it_is_resumed_later(world: World) -> None:
    daemon, carl = await invited_match(world)
    await carl.leave()
    await daemon.wait_for("match_suspended", opponent="carl")
    carl = await world.person("carl")
    await carl.read("^anna wants to resume a saved match with you")
    carl.type("join anna")
    await daemon.wait_for("match_resumed", opponent="carl")
    await stop(daemon)
    await carl.leave()
    assert world.query("SELECT count(*) FROM matches") == [(1,)]
    assert world.query("SELECT number, how FROM sittings ORDER BY number") == [
        (1, "opponent_left"),
        (2, "connection_lost"),
    ]


async def test_an_account_in_use_elsewhere_is_not_fought_over(world: World) -> None:
    daemon = await daemon_of_anna(world)
    anna = await world.person("anna")
    entry = await daemon.wait_for("reconnecting")
    assert entry["wait_s"] >= 60
    assert "took over" in entry["reason"]
    await stop(daemon)
    await anna.leave()


async def test_a_server_that_goes_away_in_a_match_and_comes_back(world: World) -> None:
    daemon, carl = await invited_match(world)
    port = world.server.port
    await world.server.shell.close()
    await daemon.wait_for("reconnecting")
    world.server.shell = type(world.server.shell)(world.server.core, port=port)
    await world.server.shell.start()
    await daemon.wait_for("logged_in")
    carl.writer.close()
    carl = await world.person("carl")
    await carl.read("^anna wants to resume a saved match with you")
    carl.type("join anna")
    await daemon.wait_for("match_resumed", opponent="carl")
    await stop(daemon)
    await carl.leave()
    await world.server.shell.close()
