"""A match as the journal has it, put together for people: sittings, games and turns with their boards.

Boards are always seen from our seat, whoever moves. Nothing is invented: where the record has a hole the
turn behind it says so, and boards are None until one is known again.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from botd.engine import match_id, position_id, rules
from botd.engine.types import STARTING_BOARD, Board, CubeOwner
from botd.journal import records as r
from botd.journal.decided import Decided, load_decisions
from botd.journal.history import BrokenRecordError, Event, Replay, game_events
from botd.journal.store import parse_timestamp


class TurnKind(StrEnum):
    MOVE = "move"
    """A roll and how it was played, a dance too."""
    ROLL = "roll"
    """A roll that no recorded move followed."""
    TIE = "tie"
    """Equal opening dice; nobody plays them."""
    DOUBLE = "double"
    TAKE = "take"
    PASS = "pass"  # noqa: S105 - the action, not a secret
    BEAVER = "beaver"
    AUTOMATIC = "automatic"
    """The cube turned for equal opening dice."""
    OFFER = "offer"
    """To resign."""
    ACCEPT = "accept"
    REJECT = "reject"
    DECISION = "decision"
    """A decision of ours that nothing recorded followed: the match stopped, or a hole lies behind it."""


@dataclass(frozen=True, slots=True)
class Cube:
    value: int = 1
    owner: r.Side | None = None
    """None: in the middle."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What happened at one step of a game."""

    number: int
    """From 1 within the game; how `botd match` and `botd explain` name it."""
    kind: TurnKind
    seq: int
    """Of its last event in the journal."""
    at: float
    sitting: int
    """Number of the sitting in which it happened; 0 if unknown."""
    side: r.Side | None
    dice: r.Dice | None = None
    opening: bool = False
    """These are the opening dice: our die, their die."""
    move: r.Moved | None = None
    cube: int | None = None
    """Of a cube action: the value on offer or refused, after a take the one in force."""
    level: int | None = None
    """Of a resignation: 1, 2, 3 for single, gammon, backgammon."""
    before: Board | None = None
    after: Board | None = None
    """The position from our seat; None where the record does not tell it."""
    cube_before: Cube | None = None
    """None where a hole in the record may hide a turn of the cube."""
    decisions: tuple[Decided, ...] = ()
    """Ours that led to it, in order. Of several of one kind the last one counted: the question was asked
    again after a resumption or a refused move."""
    gap: str = ""
    """Why something may be missing just before it; empty if nothing is."""


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
    games = []
    for number, began, ended, ours, theirs, crawford, gap, gap_seq, winner, points, how in rows:
        key = r.GameKey(match, int(number))
        story = _Story(sittings, gap_seq, gap or "")
        story.tell(game_events(connection, key), load_decisions(connection, key))
        games.append(
            GameRecord(
                number=key.number,
                started_at=parse_timestamp(began),
                ended_at=_moment(ended),
                score=(int(ours), int(theirs)),
                crawford=bool(crawford),
                turns=story.numbered(),
                gap=story.gap,
                winner=None if winner is None else r.Side(winner),
                points=int(points or 0),
                how=r.GameEnd(how) if how else None,
            )
        )
    return tuple(games)


def _moment(text: str | None) -> float | None:
    return None if text is None else parse_timestamp(text)


_LED_BY: dict[TurnKind, r.DecisionKind] = {
    TurnKind.ROLL: r.DecisionKind.DOUBLE,
    TurnKind.MOVE: r.DecisionKind.PLAY,
    TurnKind.DOUBLE: r.DecisionKind.DOUBLE,
    TurnKind.TAKE: r.DecisionKind.TAKE,
    TurnKind.PASS: r.DecisionKind.TAKE,
    TurnKind.BEAVER: r.DecisionKind.TAKE,
    TurnKind.OFFER: r.DecisionKind.RESIGN,
    TurnKind.ACCEPT: r.DecisionKind.ANSWER_RESIGNATION,
    TurnKind.REJECT: r.DecisionKind.ANSWER_RESIGNATION,
}
"""What kind of decision leads to a turn of ours."""


