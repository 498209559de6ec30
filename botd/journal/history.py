"""A match read back from the journal, and how much of each game hangs together."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from botd.engine.types import BAR, OFF, STARTING_BOARD, Board, Step
from botd.journal import records as r
from botd.journal.store import parse_steps, parse_timestamp

Event = r.Rolled | r.Moved | r.CubeAction | r.Resignation


@dataclass(frozen=True, slots=True)
class GameHistory:
    number: int
    score: tuple[int, int]
    """Before the game."""
    crawford: bool
    events: tuple[Event, ...]
    """In the order they happened, up to the first gap; nothing of a game whose opening was not seen."""
    gap: str
    """Why events are missing; empty for a game recorded from its opening without a hole."""
    winner: r.Side | None
    points: int
    how: r.GameEnd | None


@dataclass(frozen=True, slots=True)
class MatchHistory:
    match: r.MatchKey
    server: str
    account: str
    opponent: str
    length: int
    crawford: bool
    jacoby: bool
    started_at: str
    state: str
    winner: r.Side | None
    score: tuple[int, int]
    games: tuple[GameHistory, ...]


def load_history(connection: sqlite3.Connection, match: r.MatchKey) -> MatchHistory:
    """Read a match. Raises KeyError if the journal does not know it, sqlite3.Error, and ValueError for
    a file somebody else has written into."""
    row = connection.execute(
        "SELECT server, account, opponent, length, crawford, jacoby, started_at, state, winner,"
        " score_us, score_opponent FROM matches WHERE match = ?",
        (match,),
    ).fetchone()
    if row is None:
        raise KeyError(match)
    return MatchHistory(
        match=match,
        server=row[0],
        account=row[1],
        opponent=row[2],
        length=row[3],
        crawford=bool(row[4]),
        jacoby=bool(row[5]),
        started_at=row[6],
        state=row[7],
        winner=_side(row[8]),
        score=(row[9], row[10]),
        games=tuple(_games(connection, match)),
    )


def _games(connection: sqlite3.Connection, match: r.MatchKey) -> Iterator[GameHistory]:
    found = connection.execute(
        "SELECT game, score_us, score_opponent, crawford, gap, gap_seq, winner, points, how FROM games"
        " WHERE match = ? ORDER BY game",
        (match,),
    ).fetchall()
    for number, ours, theirs, crawford, gap, gap_seq, winner, points, how in found:
        key = r.GameKey(match, number)
        events = [event for seq, event in game_events(connection, key) if gap_seq is None or seq < gap_seq]
        sound = consistent_prefix(events)
        reason = gap or ""
        if gap_seq == 0:
            reason = reason or "the beginning of the game was not seen"
        if sound < len(events):
            reason = reason or "some events were not recorded"
        yield GameHistory(
            number=number,
            score=(ours, theirs),
            crawford=bool(crawford),
            events=tuple(events[:sound]),
            gap=reason,
            winner=_side(winner),
            points=points or 0,
            how=r.GameEnd(how) if how else None,
        )


def game_events(connection: sqlite3.Connection, game: r.GameKey) -> list[tuple[int, Event]]:
    """All that is recorded of a game but its decisions, in order, each with its `seq`; also after a gap.

    Raises sqlite3.Error, and ValueError for a file somebody else has written into.
    """
    events: list[tuple[int, Event]] = []
    for seq, at, side, die1, die2, opening in checked_rows(connection, "rolls", _ROLLS, game):
        roll = r.Rolled(game, _side(side), (die1, die2), bool(opening), parse_timestamp(at))
        events.append((seq, roll))
    for seq, at, side, die1, die2, steps, notation, position_id, automatic in checked_rows(
        connection, "moves", _MOVES, game
    ):
        move = r.Moved(
            game,
            r.Side(side),
            (die1, die2),
            parse_steps(steps),
            notation,
            position_id,
            bool(automatic),
            parse_timestamp(at),
        )
        events.append((seq, move))
    for seq, at, side, action, cube in checked_rows(connection, "cube_actions", _CUBE_ACTIONS, game):
        turned = r.CubeAction(game, _side(side), r.CubeActionKind(action), cube, parse_timestamp(at))
        events.append((seq, turned))
    for seq, at, side, action, level in checked_rows(connection, "resignations", _RESIGNATIONS, game):
        offer = r.Resignation(game, r.Side(side), r.ResignationAction(action), level, parse_timestamp(at))
        events.append((seq, offer))
    return sorted(events, key=lambda item: item[0])


Types = type | tuple[type, ...]

_MAYBE_TEXT = (str, type(None))
_ROLLS: dict[str, Types] = {
    "seq": int,
    "at": str,
    "side": _MAYBE_TEXT,
    "die1": int,
    "die2": int,
    "opening": int,
}
_MOVES: dict[str, Types] = {
    "seq": int,
    "at": str,
    "side": str,
    "die1": int,
    "die2": int,
    "steps": str,
    "notation": str,
    "position_id": str,
    "automatic": int,
}
_CUBE_ACTIONS: dict[str, Types] = {"seq": int, "at": str, "side": _MAYBE_TEXT, "action": str, "cube": int}
_RESIGNATIONS: dict[str, Types] = {"seq": int, "at": str, "side": str, "action": str, "level": int}


def checked_rows(
    connection: sqlite3.Connection, table: str, columns: Mapping[str, Types], game: r.GameKey
) -> Iterator[tuple[Any, ...]]:
    """These columns of a game's rows in one of the event tables, in order.

    SQLite keeps any type in any column; ValueError for one that botd does not write.
    """
    rows = connection.execute(
        f"SELECT {', '.join(columns)} FROM {table} WHERE match = ? AND game = ? ORDER BY seq",  # noqa: S608 - our own names
        (game.match, game.number),
    )
    for row in rows:
        for (name, expected), value in zip(columns.items(), row, strict=True):
            if not isinstance(value, expected):
                raise ValueError(f"{table}.{name} holds {type(value).__name__}")
        yield row


def _side(text: str | None) -> r.Side | None:
    return None if text is None else r.Side(text)


class BrokenRecordError(ValueError):
    """An event does not follow from the events before it."""


class Replay:
    """Plays a game's events on a board of its own and refuses what cannot follow.

    It checks what holes in a record give away (turn, dice, checkers, blocked points), not the full rules of
    movement: those are the engine's affair and were the server's when the game was played.
    """

    def __init__(self) -> None:
        self.boards: dict[r.Side, Board] = dict.fromkeys(r.Side, STARTING_BOARD)
        """The position as each side sees it."""
        self.turn: r.Side | None = None
        self._dice: r.Dice | None = None
        self._asked: r.Side | None = None

    @classmethod
    def after_move(cls, board: Board, move: r.Moved) -> Self:
        """From where a move has led to; `board` is seen by its side."""
        replay = cls()
        replay.boards = {move.side: board, move.side.other: _turned(list(board))}
        replay.turn = move.side.other
        return replay

    def apply(self, event: Event) -> tuple[bool, ...]:
        """Carry out one event; for a move, which of its steps hit. Raises BrokenRecordError."""
        match event:
            case r.Rolled():
                self._roll(event)
            case r.Moved():
                return self._move(event)
            case r.CubeAction():
                self._cube(event)
            case r.Resignation():
                pass  # at any time, by anybody; changes nothing until the game is over
        return ()

    def _roll(self, event: r.Rolled) -> None:
        if event.opening != (self.turn is None):
            raise BrokenRecordError("an opening roll belongs at the beginning, and only there")
        if event.opening:
            self.turn = event.side
            self._dice = None if event.side is None else event.dice
            return
        if event.side is not self.turn or self._dice is not None or self._asked is not None:
            raise BrokenRecordError(f"{event.side} was not to roll")
        self._dice = event.dice

    def _move(self, event: r.Moved) -> tuple[bool, ...]:
        if event.side is not self.turn or self._dice is None or sorted(self._dice) != sorted(event.dice):
            raise BrokenRecordError(f"{event.side} had no such dice")
        first, second = event.dice
        left = [first] * 4 if first == second else [first, second]
        board = list(self.boards[event.side])
        hits = tuple(_step(board, step, left) for step in event.steps)
        self.boards[event.side] = tuple(board)
        self.boards[event.side.other] = _turned(board)
        self.turn = event.side.other
        self._dice = None
        return hits

    def _cube(self, event: r.CubeAction) -> None:
        match event.action:
            case r.CubeActionKind.DOUBLE:
                if event.side is not self.turn or self._dice is not None or self._asked is not None:
                    raise BrokenRecordError(f"{event.side} was not to double")
                self._asked = event.side.other if event.side else None
            case r.CubeActionKind.AUTOMATIC:
                if self.turn is not None:
                    raise BrokenRecordError("an automatic double belongs at the beginning")
            case r.CubeActionKind.TAKE if event.side is self.turn and self._asked is None:
                pass  # the doubler lives with a beaver
            case _:
                if event.side is not self._asked or self._asked is None:
                    raise BrokenRecordError(f"{event.side} was not doubled")
                self._asked = None


def consistent_prefix(events: list[Event]) -> int:
    """How many events, from the opening on, follow one from another."""
    replay = Replay()
    for number, event in enumerate(events):
        try:
            replay.apply(event)
        except BrokenRecordError:
            return number
    return len(events)


def _step(board: list[int], step: Step, dice: list[int]) -> bool:
    """Move one checker on the mover's board; whether it hit."""
    start, end = step
    if not (OFF <= end < start <= BAR) or board[start] <= 0:
        raise BrokenRecordError(f"no checker to move {start}/{end}")
    if board[BAR] and start != BAR:
        raise BrokenRecordError(f"{start}/{end} with a checker on the bar")
    length = start - end
    if length in dice:
        dice.remove(length)
    elif end == OFF and any(die > length for die in dice):
        dice.remove(min(die for die in dice if die > length))
    else:
        raise BrokenRecordError(f"no die moves {start}/{end}")
    hit = end != OFF and board[end] == -1
    if end != OFF and board[end] < -1:
        raise BrokenRecordError(f"{start}/{end} ends on a blocked point")
    board[start] -= 1
    if hit:
        board[end] = 0
        board[0] += 1
    if end != OFF:
        board[end] += 1
    return hit


def _turned(board: list[int]) -> Board:
    middle = tuple(-board[25 - point] for point in range(1, 25))
    return (board[BAR], *middle, board[0])
