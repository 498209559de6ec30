"""A status page whose daemon says what a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from botd.config.secret import Secret
from botd.daemon import happenings as h
from botd.live.feed import LiveFeed
from botd.live.latency import Durations
from botd.live.state import LiveState, Snapshot
from botd.web.access import Access
from botd.web.past import PastMatches
from botd.web.status_page import StatusPage
from tests.live.happening import INFO, snapshot


@dataclass
class Bench:
    """A feed and what it is told."""

    now: Snapshot = field(default_factory=snapshot)
    instance: str = "one"
    durations: list[Durations] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.happenings = h.Happenings()
        self.subscription = self.happenings.subscribe(1000, details=True)
        self.state = LiveState(self.instance, INFO)
        self.feed = LiveFeed(self.state, self.subscription, self.look, lambda: self.durations)

    def look(self) -> Snapshot:
        return self.now

    def publish(self, *happenings: h.Happening) -> None:
        for happening in happenings:
            self.happenings.publish(happening)


@asynccontextmanager
async def serving(bench: Bench, *, port: int = 0, token: str | None = None) -> AsyncIterator[StatusPage]:
    access = Access("127.0.0.1", None if token is None else Secret(token))
    page = StatusPage(bench.feed, PastMatches(Path("/none")), access, "127.0.0.1", port, bench.instance)
    await page.start()
    task = asyncio.create_task(bench.feed.run())
    try:
        yield page
    finally:
        await page.stop()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
