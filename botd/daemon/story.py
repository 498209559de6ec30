"""From the client's events to the story of a match as the recorder tells it.

The server announces a match or a game before the first board line shows its score and rules, so what happens
in between is kept until that line has come.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from botd.daemon.recorder import Recorder
from botd.engine.types import Board, Step
from botd.journal.records import CubeActionKind, Dice, GameEnd, ResignationAction, Side, Suspension
from botd.metrics.server import ServerMetrics
from botd_protocols import game_events as ev
from botd_protocols.positions import Table, turn_round

log = structlog.get_logger("botd.session")


@dataclass(frozen=True, slots=True)
class OwnPlay:
    """A play of ours on its way to the server; the board has moved on when the server confirms it."""

    board: Board
    dice: Dice
    steps: tuple[Step, ...]
    equity: float | None


class Story:
    """One account's matches; lives through reconnections."""

    def __init__(self, recorder: Recorder, metrics: ServerMetrics) -> None:
        self._recorder = recorder
        self._metrics = metrics
        self._table: Table | None = None
        self._dice: dict[Side, Dice] = {}
        self._own_play: OwnPlay | None = None
        self._cube_equity: float | None = None
        self._how = GameEnd.BORNE_OFF
        self._deferred: list[Callable[[Table], None]] | None = None
        self.games = 0
        """Games finished in this sitting of the match."""
        self.length = 0
        self._kept: int | None = None
        """Length of a match of ours that stopped unfinished and may go on."""

    @property
    def in_match(self) -> bool:
        return self._recorder.in_match

    def own_play(self, play: OwnPlay) -> None:
        """What we are about to move."""
        self._own_play = play

    def own_cube(self, equity: float | None) -> None:
        """Our equity of the cube action we are about to take."""
        self._cube_equity = equity

    def lost(self, reason: Suspension) -> None:
        """The match stopped because the connection did."""
        if self.in_match:
            self._suspended(reason)

    def abandoned(self) -> None:
        """The server has kept no unfinished match of ours."""
        self._recorder.matches_abandoned()
        if self._kept is not None:
            self._metrics.match_ended(self._kept, "expired")
            self._kept = None

    def hear(self, event: ev.Event) -> None:
        """Take one event of the client; those that tell nothing about a match are ignored."""
        match event:
            case ev.MatchStarted(opponent=opponent) | ev.MatchResumed(opponent=opponent):
                self._match_begins(opponent, resumed=isinstance(event, ev.MatchResumed))
            case ev.GameStarted():
                self._game_begins()
            case ev.BoardSeen(table=table):
                self._board(table)
            case ev.MatchEnded():
                self._match_over(event)
            case ev.MatchSuspended():
                self._suspended(Suspension.LEFT if event.left_by_us else Suspension.OPPONENT_LEFT)
            case _ if self._deferred is not None:
                self._deferred.append(lambda _: self._in_game(event))
            case _:
                self._in_game(event)

    # -- match and game --------------------------------------------------------------------------------------

    def _match_begins(self, opponent: str, *, resumed: bool) -> None:
        self.games = 0
        self._kept = None
        self._table = None
        self._dice.clear()

        def begin(table: Table) -> None:
            self.length = table.match_length
            running = resumed and table.turn != "nobody"
            self._recorder.match_started(
                opponent,
                table.match_length,
                (table.score, table.opponent_score),
                resumed=resumed,
                crawford=table.crawford_rule,
                board=table.on_roll_board if running else None,
            )

        self._deferred = [begin]

    def _game_begins(self) -> None:
        self._how = GameEnd.BORNE_OFF
        self._own_play = None
        self._dice.clear()

        def begin(table: Table) -> None:
            self._recorder.game_started((table.score, table.opponent_score), crawford=table.crawford)

        if self._deferred is None:
            self._deferred = []
        self._deferred.append(begin)

    def _board(self, table: Table) -> None:
        self._table = table
        deferred, self._deferred = self._deferred, None
        for entry in deferred or ():
            entry(table)
        on_roll = None if table.on_roll == "nobody" else _side(table.on_roll == "me")
        self._recorder.table_seen(
            board=table.board,
            length=table.match_length,
            score=(table.score, table.opponent_score),
            crawford=table.crawford,
            turn=on_roll,
            dice=None if on_roll is None else table.dice if on_roll is Side.US else table.opponent_dice,
            cube=table.cube,
            cube_owner=None if table.cube_owner == "centered" else _side(table.cube_owner == "player"),
            doubled=table.double_open,
        )
        if table.dice is not None:
            self._dice[Side.US] = table.dice
        if table.opponent_dice is not None:
            self._dice[Side.OPPONENT] = table.opponent_dice

    def _match_over(self, event: ev.MatchEnded) -> None:
        winner = Side.US if event.won else Side.OPPONENT
        self._recorder.match_ended(winner, (event.score, event.opponent_score))
        self._metrics.match_ended(event.length, "win" if event.won else "loss")
        self._deferred = None

    def _suspended(self, reason: Suspension) -> None:
        self._recorder.match_suspended(reason)
        self._metrics.match_ended(self.length, "left" if reason is Suspension.LEFT else "suspended")
        self._kept = None if reason is Suspension.LEFT else self.length
        self._deferred = None

    # -- in a game -------------------------------------------------------------------------------------------

    def _in_game(self, event: ev.Event) -> None:
        tell = self._recorder
        match event:
            case ev.OpeningRoll(mine=mine, opponents=theirs):
                tell.opening_rolled(mine, theirs)
                if mine != theirs:
                    self._rolled(Side.US if mine > theirs else Side.OPPONENT, (mine, theirs), opening=True)
            case ev.DiceRolled(me=me, dice=dice):
                self._rolled(_side(me), dice)
            case ev.CheckersMoved(me=me, steps=steps, automatic=automatic):
                self._moved(_side(me), steps, automatic=automatic)
            case ev.Danced(me=me):
                side = _side(me)
                if side in self._dice:
                    tell.moved(side, self._dice.pop(side), (), self._seen_by(side))
            case ev.CubeDoubled(me=me):
                equity = self._cube_equity if me else None
                tell.cube_action(_side(me), CubeActionKind.DOUBLE, 2 * self._cube, equity=equity)
            case ev.CubeTaken(me=me, value=value):
                equity = self._cube_equity if me else None
                tell.cube_action(_side(me), CubeActionKind.TAKE, value, equity=equity)
                self._metrics.double("received" if me else "offered", "take")
            case ev.CubeDropped(me=me):
                self._how = GameEnd.PASSED
                tell.cube_action(_side(me), CubeActionKind.PASS, 2 * self._cube)
                self._metrics.double("received" if me else "offered", "pass")
            case ev.CubeValue(value=value):
                tell.cube_action(None, CubeActionKind.AUTOMATIC, value)
            case ev.ResignationOffered(me=me, points=points):
                tell.resignation(_side(me), ResignationAction.OFFER, self._level(points))
            case ev.ResignationAccepted(me=me, points=points):
                self._how = GameEnd.RESIGNED
                level = self._level(points)
                tell.resignation(_side(me), ResignationAction.ACCEPT, level)
                self._metrics.resignation("received" if me else "offered", level, "accepted")
            case ev.ResignationRejected(me=me):
                tell.resignation(_side(me), ResignationAction.REJECT, 1)
                self._metrics.resignation("received" if me else "offered", 1, "rejected")
            case ev.GameEnded(won=won, points=points):
                self._game_over(won, points)

    def _rolled(self, side: Side, dice: Dice, *, opening: bool = False) -> None:
        self._dice[side] = dice
        self._recorder.rolled(side, dice, self._seen_by(side), opening=opening)

    def _moved(self, side: Side, steps: tuple[Step, ...], *, automatic: bool) -> None:
        play, self._own_play = self._own_play, None
        if side is Side.US and play is not None and play.steps == steps:
            self._dice.pop(side, None)
            self._recorder.moved(side, play.dice, steps, play.board, equity=play.equity)
        elif steps and side in self._dice:
            dice = self._dice.pop(side)
            self._recorder.moved(side, dice, steps, self._seen_by(side), automatic=automatic)
        else:
            self._recorder.gap("a move was not understood")

    def _game_over(self, won: bool, points: int) -> None:
        self.games += 1
        winner = _side(won)
        ours, theirs = self._recorder.score
        score = (ours + points, theirs) if won else (ours, theirs + points)
        self._recorder.game_ended(winner, points, self._how, score)
        self._metrics.points(winner, points)

    def _seen_by(self, side: Side) -> Board | None:
        if self._table is None:
            return None
        return self._table.board if side is Side.US else turn_round(self._table.board)

    @property
    def _cube(self) -> int:
        return 1 if self._table is None else self._table.cube

    def _level(self, points: int) -> int:
        return min(3, max(1, points // self._cube))


def _side(me: bool) -> Side:
    return Side.US if me else Side.OPPONENT
