"""What a row of each table may hold: the strict reading of a journal, for checking one.

Field names are columns. Everything else about a row (what it must have to do with other rows) is in
`botd.journal.check_match`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta

Seat = Literal["us", "opponent"]
Flag = Annotated[int, Meta(ge=0, le=1)]
Points = Annotated[int, Meta(ge=0, le=1_000_000)]
Count = Annotated[int, Meta(ge=1)]
Die = Annotated[int, Meta(ge=1, le=6)]
Cube = Annotated[int, Meta(ge=1, le=2**40)]
Time = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")]
PositionId = Annotated[str, Meta(pattern=r"^([A-Za-z0-9+/]{14})?\Z")]
MatchId = Annotated[str, Meta(pattern=r"^([A-Za-z0-9+/]{12})?\Z")]
Name = Annotated[str, Meta(min_length=1)]


class Row(msgspec.Struct, frozen=True):
    """Of any table."""


class MatchRow(Row, frozen=True):
    match: Name
    server: Name
    account: Name
    opponent: Name
    length: Points
    crawford: Flag
    jacoby: Flag
    started_at: Time
    ended_at: Time | None
    state: Literal["playing", "suspended", "finished", "discarded"]
    winner: Seat | None
    first_score_us: Points
    first_score_opponent: Points
    score_us: Points
    score_opponent: Points
    number: Count


class SittingRow(Row, frozen=True):
    number: Count
    started_at: Time
    ended_at: Time | None
    how: Literal["finished", "left", "opponent_left", "connection_lost"] | None


class GameRow(Row, frozen=True):
    game: Count
    started_at: Time
    ended_at: Time | None
    score_us: Points
    score_opponent: Points
    crawford: Flag
    complete: Flag
    gap: str | None
    gap_seq: Annotated[int, Meta(ge=0)] | None
    winner: Seat | None
    points: Count | None
    how: Literal["borne_off", "passed", "resigned", "unknown"] | None


class EventRow(Row, frozen=True):
    """Of the tables of what happens in a game, in which `seq` is the order."""

    game: Count
    seq: Count
    at: Time


class RollRow(EventRow, frozen=True):
    side: Seat | None
    die1: Die
    die2: Die
    opening: Flag


class MoveRow(EventRow, frozen=True):
    side: Seat
    die1: Die
    die2: Die
    steps: Annotated[str, Meta(pattern=r"^(\d\d?/\d\d?( \d\d?/\d\d?){0,3})?\Z")]
    notation: str
    position_id: PositionId
    automatic: Flag


class CubeActionRow(EventRow, frozen=True):
    side: Seat | None
    action: Literal["double", "take", "pass", "beaver", "automatic"]
    cube: Cube


class ResignationRow(EventRow, frozen=True):
    side: Seat
    action: Literal["offer", "accept", "reject"]
    level: Annotated[int, Meta(ge=1, le=3)]


class DecisionRow(EventRow, frozen=True):
    kind: Literal["play", "double", "take", "resign", "answer_resignation"]
    position_id: PositionId
    match_id: MatchId
    die1: Die | None
    die2: Die | None
    chosen: str
    equity: float | None
    ply: Annotated[int, Meta(ge=0, le=9)]
    source: Name
    duration: Annotated[float, Meta(ge=0, le=86_400)]
    candidates: str
    engine_version: str
    evaluator: Name
    weights_sha256: Annotated[str, Meta(pattern=r"^([0-9a-f]{64})?\Z")]
    cpu_path: str
    met: str
    settings: str
    mode: Literal["exact", "fast"]


class ScoreRow(Row, frozen=True):
    game: Points
    at: Time
    score_us: Points
    score_opponent: Points
    event: Literal["start", "resumed", "game", "suspended", "end"]


class RatingRow(Row, frozen=True):
    server: Name
    account: Name
    at: Time
    rating: Annotated[float, Meta(ge=0, le=100_000)]
    experience: Annotated[int, Meta(ge=0)] | None
    match: str | None


class AskedRow(Row, frozen=True):
    server: Name
    account: Name
    player: Name
    at: Time


EVENTS: dict[str, type[EventRow]] = {
    "rolls": RollRow,
    "moves": MoveRow,
    "cube_actions": CubeActionRow,
    "resignations": ResignationRow,
    "decisions": DecisionRow,
}
OF_A_MATCH = ("sittings", "games", *EVENTS, "scores")
"""Tables whose rows belong to a match."""

R = TypeVar("R", bound=Row)


def read(
    connection: sqlite3.Connection,
    table: str,
    kind: type[R],
    where: str = "",
    values: tuple[object, ...] = (),
) -> Iterator[R | str]:
    """The rows of a table in the order of their rowid; for one that is not as it should be, a line that says
    which and why.

    Of a connection prepared with `keep_any_text`. Raises sqlite3.Error.
    """
    columns = kind.__struct_fields__
    sql = f"SELECT rowid, {', '.join(columns)} FROM {table} {where} ORDER BY rowid"  # noqa: S608 - our own names
    for rowid, *found in connection.execute(sql, values):
        try:
            row = msgspec.convert(dict(zip(columns, found, strict=True)), kind)
            for column, value in zip(columns, found, strict=True):
                if isinstance(value, str) and not is_text(value):
                    raise ValueError(f"{column} is no UTF-8")
                if value is not None and (column == "at" or column.endswith("_at")):
                    seconds(str(value))
            yield row
        except ValueError as error:  # of msgspec, or of a day that no month has
            yield f"{table} row {rowid}: {error}"


def keep_any_text(connection: sqlite3.Connection) -> None:
    """Read bytes that are no UTF-8 as such, instead of failing."""
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")


def is_text(value: str) -> bool:
    """Whether a text read so was UTF-8."""
    return not any("\udc80" <= c <= "\udcff" for c in value)


def seconds(time: str) -> float:
    """Since 1970. Raises ValueError."""
    return datetime.fromisoformat(time).timestamp()
