"""The real daemon as a process, on a real server over TCP, with the real engine."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import urllib.request
from typing import Any

import pytest

from botd_protocols.fibs.server_tcp import FibsTcpServer

World = Any
"""`World` of conftest.py."""

ONE_MATCH = "max_matches = 1"


async def fetch(url: str) -> str:
    def read() -> str:
        with urllib.request.urlopen(url, timeout=10) as response:
            return response.read().decode()

    return await asyncio.to_thread(read)


def check_metrics(page: str) -> None:
    """By Prometheus's own tool: names, units, help texts, types; and what the page tells of a match."""
    promtool = subprocess.run(
        ["promtool", "check", "metrics"], input=page, capture_output=True, text=True, check=False
    )
    assert (promtool.returncode, promtool.stdout, promtool.stderr) == (0, "", "")
    told = dict(re.findall(r"^(botd_\S+) (\S+)$", page, re.MULTILINE))
    by_state = [float(value) for name, value in told.items() if name.startswith("botd_accounts{")]
    assert sum(by_state) == 2
    ratings = {name: float(value) for name, value in told.items() if name.startswith("botd_rating{")}
    assert len(ratings) == 2
    assert set(ratings.values()) == {1500.0}, "of new accounts on our own server"
    counted = [float(value) for name, value in told.items() if name.startswith("botd_messages_total{")]
    assert sum(counted) > 20
    assert not any('type="unknown"' in name and float(value) for name, value in told.items())


async def test_two_accounts_play_a_match_to_its_end(world: World) -> None:
    daemon = await world.start(world.config(world.two_accounts(3, ONE_MATCH)))
    metrics = await daemon.wait_for("metrics")
    await daemon.wait_for("match_started", account="anna")
    page = await fetch(metrics["addresses"][0] + "metrics")
    check_metrics(page)
    assert await daemon.finish() == 0
    assert world.server.violations() == []

    matches = world.query(
        "SELECT account, opponent, length, state, winner, score_us, score_opponent FROM matches"
    )
    scores = {row[0]: row[5:] for row in matches}
    assert {row[:4] for row in matches} == {("anna", "bert", 3, "finished"), ("bert", "anna", 3, "finished")}
    assert {row[4] for row in matches} == {"us", "opponent"}
    assert scores["anna"] == scores["bert"][::-1]
    assert max(scores["anna"]) >= 3

    # Both sides have recorded every game in full, and the same.
    games = world.query("SELECT complete, how, points FROM games ORDER BY match, game")
    assert games[: len(games) // 2] == games[len(games) // 2 :]
    assert {row[0] for row in games} == {1}
    moves = world.query(
        "SELECT account, side, count(*), sum(moves.position_id = '') FROM moves JOIN matches USING (match) "
        "GROUP BY 1, 2"
    )
    counts = {row[:2]: row[2] for row in moves}
    assert counts["anna", "us"] == counts["bert", "opponent"]
    assert counts["anna", "opponent"] == counts["bert", "us"]
    assert {row[3] for row in moves} == {0}
    decisions = world.query("SELECT DISTINCT kind, ply, source FROM decisions")
    assert ("play", 0, "search") in decisions
    assert {row[2] for row in decisions} <= {"search", "forced"}
    assert len(list((world.folder / "matches").glob("*.mat"))) == 2

    # And nobody has seen a password.
    assert "s3cret" not in daemon.raw + page + world.files()


async def test_sigterm_in_a_match_saves_it_and_it_is_resumed(world: World) -> None:
    accounts = world.two_accounts(25, "").replace("think_time_s = 0", "think_time_s = 0.05")
    config = world.config(accounts)
    daemon = await world.start(config)
    await daemon.wait_for("match_started", account="bert")
    for _ in range(20):
        await daemon.wait_for("decided", account="anna", kind="play")
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0, daemon.raw
    assert [row.split()[0] for row in await world.server.saved("anna")] == ["bert"]
    assert [row.split()[0] for row in await world.server.saved("bert")] == ["anna"]
    assert world.query("SELECT DISTINCT state FROM matches") == [("suspended",)]
    moves = world.query("SELECT count(*) FROM moves")[0][0]

    again = await world.start(config)
    await again.wait_for("match_resumed", account="anna")
    await again.wait_for("match_resumed", account="bert")
    for _ in range(5):
        await again.wait_for("decided", account="bert", kind="play")
    again.process.send_signal(signal.SIGINT)
    assert await again.finish() == 0, again.raw
    assert len(await world.server.saved("anna")) == 1
    assert world.query("SELECT count(*) FROM matches") == [(2,)]
    assert world.query("SELECT count(*) FROM moves")[0][0] > moves
    assert world.server.violations() == []


async def test_a_wrong_password_is_final(world: World) -> None:
    config = world.config(world.account("anna"))
    (world.folder / "anna.password").write_text("wrong-s3cret-pw")
    daemon = await world.start(config)
    assert await daemon.finish() == 1
    assert daemon.raw.count('"event": "login_refused"') == 1
    assert '"event": "account_refused"' in daemon.raw
    assert "s3cret" not in daemon.raw


async def test_one_refused_account_does_not_stop_the_others(world: World) -> None:
    config = world.config(world.two_accounts(1, ONE_MATCH) + world.account("carl"))
    (world.folder / "carl.password").write_text("wrong-s3cret-pw")
    daemon = await world.start(config)
    assert await daemon.finish() == 0
    assert "account_refused" in daemon.raw
    assert world.query("SELECT DISTINCT state FROM matches") == [("finished",)]


async def test_a_server_that_comes_later_is_found(world: World) -> None:
    port = world.server.port
    await world.server.shell.close()
    config = world.config(world.account("anna"))
    daemon = await world.start(config)
    first = await daemon.wait_for("reconnecting")
    assert "cannot connect" in first["reason"]
    await daemon.wait_for("reconnecting")
    async with FibsTcpServer(world.server.core, port=port):
        await daemon.wait_for("logged_in", account="anna")
        daemon.process.send_signal(signal.SIGTERM)
        assert await daemon.finish() == 0


async def test_a_stop_while_waiting_to_reconnect_is_heard(world: World) -> None:
    await world.server.shell.close()
    config = world.config(world.account("anna").replace("reconnect_s = 0.2", "reconnect_s = 900"))
    daemon = await world.start(config)
    await daemon.wait_for("reconnecting")
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0


async def test_a_second_signal_stops_at_once(world: World) -> None:
    daemon = await world.start(world.config(world.account("anna")))
    await daemon.wait_for("logged_in")
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGCONT):
        daemon.process.send_signal(number)
    assert await daemon.finish() == 130


