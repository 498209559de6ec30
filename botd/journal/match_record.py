"""A match as the journal has it, put together for people: sittings, and games with their turns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from botd.journal import records as r
from botd.journal.decided import Decided, load_decisions
from botd.journal.history import game_events
from botd.journal.store import parse_timestamp
from botd.journal.turns import Story, Turn


@dataclass(frozen=True, slots=True)
class Sitting:
    number: int
    started_at: float
    ended_at: float | None
    how: str | None
    """`finished` or the reason for a suspension; None while it is played or if the program was killed."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    number: int
    started_at: float
    ended_at: float | None
    score: tuple[int, int]
    """Before the game."""
    crawford: bool
    turns: tuple[Turn, ...]
    gap: str
    """What of this game was not seen; empty for one recorded from its opening without a hole."""
    winner: r.Side | None
    points: int
    how: r.GameEnd | None

    @property
    def decisions(self) -> Iterator[Decided]:
        return (decision for turn in self.turns for decision in turn.decisions)


def load_sittings(connection: sqlite3.Connection, match: r.MatchKey) -> tuple[Sitting, ...]:
    rows = connection.execute(
        "SELECT number, started_at, ended_at, how FROM sittings WHERE match = ? ORDER BY number", (match,)
    )
    return tuple(
        Sitting(int(number), parse_timestamp(began), _moment(ended), how)
        for number, began, ended, how in rows
    )


def load_games(
    connection: sqlite3.Connection, match: r.MatchKey, sittings: tuple[Sitting, ...]
) -> tuple[GameRecord, ...]:
    """All games with their turns. Raises as `load_decisions` does."""
    rows = connection.execute(
        "SELECT game, started_at, ended_at, score_us, score_opponent, crawford, gap, gap_seq, winner, points,"
        " how FROM games WHERE match = ? ORDER BY game",
        (match,),
    ).fetchall()
    starts = [sitting.started_at for sitting in sittings]
    games = []
    for number, began, ended, ours, theirs, crawford, gap, gap_seq, winner, points, how in rows:
        key = r.GameKey(match, int(number))
        story = Story(gap_seq, gap or "")
        story.tell(game_events(connection, key), load_decisions(connection, key))
        games.append(
            GameRecord(
                number=key.number,
                started_at=parse_timestamp(began),
                ended_at=_moment(ended),
                score=(int(ours), int(theirs)),
                crawford=bool(crawford),
                turns=story.numbered(starts),
                gap=story.gap,
                winner=None if winner is None else r.Side(winner),
                points=int(points or 0),
                how=r.GameEnd(how) if how else None,
            )
        )
    return tuple(games)


def _moment(text: str | None) -> float | None:
    return None if text is None else parse_timestamp(text)
