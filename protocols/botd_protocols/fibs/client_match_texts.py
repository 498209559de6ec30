"""What the server's sentences say about a running match."""

from __future__ import annotations

from dataclasses import replace

from . import client_events as ev
from .client_lines import escape
from .client_match import MAX_REJECTED, MAX_UNSEEN_ROLLS, Kind, MatchPlay
from .client_messages import Sentence
from .client_moves import read_steps

_PLAY = frozenset(
    {
        *("you_roll", "he_rolls", "auto_move", "auto_off", "he_moves", "you_cant_move", "he_cant_move"),
        *("you_double", "he_doubles", "you_take", "he_takes", "you_resign", "he_resigns"),
        *("you_reject", "he_rejects"),
    }
)
"""After one of these no offer can be open that we do not know of."""


class MatchTexts(MatchPlay):
    """One method for each kind of sentence; the kinds are those of the table in `client_messages`."""

    def sentence(self, s: Sentence, own_name: str) -> bool:
        """A sentence of the server; whether the match had a use for it."""
        kind, v = s.kind, s.values
        if kind in ("start", "resume"):
            length = (int(v["length"]) if "length" in v else 0) if kind == "start" else None
            self._start(v["name"], length, resumed=kind == "resume")
            return True
        if kind == "new_game":
            self._start(v["name"], None, resumed=False)
            self._new_game()
            self._joined_at = None
            self._emit(ev.GameStarted(v["name"]))
            return True
        if self.opponent is None:
            return kind not in ("error",)
        handler = getattr(self, f"_on_{kind}", None)
        if handler is not None:
            self.heard()
            self._untouched = self._untouched and kind not in _PLAY
            if "name" in v and kind.startswith("he_") and v["name"] != self.opponent:
                return True  # a board we watch, or a text about somebody else
            handler(s, own_name)
            return True
        if kind == "error" and self._question is None and self._answered is not None:
            self.resync("refused: " + escape(s.text), "rejected")
        return kind != "error"

    def _on_opening(self, s: Sentence, _: str) -> None:
        self._emit(ev.OpeningRoll(s.number("own"), s.number("his")))

    def _on_cube_now(self, s: Sentence, _: str) -> None:
        self._emit(ev.CubeValue(s.number("cube")))

    def _on_your_move(self, _: Sentence, __: str) -> None:
        if self.board is not None and self.board.turn != "me":
            self.resync("told to move while the board says it is not our turn")

    def _on_you_roll(self, s: Sentence, _: str) -> None:
        self._rolled = (s.number("a"), s.number("b"))
        self._double = None
        self._count = None
        self._answered = None
        self._set_timer("reply", None)
        self._emit(ev.DiceRolled(True, self._rolled))
        self._set_timer("dice", self._config.roll_nudge)
        self._consider()

    def _on_he_rolls(self, s: Sentence, _: str) -> None:
        self._double = None
        self._answered = None
        self._emit(ev.DiceRolled(False, (s.number("a"), s.number("b"))))
        self._consider()

    def _on_roll_or_double(self, _: Sentence, __: str) -> None:
        self._consider(prompted=True)

    def _on_please_move(self, s: Sentence, _: str) -> None:
        self._count = s.number("count")
        if self._due() is Kind.MOVE:
            self._consider(prompted=True)
        elif self.board is None or self.board.dice is None or self._stale_dice(self.board):
            self._set_timer("dice", self._config.roll_nudge)

    def _turn_passed(self) -> None:
        self._turn_done = True
        self._rolled = None
        self._set_timer("dice", None)
        self._consider()

    def _on_you_cant_move(self, _: Sentence, __: str) -> None:
        self._emit(ev.Danced(True))
        self._turn_passed()

    def _on_he_cant_move(self, _: Sentence, __: str) -> None:
        self._emit(ev.Danced(False))

    def _on_auto_move(self, s: Sentence, _: str) -> None:
        direction = self.board.direction if self.board is not None else -1
        self._emit(ev.CheckersMoved(True, read_steps(s.values["steps"], direction), automatic=True))
        self._turn_passed()

    def _on_auto_off(self, s: Sentence, _: str) -> None:
        direction = self.board.direction if self.board is not None else -1
        points = [int(word) for word in s.values["steps"].split() if word.isdigit()]
        steps = tuple((p if direction == -1 or p <= 6 else 25 - p, 0) for p in points)
        self._emit(ev.CheckersMoved(True, steps, automatic=True))
        self._turn_passed()

    def _on_he_moves(self, s: Sentence, _: str) -> None:
        text = s.values["steps"].strip()
        if not text:
            self._emit(ev.Danced(False))
            return
        direction = -self.board.direction if self.board is not None else -1
        self._emit(ev.CheckersMoved(False, read_steps(text, direction)))

    def _on_done(self, _: Sentence, __: str) -> None:
        self._confirm_move()

    def _on_you_double(self, _: Sentence, __: str) -> None:
        self._double = "me"
        self._set_timer("reply", None)
        self._emit(ev.CubeDoubled(True))
        self._consider()

    def _on_he_doubles(self, _: Sentence, __: str) -> None:
        self._suspecting = False
        self._double = "opponent"
        self._emit(ev.CubeDoubled(False))
        if self.board is None:
            self.resync("doubled without a board")
        self._consider()

    def _taken(self, me: bool, cube: int) -> None:
        self._suspecting = False
        self._double = None
        self._set_timer("reply", None)
        if self.board is not None:
            self.board = replace(
                self.board,
                cube=cube if cube & (cube - 1) == 0 and cube > 0 else self.board.cube,
                may_double=me,
                opponent_may_double=not me,
                was_doubled=False,
                turn="opponent" if me else "me",
                dice=None,
                opponent_dice=None,
            )
        if not me:
            self._turn_done = True  # the server rolls for us; its board line opens the turn again
        self._emit(ev.CubeTaken(me, cube))
        self._consider()

    def _on_you_take(self, s: Sentence, _: str) -> None:
        self._taken(True, s.number("cube"))

    def _on_he_takes(self, s: Sentence, _: str) -> None:
        cube = int(s.values["cube"]) if "cube" in s.values else 2 * (self.board.cube if self.board else 1)
        self._taken(False, cube)

    def _on_he_resigns(self, s: Sentence, _: str) -> None:
        self._suspecting = False
        self._resign, self._resign_points = "opponent", s.number("points")
        self._emit(ev.ResignationOffered(False, self._resign_points))
        if self.board is None or self._resign_points not in (n * self.board.cube for n in (1, 2, 3)):
            self.resync("a resignation that does not fit the cube")
        self._consider()

    def _on_you_resign(self, s: Sentence, _: str) -> None:
        self._resign = "me"
        self._set_timer("reply", None)
        self._emit(ev.ResignationOffered(True, s.number("points")))
        self._consider()

    def _on_you_reject(self, _: Sentence, __: str) -> None:
        self._no_longer_suspect()
        self._resign = None
        self._set_timer("reply", None)
        self._answered = None
        self._emit(ev.ResignationRejected(True))
        self._consider()

    def _on_he_rejects(self, _: Sentence, __: str) -> None:
        self._resign = None
        self._emit(ev.ResignationRejected(False))
        self.resync("resignation rejected")

    # -- end of a game ---------------------------------------------------------------------------------------

    def _on_you_win(self, s: Sentence, _: str) -> None:
        self._game_ends(True, s.number("points"))

    def _on_you_win_unknown(self, _: Sentence, __: str) -> None:
        self._game_ends(True, self.board.cube if self.board is not None else 1)

    def _on_he_wins(self, s: Sentence, _: str) -> None:
        self._game_ends(False, s.number("points"))

    def _on_he_drops(self, s: Sentence, _: str) -> None:
        self._game_ends(True, s.number("points"), ev.CubeDropped(False, s.number("points")))

    def _on_you_drop(self, s: Sentence, _: str) -> None:
        self._game_ends(False, s.number("points"), ev.CubeDropped(True, s.number("points")))

    def _on_you_accept_resign(self, s: Sentence, _: str) -> None:
        self._game_ends(True, s.number("points"), ev.ResignationAccepted(True, s.number("points")))

    def _on_he_accepts_resign(self, s: Sentence, _: str) -> None:
        self._game_ends(False, s.number("points"), ev.ResignationAccepted(False, s.number("points")))

    def _on_score(self, s: Sentence, own_name: str) -> None:
        if own_name not in (s.values["name"], s.values["other"]):
            return
        a, b = s.number("a"), s.number("b")
        if s.values["name"] != own_name:
            a, b = b, a
        self._tell_score(int(s.values.get("length", "0")), a, b)

    def _on_join_prompt(self, _: Sentence, __: str) -> None:
        if self._joined_at is not None and self.now - self._joined_at < 30.0:
            return
        self._prompt()

    def _on_join_wait(self, _: Sentence, __: str) -> None:
        if self._joined_at is not None:
            self._join_boards = 1
            self._set_timer("join", 60.0)

    def _on_match_end(self, s: Sentence, own_name: str) -> None:
        if s.values["name"] not in ("You", own_name, self.opponent):
            return
        won = s.values["name"] != self.opponent
        high, low = s.number("a"), s.number("b")
        mine, his = (high, low) if won else (low, high)
        assert self.opponent is not None
        self._withdraw()
        self._emit(ev.MatchEnded(self.opponent, won, s.number("length"), mine, his))
        self._clear()

    def _on_own_leave(self, s: Sentence, _: str) -> None:
        self._suspend(escape(s.text))

    def _on_saved(self, s: Sentence, _: str) -> None:
        self._suspend(escape(s.text))
        self._command("show saved")

    # -- refusals --------------------------------------------------------------------------------------------

    def _on_not_playing(self, s: Sentence, _: str) -> None:
        self._suspend(escape(s.text))
        self._command("show saved")

    _on_no_leave = _on_not_playing

    def _on_already_rolled(self, _: Sentence, __: str) -> None:
        self._rolls_for_us = True
        if "board" in self._unknown or self._silent_boards >= 2:
            self._unseen_rolls += 1
            if self._unseen_rolls == MAX_UNSEEN_ROLLS:
                # The line with the dice was lost, and this server shows them again only after a resumption.
                self._command("leave", urgent=True)
                return
        self.resync("already rolled", "rejected")

    def _on_not_your_turn(self, _: Sentence, __: str) -> None:
        self.resync("not our turn", "rejected")

    _on_double_late = _on_not_your_turn

    def _on_roll_first(self, _: Sentence, __: str) -> None:
        self._rolled = None
        if self.board is not None:
            self.board = replace(self.board, dice=None)  # those on the line are old
        self.resync("not rolled yet", "rejected")

    def _on_not_your_double(self, _: Sentence, __: str) -> None:
        self._command("roll", urgent=True)

    def _on_no_offer(self, _: Sentence, __: str) -> None:
        self._suspecting = False
        self._double = self._resign = None
        self.resync("no offer is open", "rejected")

    def _on_resign_waits(self, s: Sentence, _: str) -> None:
        if self._resign != "opponent":
            self._resign = "opponent"
            self._resign_points = self.board.cube if self.board is not None else 1
        self.resync("a resignation is open", "rejected")

    def _on_own_resign_waits(self, _: Sentence, __: str) -> None:
        self._resign = "me"
        self._own_offer_waits("resignation")

    def _on_own_double_waits(self, _: Sentence, __: str) -> None:
        self._double = "me"
        self._own_offer_waits("double")

    def _own_offer_waits(self, what: str) -> None:
        self._set_timer("reply", None)
        if self._untouched and not self._reminded:
            # Some servers show a saved offer to nobody: then the opponent does not know what we wait for.
            self._reminded = True
            self._command(f"kibitz My {what} is still open: please type 'accept' or 'reject'.")
        self._consider()

    def _on_move_rejected(self, s: Sentence, _: str) -> None:
        tried, self._sent_steps = self._sent_steps, None
        if tried is not None:
            self._emit(ev.MoveRejected(self._sent_key, tried, escape(s.text)))
            self._rejected.append(tried)
        if len(self._rejected) >= MAX_REJECTED:
            self._alarm(f"the server refused {MAX_REJECTED} moves: {escape(s.text)}")
            return
        self.resync("move refused", "rejected")