@dataclass(slots=True)
class _Draft:
    """A turn in the making."""

    kind: TurnKind
    seq: int
    at: float
    side: r.Side | None = None
    dice: r.Dice | None = None
    opening: bool = False
    move: r.Moved | None = None
    cube: int | None = None
    level: int | None = None
    before: Board | None = None
    after: Board | None = None
    cube_before: Cube | None = None
    decisions: list[Decided] = field(default_factory=list)
    gap: str = ""


class _Story:
    """Events and decisions of one game in, turns out."""

    def __init__(self, sittings: tuple[Sitting, ...], gap_seq: int | None, reason: str) -> None:
        self._sittings = sittings
        self._gap_seq = gap_seq
        self.gap = reason
        if gap_seq == 0 and not reason:
            self.gap = "the beginning of the game was not seen"
        self._missing = self.gap if gap_seq == 0 else ""
        """Reason of a hole that no turn has named yet."""
        whole = gap_seq != 0
        self._replay: Replay | None = Replay() if whole else None
        """None once events do not follow one from another."""
        self._board: Board | None = STARTING_BOARD if whole else None
        self._cube: Cube | None = Cube() if whole else None
        self._drafts: list[_Draft] = []
        self._rolled: _Draft | None = None
        self._undone: list[Decided] = []

    def tell(self, events: list[tuple[int, Event]], decisions: Iterable[Decided]) -> None:
        items: list[tuple[int, Event | Decided]] = [*events]
        items += [(decision.seq, decision) for decision in decisions]
        for seq, item in sorted(items, key=lambda entry: entry[0]):
            if self._gap_seq is not None and seq >= self._gap_seq > 0:
                self._gap_seq = None
                self._lose_track(self.gap or "something was not seen")
            if isinstance(item, Decided):
                self._undone.append(item)
                continue
            if self._replay is not None:
                try:
                    self._replay.apply(item)
                except BrokenRecordError:
                    self.gap = self.gap or "some events were not recorded"
                    self._lose_track("what comes here does not follow from what was recorded")
            self._event(seq, item)

    def numbered(self) -> tuple[Turn, ...]:
        drafts = [*self._drafts]
        for decision in self._undone:
            drafts.append(_Draft(TurnKind.DECISION, decision.seq, decision.at, r.Side.US, decision.dice))
            drafts[-1].before = drafts[-1].after = _own_board(decision)
            drafts[-1].decisions.append(decision)
        drafts.sort(key=lambda draft: draft.seq)
        return tuple(
            Turn(
                number,
                draft.kind,
                draft.seq,
                draft.at,
                self._sitting(draft.at),
                draft.side,
                draft.dice,
                draft.opening,
                draft.move,
                draft.cube,
                draft.level,
                draft.before,
                draft.after,
                draft.cube_before,
                tuple(draft.decisions),
                draft.gap,
            )
            for number, draft in enumerate(drafts, start=1)
        )

    def _sitting(self, at: float) -> int:
        return max((sitting.number for sitting in self._sittings if sitting.started_at <= at), default=0)

    def _lose_track(self, reason: str) -> None:
        self._missing = reason
        self._replay = self._board = self._cube = self._rolled = None

    def _event(self, seq: int, event: Event) -> None:
        at = 0.0 if event.at is None else event.at
        match event:
            case r.Rolled(side=None, dice=dice):
                self._add(_Draft(TurnKind.TIE, seq, at, None, dice, opening=True))
            case r.Rolled(side=side, dice=dice, opening=opening):
                self._rolled = self._add(_Draft(TurnKind.ROLL, seq, at, side, dice, opening))
            case r.Moved():
                self._moved(seq, at, event)
            case r.CubeAction(side=side, action=action, cube=cube):
                self._add(_Draft(TurnKind(action.value), seq, at, side, cube=cube))
                self._turn_cube(event)
            case r.Resignation(side=side, action=answer, level=level):
                self._add(_Draft(TurnKind(answer.value), seq, at, side, level=level))

    def _add(self, draft: _Draft) -> _Draft:
        self._attach(draft, _LED_BY.get(draft.kind))
        draft.before = draft.after = self._board
        draft.cube_before = self._cube
        draft.gap, self._missing = self._missing, ""
        self._drafts.append(draft)
        return draft

    def _attach(self, draft: _Draft, kind: r.DecisionKind | None) -> None:
        """Give the turn the decisions of ours that led to it; they may be the first to tell the board."""
        if draft.side is not r.Side.US:
            return
        for decision in [*self._undone]:
            same_dice = decision.dice is None or draft.dice is None or _same(decision.dice, draft.dice)
            if decision.kind is kind and same_dice:
                self._undone.remove(decision)
                draft.decisions.append(decision)
                if self._board is None:
                    self._board = _own_board(decision)
                if self._cube is None:
                    self._cube = _own_cube(decision)

    def _moved(self, seq: int, at: float, move: r.Moved) -> None:
        draft = self._rolled
        self._rolled = None
        if draft is None or draft.side is not move.side or not _same(draft.dice or move.dice, move.dice):
            draft = self._add(_Draft(TurnKind.MOVE, seq, at, move.side, move.dice))
        else:
            self._attach(draft, r.DecisionKind.PLAY)
            draft.before, draft.cube_before = self._board, self._cube
        draft.kind, draft.move, draft.seq, draft.at = TurnKind.MOVE, move, seq, at
        played = _played(self._board, move)
        told = _told(move)
        if played is not None and told is not None and played != told:
            self.gap = self.gap or "some events were not recorded"
            draft.gap = draft.gap or "the position after this move is another than the record leads to"
            draft.before = None
            self._replay = None
        self._board = draft.after = played if told is None else told

    def _turn_cube(self, event: r.CubeAction) -> None:
        match event.action:
            case r.CubeActionKind.TAKE if self._cube is not None and self._cube.value == event.cube:
                pass  # the doubler lives with a beaver
            case r.CubeActionKind.TAKE | r.CubeActionKind.BEAVER:
                self._cube = Cube(event.cube, event.side)
            case r.CubeActionKind.AUTOMATIC:
                self._cube = Cube(event.cube)
            case _:
                pass