@pytest.mark.parametrize(("table", "part"), [("metrics", "metrics"), ("status_page", "status page")])
async def test_a_port_in_use_is_named(world: World, table: str, part: str) -> None:
    port = world.server.port
    config = world.config(world.account("anna"))
    config.write_text(config.read_text().replace(f"[{table}]\nport = 0", f"[{table}]\nport = {port}"))
    daemon = await world.start(config)
    assert await daemon.finish() == 1
    assert f"botd: {part}: cannot listen on 127.0.0.1 port {port}" in daemon.raw


async def test_a_worker_killed_with_a_decision_in_flight_costs_nothing(world: World) -> None:
    config = world.config(world.two_accounts(1, ONE_MATCH), engine="ply = 1\nworkers = 1")
    daemon = await world.start(config)
    url = (await daemon.wait_for("metrics"))["addresses"][0] + "metrics"
    worker = (await daemon.wait_for("worker started"))["pid"]
    await daemon.wait_for("decided", account="anna", kind="play")
    # Stopped, it cannot answer the next question; then it dies over it.
    os.kill(worker, signal.SIGSTOP)
    while 'botd_workers{state="busy"} 1.0' not in await fetch(url):  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.05)
    os.kill(worker, signal.SIGKILL)
    lost = await daemon.wait_for("decision lost its worker")
    assert "SIGKILL" in lost["error"]
    assert (await daemon.wait_for("worker started"))["pid"] != worker
    assert await daemon.finish() == 0
    assert world.query("SELECT DISTINCT state FROM matches") == [("finished",)]
    assert world.query("SELECT DISTINCT complete FROM games") == [(1,)]
    assert world.server.violations() == []


async def test_an_unlimited_match_is_left_after_its_games_and_saved(world: World) -> None:
    # anna has enough after two games; bert would go on
    both = f"{ONE_MATCH}\nunlimited = true"
    invite = 'invite = { opponent = "bert", length = "unlimited" }'
    accounts = world.account("anna", f"{both}\nmax_unlimited_games = 2\n{invite}") + world.account(
        "bert", both
    )
    # anna's leaving crosses with bert's joining the next game, and is not the reply to that.
    daemon = await world.start(world.config(accounts))
    await daemon.wait_for("match_suspended", account="bert")
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0
    assert world.query("SELECT DISTINCT length, state FROM matches") == [(0, "suspended")]
    assert world.query("SELECT match, count(*) FROM games WHERE winner IS NOT NULL GROUP BY match")[0][1] == 2
    assert [row.split()[:2] for row in await world.server.saved("anna")] == [["bert", "unlimited"]]
    assert world.server.violations() == []
