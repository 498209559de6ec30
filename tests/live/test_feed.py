"""Readers of the live document: what they get, how often, and that none of them can hold up anything."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from botd.daemon import happenings as h
from botd.engine.types import STARTING_BOARD
from botd.journal.records import Side
from botd.live import feed as feed_module
from botd.live.feed import Reader
from tests.live.happening import ME, SERVER, account_status, snapshot, told
from tests.waiting import until
from tests.web.serving import Bench

STARTED = told(h.MatchStarted, opponent="anna", length=5, score=(0, 0), resumed=False)
ROLLED = told(h.Rolled, side=Side.US, dice=(3, 1), board=STARTING_BOARD)


@pytest.fixture
async def bench(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    monkeypatch.setattr(feed_module, "LEAST_GAP_S", 0.01)
    monkeypatch.setattr(feed_module, "POLL_S", 0.02)
    bench = Bench()
    task = asyncio.create_task(bench.feed.run())
    yield bench
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def next_events(reader: Reader) -> list[tuple[str, Any]]:
    return [(kind, json.loads(document)) for kind, document in await reader.events()]


async def test_first_everything_then_what_changes(bench: Bench) -> None:
    with bench.feed.follow() as reader:
        ((kind, live),) = await next_events(reader)
        assert (kind, live["instance"], live["accounts"][0]["match"]) == ("live", "one", None)
        bench.publish(STARTED)
        ((kind, account),) = await next_events(reader)
        assert (kind, account["id"], account["match"]["opponent"]) == ("account", ME, "anna")
    assert bench.feed.readers == 0


async def test_many_changes_are_one_document(bench: Bench) -> None:
    with bench.feed.follow() as reader:
        await next_events(reader)
        bench.publish(STARTED, *[ROLLED] * 500)
        await until(lambda: not bench.subscription._items)
        ((_, account),) = await next_events(reader)
        assert account["match"]["dice"] == [3, 1]


async def test_a_change_of_the_daemon_sends_everything(bench: Bench) -> None:
    with bench.feed.follow() as reader:
        await next_events(reader)
        bench.now = snapshot(state="draining")
        ((kind, live),) = await next_events(reader)
        assert (kind, live["state"]) == ("live", "draining")
        bench.now = snapshot(account_status("me"), account_status("you"), state="draining")
        ((kind, live),) = await next_events(reader)
        assert [account["id"] for account in live["accounts"]] == [ME, f"you@{SERVER}"]


async def test_everything_comes_now_and_then_without_a_change(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "WHOLE_S", 0.05)
    with bench.feed.follow() as reader:
        for _ in range(3):
            ((kind, _),) = await next_events(reader)
            assert kind == "live"


async def test_latencies_come_by_themselves(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "LATENCY_S", 0.05)
    with bench.feed.follow() as reader:
        await next_events(reader)
        assert await next_events(reader) == [("latency", [])]


async def test_a_slow_reader_gets_the_newest_and_keeps_nothing(bench: Bench) -> None:
    with bench.feed.follow() as slow, bench.feed.follow() as quick:
        await next_events(slow)
        await next_events(quick)
        for score in range(50):
            bench.publish(told(h.MatchStarted, opponent="anna", length=99, score=(score, 0), resumed=False))
            await next_events(quick)
        ((_, account),) = await next_events(slow)
        assert account["match"]["score"] == [49, 0]


async def test_lost_happenings_are_made_up_for(bench: Bench) -> None:
    from botd.daemon.recorder import Sitting

    bench.now = snapshot(sittings={ME: Sitting(None, "bert", 7, (3, 2), 2, None)})
    bench.publish(STARTED, *[ROLLED] * 2000)  # more than its queue holds
    assert bench.subscription.dropped
    await until(lambda: bench.state.account(ME).match is not None)  # type: ignore[union-attr]
    document = bench.state.account(ME)
    assert document is not None
    assert document.match is not None
    assert (document.match.opponent, document.match.score, document.match.game) == ("bert", (3, 2), 2)


async def test_an_account_it_has_not_heard_of_is_looked_up_at_once(bench: Bench) -> None:
    bench.now = snapshot(account_status("me"), account_status("you"))
    bench.publish(told(h.MatchStarted, account="you", opponent="bert", length=1, score=(0, 0), resumed=False))
    await until(lambda: f"you@{SERVER}" in bench.state.accounts)
    document = bench.state.account(f"you@{SERVER}")
    assert document is not None
    assert document.match is not None


async def test_a_fault_in_one_happening_ends_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(happening: h.Happening) -> None:
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as patch:
        patch.setattr(bench.state, "happened", broken)
        bench.publish(STARTED)
        await until(lambda: not bench.subscription._items)
    bench.publish(STARTED)
    await until(lambda: bench.state.account(ME).match is not None)  # type: ignore[union-attr]


async def test_a_fault_in_looking_ends_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as patch:
        patch.setattr(bench.feed, "_look", broken)
        await asyncio.sleep(3 * feed_module.POLL_S)
    with bench.feed.follow() as reader:
        await next_events(reader)
        bench.now = snapshot(state="draining")
        ((_, live),) = await next_events(reader)
        assert live["state"] == "draining"


async def test_the_whole_document_is_not_made_for_everybody_who_asks(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "LEAST_GAP_S", 3600.0)
    first = await bench.feed.live()
    assert await bench.feed.live() is first


async def test_documents_of_many_accounts_leave_the_loop_to_others(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "SLICE_S", 0.0)
    bench.now = snapshot(*(account_status(f"a{number}") for number in range(50)))
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    task = asyncio.create_task(others())
    live = json.loads(await bench.feed.live())
    task.cancel()
    assert len(live["accounts"]) == 50
    assert turns >= 49
