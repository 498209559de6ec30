"""Rules over several accounts and several people, with the real daemon on a real server."""

from __future__ import annotations

import signal
from typing import Any

World = Any
Daemon = Any


async def stopped(daemon: Daemon) -> None:
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0, daemon.raw


async def test_no_more_matches_at_once_than_allowed_until_one_is_over(world: World) -> None:
    config = world.config(world.account("bert") + world.account("carl"))
    config.write_text(config.read_text().replace("[daemon]\n", "[daemon]\nmax_simultaneous = 1\n"))
    daemon = await world.start(config)
    await daemon.wait_for("ready_to_play")
    await daemon.wait_for("ready_to_play")
    anna, dora = await world.person("anna"), await world.person("dora")
    anna.type("invite bert 3")
    await anna.read("bert has joined you")
    dora.type("invite carl 3")
    await dora.read("^12 carl Sorry, all my family is playing")
    anna.type("leave")
    await daemon.wait_for("match_suspended", account="bert")
    dora.type("invite carl 3")
    await dora.read("carl has joined you")
    dora.type("leave")
    await daemon.wait_for("match_suspended", account="carl")
    await anna.leave()
    await dora.leave()
    await stopped(daemon)


async def test_people_on_the_lists_and_out_of_the_bands(world: World) -> None:
    blocked = world.account("bert", 'block = ["Anna"]\nmin_experience = 5')
    daemon = await world.start(world.config(blocked + world.account("carl", "max_rating = 1400.0")))
    await daemon.wait_for("ready_to_play")
    await daemon.wait_for("ready_to_play")
    anna, dora = await world.person("anna"), await world.person("dora")
    anna.type("invite bert 3")
    await anna.read("^12 bert Sorry, I do not play with you")
    dora.type("invite bert 3")
    await dora.read("^12 bert Sorry, I play only with an experience from 5")
    dora.type("invite carl 3")
    await dora.read("^12 carl Sorry, I play only with ratings up to 1400")
    for reason in ("blocked", "experience", "rating"):
        await daemon.wait_for("invitation_declined", reason=reason)
    await anna.leave()
    await dora.leave()
    await stopped(daemon)


async def test_questions_in_chat_are_answered_and_positions_are_not_talked_about(world: World) -> None:
    daemon = await world.start(world.config(world.account("bert")))
    await daemon.wait_for("ready_to_play")
    anna, carl = await world.person("anna"), await world.person("carl")
    anna.type("tell bert level?")
    await anna.read("^12 bert I search 0-ply, as GNU Backgammon counts, with the evaluator sage")
    carl.type("tell bert who made you?")
    await carl.read("^12 bert I am botd, a free backgammon program")
    dora = await world.person("dora")
    dora.type("invite bert 1")
    await dora.read("bert has joined you")
    dora.type("kibitz what is the equity")
    await dora.read("^12 bert I do not talk about positions")
    for person in (anna, carl, dora):
        await person.leave()
    await stopped(daemon)
