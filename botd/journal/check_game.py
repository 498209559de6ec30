"""One game of a journal, checked by playing it: dice, moves, cube, decisions, result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from botd.engine import notation, position_id, rules
from botd.engine.types import Board
from botd.journal import records as r
from botd.journal import rows
from botd.journal.history import BrokenRecordError, Replay
from botd.journal.retention import FORGOTTEN
from botd.journal.store import parse_steps

_KEY = r.GameKey(r.MatchKey(""), 1)
_NEAR = 1e-6
"""Equities are stored with seven digits."""
_CUBE_ANSWERS = {"take": ("take", "beaver"), "pass": ("pass",), "beaver": ("beaver",)}


class GameCheck:
    """Plays the events of one game; `tell` is given the seq (None: of the game) and what is wrong."""

    def __init__(self, game: rows.GameRow, tell: Callable[[int | None, str], None]) -> None:
        self._game = game
        self._tell = tell
        self._replay = Replay()
        self._cube = 1
        self._offered = 0
        """Value of the cube on offer; 0 if there is none."""
        self._owner: str | None = None
        self._dice: tuple[int, int] | None = None
        self._play: rows.DecisionRow | None = None
        """Our last decision about these dice."""
        self._answer: rows.DecisionRow | None = None
        """Our last decision about the cube that nothing has followed yet."""
        self._played = False
        """All events could be played."""

    def run(self, events: Sequence[rows.EventRow]) -> None:
        """In the order of their seq."""
        self._check_seqs([event.seq for event in events])
        gap = self._game.gap_seq
        sound = [event for event in events if gap is None or event.seq < gap]
        for event in sound:
            if isinstance(event, rows.DecisionRow):
                self._check_alone(event)
            try:
                self._apply(event)
            except BrokenRecordError as error:
                self._tell(event.seq, f"does not follow from what was before: {error}")
                return
        self._played = gap is None
        self._check_result(sound)

    # -- order -----------------------------------------------------------------------------------------------

    def _check_seqs(self, seqs: list[int]) -> None:
        gap = self._game.gap_seq
        expected = 1
        for seq in seqs:
            if seq < expected:
                self._tell(seq, "two events have this place")
            elif seq > expected and (gap is None or expected < gap):
                self._tell(
                    seq,
                    f"what was at {expected}"
                    + (f" to {seq - 1} " if seq - 1 > expected else " ")
                    + "is missing",
                )
            expected = seq + 1

    # -- events ----------------------------------------------------------------------------------------------

    def _apply(self, event: rows.EventRow) -> None:
        match event:
            case rows.RollRow():
                self._roll(event)
            case rows.MoveRow():
                self._move(event)
            case rows.CubeActionRow():
                self._turn_cube(event)
            case rows.DecisionRow():
                self._decision(event)

    def _roll(self, row: rows.RollRow) -> None:
        dice = row.die1, row.die2
        if row.opening:
            first = None if row.die1 == row.die2 else "us" if row.die1 > row.die2 else "opponent"
            if row.side != first:
                self._tell(row.seq, f"the opening dice {row.die1} and {row.die2} do not let {row.side} begin")
        self._replay.apply(r.Rolled(_KEY, _side(row.side), dice, bool(row.opening)))
        if row.side == "us" and self._answer is not None and self._answer.kind == "double":
            self._followed(self._answer, "roll", row.seq)
        self._answer = None
        self._dice = None if row.side is None else dice
        self._play = None

    def _move(self, row: rows.MoveRow) -> None:
        side = r.Side(row.side)
        steps = parse_steps(row.steps)
        before = self._replay.boards[side]
        self._replay.apply(r.Moved(_KEY, side, (row.die1, row.die2), steps, row.notation))
        after = self._replay.boards[side]
        plays = rules.legal_plays(before, (row.die1, row.die2))
        if steps and after not in [play.board for play in plays]:
            self._tell(row.seq, f"{row.notation!r} is not legal with {row.die1}{row.die2}")
        elif plays and not steps:
            self._tell(row.seq, f"nothing was moved with {row.die1}{row.die2}, though something could be")
        if steps and notation.format_steps(before, steps) != row.notation:
            self._tell(row.seq, f"the notation {row.notation!r} is not of the steps {row.steps!r}")
        if row.position_id and row.position_id != _encoded(self._replay.boards[side.other]):
            self._tell(row.seq, f"the position is not {row.position_id} after {row.notation!r}")
        if side is r.Side.US and self._play is not None and not row.automatic:
            chosen = next((play.board for play in plays if play.notation == self._play.chosen), None)
            if chosen is not None and chosen != after:
                self._tell(row.seq, f"{self._play.chosen!r} was chosen, but {row.notation!r} was moved")
        self._dice = None
        self._play = None

    def _turn_cube(self, row: rows.CubeActionRow) -> None:
        self._replay.apply(r.CubeAction(_KEY, _side(row.side), r.CubeActionKind(row.action), row.cube))
        expected = self._cube
        match row.action:
            case "automatic":
                expected = self._cube = 2 * self._cube
            case "double":
                if self._owner not in (None, row.side):
                    self._tell(row.seq, f"{row.side} doubles with the other side's cube")
                expected = self._offered = 2 * self._cube
            case "take" if self._offered:
                expected = self._cube = self._offered
                self._owner, self._offered = row.side, 0
            case "beaver":
                expected = self._cube = 2 * self._offered
                self._owner, self._offered = row.side, 0
            case "pass":
                expected = self._offered
        if row.cube != expected:
            self._tell(row.seq, f"the cube is at {row.cube} instead of {expected}")
            self._cube = row.cube if row.action in ("take", "beaver", "automatic") else self._cube
            self._offered = row.cube if row.action == "double" else self._offered
        if row.side == "us" and self._answer is not None:
            self._followed(self._answer, row.action, row.seq)
        self._answer = None

    def _followed(self, decision: rows.DecisionRow, done: str, seq: int) -> None:
        allowed = _CUBE_ANSWERS.get(decision.chosen, (decision.chosen,))
        if done not in allowed:
            self._tell(seq, f"{decision.chosen!r} was chosen, but {done!r} was done")

    # -- decisions -------------------------------------------------------------------------------------------

    def _check_alone(self, row: rows.DecisionRow) -> None:
        """What needs no board."""
        for name, text in (("candidates", row.candidates), ("settings", row.settings)):
            try:
                if not isinstance(msgspec.json.decode(text), dict):
                    self._tell(row.seq, f"decision: {name} is no JSON object")
            except ValueError as error:
                self._tell(row.seq, f"decision: {name} is no JSON: {error}")
        if row.equity is None or not abs(row.equity) < 1e6:
            self._tell(row.seq, "decision: has no equity")
        if row.kind == "play" and row.candidates != FORGOTTEN:
            self._check_plays(row)

    def _check_plays(self, row: rows.DecisionRow) -> None:
        try:
            found = msgspec.json.decode(row.candidates, type=_Plays)
        except ValueError:
            self._tell(row.seq, "decision: the candidates are no plays")
            return
        listed = {play.move: play.equity for play in found.plays}
        if not found.plays or found.legal < len(found.plays):
            self._tell(row.seq, "decision: the number of candidates is not right")
        elif row.chosen not in listed:
            if found.legal <= len(found.plays):
                self._tell(row.seq, f"decision: {row.chosen!r} is none of its candidates")
        elif row.equity is not None and abs(listed[row.chosen] - row.equity) > _NEAR:
            self._tell(row.seq, f"decision: the equity is not that of {row.chosen!r}")

    def _decision(self, row: rows.DecisionRow) -> None:
        boards = {side: _encoded(board) for side, board in self._replay.boards.items()}
        match row.kind:
            case "play":
                self._play = row
                expected = {boards[r.Side.US]}
                if self._dice is not None and sorted((row.die1 or 0, row.die2 or 0)) != sorted(self._dice):
                    self._tell(row.seq, "decision: the dice are not those that were rolled")
                plays = (
                    [play.notation for play in rules.legal_plays(self._replay.boards[r.Side.US], self._dice)]
                    if self._dice
                    else []
                )
                if self._dice and (
                    row.chosen not in plays if plays else row.chosen not in ("", "cannot move")
                ):
                    self._tell(row.seq, f"decision: {row.chosen!r} is no legal play")
            case "double":
                expected = {boards[r.Side.US]}
                self._answer = row
            case "take":
                expected = {boards[r.Side.OPPONENT]}
                self._answer = row
            case _:
                expected = set(boards.values())
        if row.position_id and row.position_id not in expected:
            self._tell(row.seq, f"decision: the position was not {row.position_id}")

    # -- result ----------------------------------------------------------------------------------------------

    def _check_result(self, events: Sequence[rows.EventRow]) -> None:
        game = self._game
        if game.winner is None or game.points is None or not self._played:
            return
        value = self._cube
        if game.points not in (value, 2 * value, 3 * value):
            self._tell(None, f"{game.points} points were won with the cube at {value}")
        last = [event for event in events if not isinstance(event, rows.DecisionRow)][-1:]
        match game.how:
            case "borne_off":
                if rules.borne_off(self._replay.boards[r.Side(game.winner)])[0] != 15:
                    self._tell(None, f"{game.winner} is said to have borne off, but has not")
            case "passed":
                row = last[0] if last else None
                if not (
                    isinstance(row, rows.CubeActionRow) and row.action == "pass" and row.side != game.winner
                ):
                    self._tell(None, "is said to have ended with a pass, but there is none")
            case "resigned":
                row = last[0] if last else None
                if not (
                    isinstance(row, rows.ResignationRow)
                    and (row.side == game.winner) == (row.action == "accept")
                ):
                    self._tell(None, "is said to have ended with a resignation, but there is none")


class _Play(msgspec.Struct):
    move: str
    equity: float


class _Plays(msgspec.Struct):
    legal: int
    plays: list[_Play]


def _side(text: str | None) -> r.Side | None:
    return None if text is None else r.Side(text)


def _encoded(board: Board) -> str:
    return position_id.encode(board)
