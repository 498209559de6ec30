"""Inviting when idle, rematches, lines of chat and resignations: the real daemon on a real server."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from botd.engine import rules
from botd.engine.position_id import decode as board_of

World = Any
"""`World` of conftest.py."""


async def stop(daemon: Any) -> None:
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0, daemon.raw


async def lost_match(world: World, policy: str, length: int = 1) -> tuple[Any, Any]:
    """A daemon and a person who has resigned a match against it."""
    daemon = await world.start(world.config(world.account("anna", policy)))
    await daemon.wait_for("ready_to_play")
    carl = await world.person("carl")
    await see_free(carl)
    carl.type(f"invite anna {length}")
    await carl.read("Starting a new game with anna")
    carl.type("resign n")
    await daemon.wait_for("match_ended", opponent="carl")
    return daemon, carl


async def see_free(carl: Any) -> None:
    carl.type("rawwho anna")
    while (await carl.read(r"^5 anna (\S+) \S+ ([01])")).groups() != ("-", "1"):
        carl.type("rawwho anna")


async def test_an_idle_account_invites_somebody_it_may_and_nobody_twice(world: World) -> None:
    idle = 'idle = { after_s = 5, lengths = [2, 3], bot_names = ["c*"] }'
    carl, dora = await world.person("carl"), await world.person("dora")
    daemon = await world.start(world.config(world.account("anna", idle)))
    assert (await daemon.wait_for("inviting"))["player"] == "carl"
    await carl.read("^anna wants to play a 2 point match with you")
    carl.type("join anna")
    await daemon.wait_for("match_started", opponent="carl", length=2)
    await stop(daemon)
    assert "wants to play" not in await dora.leave()
    assert (await carl.leave()).count("anna wants to") == 1
    assert world.server.violations() == []


async def test_a_person_is_offered_one_rematch_after_a_match(world: World) -> None:
    daemon, carl = await lost_match(world, 'rematch = "offer"\ngoodbye = "Thank you for the match!"')
    await carl.read("^12 anna Thank you for the match!")
    await carl.read("^anna wants to play a 1 point match with you")
    carl.type("join anna")
    await daemon.wait_for("match_started", opponent="carl")
    await stop(daemon)
    assert (await carl.leave()).count("anna wants to play") == 1
    assert world.server.violations() == []


async def test_a_rematch_nobody_wants_is_offered_once_and_bounded_by_matches_in_a_row(world: World) -> None:
    daemon, carl = await lost_match(world, 'rematch = "offer"\nmax_in_a_row = 2')
    await carl.read("^anna wants to play a 1 point match with you")
    await see_free(carl)
    carl.type("invite anna 3")
    await carl.read("Starting a new game with anna")
    carl.type("resign b")
    await daemon.wait_for("match_ended", opponent="carl")
    carl.type("invite anna 1")
    await daemon.wait_for("invitation_declined", reason="in_a_row")
    await stop(daemon)
    assert (await carl.leave()).count("anna wants to play") == 1


async def test_no_rematch(world: World) -> None:
    daemon, carl = await lost_match(world, 'rematch = "never"')
    await see_free(carl)
    carl.type("invite anna 1")
    await carl.read("^12 anna Thanks for our matches! Now somebody else may play")
    await daemon.wait_for("invitation_declined", reason="in_a_row")
    await stop(daemon)
    await carl.leave()


@pytest.mark.parametrize(
    ("policy", "reason"), [("cooldown_s = 600", "cooldown"), ("max_in_a_row = 1", "in_a_row")]
)
async def test_a_restart_does_not_forget_whom_we_have_just_played(
    world: World, policy: str, reason: str
) -> None:
    daemon, carl = await lost_match(world, policy)
    await stop(daemon)
    again = await world.start(world.folder / "botd.toml")
    await again.wait_for("ready_to_play")
    await see_free(carl)
    carl.type("invite anna 1")
    await again.wait_for("invitation_declined", reason=reason)
    await stop(again)
    await carl.leave()


async def test_the_last_line_is_said_even_if_the_account_is_done(world: World) -> None:
    daemon, carl = await lost_match(world, 'max_matches = 1\ngoodbye = "Good-bye!"')
    await carl.read("^12 anna Good-bye!")
    assert await daemon.finish() == 0
    await carl.leave()


@pytest.mark.parametrize("policy", ["never", "likely"])
async def test_resigning_what_is_likely_lost_or_nothing(world: World, policy: str) -> None:
    settings = f'max_matches = 1\nresign = "{policy}"\nresign_threshold = 0.9\nresign_after = 2'
    daemon = await world.start(world.config(world.two_accounts(9, settings)))
    assert await daemon.finish() == 0
    assert world.server.violations() == []
    resigned = world.query("SELECT position_id FROM decisions WHERE kind = 'resign'")
    if policy == "never":
        assert resigned == []
        return
    # In contact nothing is ever proven.
    assert any(not rules.is_race(board_of(position)) for (position,) in resigned)
    twice = world.query(
        "SELECT 1 FROM resignations WHERE side = 'us' AND action = 'offer' GROUP BY match, game, level "
        "HAVING count(*) > 1"
    )
    assert twice == []
