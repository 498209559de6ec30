"""The throws of a match as the journal has them, for statistics and as a log that others can check."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from botd.engine import position_id
from botd.engine.types import BAR
from botd.journal.records import Dice, MatchKey, Side
from botd.stats.dice import DiceTally, Throw

_NO_GAP = sys.maxsize


@dataclass(frozen=True, slots=True)
class LoggedThrow:
    """One line of the roll log."""

    number: int
    """In the match, from 1."""
    game: int
    at: str
    """When the daemon saw it, UTC."""
    side: Side | None
    """Who plays these dice; None for equal opening dice."""
    dice: Dice
    """As the server sent them; of an opening our die, then theirs."""
    opening: bool


def roll_log(connection: sqlite3.Connection, match: MatchKey) -> Iterator[LoggedThrow]:
    """Every roll on record, nothing left out. Raises sqlite3.Error."""
    rows = connection.execute(
        "SELECT game, at, side, die1, die2, opening FROM rolls WHERE match = ? ORDER BY game, seq", (match,)
    )
    for number, (game, at, side, die1, die2, opening) in enumerate(rows, start=1):
        yield LoggedThrow(number, game, at, None if side is None else Side(side), (die1, die2), bool(opening))


def match_throws(connection: sqlite3.Connection, match: MatchKey) -> list[list[Throw]]:
    """For each game its throws in order. Raises sqlite3.Error.

    A side that is seen to throw again before it has moved was shown the same throw twice, after a broken
    connection; the second one is left out, whatever it shows.
    """
    gaps = dict(
        connection.execute(
            "SELECT game, gap_seq FROM games WHERE match = ? AND gap_seq IS NOT NULL", (match,)
        )
    )
    rows = connection.execute(
        "SELECT game, seq, side, die1, die2, opening, NULL FROM rolls WHERE match = ?1"
        " UNION ALL SELECT game, seq, side, die1, die2, 0, position_id FROM moves WHERE match = ?1"
        " ORDER BY 1, 2",
        (match,),
    )
    return [
        _game_throws(events, gaps.get(game, _NO_GAP))
        for game, events in groupby(rows, key=lambda row: row[0])
    ]


def tally_of(connection: sqlite3.Connection, matches: Iterable[MatchKey]) -> DiceTally:
    """The throws of all these matches, counted. Raises sqlite3.Error."""
    tally = DiceTally()
    for match in matches:
        tally.add_match(match_throws(connection, match))
    return tally


_Event = tuple[int, int, str | None, int, int, int, str | None]
"""game, seq, side, dice, opening; of a move the position after it."""


def _game_throws(events: Iterable[_Event], gap_seq: int) -> list[Throw]:
    throws: list[Throw] = []
    waiting: Side | None = None
    """Whose throw has not been followed by a move."""
    mover: Side | None = None
    moved_to = ""
    for _, seq, side_name, die1, die2, opening, position in events:
        side = None if side_name is None else Side(side_name)
        if position is not None:
            waiting, mover, moved_to = None, side, position if seq < gap_seq else ""
            continue
        if side is None or side is not waiting:
            # After a hole the last move on record need not be the last one made.
            known = moved_to if mover is not None and mover is not side and seq < gap_seq else ""
            throws.append(Throw(side, (die1, die2), bool(opening), _entry(known)))
        waiting = side
    return throws


def _entry(identifier: str) -> tuple[int, ...] | None:
    """The dice that bring a checker in from the bar; None without one, or in an unknown position."""
    if not identifier:
        return None
    try:
        board = position_id.decode(identifier)
    except ValueError:  # written by somebody else
        return None
    return tuple(die for die in range(1, 7) if board[BAR - die] > -2) if board[BAR] else None
