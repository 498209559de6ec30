"""The status page of the real daemon while it plays on a real server."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.tolerances import TWICE_ROUNDED
from tests.web.http_client import Address, Answer, events, exchange, parsed, request

World = Any
"""`World` of conftest.py."""

ONE_MATCH = "max_matches = 1"
TOKEN = "correct-horse-battery"


async def address_of(daemon: Any) -> Address:
    parts = urlsplit((await daemon.wait_for("status_page"))["addresses"][0])
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


async def get(address: Address, path: str, **headers: str) -> Answer:
    return parsed(await exchange(address, request(path, **headers)))


async def test_a_client_sees_the_match_that_is_played(world: World) -> None:
    unhurried = world.two_accounts(3, "").replace("think_time_s = 0", "think_time_s = 0.02")
    daemon = await world.start(world.config(unhurried, engine="ply = 1\nworkers = 1"))
    address = await address_of(daemon)
    boards: set[tuple[int, ...]] = set()
    ids: list[str] = []
    over: dict[str, Any] | None = None
    async with events(address) as reader:
        while over is None:
            event = await reader.next()
            ids.append(event.id)
            accounts = event.data["accounts"] if event.kind == "live" else [event.data]
            if event.kind == "latency":
                continue
            for account in accounts:
                match = account["match"]
                if match is not None and account["account"] == "anna":
                    assert (match["opponent"], match["length"]) == ("bert", 3)
                    boards.add(tuple(match["board"] or ()))
                if account["account"] == "anna" and account["last_match"] is not None:
                    over = account["last_match"]
    assert len(boards) > 5, "it kept up"
    instance, numbers = ids[0].partition("-")[0], [int(one.partition("-")[2]) for one in ids]
    assert all(one.startswith(f"{instance}-") for one in ids)
    assert numbers == sorted(set(numbers))
    daemon.process.terminate()
    assert await daemon.finish() == 0
    ((key, winner, ours, theirs), *_) = world.query(
        "SELECT match, winner, score_us, score_opponent FROM matches WHERE account = 'anna' ORDER BY number"
    )
    assert (over["key"], over["winner"], over["score"]) == (key, winner, [ours, theirs])


async def test_a_restarted_daemon_is_another_instance_and_goes_on_with_its_match(world: World) -> None:
    unhurried = world.two_accounts(25, "").replace("think_time_s = 0", "think_time_s = 0.02")
    config = world.config(unhurried, engine="ply = 1\nworkers = 1")
    instances: list[str] = []
    keys: list[str] = []
    curves: list[list[dict[str, Any]]] = []
    for _ in range(2):
        daemon = await world.start(config)
        async with events(await address_of(daemon)) as reader:
            while True:
                event = await reader.next()
                if event.kind == "live":
                    instances.append(event.data["instance"])
                elif event.kind == "account" and event.data["account"] == "anna" and event.data["match"]:
                    match = event.data["match"]
                    ready = match["key"] and match["board"] and match["moves"] > 2
                    if ready and len(match["curve"]) > len(curves[0] if curves else "123"):
                        keys.append(match["key"])
                        curves.append(match["curve"])
                        break
        daemon.process.terminate()
        assert await daemon.finish() == 0
    assert len(set(instances)) == 2
    assert keys[0] == keys[1], "the same match, resumed"
    for before, after in zip(*curves, strict=False):
        assert (after["n"], after["game"]) == (before["n"], before["game"])
        assert after["equity"] == pytest.approx(before["equity"], abs=TWICE_ROUNDED), "its past is there too"


async def test_metrics_tell_how_many_watch_and_the_page_tells_our_rating(world: World) -> None:
    daemon = await world.start(world.config(world.account("anna")))
    metrics = urlsplit((await daemon.wait_for("metrics"))["addresses"][0])
    address = await address_of(daemon)
    await daemon.wait_for("ready_to_play")

    async def watching() -> str:
        page = (await get((metrics.hostname, metrics.port), "/metrics")).body.decode()
        found = re.search(r"^botd_status_page_clients (\S+)$", page, re.MULTILINE)
        assert found
        return found[1]

    assert await watching() == "0.0"
    async with events(address) as one, events(address) as other:
        for reader in (one, other):
            event = await reader.next()
            assert event.kind == "live"
            assert [account["rating"] for account in event.data["accounts"]] == [1500.0]
        assert await watching() == "2.0"
    while await watching() != "0.0":  # noqa: ASYNC110 - another process sets no event of ours
        await asyncio.sleep(0.01)
    daemon.process.terminate()
    assert await daemon.finish() == 0


async def test_without_the_token_nobody_sees_anything(world: World) -> None:
    (world.folder / "status.token").write_text(TOKEN)
    (world.folder / "status.token").chmod(0o600)
    config = world.config(world.account("anna"))
    config.write_text(
        config.read_text().replace("[status_page]", '[status_page]\ntoken_file = "status.token"')
    )
    daemon = await world.start(config)
    address = await address_of(daemon)
    for path in ("/", "/api/live", "/api/events", "/api/matches", "/api/dice", "/nothing"):
        refused = await get(address, path)
        assert refused.status == 401
        assert TOKEN.encode() not in refused.body
        assert b"anna" not in refused.body
    allowed = await get(address, "/api/live", Authorization=f"Bearer {TOKEN}")
    assert [account["account"] for account in allowed.json["accounts"]] == ["anna"]
    entered = await get(address, f"/?token={TOKEN}")
    assert entered.status == 303
    cookie = entered.headers["Set-Cookie"].partition(";")[0]
    assert (await get(address, "/", Cookie=cookie)).status == 200
    async with events(address, Cookie=cookie) as reader:
        assert (await reader.next()).kind == "live"
    await get(address, f"/?token={TOKEN}x")
    daemon.process.terminate()
    assert await daemon.finish() == 0
    assert TOKEN not in daemon.raw, "the token is in the log"
    assert TOKEN not in world.files()


async def test_a_hundred_readers_who_never_read_hold_up_nobody(world: World) -> None:
    daemon = await world.start(world.config(world.two_accounts(3, ONE_MATCH)))
    address = await address_of(daemon)
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            # Not even the head is read: what the kernel does not hold, the daemon must not hold either.
            reader = stack.enter_context(socket.create_connection(address))
            reader.send(request("/api/events"))
        answer = b""
        while not answer:  # as long as they all stand at the door nobody else gets in
            answer = await exchange(address, request("/api/live"))
        assert parsed(answer).status == 200
        assert await daemon.finish() == 0
    assert world.query("SELECT state FROM matches WHERE account = 'anna'") == [("finished",)]


async def test_files_and_what_are_none(world: World) -> None:
    daemon = await world.start(world.config(world.account("anna")))
    address = await address_of(daemon)
    page = await get(address, "/")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    again = await get(address, "/", If_None_Match=f'"other", {page.headers["ETag"]}')
    assert (again.status, again.body) == (304, b"")
    for path in ("/assets/", "/assets/../server.py", "/assets/%2e%2e/server.py", "/assets//etc/passwd", "/x"):
        missing = await get(address, path)
        assert missing.status == 404
        assert "error" in missing.json
    assert (await get(address, "/api/live", Host="evil.example")).status == 421
    posted = parsed(await exchange(address, request("/api/live", "POST")))
    assert (posted.status, posted.headers["Allow"]) == (405, "GET, HEAD")
