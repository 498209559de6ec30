"""Match files: `.mat` for other programs, JSON lines with everything the journal knows."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from botd.journal import records as r
from botd.journal.history import load_history
from botd.journal.mat import format_match

_JSON_COLUMNS = {"candidates", "settings"}
_EVENTS = {
    "rolls": "roll",
    "moves": "move",
    "cube_actions": "cube_action",
    "resignations": "resignation",
    "decisions": "decision",
}


@dataclass(frozen=True, slots=True)
class MatWriter:
    """Writes a match's files whenever it has ended or is suspended: the `after_match` of a `Journal`.

    A resumed match writes the same files again, longer. Raises OSError, which the journal reports.
    """

    directory: Path
    json_lines: bool = False

    def __call__(self, connection: sqlite3.Connection, match: r.MatchKey) -> None:
        self.write(connection, match)

    def write(self, connection: sqlite3.Connection, match: r.MatchKey) -> list[Path]:
        history = load_history(connection, match)
        stem = file_stem(history.server, history.account, history.opponent, match)
        self.directory.mkdir(parents=True, exist_ok=True)
        written = [self.directory / f"{stem}.mat"]
        write_whole(written[0], format_match(history))
        if self.json_lines:
            written.append(self.directory / f"{stem}.jsonl")
            write_whole(written[1], "".join(f"{line}\n" for line in json_lines(connection, match)))
        return written


def file_stem(server: str, account: str, opponent: str, match: str) -> str:
    """A name for a match's files made of harmless characters, whatever the server's players are called."""
    parts = (re.sub(r"[^A-Za-z0-9_+-]", "_", part)[:40] for part in (match, server, account, opponent))
    return "-".join(parts)


def json_lines(connection: sqlite3.Connection, match: r.MatchKey) -> Iterator[str]:
    """The match as one JSON object a line: `match`, `sitting`s, then for every `game` its `roll`s, `move`s,
    `cube_action`s, `resignation`s and `decision`s in order, and the `score`s. Fields are the tables' columns.

    Raises KeyError if the journal does not know the match.
    """
    found = False
    for row in _rows(connection, "SELECT * FROM matches WHERE match = ?", (match,)):
        found = True
        yield _line("match", row)
    if not found:
        raise KeyError(match)
    for row in _rows(connection, "SELECT * FROM sittings WHERE match = ? ORDER BY number", (match,)):
        yield _line("sitting", row)
    for game in _rows(connection, "SELECT * FROM games WHERE match = ? ORDER BY game", (match,)):
        yield _line("game", game)
        events = []
        for table, kind in _EVENTS.items():
            sql = f"SELECT * FROM {table} WHERE match = ? AND game = ?"  # noqa: S608 - our own names
            for row in _rows(connection, sql, (match, game["game"])):
                del row["id"]
                events.append((row["seq"], kind, row))
        for _, kind, row in sorted(events, key=lambda event: (event[0], event[1])):
            yield _line(kind, row)
    for row in _rows(connection, "SELECT * FROM scores WHERE match = ? ORDER BY id", (match,)):
        del row["id"]
        yield _line("score", row)


def _line(kind: str, row: dict[str, object]) -> str:
    values = {
        name: msgspec.Raw(value.encode()) if name in _JSON_COLUMNS and isinstance(value, str) else value
        for name, value in row.items()
    }
    return msgspec.json.encode({"type": kind, **values}).decode()


def _rows(
    connection: sqlite3.Connection, sql: str, values: tuple[object, ...]
) -> Iterator[dict[str, object]]:
    cursor = connection.execute(sql, values)
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row, strict=True))


def write_whole(path: Path, text: str) -> None:
    """Write a file so that nobody ever sees half of it."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
