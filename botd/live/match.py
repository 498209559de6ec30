"""One match as it is being played, followed from its happenings."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from botd.daemon import happenings as h
from botd.daemon.recorder import Sitting
from botd.engine import rules
from botd.engine.types import STARTING_BOARD, Board
from botd.journal.records import CubeActionKind, MatchKey, ResignationAction, Side
from botd.live import documents as d
from botd.live.curve import Curve
from botd.live.decided import decided, outlook


@dataclass(slots=True)
class _Thought:
    """A decision; what is shown of it is made when somebody looks."""

    made: h.Decided | d.Decided
    game: int

    @property
    def document(self) -> d.Decided:
        if isinstance(self.made, h.Decided):
            self.made = decided(self.made, self.game)
        return self.made


class LiveMatch:
    """Takes the happenings of one match in order; a hole among them is mended by the next `TableSeen`."""

    def __init__(
        self,
        opponent: str,
        length: int,
        score: tuple[int, int],
        started_at: float,
        *,
        past_known: bool = True,
    ) -> None:
        """`past_known`: nothing of the match has happened before."""
        self.opponent = opponent
        self.length = length
        self.score = score
        self.key: MatchKey | None = None
        self.game = 0
        self.crawford = False
        self.board: Board | None = None
        """Seen by us."""
        self.turn: Side | None = None
        self.dice: tuple[int, int] | None = None
        self.cube = 1
        self.cube_owner: Side | None = None
        self.offered_by: Side | None = None
        self.moves = 0
        self.started_at = started_at
        """Of this sitting."""
        self.past_known = past_known
        self._last_move: d.LastMove | None = None
        self._resignation: d.Resignation | None = None
        self._beavered: Side | None = None
        self._new = True
        """Nothing of the present game was seen so far."""
        self._curve = Curve()
        self._decisions: deque[_Thought] = deque(maxlen=d.MAX_DECISIONS)

    def happened(self, event: h.Happening) -> None:
        match event:
            case h.MatchNamed():
                self.key = event.key
                self.game = max(self.game, event.game)
            case h.GameStarted():
                self.game, self.score, self.crawford = event.number, event.score, event.crawford
                if self._new:  # else this was told late, after the first roll
                    self._set_up()
            case h.TableSeen():
                self._table(event)
            case h.Rolled():
                self._goes_on()
                self._show(event.side, event.board)
                self.turn, self.dice = event.side, event.dice
                self._resignation = None
            case h.Moved():
                self._moved(event)
            case h.CubeActed():
                self._goes_on()
                self._cube(event)
            case h.Resigned():
                self._resignation = None
                if event.action is ResignationAction.OFFER:
                    self._resignation = d.Resignation(side=_seat(event.side), level=event.level)
            case h.GameOver():
                self.score = event.score
                self.turn = self.dice = self.offered_by = self._resignation = None
                self._new = True
            case h.Decided():
                self._curve.add(self.game, *outlook(event.kind, event.decision, event.chosen))
                self._decisions.appendleft(_Thought(event, self.game))

    def corrected(self, sitting: Sitting) -> None:
        """Happenings were lost; this is how it stands."""
        self.length, self.score, self.key = sitting.length, sitting.score, sitting.key or self.key
        if sitting.game != self.game:
            self.game = sitting.game
            self._set_up()
        self._last_move = self._resignation = None
        if sitting.table is not None:
            self._table(sitting.table)

    def remember(self, decisions: Sequence[d.Decided]) -> None:
        """Of ours before everything that has been told, oldest first."""
        curve = Curve()
        seen = [(point.game, point.win, point.equity) for point in self._curve.points]
        for game, win, equity in (*((each.game, each.win, each.equity) for each in decisions), *seen):
            curve.add(game, win, equity)
        self._curve = curve
        room = d.MAX_DECISIONS - len(self._decisions)
        for decision in reversed(decisions[max(0, len(decisions) - room) :]):
            self._decisions.append(_Thought(decision, decision.game))

    def document(self) -> d.Match:
        return d.Match(
            key=self.key,
            opponent=d.text(self.opponent, d.MAX_NAME),
            length=self.length,
            score=self.score,
            crawford=self.crawford,
            game=self.game,
            started_at=self.started_at,
            board=self.board,
            turn=_seat(self.turn),
            dice=self.dice,
            cube=d.Cube(value=self.cube, owner=_seat(self.cube_owner), offered_by=_seat(self.offered_by)),
            pips=None if self.board is None else rules.pip_counts(self.board),
            last_move=self._last_move,
            resignation=self._resignation,
            moves=self.moves,
            curve=self._curve.points,
            decisions=tuple(thought.document for thought in self._decisions),
        )

    # -- inside ----------------------------------------------------------------------------------------------

    def _set_up(self) -> None:
        self.board = STARTING_BOARD
        self.turn = self.dice = None
        self.cube, self.cube_owner, self.offered_by = 1, None, None
        self.moves = 0
        self._last_move = self._resignation = self._beavered = None

    def _goes_on(self) -> None:
        if self._new:
            self._new = False
            self.moves = 0

    def _table(self, table: h.TableSeen) -> None:
        """The server is right."""
        self.board = table.board
        self.length, self.score, self.crawford = table.length, table.score, table.crawford
        self.turn, self.dice, self.cube = table.turn, table.dice, table.cube
        self.offered_by = table.turn if table.doubled else None
        if not table.doubled:  # some servers do not show the owner while a double is open
            self.cube_owner = table.cube_owner
        if table.turn is not None:
            self._goes_on()

    def _moved(self, event: h.Moved) -> None:
        self._goes_on()
        self._show(event.side, event.board)
        self.turn, self.dice = event.side.other, None
        self.moves += 1
        self._resignation = None
        self._last_move = d.LastMove(
            side=_seat(event.side),
            dice=event.dice,
            notation=d.text(event.notation),
            board=_ours(event.side, event.board),
        )

    def _cube(self, event: h.CubeActed) -> None:
        match event.action:
            case CubeActionKind.DOUBLE if event.side is not None and self.offered_by is event.side.other:
                self.offered_by = self._beavered = event.side  # a double that answers one is a beaver
            case CubeActionKind.DOUBLE:
                self.turn = self.offered_by = event.side
                self.dice = self._beavered = None
            case CubeActionKind.PASS:
                self.offered_by = None
            case CubeActionKind.AUTOMATIC:
                self.cube, self.cube_owner = event.cube, None
            case CubeActionKind.BEAVER:
                self.cube, self.offered_by = event.cube, None
                self.cube_owner = self._beavered = event.side
            case CubeActionKind.TAKE:
                # A doubler who lives with a beaver does not get the cube by that.
                self.cube, self.offered_by = event.cube, None
                self.cube_owner, self._beavered = self._beavered or event.side, None

    def _show(self, side: Side, board: Board | None) -> None:
        if board is not None:
            self.board = _ours(side, board)


@overload
def _seat(side: Side) -> d.Seat: ...
@overload
def _seat(side: None) -> None: ...
def _seat(side: Side | None) -> d.Seat | None:
    return None if side is None else "us" if side is Side.US else "opponent"


def _ours(side: Side, board: Board | None) -> Board | None:
    """A board seen by `side`, seen by us."""
    return board if board is None or side is Side.US else rules.mirrored(board)
