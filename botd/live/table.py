"""One table as it is being played at, followed from its happenings: position, dice, cube, score."""

from __future__ import annotations

from dataclasses import dataclass

from botd.daemon import happenings as h
from botd.engine import rules
from botd.engine.types import STARTING_BOARD, Board
from botd.journal.records import CubeActionKind, Dice, ResignationAction, Side


@dataclass(slots=True)
class LiveTable:
    """Takes the happenings of one match in order; a hole among them is mended by the next `TableSeen`."""

    length: int = 0
    """0: unlimited."""
    score: tuple[int, int] = (0, 0)
    """Ours, theirs."""
    crawford: bool = False
    """This is the Crawford game."""
    game: int = 0
    """Number of the game being played or just over; 0 before it is known."""
    moves: int = 0
    """Of both sides in this game, as far as they were seen."""
    board: Board | None = None
    """Seen by us; None until it was seen."""
    turn: Side | None = None
    """Who is on roll; while a double is on offer its offerer. None between games."""
    dice: Dice | None = None
    """Of the side on roll, until it has moved."""
    cube: int = 1
    """Before a double that is on offer."""
    cube_owner: Side | None = None
    offered_by: Side | None = None
    """Who has doubled and waits for the answer."""
    last_move: h.Moved | None = None
    resignation: h.Resigned | None = None
    """An offer that waits for its answer."""
    _beavered: Side | None = None
    _new: bool = True
    """Nothing of the present game was seen so far."""

    def happened(self, event: h.Happening) -> None:
        match event:
            case h.GameStarted():
                self.game, self.score, self.crawford = event.number, event.score, event.crawford
                if self._new:  # else this was told late, after the first roll
                    self.set_up()
            case h.TableSeen():
                self._table(event)
            case h.Rolled():
                self._goes_on()
                self._show(event.side, event.board)
                self.turn, self.dice = event.side, event.dice
                self.resignation = None
            case h.Moved():
                self._goes_on()
                self._show(event.side, event.board)
                self.turn, self.dice = event.side.other, None
                self.moves += 1
                self.resignation = None
                self.last_move = event
            case h.CubeActed():
                self._goes_on()
                self._cube(event)
            case h.Resigned():
                self.resignation = event if event.action is ResignationAction.OFFER else None
            case h.GameOver() | h.MatchOver():
                self.score = event.score
                self.turn = self.dice = self.offered_by = self.resignation = None
                self._new = True

    def set_up(self) -> None:
        """The beginning of a game."""
        self.board = STARTING_BOARD
        self.turn = self.dice = None
        self.cube, self.cube_owner, self.offered_by = 1, None, None
        self.moves = 0
        self.last_move = self.resignation = self._beavered = None

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
            self.board = ours(side, board)


def ours(side: Side, board: Board) -> Board:
    """A board seen by `side`, seen by us."""
    return board if side is Side.US else rules.mirrored(board)
