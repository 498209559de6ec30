"""Commands, reload, drain and locks, with the real daemon on a real server."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import urllib.request
from pathlib import Path
from typing import Any

World = Any
Daemon = Any
"""Of conftest.py."""

SLOW = "think_time_s = 0.05"


def slow(accounts: str) -> str:
    """Matches that last long enough for a test to happen in them."""
    return accounts.replace("think_time_s = 0", SLOW)


def states(reply: dict[str, Any]) -> dict[str, str]:
    return {account["account"]: account["state"] for account in reply["result"]["accounts"]}


def change(config: Path, old: str, new: str) -> None:
    text = config.read_text()
    assert old in text
    config.write_text(text.replace(old, new))


async def in_a_match(world: World, length: int = 25, drain_s: float = 0) -> tuple[Path, Daemon]:
    config = world.config(slow(world.two_accounts(length, "")), drain_s=drain_s)
    daemon = await world.start(config)
    await daemon.wait_for("match_started", account="anna")
    await daemon.wait_for("match_started", account="bert")
    await daemon.wait_for("decided", kind="play")
    return config, daemon


async def stopped(daemon: Daemon) -> None:
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0, daemon.raw


async def test_status_tells_what_is_going_on(world: World) -> None:
    _, daemon = await in_a_match(world)
    status, reply = await world.ctl("status")
    assert status == 0
    result = reply["result"]
    assert (result["state"], result["engine"], result["workers"], result["journal"]) == (
        "running",
        "sage",
        1,
        "ok",
    )
    anna = result["accounts"][0]
    assert (anna["account"], anna["state"], anna["opponent"], anna["length"]) == (
        "anna",
        "playing",
        "bert",
        25,
    )
    assert anna["server"] == f"127.0.0.1:{world.server.port}"
    assert (anna["ply"], anna["level_changed"], anna["paused"]) == (0, False, False)
    await stopped(daemon)


async def test_the_level_changes_from_the_next_decision_on_and_back(world: World) -> None:
    _, daemon = await in_a_match(world)
    status, reply = await world.ctl("level", "anna", "--ply", "1")
    assert (status, reply["result"]["ply"], reply["result"]["level_changed"]) == (0, 1, True)
    await daemon.wait_for("decided", account="anna", kind="play", ply=1)
    await daemon.wait_for("decided", account="bert", kind="play", ply=0)
    assert (await world.ctl("level", "anna", "--reset"))[0] == 0
    await daemon.wait_for("command", command="level")
    await daemon.wait_for("decided", account="anna", kind="play", ply=0, source="search")
    await stopped(daemon)


async def test_the_mode_changes_alone_or_with_a_depth_and_back(world: World) -> None:
    _, daemon = await in_a_match(world)
    status, reply = await world.ctl("level", "anna", "--ply", "1", "--mode", "fast")
    assert (status, reply["result"]["mode"], reply["result"]["level_changed"]) == (0, "fast", True)
    await daemon.wait_for("decided", account="anna", kind="play", ply=1, mode="fast")
    status, reply = await world.ctl("level", "anna", "--mode", "exact")
    assert (reply["result"]["mode"], reply["result"]["ply"]) == ("exact", 0)
    status, reply = await world.ctl("level", "anna", "--reset")
    assert reply["result"]["level_changed"] is False
    await stopped(daemon)


async def test_a_named_level_can_be_set_and_is_recorded(world: World) -> None:
    config, daemon = await in_a_match(world)
    status, reply = await world.ctl("level", "anna", "--level", "Medium")
    assert (status, reply["result"]["level"], reply["result"]["ply"]) == (0, "medium", 1)
    await daemon.wait_for("decided", account="anna", kind="play", ply=1)
    status, reply = await world.ctl("level", "anna", "--level", "godlike")
    assert status == 1
    assert "expected one of beginner" in reply["error"]
    change(config, 'name = "bert"', 'name = "bert"\nlevel = "easy"')
    reply = (await world.ctl("reload"))[1]["result"]
    assert reply["changed"] == reply["after_match"] == []
    rows = {row["account"]: row for row in (await world.ctl("status"))[1]["result"]["accounts"]}
    assert (rows["anna"]["level"], rows["bert"]["level"]) == ("medium", "easy")
    await daemon.wait_for("decided", account="bert", kind="play")
    await daemon.wait_for("decided", account="bert", kind="play")
    await stopped(daemon)
    recorded = {row[0] for row in world.query("SELECT settings FROM decisions")}
    assert any('"level":"medium"' in text.replace(" ", "") for text in recorded)
    assert any('"level":"easy"' in text.replace(" ", "") and '"seed":' in text for text in recorded)


async def test_a_paused_account_accepts_nothing_until_it_is_unpaused(world: World) -> None:
    daemon = await world.start(world.config(world.account("bert")))
    await daemon.wait_for("ready_to_play")
    assert (await world.ctl("pause", f"bert@127.0.0.1:{world.server.port}"))[0] == 0
    anna = await world.person("anna")
    anna.type("invite bert 3")
    await anna.read("^12 bert Sorry, I am taking a break")
    assert (await world.ctl("status"))[1]["result"]["accounts"][0]["paused"] is True
    assert (await world.ctl("unpause", "bert"))[0] == 0
    anna.type("invite bert 3")
    await anna.read("bert has joined you")
    await anna.leave()
    await stopped(daemon)


async def test_drain_finishes_the_match_and_begins_no_other_until_resume(world: World) -> None:
    daemon = await world.start(world.config(slow(world.two_accounts(1, "")).replace("0.05", "0.01")))
    await daemon.wait_for("match_started", account="anna")
    assert (await world.ctl("drain"))[0] == 0
    await daemon.wait_for("match_ended", account="anna")
    await daemon.wait_for("match_ended", account="bert")
    status, reply = await world.ctl("status")
    assert (status, reply["result"]["state"]) == (0, "draining")
    assert states(reply) == {"anna": "ready", "bert": "ready"}
    assert (await world.ctl("resume"))[0] == 0
    await daemon.wait_for("command", command="resume")
    await daemon.wait_for("match_started", account="anna")
    await stopped(daemon)
    assert daemon.raw.count('"event": "match_ended"') >= 2


async def test_say_reaches_the_opponent_and_others(world: World) -> None:
    daemon = await world.start(world.config(world.account("bert")))
    await daemon.wait_for("ready_to_play")
    status, reply = await world.ctl("say", "bert", "Hello")
    assert (status, reply["error"]) == (1, f"bert@127.0.0.1:{world.server.port} is not in a match")
    anna = await world.person("anna")
    assert (await world.ctl("say", "bert", "Hello anna", "--to", "anna"))[0] == 0
    await anna.read("^12 bert Hello anna")
    anna.type("invite bert 3")
    await anna.read("bert has joined you")
    await daemon.wait_for("match_started")
    assert (await world.ctl("say", "bert", "Good luck to you"))[0] == 0
    await anna.read("^15 bert Good luck to you")
    await anna.leave()
    await stopped(daemon)


async def test_commands_that_cannot_be_carried_out_say_why(world: World) -> None:
    daemon = await world.start(world.config(world.account("anna")))
    await daemon.wait_for("ready_to_play")
    known = f"anna@127.0.0.1:{world.server.port}"
    status, reply = await world.ctl("pause", "nobody")
    assert (status, reply["error"]) == (1, f"there is no account nobody; known: {known}")
    assert (await world.ctl("level", "anna", "--ply", "9"))[0] == 2
    assert (await world.ctl("say", "anna", "two\nlines"))[0] == 2
    assert (await world.ctl("pause", "../x"))[0] == 2
    await stopped(daemon)
    assert (await world.ctl("status"))[0] == 1  # nobody there any more
    assert not world.socket.exists()


# -- ending --------------------------------------------------------------------------------------------------


async def test_sigterm_lets_a_match_end_within_the_drain(world: World) -> None:
    daemon = await world.start(
        world.config(slow(world.two_accounts(1, "")).replace("0.05", "0.01"), drain_s=3600)
    )
    await daemon.wait_for("match_started", account="bert")
    await stopped(daemon)
    assert world.query("SELECT account, state FROM matches ORDER BY 1") == [
        ("anna", "finished"),
        ("bert", "finished"),
    ]


async def test_a_match_longer_than_the_drain_is_left_and_saved(world: World) -> None:
    _, daemon = await in_a_match(world, drain_s=0.5)
    await stopped(daemon)
    assert world.query("SELECT DISTINCT state FROM matches") == [("suspended",)]
    assert len(await world.server.saved("anna")) == 1


async def test_stop_now_does_not_wait_for_the_drain(world: World) -> None:
    _, daemon = await in_a_match(world, drain_s=3600)
    assert (await world.ctl("stop"))[0] == 0
    status, reply = await world.ctl("status")
    assert (status, reply["result"]["state"]) == (0, "stopping")
    assert (await world.ctl("resume"))[1]["error"] == "botd is stopping already"
    assert (await world.ctl("stop", "--now"))[0] == 0
    assert await daemon.finish() == 0
    assert len(await world.server.saved("bert")) == 1


async def test_a_second_signal_does_not_wait_for_the_drain(world: World) -> None:
    _, daemon = await in_a_match(world, drain_s=3600)
    daemon.process.send_signal(signal.SIGTERM)
    await daemon.wait_for("stopping")
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 130
    assert len(await world.server.saved("anna")) == 1


# -- reload --------------------------------------------------------------------------------------------------


async def test_reload_adds_and_removes_accounts_and_keeps_a_match_going(world: World) -> None:
    config, daemon = await in_a_match(world, length=1)
    both = config.read_text()
    only_anna = both[: both.rindex("[[accounts]]")]
    config.write_text(only_anna + world.account("carl"))
    status, reply = await world.ctl("reload")
    port = world.server.port
    assert status == 0
    assert reply["result"] == {
        "added": [f"carl@127.0.0.1:{port}"],
        "removed": [f"bert@127.0.0.1:{port}"],
        "changed": [],
        "after_match": [f"bert@127.0.0.1:{port}"],
        "restart_needed": [],
        "warnings": [],
    }
    await daemon.wait_for("ready_to_play", account="carl")
    await daemon.wait_for("match_ended", account="bert")
    await daemon.wait_for("account_removed", account="bert")
    assert states((await world.ctl("status"))[1]) == {"anna": "ready", "carl": "ready"}
    assert not (world.folder / "state" / f"bert@127.0.0.1_{port}.lock").exists()
    await stopped(daemon)
    assert world.query("SELECT DISTINCT state FROM matches") == [("finished",)]


async def test_a_changed_account_changes_after_its_match(world: World) -> None:
    config, daemon = await in_a_match(world, length=1)
    change(
        config, f"{SLOW}\ncommand_gap_s = 0\n\n", f'{SLOW}\ncommand_gap_s = 0\ngreeting = "Hi from bert"\n'
    )
    daemon.process.send_signal(signal.SIGHUP)
    await daemon.wait_for("reloaded")
    account = (await world.ctl("status"))[1]["result"]["accounts"][1]
    assert (account["state"], account["after_match"]) == ("playing", "restart")
    await daemon.wait_for("match_ended", account="bert")
    await daemon.wait_for("account_changed", account="bert")
    await daemon.wait_for("match_started", account="bert")
    anna = await daemon.wait_for("chat", account="anna", kind="kibitz", player="bert")
    assert anna["text"] == "Hi from bert"
    await stopped(daemon)


async def last_reload(daemon: Daemon) -> tuple[float, float]:
    """Whether the configuration last read is in force, and when the one in force was read."""
    told = [json.loads(line) for line in daemon.raw.splitlines() if '"metrics"' in line]
    (address,) = next(each["addresses"] for each in told if each["event"] == "metrics")

    def read() -> str:
        with urllib.request.urlopen(f"{address}metrics", timeout=10) as response:
            return str(response.read().decode())

    page = await asyncio.to_thread(read)
    found = [
        re.search(rf"^botd_config_last_reload_{what} (\S+)$", page, re.MULTILINE)
        for what in ("successful", "success_timestamp_seconds")
    ]
    first, second = (float(each[1]) for each in found if each)
    return first, second


async def test_a_bad_configuration_is_refused_whole_and_the_old_one_stays(world: World) -> None:
    config, daemon = await in_a_match(world)
    good = config.read_text()
    config.write_text(good.replace("ply = 0", "ply = 9").replace("command_gap_s = 0", "command_gap = 0", 1))
    status, reply = await world.ctl("reload")
    assert (status, reply["error"]) == (1, "the configuration has problems; the old one stays")
    assert [problem.split(": ")[1] for problem in reply["problems"]] == [
        "engine.ply",
        "accounts[0].policy.command_gap",
    ]
    config.unlink()
    assert "cannot be read" in (await world.ctl("reload"))[1]["problems"][0]
    daemon.process.send_signal(signal.SIGHUP)
    await daemon.wait_for("reload_failed")
    await daemon.wait_for("decided", account="anna", kind="play", ply=0)
    successful, read_at = await last_reload(daemon)
    assert successful == 0
    config.write_text(good)
    assert not any((await world.ctl("reload"))[1]["result"].values())
    mended, read_again_at = await last_reload(daemon)
    assert mended == 1
    assert read_again_at > read_at
    await stopped(daemon)


async def test_depth_changes_at_once_and_what_cannot_change_is_named(world: World) -> None:
    config, daemon = await in_a_match(world)
    change(config, "ply = 0\nworkers = 1", "ply = 1\nworkers = 2")
    change(config, 'path = "journal.sqlite3"', 'path = "other.sqlite3"')
    for _ in range(2):  # told as long as it is so
        reply = (await world.ctl("reload"))[1]["result"]
        assert reply["restart_needed"] == ["engine.workers", "journal.path"]
        assert reply["changed"] == []
    await daemon.wait_for("decided", account="anna", kind="play", ply=1)
    await stopped(daemon)


async def test_the_mode_changes_at_once_for_all_and_for_one(world: World) -> None:
    """And log, journal and status tell which it is."""
    config, daemon = await in_a_match(world)
    await daemon.wait_for("decided", account="anna", mode="fast")
    change(config, "ply = 0", 'ply = 1\nmode = "exact"\nbudget_s = 2.0')
    change(config, 'name = "bert"', 'name = "bert"\nmode = "fast"')
    reply = (await world.ctl("reload"))[1]["result"]
    assert (reply["restart_needed"], reply["changed"]) == ([], [])
    await daemon.wait_for("decided", account="anna", mode="exact", kind="play")
    await daemon.wait_for("decided", account="bert", mode="fast", kind="play", ply=1)
    accounts = (await world.ctl("status"))[1]["result"]["accounts"]
    assert {each["account"]: each["mode"] for each in accounts} == {"anna": "exact", "bert": "fast"}
    await stopped(daemon)
    rows = world.query(
        "SELECT account, mode, json_extract(settings, '$.budget_s') FROM decisions JOIN matches USING (match)"
    )
    assert {row[:2] for row in rows} == {("anna", "fast"), ("anna", "exact"), ("bert", "fast")}
    assert {row[2] for row in rows if row[1] == "exact"} == {None}
    assert {row[2] for row in rows if row[1] == "fast"} == {0.5, 2.0}


async def test_an_account_refused_before_is_tried_again_with_its_new_password(world: World) -> None:
    config = world.config(world.account("anna") + world.account("carl"))
    (world.folder / "carl.password").write_text("wrong-s3cret-pw")
    daemon = await world.start(config)
    await daemon.wait_for("account_refused", account="carl")
    assert states((await world.ctl("status"))[1])["carl"] == "refused"
    (world.folder / "carl.password").write_text("carl-s3cret-pw")
    assert (await world.ctl("reload"))[1]["result"]["changed"] == [f"carl@127.0.0.1:{world.server.port}"]
    await daemon.wait_for("ready_to_play", account="carl")
    await stopped(daemon)
    assert "s3cret" not in daemon.raw


async def test_an_account_written_in_other_letters_is_the_same_account(world: World) -> None:
    config = world.config(world.account("anna").replace("127.0.0.1", "localhost"))
    daemon = await world.start(config)
    await daemon.wait_for("ready_to_play")
    change(config, "localhost", "LocalHost")
    status, reply = await world.ctl("reload")
    assert (status, reply["result"]["added"]) == (0, [])
    assert reply["result"]["changed"] == [f"anna@localhost:{world.server.port}"]
    await daemon.wait_for("account_changed", account="anna")
    await daemon.wait_for("ready_to_play")
    status, reply = await world.ctl("pause", f"ANNA@LOCALHOST:{world.server.port}")
    assert status == 0
    await stopped(daemon)


# -- locks ---------------------------------------------------------------------------------------------------


async def test_a_second_daemon_is_refused_with_the_first_ones_pid(world: World) -> None:
    config = world.config(world.account("anna"))
    first = await world.start(config)
    await first.wait_for("ready_to_play")
    second = await world.start(config)
    assert await second.finish() == 1
    journal = world.folder / "journal.sqlite3"
    assert f"botd: journal {journal}: already in use by process {first.process.pid} " in second.raw
    change(config, "journal.sqlite3", "second.sqlite3")
    change(config, str(world.socket), str(world.socket.with_name("second.sock")))
    third = await world.start(config)
    assert await third.finish() == 1
    where = f"account anna on 127.0.0.1:{world.server.port}"
    assert f"botd: {where}: already in use by process {first.process.pid} " in third.raw
    first.process.kill()
    await first.finish()
    fourth = await world.start(config)  # what a killed daemon left is no hindrance
    await fourth.wait_for("ready_to_play")
    await stopped(fourth)


async def test_a_reload_that_wants_an_account_in_use_changes_nothing(world: World) -> None:
    config = world.config(world.account("anna"))
    first = await world.start(config)
    await first.wait_for("ready_to_play")
    text = config.read_text()
    other = world.folder / "other.toml"
    other.write_text(
        text.replace('"anna"', '"bert"')
        .replace("anna.password", "bert.password")
        .replace("journal.sqlite3", "second.sqlite3")
        .replace(str(world.socket), str(world.socket.with_name("second.sock")))
    )
    second = await world.start(other)
    await second.wait_for("ready_to_play")
    config.write_text(text + world.account("carl") + world.account("bert"))
    status, reply = await world.ctl("reload")
    assert status == 1
    assert f"already in use by process {second.process.pid}" in reply["problems"][0]
    assert states((await world.ctl("status"))[1]) == {"anna": "ready"}
    assert sorted(os.listdir(world.folder / "state")) == [  # noqa: PTH208
        f"{name}@127.0.0.1_{world.server.port}.lock" for name in ("anna", "bert")
    ]
    await asyncio.gather(stopped(first), stopped(second))
