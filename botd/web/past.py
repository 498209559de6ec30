"""Past matches from the journal, for the status page: read in threads, a few at a time, all within limits."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from botd.journal.export import file_stem, json_lines
from botd.journal.history import load_history
from botd.journal.mat import format_match
from botd.journal.match_record import GameRecord
from botd.journal.reader import JournalReader, JournalReadError, MatchNotFoundError, MatchQuery, MatchSummary
from botd.journal.turns import Turn
from botd.live.decided import recorded
from botd.stats.dice_query import dice_by_server
from botd.stats.dice_report import DiceReport
from botd.web.server import JSON, Request, Response, json

MAX_MATCHES: Final = 200
"""In one list; and a list has LIST unless it says otherwise."""
LIST: Final = 50
MAX_BYTES: Final = 12 << 20
"""Of one answer."""
MAX_DECISIONS: Final = 10_000
"""Of ours in a match that is shown; more than a match of 64 points has, as a rule."""
MAX_READING: Final = 2
"""Questions to the journal at once."""
MAX_WAITING: Final = 16
"""Questions at once or in line."""
MAX_FILTER: Final = 300
DICE_MATCHES: Final = 500
"""Of each server the newest so many are counted."""
DICE_SERVERS: Final = 16
DICE_CACHE_S: Final = 60.0

T = TypeVar("T")


class RefusedError(Exception):
    """The question gets an error for an answer."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.response = json(status, {"error": message})


class PastMatches:
    """Answers `/api/matches...` and `/api/dice`."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._slots = asyncio.Semaphore(MAX_READING)
        self._waiting = 0
        self._dice: Response | None = None
        self._dice_at = float("-inf")
        self._dice_lock = asyncio.Lock()

    async def answer(self, request: Request) -> Response | None:
        """None if the path is not ours."""
        try:
            return await self._answer(request)
        except RefusedError as error:
            return error.response
        except MatchNotFoundError:
            return json(HTTPStatus.NOT_FOUND, {"error": "no match, or more than one, goes by this name"})
        except JournalReadError as error:
            return json(HTTPStatus.SERVICE_UNAVAILABLE, {"error": str(error)})

    async def _answer(self, request: Request) -> Response | None:
        match request.path.split("/")[1:]:
            case ["api", "matches"]:
                query = _query(request)
                return await self._read(lambda journal: _list(journal, query))
            case ["api", "matches", name] if name.endswith(".mat"):
                return await self._read(lambda journal: _mat(journal, name.removesuffix(".mat")))
            case ["api", "matches", name] if name.endswith(".jsonl"):
                return await self._read(lambda journal: _json_lines(journal, name.removesuffix(".jsonl")))
            case ["api", "matches", name] if name:
                return await self._read(lambda journal: _record(journal, name))
            case ["api", "dice"]:
                async with self._dice_lock:
                    if time.monotonic() - self._dice_at >= DICE_CACHE_S:
                        self._dice = await self._read(_dice)
                        self._dice_at = time.monotonic()
                    return self._dice
        return None

    async def _read(self, question: Callable[[JournalReader], T]) -> T:
        """Ask the journal in a thread. Raises JournalReadError, RefusedError."""

        def ask() -> T:
            with JournalReader(self._journal) as journal:
                return question(journal)

        if self._waiting >= MAX_WAITING:
            raise RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, "too many read the journal; try again")
        self._waiting += 1
        try:
            async with self._slots:
                return await asyncio.to_thread(ask)
        finally:
            self._waiting -= 1


def _query(request: Request) -> MatchQuery:
    """Raises RefusedError."""

    def number(key: str, usual: int | None, most: int) -> int | None:
        given = request.query.get(key, "")
        if given == "":
            return usual
        if not (given.isascii() and given.isdigit() and 1 <= len(given) <= 10 and 1 <= int(given) <= most):
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"{key}: expected a number from 1 to {most}")
        return int(given)

    def name(key: str) -> str | None:
        given = request.query.get(key, "").strip()
        if len(given) > MAX_FILTER:
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"{key}: expected at most {MAX_FILTER} characters")
        return given or None

    return MatchQuery(
        server=name("server"),
        account=name("account"),
        opponent=name("opponent"),
        limit=number("limit", LIST, MAX_MATCHES),
        before=number("before", None, 10**9),
    )


def _list(journal: JournalReader, query: MatchQuery) -> Response:
    """Newest first."""
    return json(HTTPStatus.OK, {"matches": journal.matches(query)[::-1]})


def _record(journal: JournalReader, name: str) -> Response:
    """The summary and, game by game, turns with boards seen by us and our decisions as the live document has
    them."""
    summary = journal.find(name)
    if summary.moves > MAX_DECISIONS:  # before anything of it is in memory
        raise _too_large(f"{MAX_DECISIONS} decisions")
    record = journal.record(summary.key)
    fields = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    return _bounded(msgspec.json.encode({**fields, "games": [_game(game) for game in record.games]}), JSON)


def _game(game: GameRecord) -> dict[str, Any]:
    fields = {field.name: getattr(game, field.name) for field in dataclasses.fields(game)}
    return {**fields, "turns": [_turn(turn) for turn in game.turns]}


def _turn(turn: Turn) -> dict[str, Any]:
    fields = {field.name: getattr(turn, field.name) for field in dataclasses.fields(turn)}
    return {**fields, "decisions": [recorded(decision) for decision in turn.decisions]}


def _mat(journal: JournalReader, name: str) -> Response:
    match = journal.find(name)
    with journal.reading() as connection:
        text = format_match(load_history(connection, match.key))
    return _download(match, "mat", text.encode(), "text/plain; charset=utf-8")


def _json_lines(journal: JournalReader, name: str) -> Response:
    match = journal.find(name)
    parts: list[bytes] = []
    size = 0
    with journal.reading() as connection:
        for line in json_lines(connection, match.key):
            parts.append(line.encode() + b"\n")
            size += len(parts[-1])
            if size > MAX_BYTES:
                break
    return _download(match, "jsonl", b"".join(parts), "application/jsonl")


def _download(match: MatchSummary, ending: str, content: bytes, content_type: str) -> Response:
    name = file_stem(match.server, match.account, match.opponent, match.key)
    disposition = ("Content-Disposition", f'attachment; filename="{name}.{ending}"')
    answer = _bounded(content, content_type)
    return dataclasses.replace(answer, headers=(disposition,))


def _bounded(content: bytes, content_type: str) -> Response:
    """Raises RefusedError for more than anybody may ask for at once."""
    if len(content) > MAX_BYTES:
        raise _too_large(f"{MAX_BYTES >> 20} MB")
    return Response(HTTPStatus.OK, content_type, content)


def _too_large(limit: str) -> RefusedError:
    words = f"this match has more than {limit}; `botd export` writes it to a file"
    return RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, words)


def _dice(journal: JournalReader) -> Response:
    """Statistics of the throws by server."""
    with journal.reading() as connection:
        rows = connection.execute(
            "SELECT server FROM matches GROUP BY server ORDER BY max(number) DESC LIMIT ?", (DICE_SERVERS,)
        )
        reports: list[DiceReport] = []
        for (server,) in rows.fetchall():
            found = dice_by_server(journal, MatchQuery(server=server, limit=DICE_MATCHES))
            reports += [report for report in found if report.scope == server]
    return json(HTTPStatus.OK, {"servers": reports})
