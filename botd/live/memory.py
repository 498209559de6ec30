"""What the journal knows of a match that was not followed from its beginning."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import structlog

from botd.journal.decided import load_decisions
from botd.journal.reader import JournalReader, JournalReadError, MatchNotFoundError
from botd.journal.records import GameKey, MatchKey
from botd.live.decided import recorded
from botd.live.documents import Decided

log = structlog.get_logger("botd.live")

GAMES: Final = 20
"""Of a match the newest so many are remembered."""
_READING: Final = 2
"""Questions at once."""
_ATTEMPTS, _PAUSE_S = 6, 0.5
"""A match just over is in the journal a moment later."""

T = TypeVar("T")


class JournalMemory:
    """Reads a journal in threads; what cannot be read is not remembered."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._slots = asyncio.Semaphore(_READING)

    async def decisions(self, match: MatchKey, before: float) -> list[Decided]:
        """Ours of that match made before that moment, oldest first."""

        def read(journal: JournalReader) -> list[Decided]:
            with journal.reading() as connection:
                rows = connection.execute(
                    "SELECT game FROM games WHERE match = ? ORDER BY game DESC LIMIT ?", (match, GAMES)
                ).fetchall()
                games = [GameKey(match, int(number)) for (number,) in reversed(rows)]
                return [
                    recorded(decision)
                    for game in games
                    for decision in load_decisions(connection, game)
                    if decision.at < before
                ]

        return await self._ask(read) or []

    async def number(self, match: MatchKey) -> int | None:
        """The match's number for people."""
        for _ in range(_ATTEMPTS):
            found = await self._ask(lambda journal: journal.find(match))
            if found is not None:
                return found.number
            await asyncio.sleep(_PAUSE_S)
        return None

    async def _ask(self, question: Callable[[JournalReader], T]) -> T | None:
        def ask() -> T:
            with JournalReader(self._path) as journal:
                return question(journal)

        async with self._slots:
            try:
                return await asyncio.to_thread(ask)
            except MatchNotFoundError:
                return None
            except JournalReadError as error:
                log.warning("journal_unreadable", error=str(error))
                return None
