"""What two bots do to each other, shown while it happens.

On a terminal a board that redraws itself with the latest events under it; elsewhere one plain line an event.
The story is told from the seat of one account, the *shown* one; the other account's happenings only add what
its own engine thought of its plays.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TextIO

from botd.daemon import happenings as h
from botd.engine.types import STARTING_BOARD, CubeOwner, GameContext
from botd.journal.records import CubeActionKind, ResignationAction, Side
from botd.live.table import LiveTable
from botd.terminal.board import Scene, Style, draw
from botd.terminal.match_words import duration

_EVENTS_SHOWN = 8
_LEVELS = {1: "a single game", 2: "a gammon", 3: "a backgammon"}


class Progress:
    """Takes the happenings of both accounts in the order they are published."""

    def __init__(
        self,
        out: TextIO,
        *,
        shown: str,
        opponent: str,
        live: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out = out
        self._style = Style.of(out)
        self._shown = shown
        self._opponent = opponent
        self._live = live
        self._clock = clock
        self._began = clock()
        self._table = LiveTable()
        self._lines: deque[str] = deque(maxlen=_EVENTS_SHOWN)
        self._drawn = 0
        self._title = ""
        self._waiting: h.Moved | None = None
        """A play of the opponent whose equity its own account has not told yet."""
        self._told: h.Moved | None = None
        """The other way round: the other account was quicker."""

    def title(self, text: str) -> None:
        """What is being played now."""
        self._title = text
        self._lines.clear()
        self.say(f"== {text}")

    def say(self, text: str) -> None:
        """A line that is no event of a match; stays above the board."""
        self._flush()
        self._erase()
        self._out.write(f"{text}\n")
        self._out.flush()

    def finish(self) -> None:
        """Nothing more comes; leaves the last board standing."""
        self._flush()
        self._drawn = 0
        self._out.flush()

    def happened(self, happening: h.Happening) -> None:
        if happening.account != self._shown:
            if isinstance(happening, h.Moved) and happening.side is Side.US:
                self._opponent_told(happening)
            return
        self._flush()
        match happening:
            case h.Moved(side=Side.OPPONENT):
                if self._told is not None and self._told.notation == happening.notation:
                    happening = replace(happening, equity=self._told.equity)
                self._told = None
                self._waiting = happening
                if happening.equity is not None:
                    self._flush()
            case _:
                self._tell(happening)

    # -- inside ----------------------------------------------------------------------------------------------

    def _opponent_told(self, move: h.Moved) -> None:
        if self._waiting is not None and self._waiting.notation == move.notation:
            self._waiting = replace(self._waiting, equity=move.equity)
            self._flush()
        else:
            self._told = move

    def _flush(self) -> None:
        if self._waiting is not None:
            move, self._waiting = self._waiting, None
            self._tell(move)

    def _tell(self, happening: h.Happening) -> None:
        text = self._text(happening)
        if not text:
            return
        self._lines.append(text)
        if self._live:
            self._redraw()
        else:
            self._out.write(f"{text}\n")
            self._out.flush()

    def _text(self, happening: h.Happening) -> str:
        """Bring the table up to date; the event in words."""
        if isinstance(happening, h.MatchStarted):
            self._table = LiveTable(happening.length, happening.score)
        self._table.happened(happening)
        match happening:
            case h.Connected():
                return f"{happening.account} is logged in at {happening.server}"
            case h.Disconnected():
                return f"{happening.account} is off-line: {happening.reason}"
            case h.MatchStarted():
                kind = f"{happening.length} point match" if happening.length else "unlimited match"
                return f"{kind} {'resumed' if happening.resumed else 'begins'} with {happening.opponent}"
            case h.GameStarted():
                self._told = None
                crawford = ", Crawford game" if happening.crawford else ""
                return f"game {happening.number} begins at {_score(happening.score)}{crawford}"
            case h.Rolled():
                return f"{self._name(happening.side)} rolls {happening.dice[0]} {happening.dice[1]}"
            case h.Moved():
                play = happening.notation or "cannot move"
                return f"{self._name(happening.side)} plays {play:<22}{_equity(happening.equity)}".rstrip()
            case h.CubeActed():
                return self._cube_text(happening)
            case h.Resigned():
                who = self._name(happening.side)
                match happening.action:
                    case ResignationAction.OFFER:
                        return f"{who} offers to resign {_LEVELS.get(happening.level, 'the game')}"
                    case ResignationAction.ACCEPT:
                        return f"{who} accepts the resignation"
                    case ResignationAction.REJECT:
                        return f"{who} plays on"
            case h.GameOver():
                points = f"{happening.points} point{'' if happening.points == 1 else 's'}"
                return f"{self._name(happening.winner)} wins {points}; score {_score(happening.score)}"
            case h.MatchOver():
                return f"{self._name(happening.winner)} wins the match {_score(happening.score)}"
            case h.MatchSuspended():
                score = _score(happening.score)
                return f"the match is left at {score}; the server keeps it ({happening.reason})"
        return ""

    def _cube_text(self, event: h.CubeActed) -> str:
        match event.action:
            case CubeActionKind.DOUBLE:
                text = f"doubles to {event.cube}"
            case CubeActionKind.PASS:
                text = "passes"
            case CubeActionKind.AUTOMATIC:
                text = f"automatic double: the cube is at {event.cube}"
            case _:
                text = f"{'beavers' if event.action is CubeActionKind.BEAVER else 'takes'}; cube {event.cube}"
        who = f"{self._name(event.side)} " if event.side is not None else ""
        return f"{who}{text:<28}{_equity(event.equity)}".rstrip()

    def _scene(self) -> Scene:
        """The table; after a move its dice stay until the next roll."""
        table, last = self._table, self._table.last_move
        owners = {Side.US: CubeOwner.PLAYER, Side.OPPONENT: CubeOwner.OPPONENT, None: CubeOwner.CENTERED}
        context = GameContext(
            match_length=table.length,
            score_player=table.score[0],
            score_opponent=table.score[1],
            cube_value=table.cube,
            cube_owner=owners[table.cube_owner],
            crawford=table.crawford,
        )
        side, dice = table.offered_by or table.turn, table.dice
        if dice is None and last is not None and table.turn is last.side.other and table.offered_by is None:
            side, dice = last.side, last.dice
        return Scene(
            board=table.board or STARTING_BOARD,
            context=context,
            player=self._shown,
            opponent=self._opponent,
            dice=dice,
            player_on_roll=side is not Side.OPPONENT,
            doubling=table.offered_by is not None,
        )

    def _name(self, side: Side | None) -> str:
        return self._shown if side is Side.US else self._opponent

    def _redraw(self) -> None:
        table, lasted = self._table, duration(self._clock() - self._began)
        bar = f" {self._title} | game {table.game} | move {table.moves} | {lasted}"
        lines = ["", *draw(self._scene(), self._style), "", *(f"   {line}" for line in self._lines)]
        lines += [""] * (_EVENTS_SHOWN - len(self._lines))
        lines += ["", self._highlight(bar)]
        self._erase()
        self._out.write("\n".join(lines) + "\n")
        self._out.flush()
        self._drawn = len(lines)

    def _highlight(self, text: str) -> str:
        return f"\x1b[7m{text} \x1b[0m" if self._style.colour else text

    def _erase(self) -> None:
        """Go back over what was drawn last."""
        if self._drawn:
            self._out.write(f"\x1b[{self._drawn}F\x1b[J")
            self._drawn = 0


def _score(score: tuple[int, int]) -> str:
    return f"{score[0]}-{score[1]}"


def _equity(equity: float | None) -> str:
    return "" if equity is None else f"  equity {equity:+.3f}"