def _same(one: r.Dice, other: r.Dice) -> bool:
    return sorted(one) == sorted(other)


def _played(board: Board | None, move: r.Moved) -> Board | None:
    """Our board after the move, by its steps; None if they cannot be played on this board."""
    if board is None:
        return None
    with contextlib.suppress(ValueError):
        if move.side is r.Side.US:
            return rules.apply_steps(board, move.steps)
        return rules.mirrored(rules.apply_steps(rules.mirrored(board), move.steps))
    return None


def _told(move: r.Moved) -> Board | None:
    """Our board after the move, by the identifier recorded with it."""
    with contextlib.suppress(ValueError):
        board = position_id.decode(move.position_id)  # seen by the other side than the mover
        return board if move.side is r.Side.OPPONENT else rules.mirrored(board)
    return None


def _own_board(decision: Decided) -> Board | None:
    with contextlib.suppress(ValueError):
        board = position_id.decode(decision.position_id)
        return rules.mirrored(board) if decision.kind is r.DecisionKind.TAKE else board
    return None


def _own_cube(decision: Decided) -> Cube | None:
    with contextlib.suppress(ValueError):
        context = match_id.decode(decision.match_id).context
        ours = CubeOwner.OPPONENT if decision.kind is r.DecisionKind.TAKE else CubeOwner.PLAYER
        owner = r.Side.US if context.cube_owner is ours else r.Side.OPPONENT
        return Cube(context.cube_value, None if context.cube_owner is CubeOwner.CENTERED else owner)
    return None
