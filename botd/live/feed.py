"""The live document kept up to date and handed out, to whoever asks once and to whoever follows.

Following never delays the daemon: a reader has no queue but a note of what has changed since it was served
last, so a slow one gets fewer and newer documents.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, cast

import msgspec
import structlog

from botd.daemon.happenings import Happening, Subscription
from botd.live.documents import Account, Latency
from botd.live.latency import Durations, latencies
from botd.live.memory import JournalMemory
from botd.live.state import LiveState, Question, Snapshot

log = structlog.get_logger("botd.live")

POLL_S: Final = 1.0
"""How often the status is looked at."""
LEAST_GAP_S: Final = 0.2
"""A reader is served no more often."""
SLICE_S: Final = 0.005
"""Documents of many accounts are made in slices of so long."""
LATENCY_S: Final = 5.0
MAX_QUESTIONS: Final = 32
"""To the journal at once; what is asked beyond them is not looked up."""
WHOLE_S: Final = 15.0
"""A reader gets everything anew at least so often; also a sign of life."""

Event = tuple[str, bytes]
"""Its kind (`live`, `account`, `latency`) and a JSON document."""


class Reader:
    """Somebody who follows. Made by `LiveFeed.follow`."""

    def __init__(self, feed: LiveFeed) -> None:
        self._feed = feed
        self._accounts: set[str] = set()
        self._latency = False
        self._whole = True
        self._whole_at = 0.0
        self._served_at = float("-inf")
        self._wake = asyncio.Event()
        self._wake.set()

    def changed(self, accounts: Iterable[str] = (), *, latency: bool = False, whole: bool = False) -> None:
        self._accounts.update(accounts)
        self._latency = self._latency or latency
        self._whole = self._whole or whole
        self._wake.set()

    async def events(self) -> list[Event]:
        """What has changed, once something has. Never empty."""
        clock = asyncio.get_running_loop().time
        await asyncio.sleep(self._served_at + LEAST_GAP_S - clock())
        try:
            async with asyncio.timeout_at(None if self._whole else self._whole_at + WHOLE_S):
                await self._wake.wait()
        except TimeoutError:
            self._whole = True
        self._wake.clear()
        self._served_at = clock()
        accounts, latency, whole = self._accounts, self._latency, self._whole
        self._accounts, self._latency, self._whole = set(), False, False
        if whole:
            self._whole_at = self._served_at
            return [("live", await self._feed.live())]
        found = [("account", document) for document in await self._feed.accounts(sorted(accounts))]
        if latency:
            found.append(("latency", self._feed.latency()))
        return found or [("live", await self._feed.live())]


class LiveFeed:
    """`run` it as a task."""

    def __init__(
        self,
        state: LiveState,
        subscription: Subscription,
        look: Callable[[], Snapshot],
        durations: Callable[[], Iterable[Durations]],
        memory: JournalMemory | None = None,
    ) -> None:
        """`subscription` with details; `look` tells how the daemon stands, `durations` what the metrics have
        measured; `memory` knows what was before."""
        self._memory = memory
        self._state = state
        self._subscription = subscription
        self._look = look
        self._durations = durations
        self._lost = 0
        self._readers: set[Reader] = set()
        self._questions = 0
        self._group: asyncio.TaskGroup | None = None
        self._encoded: dict[str, bytes] = {}
        self._live = b""
        self._live_at = float("-inf")
        self._making = asyncio.Lock()
        self._latency: tuple[Latency, ...] = ()
        state.snapshot(look())
        state.take_changes()  # nobody has seen anything before

    @property
    def readers(self) -> int:
        return len(self._readers)

    async def run(self) -> None:
        """Until cancelled."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            group.create_task(self._listen())
            group.create_task(self._poll())

    @contextmanager
    def follow(self) -> Iterator[Reader]:
        reader = Reader(self)
        self._readers.add(reader)
        try:
            yield reader
        finally:
            self._readers.discard(reader)

    async def live(self) -> bytes:
        """Everything, as JSON; made anew at most every LEAST_GAP_S."""
        async with self._making:
            now = time.monotonic()
            if now - self._live_at >= LEAST_GAP_S:
                self._state.snapshot(self._look())
                self._spread()
                raw = map(msgspec.Raw, await self.accounts(self._state.accounts))
                self._latency = latencies(self._durations())
                document = self._state.live(time.time(), self._latency, cast("Iterable[Account]", raw))
                self._live, self._live_at = msgspec.json.encode(document), now
            return self._live

    async def accounts(self, identities: Iterable[str]) -> list[bytes]:
        """Those of these accounts that are still there, as JSON; others have the event loop in between."""
        found: list[bytes] = []
        began = time.monotonic()
        for identity in identities:
            if time.monotonic() - began >= SLICE_S:
                await asyncio.sleep(0)
                began = time.monotonic()
            known = self._encoded.get(identity)
            if known is None and (document := self._state.account(identity)) is not None:
                known = self._encoded[identity] = msgspec.json.encode(document)
            if known is not None:
                found.append(known)
        return found

    def latency(self) -> bytes:
        return msgspec.json.encode(self._latency)

    # -- inside ----------------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        while (happening := await self._subscription.take()) is not None:
            try:
                self._hear(happening)
            except Exception:  # whatever it is, play and the rest of the page go on
                log.exception("live_document_failed", happening=type(happening).__name__)
            self._spread()

    def _hear(self, happening: Happening) -> None:
        if self._subscription.dropped != self._lost:
            self._subscription.clear()  # all of it is older than what we look at now
            self._lost = self._subscription.dropped
            self._state.snapshot(self._look(), lost=True)
            return
        if not self._state.knows(happening):
            self._state.snapshot(self._look())
        self._state.happened(happening)

    async def _poll(self) -> None:
        latency_at = time.monotonic()
        while True:
            await asyncio.sleep(POLL_S)
            try:
                self._state.snapshot(self._look())
                self._spread()
                if time.monotonic() - latency_at >= LATENCY_S and self._readers:
                    latency_at = time.monotonic()
                    self._latency = latencies(self._durations())
                    for reader in self._readers:
                        reader.changed(latency=True)
            except Exception:  # as in `_listen`
                log.exception("live_document_failed")

    async def _look_up(self, memory: JournalMemory, question: Question) -> None:
        try:
            if question.before is not None:
                decisions = await memory.decisions(question.match, question.before)
                self._state.remembered(question, decisions)
            elif (number := await memory.number(question.match)) is not None:
                self._state.numbered(question, number)
        except Exception:
            log.exception("journal_not_remembered", match=question.match)
        finally:
            self._questions -= 1
        self._spread()

    def _spread(self) -> None:
        for question in self._state.take_questions():
            if self._memory is not None and self._group is not None and self._questions < MAX_QUESTIONS:
                self._questions += 1
                self._group.create_task(self._look_up(self._memory, question))
        changes = self._state.take_changes()
        if not (changes.accounts or changes.everything):
            return
        for identity in changes.accounts:
            self._encoded.pop(identity, None)
        if changes.everything:
            self._encoded.clear()
        self._live_at = float("-inf")
        for reader in self._readers:
            reader.changed(changes.accounts, whole=changes.everything)
