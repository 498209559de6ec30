"""One match as it is being played, with what we have thought, as a document."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from botd.daemon import happenings as h
from botd.daemon.recorder import Sitting
from botd.engine import rules
from botd.journal.records import MatchKey, Side
from botd.live import documents as d
from botd.live.curve import Curve
from botd.live.decided import cube_of, decided, outlook
from botd.live.table import LiveTable, ours


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
    """Takes the happenings of one match in order."""

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
        self.key: MatchKey | None = None
        self.table = LiveTable(length, score)
        self.started_at = started_at
        """Of this sitting."""
        self.past_known = past_known
        self._curve = Curve()
        self._decisions: deque[_Thought] = deque(maxlen=d.MAX_DECISIONS)

    def happened(self, event: h.Happening) -> None:
        match event:
            case h.MatchNamed():
                self.key = event.key
                self.table.game = max(self.table.game, event.game)
            case h.Decided():
                game = self.table.game
                win, equity = outlook(event.kind, event.decision, event.chosen)
                self._curve.add(game, win, equity, cube_of(event.match_id))
                self._decisions.appendleft(_Thought(event, game))
            case _:
                self.table.happened(event)

    def corrected(self, sitting: Sitting) -> None:
        """Happenings were lost; this is how it stands."""
        table = self.table
        self.key = sitting.key or self.key
        table.length, table.score = sitting.length, sitting.score
        if sitting.game != table.game:
            table.game = sitting.game
            table.set_up()
        table.last_move = table.resignation = None
        if sitting.table is not None:
            table.happened(sitting.table)

    def remember(self, decisions: Sequence[d.Decided]) -> None:
        """Of ours before everything that has been told, oldest first."""
        curve = Curve()
        known: list[d.Decided | d.Point] = [*decisions, *self._curve.points]
        for each in known:
            curve.add(each.game, each.win, each.equity, each.cube)
        self._curve = curve
        room = d.MAX_DECISIONS - len(self._decisions)
        for decision in reversed(decisions[max(0, len(decisions) - room) :]):
            self._decisions.append(_Thought(decision, decision.game))

    def document(self) -> d.Match:
        table = self.table
        return d.Match(
            key=self.key,
            opponent=d.text(self.opponent, d.MAX_NAME),
            length=table.length,
            score=table.score,
            crawford=table.crawford,
            game=table.game,
            started_at=self.started_at,
            board=table.board,
            turn=_seat(table.turn),
            dice=table.dice,
            cube=d.Cube(value=table.cube, owner=_seat(table.cube_owner), offered_by=_seat(table.offered_by)),
            pips=None if table.board is None else rules.pip_counts(table.board),
            last_move=_last_move(table.last_move),
            resignation=_resignation(table.resignation),
            moves=table.moves,
            curve=self._curve.points,
            decisions=tuple(thought.document for thought in self._decisions),
        )


def _last_move(move: h.Moved | None) -> d.LastMove | None:
    if move is None:
        return None
    return d.LastMove(
        side=_seat(move.side),
        dice=move.dice,
        notation=d.text(move.notation),
        board=None if move.board is None else ours(move.side, move.board),
    )


def _resignation(offer: h.Resigned | None) -> d.Resignation | None:
    return None if offer is None else d.Resignation(side=_seat(offer.side), level=offer.level)


@overload
def _seat(side: Side) -> d.Seat: ...
@overload
def _seat(side: None) -> None: ...
def _seat(side: Side | None) -> d.Seat | None:
    return None if side is None else "us" if side is Side.US else "opponent"
