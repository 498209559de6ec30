"""What happened in a match, told once: from boards, `rolled`, `moved` and `win` to typed events.

The order is the one in which things happened on the table: a play is told before the board it led to, a roll
and a cube action after the board they were made on. `BoardSeen` comes only with boards on which no checker of
the turn has been moved yet, so that it always is the position a roll or a play began from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from botd_protocols.positions import Dice, Step

from . import client_events as ev
from .client_board import BoardError, BoardState, Side, steps_of
from .client_messages import Moved, Rolled, Win
from .client_text import shown
from .client_turn import TurnRecord


@dataclass(frozen=True, slots=True)
class _Ending:
    """What `win` said about the game; the points come with the next board."""

    won: bool
    points: int
    resigner: Side | None
    by_drop: bool


class MatchStory:
    """For one seat in one match. `me` is our name as the server writes it."""

    def __init__(self, me: str, emit: Callable[[ev.Event], None]) -> None:
        self._me = me
        self._emit = emit
        self._state: BoardState | None = None
        self.opponent: str | None = None
        """As it may be shown, from the start of the match on."""
        self.running = False
        """Begun and neither finished nor left."""
        self.over = False
        self.games = 0
        """Ended in this sitting."""
        self._in_game = False
        self._told_opening = False
        self._opening: Dice = (0, 0)
        """Ours and the opponent's die, as far as rolled."""
        self._turn: TurnRecord | None = None
        self._ending: _Ending | None = None
        self._score: tuple[int, int] | None = None

    @property
    def own_opening_die(self) -> int:
        """Our die of the opening roll that is going on; 0 if we have not rolled."""
        return self._opening[0]

    # -- events of the server --------------------------------------------------------------------------------

    def rolled(self, event: Rolled) -> None:
        """Only the opening needs it: a tie shows on no board."""
        state = self._state
        if state is None or state.turn != "nobody" or self.over or state.winner is not None:
            return
        self._opening = (event.Roll1, event.Roll2)
        if 0 < event.Roll1 == event.Roll2:
            self._begin(state, resumed=False)
            self._begin_game()
            self._emit(ev.OpeningRoll(event.Roll1, event.Roll2))

    def moved(self, event: Moved) -> None:
        turn = self._turn
        if turn is None:
            return
        mover: Side = "me" if event.Player == self._me else "opponent"
        if mover == turn.side:
            try:
                turn.moved(steps_of(event.Moves, mover))
            except BoardError:
                return  # not to be relied on anyway: the next board is

    def win(self, event: Win, state: BoardState | None) -> None:
        if self._ending is not None or not self.running:
            return
        resigner: Side | None = None
        if event.Resigned:
            resigner = "me" if event.Resigned == self._me else "opponent"
            self._turn = None  # what was moved before giving up is no play
        else:
            self._end_turn(None, ())
        by_drop = state is not None and state.double_open
        self._ending = _Ending(event.Player == self._me, event.Points, resigner, by_drop)

    def board(self, state: BoardState, planned: tuple[Step, ...]) -> None:
        """`planned`: the play of ours that is being carried out."""
        before, self._state = self._state, state
        if not self.running and (state.turn != "nobody" or state.score or state.opponent_score):
            self._begin(state, resumed=before is None)
            if before is None and state.turn != "nobody" and state.winner is None:
                self._in_game = self._told_opening = True  # the journal knows it, or will say it does not
        if state.turn == "nobody":
            self._opening = (state.opening_die, self._opening[1])
        if not self.running:
            return
        if state.winner is not None:
            self._end_turn(state, planned)
        self._game_ended(state)
        if state.match_over:
            self._match_ended(state)
        if state.winner is not None or self.over:
            return
        self._turn_ended(state, planned)
        if state.turn != "nobody" and not self._in_game:
            self._begin_game()
        opening = state.turn != "nobody" and not self._told_opening and state.rolled is not None
        if opening and state.rolled is not None:
            self._told_opening = True
            high, low = max(state.rolled), min(state.rolled)
            self._emit(ev.OpeningRoll(*((high, low) if state.turn == "me" else (low, high))))
        if state.turn != "nobody":
            self._opening = (0, 0)
        if before is None or not state.moves:
            self._emit(ev.BoardSeen(state))
        self._cube(before, state)
        self._turn_begins(state, told=opening or before is None)
        self._tell_score(state)

    def finish_game(self) -> None:
        """The connection ends; a game whose end was announced has ended."""
        ending = self._ending
        if ending is not None and self._in_game:
            self._tell_end(ending, max(1, ending.points))

    def suspended(self, reason: str, *, left_by_us: bool) -> None:
        """The match goes on no more, at least not now."""
        if self.running and self.opponent is not None:
            self.running = False
            self._emit(ev.MatchSuspended(self.opponent, shown(reason), left_by_us))

    # -- match and game --------------------------------------------------------------------------------------

    def _begin(self, state: BoardState, *, resumed: bool) -> None:
        if self.running or self.over:
            return
        self.running = True
        self.opponent = shown(state.opponent, 40) or "?"
        self._score = (state.score, state.opponent_score)
        kind = ev.MatchResumed if resumed else ev.MatchStarted
        self._emit(kind(self.opponent, state.match_length))

    def _begin_game(self) -> None:
        if not self._in_game:
            self._in_game = True
            self._told_opening = False
            self._emit(ev.GameStarted(self.opponent or "?"))

    def _game_ended(self, state: BoardState) -> None:
        """The game is over if the score says so; it is right about the points too."""
        score = (state.score, state.opponent_score)
        if self._score is None or score == self._score:
            return
        mine, his = score[0] - self._score[0], score[1] - self._score[1]
        ending = self._ending or _Ending(mine > 0, max(mine, his), None, by_drop=False)
        if self._in_game and max(mine, his) > 0:
            self._tell_end(ending, mine if ending.won else his)
        self._ending = None
        self._in_game = False
        self._turn = None
        self._opening = (0, 0)
        self._tell_score(state)

    def _tell_end(self, ending: _Ending, points: int) -> None:
        self._in_game = False
        self.games += 1
        points = points if points > 0 else max(1, ending.points)
        if ending.resigner is not None:
            me = ending.resigner == "me"
            if ending.by_drop:
                self._emit(ev.CubeDropped(me, points))
            else:
                self._emit(ev.ResignationOffered(me, points))
                self._emit(ev.ResignationAccepted(not me, points))
        self._emit(ev.GameEnded(ending.won, points))

    def _match_ended(self, state: BoardState) -> None:
        if self.running and self.opponent is not None:
            self.running = False
            self.over = True
            won = state.score >= state.match_length
            self._emit(
                ev.MatchEnded(self.opponent, won, state.match_length, state.score, state.opponent_score)
            )

    def _tell_score(self, state: BoardState) -> None:
        score = (state.score, state.opponent_score)
        if score != self._score:
            self._score = score
            self._emit(ev.ScoreChanged(state.match_length, *score))

    # -- turns and the cube ----------------------------------------------------------------------------------

    def _turn_begins(self, state: BoardState, *, told: bool) -> None:
        if self._turn is not None or state.turn == "nobody" or state.rolled is None:
            return
        self._turn = TurnRecord(state.turn, state.rolled, state)
        if not told:
            self._emit(ev.DiceRolled(state.turn == "me", state.rolled))

    def _turn_ended(self, state: BoardState, planned: tuple[Step, ...]) -> None:
        """Close the turn on record if the board shows the next one; else take over what it shows."""
        turn = self._turn
        if turn is None:
            return
        same_dice = state.rolled is not None and sorted(state.rolled) == sorted(turn.dice)
        if state.turn == turn.side and same_dice:
            turn.board(state)
        else:
            self._end_turn(state, planned)

    def _end_turn(self, state: BoardState | None, planned: tuple[Step, ...]) -> None:
        turn, self._turn = self._turn, None
        if turn is None:
            return
        if state is not None and state.winner is not None and state.turn == turn.side:
            turn.board(state)
        after = (
            None if state is None or (state.moves and state.turn != turn.side) else state.seen_by(turn.side)
        )
        steps = turn.played(after, planned if turn.side == "me" else ())
        me = turn.side == "me"
        self._emit(ev.Danced(me) if steps == () else ev.CheckersMoved(me, steps or ()))

    def _cube(self, before: BoardState | None, state: BoardState) -> None:
        if before is None or state.turn == "nobody" or before.turn == "nobody":
            return
        taken = state.cube == 2 * before.cube and not state.double_open
        if state.double_open and not before.double_open:
            self._emit(ev.CubeDoubled(state.turn == "me"))
        elif taken:
            mine = state.cube_owner == "player"
            if not before.double_open:
                self._emit(ev.CubeDoubled(not mine))
            self._emit(ev.CubeTaken(mine, state.cube))
