"""The turns of a recorded game, with the boards between them: events and decisions put together.

Boards are always seen from our seat, whoever moves. Nothing is invented: where the record has a hole the
turn behind it says so, and boards are None until one is known again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from botd.engine import match_id, position_id, rules
from botd.engine.types import STARTING_BOARD, Board, CubeOwner
from botd.journal import records as r
from botd.journal.decided import Decided
from botd.journal.history import BrokenRecordError, Event, Replay


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


@dataclass(slots=True, eq=False)
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


class Story:
    """Events and decisions of one game in, turns out.

    A position is confirmed where the record tells it outright: after a move, and with a decision of ours.
    What lies between two of these is replayed; if it does not lead from one to the other, something is
    missing there and the boards between are not told.
    """

    def __init__(self, gap_seq: int | None, reason: str) -> None:
        """`gap_seq`: events from this number on come after a hole of which `reason` tells; 0 where the
        beginning was not seen, None where nothing is known to be missing."""
        self._gap_seq = gap_seq
        self.gap = reason
        """What is missing, as far as is known so far."""
        if gap_seq == 0 and not reason:
            self.gap = "the beginning of the game was not seen"
        self._missing = self.gap if gap_seq == 0 else ""
        """Reason of a hole that no turn has named yet."""
        whole = gap_seq != 0
        self._replay: Replay | None = Replay() if whole else None
        """None once events do not follow one from another, until a position is told again."""
        self._board: Board | None = STARTING_BOARD if whole else None
        self._cube: Cube | None = Cube() if whole else None
        self._drafts: list[_Draft] = []
        self._unconfirmed: list[_Draft] = []
        self._cube_unconfirmed: list[_Draft] = []
        self._rolled: _Draft | None = None
        self._undone: list[Decided] = []
        """Decisions that wait for what they led to."""
        self._orphans: list[Decided] = []
        """Those that nothing recorded followed."""

    def tell(self, events: list[tuple[int, Event]], decisions: Iterable[Decided]) -> None:
        """All of a game; once."""
        items: list[tuple[int, Event | Decided]] = [*events]
        items += [(decision.seq, decision) for decision in decisions]
        for seq, item in sorted(items, key=lambda entry: entry[0]):
            if self._gap_seq is not None and seq >= self._gap_seq > 0:
                self._gap_seq = None
                self._orphans += self._undone
                self._undone = []
                self._lose_track(self.gap or "something was not seen")
            if isinstance(item, Decided):
                self._undone.append(item)
                continue
            if self._replay is not None:
                try:
                    self._replay.apply(item)
                except BrokenRecordError:
                    self._lose_track("what comes here does not follow from what was recorded")
            self._event(seq, item)

    def numbered(self, starts: Sequence[float]) -> tuple[Turn, ...]:
        """The turns in order; `starts` are the times at which the sittings of the match began."""
        drafts = [*self._drafts]
        for decision in (*self._orphans, *self._undone):
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
                sum(start <= draft.at for start in starts),
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

    # -- events ----------------------------------------------------------------------------------------------

    def _event(self, seq: int, event: Event) -> None:
        at = 0.0 if event.at is None else event.at
        match event:
            case r.Rolled(side=None, dice=dice):
                self._add(_Draft(TurnKind.TIE, seq, at, None, dice, opening=True))
            case r.Rolled(side=side, dice=dice, opening=opening):
                self._move_missing()
                self._rolled = self._add(_Draft(TurnKind.ROLL, seq, at, side, dice, opening))
            case r.Moved():
                self._moved(seq, at, event)
            case r.CubeAction(side=side, action=action, cube=cube):
                self._move_missing()
                if action is r.CubeActionKind.DOUBLE and self._cube and cube != 2 * self._cube.value:
                    self._cube_contradicted()
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
        if not draft.decisions:  # they have told the position
            self._unconfirmed.append(draft)
            self._cube_unconfirmed.append(draft)
        return draft

    def _attach(self, draft: _Draft, kind: r.DecisionKind | None) -> None:
        """Give the turn the decisions of ours that led to it, which tell the position."""
        if draft.side is not r.Side.US:
            return
        made, self._undone = self._undone, []
        fitting = [
            decision
            for decision in made
            if decision.kind is kind
            and (decision.dice is None or draft.dice is None or _same(decision.dice, draft.dice))
        ]
        for decision in made:
            # What does not lead to our next deed led to one that is not recorded.
            if decision not in fitting or decision.position_id != fitting[-1].position_id:
                self._orphans.append(decision)
                continue
            draft.decisions.append(decision)
        if fitting:
            if (board := _own_board(fitting[-1])) is not None:
                self._confirm(board)
            if (cube := _own_cube(fitting[-1])) is not None:
                self._confirm_cube(cube)

    def _moved(self, seq: int, at: float, move: r.Moved) -> None:
        draft = self._rolled
        if draft is None or draft.side is not move.side or not _same(draft.dice or move.dice, move.dice):
            self._move_missing()
            draft = self._add(_Draft(TurnKind.MOVE, seq, at, move.side, move.dice))
        self._rolled = None
        self._attach(draft, r.DecisionKind.PLAY)
        draft.before, draft.cube_before = self._board, self._cube
        draft.kind, draft.move, draft.seq, draft.at = TurnKind.MOVE, move, seq, at
        if draft.decisions and draft.decisions[-1].kind is not r.DecisionKind.PLAY:
            self._unconfirmed.append(draft)
        played, told = _played(self._board, move), _told(move)
        if self._board is not None and played is None:
            self._contradicted()
        self._board = played
        if told is not None:
            self._confirm(told)
            if self._replay is None:
                self._replay = Replay.after_move(
                    told if move.side is r.Side.US else rules.mirrored(told), move
                )
        elif played is None:
            self._replay = None
        draft.after = self._board

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

    # -- holes -----------------------------------------------------------------------------------------------

    def _lose_track(self, reason: str) -> None:
        self.gap = self.gap or "some events were not recorded"
        self._missing = reason
        self._replay = self._board = self._cube = self._rolled = None
        self._unconfirmed.clear()
        self._cube_unconfirmed.clear()

    def _move_missing(self) -> None:
        """Something comes that cannot before the last roll was played."""
        if self._rolled is not None:
            self._lose_track("the move of the roll before is not recorded")

    def _confirm(self, told: Board) -> None:
        """The record tells our board; what was replayed since the last time must have led to it."""
        if self._board is not None and self._board != told:
            self._contradicted()
        self._board = told
        self._unconfirmed.clear()

    def _contradicted(self) -> None:
        self.gap = self.gap or "some events were not recorded"
        self._replay = None
        self._doubt(self._unconfirmed, "something is missing: the next position told does not follow")
        for draft in self._unconfirmed:
            draft.before = draft.after = None

    def _confirm_cube(self, told: Cube) -> None:
        if self._cube is not None and self._cube != told:
            self._cube_contradicted()
        self._cube = told
        self._cube_unconfirmed.clear()

    def _cube_contradicted(self) -> None:
        self.gap = self.gap or "some events were not recorded"
        self._doubt(self._cube_unconfirmed, "the cube was turned, and the record does not say when")
        for draft in self._cube_unconfirmed:
            draft.cube_before = None
        self._cube = None
        self._cube_unconfirmed.clear()

    def _doubt(self, drafts: list[_Draft], reason: str) -> None:
        """Say at the first of these turns, or at the next one, what is wrong."""
        if drafts:
            drafts[0].gap = drafts[0].gap or reason
        else:
            self._missing = self._missing or reason


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
