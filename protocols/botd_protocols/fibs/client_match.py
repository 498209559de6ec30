"""A running match: its state, one open question at a time, resynchronisation.

A decision is due by the newest board line plus the offers that are open. `_consider` looks at both after
every line; the timers `settle` and `nudge` hold a question back while the server may still act by itself.
What the server's sentences say about a match is in `client_match_texts`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from botd_protocols.positions import Dice, Step

from . import client_events as ev
from .client_board import BoardLine
from .client_moves import move_command

if TYPE_CHECKING:
    from .client import FibsClientConfig

MAX_BOARDS = 5
MAX_REJECTED = 3
MAX_START_BOARDS = 2
MAX_UNSEEN_ROLLS = 3
"""Times a server without `board` says that we have rolled already, while we do not know the dice."""
MAX_SUSPICIONS = 3
"""Long silences after a resumption that make us think of a hidden offer."""
_TIMERS = (
    *("settle", "nudge", "board", "ask_board", "reply"),
    *("resume", "gone", "dance", "join", "start", "dice", "alarm", "quiet"),
)
_GAME_WORDS = ("roll", "move", "double", "accept", "reject", "resign")
Kind = ev.DecisionKind


class MatchPlay:
    """Board lines, questions and answers; commands, events and timers go through the functions given."""

    def __init__(
        self,
        config: FibsClientConfig,
        emit: Callable[[ev.Event], None],
        command: Callable[..., None],
        set_timer: Callable[[str, float | None], None],
        unknown: set[str],
    ) -> None:
        self._config, self._emit, self._command, self._set_timer = config, emit, command, set_timer
        self._unknown = unknown
        self.now = 0.0
        self.own_invitation: str | None = None
        self.leave_next = False
        self._key = 0
        self._record_opponent: str | None = None
        self._watching = False
        self._start_boards = 0
        self._expecting = False
        self._clear()

    def _clear(self) -> None:
        self.opponent: str | None = None
        self.board: BoardLine | None = None
        self._score: tuple[int, int, int] | None = None
        self._joined_at: float | None = None
        self._joining: str | None = None
        self._join_boards = 0
        self._prompted = False
        self._resumed = False
        self._rolls_for_us = True
        self._new_game()

    def _new_game(self) -> None:
        self.board = None
        self._double: Literal["me", "opponent"] | None = None
        self._resign: Literal["me", "opponent"] | None = None
        self._resign_points = 0
        self._question: ev.DecisionNeeded | None = None
        self._answered: object = None
        self._rolled: Dice | None = None
        self._turn_done = False
        self._count: int | None = None
        self._sent_steps: tuple[Step, ...] | None = None
        self._sent_key = 0
        self._rejected: list[tuple[Step, ...]] = []
        self._game_over = False
        self._boards = 0
        self._silent_boards = 0
        self._board_due = False
        self._last_board_request = float("-inf")
        self._nudged = False
        self._alarmed = False
        self._alarms = 0
        self._blind = self._unseen_rolls = 0
        self._untouched = False
        """The game was resumed, and nothing has happened since."""
        self._suspicions = 0
        self._suspecting = False
        self._reminded = False
        for name in _TIMERS:
            self._set_timer(name, None)
        if self.opponent is not None:
            self.heard()

    # -- start and end ---------------------------------------------------------------------------------------

    def logged_in(self) -> None:
        if self._record_opponent is not None and not self._watching:
            self._command("board", urgent=True)

    def disconnected(self) -> None:
        self._withdraw()

    def _start(self, opponent: str, length: int | None, *, resumed: bool) -> None:
        self.own_invitation = None
        self._expecting = False
        if self.opponent == opponent and not resumed:
            return
        if self.opponent is not None:
            self._suspend("another match began")
        self._clear()
        self.opponent = opponent
        self._resumed = resumed
        self._emit((ev.MatchResumed if resumed else ev.MatchStarted)(opponent, length))
        if resumed:
            self._untouched = True
            self._set_timer("resume", 2.0)

    def heard(self) -> None:
        """Something came that belongs to the match."""
        self._set_timer("quiet", self._config.quiet_limit)

    def _suspend(self, reason: str) -> None:
        if self.opponent is not None:
            self._withdraw()
            self._emit(ev.MatchSuspended(self.opponent, reason, "You terminated" in reason))
            self._clear()

    def invited_by(self, name: str) -> None:
        """An invitation from the very opponent: he knows that our match does not run."""
        if name == self.opponent:
            self._suspend("the opponent invites us")

    def own_record(self, opponent: str | None, watching: bool) -> None:
        """Our own who record: the only sign of a lost opponent on some servers."""
        self._record_opponent, self._watching = opponent, watching
        if opponent is not None:
            self._set_timer("gone", None)
            if self.opponent is None and not watching:
                self._expect_start()
        elif self.opponent is not None:
            self._set_timer("gone", self._config.board_timeout)
            self._command("board", urgent=True)

    def _expect_start(self) -> None:
        """A match should begin now; if nothing tells so, `board` will."""
        self._expecting = True
        self._start_boards = 0
        self._set_timer("start", self._config.move_timeout)

    def invitation_failed(self) -> None:
        """Our `join` or `invite` came to nothing."""
        self.own_invitation = self._joining = None
        self._expecting = False
        self._set_timer("start", None)

    def _start_overdue(self) -> None:
        if self._start_boards < MAX_START_BOARDS and (
            self.own_invitation is not None or self._record_opponent is not None
        ):
            self._start_boards += 1
            self._command("board", urgent=True)
            self._set_timer("start", self._config.move_timeout)
        elif self._joining is not None:
            name, self._joining, self.own_invitation = self._joining, None, None
            self._emit(ev.InvitationFailed(name, "no reply to our join"))
        elif self._record_opponent is not None and not self._watching:
            # The server holds us in a match that it does not show: once saved, it can be resumed.
            self._command("leave", urgent=True)

    def unknown_command(self, word: str) -> None:
        if word == "board":
            self._set_timer("board", None)
            self._go_on_without_board()
        elif word in _GAME_WORDS:
            self.resync(f"the server does not know {word}", "rejected")

    # -- board lines -----------------------------------------------------------------------------------------

    def board_line(self, line: BoardLine) -> None:
        """A valid board line; only lines of our own match count."""
        if not line.mine or self._watching:
            return
        if self.opponent is None:
            if line.opponent not in (self._record_opponent, self.own_invitation):
                return
            between_games = line.turn == "nobody"
            if between_games and not self._expecting:
                return  # a trailing line of a match that is over
            self._start(
                line.opponent, line.match_length, resumed=self.own_invitation is None or between_games
            )
            self._untouched = True  # no text of a new game: some servers load a match without a word
        if line.opponent != self.opponent:
            return
        self._set_timer("board", None)
        self._set_timer("resume", None)
        self.heard()
        self._silent_boards = 0
        asked, self._board_due = self._board_due, False
        if line.turn != "nobody":
            self._set_timer("gone", None)
        before, self.board = self.board, line
        self._emit(ev.BoardSeen(line))
        known_score = self._score
        self._tell_score(line.match_length, line.score, line.opponent_score)
        if line.turn == "nobody":
            if self._resumed:
                self._go_on_between_games(line)
            elif asked and not self._game_over and known_score is not None:
                self._ended_unseen(line, known_score)
            return
        self._resumed = False
        if self._begun_unseen(before, line):
            self._new_game()
            self._joined_at = None
            self.board, before = line, None
            self._emit(ev.GameStarted(line.opponent))
        if before != line:
            self._boards = self._blind = self._unseen_rolls = 0
            self._nudged = False
            self._turn_done = False
            same = before is not None and (before.board, before.dice) == (line.board, line.dice)
            if before is None or not same or before.turn != line.turn:
                self._untouched = self._untouched and before is None
                self._answered = None
                self._set_timer("reply", None)
            if not same:
                self._rejected = []
                self._alarmed = False
                self._set_timer("alarm", None)
        if line.turn == "opponent":
            self._rolled = None
            self._confirm_move()
        elif line.dice is not None:
            if asked and self._stale_dice(line):
                self._rolled = None  # the text was damaged
            if not self._stale_dice(line):
                self._set_timer("dice", None)
        if line.was_doubled:
            self._double = "opponent"
        self._consider()

    def _stale_dice(self, line: BoardLine) -> bool:
        rolled = self._rolled
        return rolled is not None and (line.dice is None or sorted(rolled) != sorted(line.dice))

    def _ended_unseen(self, line: BoardLine, known: tuple[int, int, int]) -> None:
        """We had lost the thread, asked, and the game is over: count it and go on to the next."""
        mine, his = line.score - known[1], line.opponent_score - known[2]
        if max(mine, his) > 0:
            self._game_ends(mine > 0, max(mine, his))
            self._prompt()

    def _go_on_between_games(self, line: BoardLine) -> None:
        """A match was loaded that waits for its next game; some servers load matches that are long over."""
        self._resumed = False
        if 0 < line.match_length <= max(line.score, line.opponent_score):
            self._command("leave", urgent=True)
        else:
            self._prompt()

    def _begun_unseen(self, before: BoardLine | None, line: BoardLine) -> bool:
        """Whether the board we asked for after a `join` without reply shows the next game."""
        if not (self._game_over and self._joined_at is not None and self._join_boards):
            return False
        # A game that ended by a drop leaves its last position, one that was played out a side borne off.
        return line.off == line.opponent_off == 0 and (before is None or line.board != before.board)

    def _tell_score(self, length: int, mine: int, his: int) -> None:
        if self._score != (length, mine, his):
            self._score = (length, mine, his)
            self._emit(ev.ScoreChanged(length, mine, his))

    def _confirm_move(self) -> None:
        if self._sent_steps is not None:
            self._emit(ev.CheckersMoved(True, self._sent_steps))
            self._sent_steps = None

    # -- what is due -----------------------------------------------------------------------------------------

    def _due(self) -> Kind | None:
        line = self.board
        if self.opponent is None or line is None or self._game_over or self._board_due or self._alarmed:
            return None
        if self._resign == "opponent":
            return Kind.RESIGNATION_OFFERED
        if self._resign == "me" or self._double == "me":
            return None
        if self._double == "opponent":
            return Kind.DOUBLE_OFFERED
        if line.turn != "me" or self._turn_done:
            return None
        if line.dice is not None:
            return None if self._stale_dice(line) else Kind.MOVE
        return None if self._rolled is not None or line.double_open else Kind.ROLL_OR_DOUBLE

    def _fingerprint(self, kind: Kind) -> object:
        line = self.board
        assert line is not None
        points = self._resign_points if kind is Kind.RESIGNATION_OFFERED else 0
        return (kind, line.board, line.dice, line.turn, line.cube, line.score, points)

    def _consider(self, *, prompted: bool = False) -> None:
        kind = self._due()
        if self._question is not None and (
            kind is not self._question.kind or self._fingerprint(kind) != self._asked
        ):
            self._withdraw()
        self._set_timer("settle", None)
        self._set_timer("nudge", None)
        if kind is None or self._question is not None or self._fingerprint(kind) == self._answered:
            return
        if kind is Kind.MOVE and not prompted:
            self._set_timer("settle", self._config.settle)
        elif kind is Kind.ROLL_OR_DOUBLE and not prompted:
            known = not self._rolls_for_us and self.board is not None and not self.board.can_double
            self._set_timer("nudge", self._config.settle if known else self._config.roll_nudge)
        else:
            self._ask(kind)

    def _ask(self, kind: Kind) -> None:
        line = self.board
        assert line is not None
        if kind is Kind.ROLL_OR_DOUBLE and not line.can_double:
            # Nothing to decide: the rules leave only the roll.
            self._answered = self._fingerprint(kind)
            self._command("roll", urgent=True)
            return
        level = 0
        if kind is Kind.MOVE or kind is Kind.ROLL_OR_DOUBLE:
            view = line.view("me")
        elif kind is Kind.DOUBLE_OFFERED:
            owner: Literal["centered", "opponent"] = (
                "opponent" if line.cube_owner == "opponent" else "centered"
            )
            if line.double_open and line.cube > 1:
                owner = "opponent"  # the flags are off while the offer stands; a turned cube was his
            view = line.view("opponent", owner)
        else:
            view = line.view("me" if line.turn == "me" else "opponent")
            level = min(3, max(1, self._resign_points // line.cube))
        self._key += 1
        self._asked = self._fingerprint(kind)
        self._question = ev.DecisionNeeded(
            kind,
            self._key,
            view,
            line,
            resign_level=level,
            resign_points=self._resign_points,
            rejected=tuple(self._rejected),
            count=self._count,
        )
        self._emit(self._question)

    def _withdraw(self) -> None:
        if self._question is not None:
            self._emit(ev.DecisionWithdrawn(self._question.key))
            self._question = None

    # -- answers ---------------------------------------------------------------------------------------------

    def answer(self, key: int, command: str, kind: Kind | None = None) -> None:
        question = self._question
        if question is None or question.key != key:
            self._emit(ev.StaleAnswer(key))
            return
        offers = (Kind.DOUBLE_OFFERED, Kind.RESIGNATION_OFFERED)
        if question.kind not in (offers if kind is None else (kind,)):
            raise ValueError(f"decision {key}: {command} does not answer {question.kind}")
        self._question = None
        self._answered = self._asked
        self._command(command, urgent=True)

    def answer_move(self, key: int, steps: tuple[Step, ...]) -> None:
        question = self._question
        if question is None or question.key != key or self.board is None:
            self._emit(ev.StaleAnswer(key))
            return
        if not steps:
            self._question = None
            self._answered = self._asked
            self._set_timer("dance", 5.0)
            return
        text = move_command(steps, self.board.direction)
        self.answer(key, text, Kind.MOVE)
        self._sent_steps, self._sent_key = steps, key

    def resign(self, letter: str) -> None:
        if self.opponent is not None and self._resign is None:
            self._command(f"resign {letter}", urgent=True)

    def sent(self, command: str) -> None:
        """A command went out: start its clock."""
        word = command.split(maxsplit=1)[0]
        if word == "board":
            self._last_board_request = self.now
            self._set_timer("board", self._config.board_timeout)
        elif word == "join" and command != word and self.opponent is None:
            self._joining = self.own_invitation
            self._expect_start()
        elif word in _GAME_WORDS and self.opponent is not None:
            self._set_timer("reply", self._config.move_timeout)

    def join_next(self) -> None:
        """Answer the prompt between games, once."""
        if self._prompted:
            self._prompted = False
            self._joined_at = self.now
            self._command("leave" if self.leave_next else "join", urgent=True)
            self._join_boards = 0
            self._set_timer("join", self._config.move_timeout)

    # -- end of a game ---------------------------------------------------------------------------------------

    def _game_ends(self, won: bool, points: int, told: ev.Event | None = None) -> None:
        if self._game_over:
            return
        self._confirm_move()
        self._game_over = True
        self._double = self._resign = None
        self._set_timer("reply", None)
        self._set_timer("dice", None)
        self._withdraw()
        if told is not None:
            self._emit(told)
        self._emit(ev.GameEnded(won, points))
        self._consider()

    def _prompt(self) -> None:
        assert self.opponent is not None
        self._game_over = True
        self._prompted = True
        self._withdraw()
        self._emit(ev.JoinPrompt(self.opponent))
        if self._config.auto_join:
            self.join_next()

    # -- resynchronisation -----------------------------------------------------------------------------------

    def resync(
        self, reason: str, cause: ev.Cause | None = "board_mismatch", *, silence: bool = False
    ) -> None:
        """Drop the open question, read the board, decide afresh. `silence`: the server said nothing; no
        `cause`: somebody asked for it."""
        if self.opponent is None:
            return
        if cause is not None:
            self._emit(ev.OutOfStep(cause))
        self._withdraw()
        self._answered = None
        self._set_timer("reply", None)
        if "board" in self._unknown or self._silent_boards >= 2:
            self._blind += not silence
            if self._blind > MAX_BOARDS:
                self._alarm(f"still out of step, and the server shows no board: {reason}")
            else:
                self._go_on_without_board()
            return
        if self._boards >= MAX_BOARDS:
            self._alarm(f"still out of step after {MAX_BOARDS} boards: {reason}")
            return
        self._board_due = True
        wait = self._last_board_request + 2.0 - self.now
        if wait > 0:
            self._set_timer("ask_board", wait)
        else:
            self._request_board()

    def _listen(self) -> None:
        """Nothing came for long: the opponent thinks, or a line was lost. Believe the board alone.

        Offers of ours that the board does not show are forgotten; a server that still waits for their answer
        refuses the next command and so tells us.
        """
        self.heard()
        if self._question is not None or self._alarmed or self._game_over:
            return
        self._answered = self._rolled = None
        self._turn_done = False
        if self._resign == "me":
            self._resign = None
        if self._double == "me" and not (self.board is not None and self.board.double_open):
            self._double = None
        if self._suspect_an_offer():
            self._consider()
            return
        if "board" in self._unknown:
            self._command(f"who {self._config.name}")
            self._consider()
            return
        self._emit(ev.OutOfStep("timeout"))
        self._board_due = True
        self._last_board_request = self.now
        self._command("board", urgent=True)
        self._set_timer("board", self._config.board_timeout)

    def _suspect_an_offer(self) -> bool:
        """After a resumption nothing happens: has a server saved an offer of the opponent's and not shown it?

        Then he cannot go on until we answer. We answer what may be offered here as if it were: a double if he
        may double, else a resignation; the decision fits either. Where nothing is offered the server says so.
        """
        line = self.board
        if not self._untouched or line is None or line.turn != "opponent" or line.double_open:
            return False
        self._suspicions += 1
        if self._suspicions == 1 or self._suspicions > MAX_SUSPICIONS or self._double or self._resign:
            return False  # the first time it may be but a lost line
        self._suspecting = True
        if line.opponent_dice is None and line.opponent_can_double:
            self._double = "opponent"
        else:
            self._resign, self._resign_points = "opponent", line.cube
        return True

    def _no_longer_suspect(self) -> None:
        """The answer to an offer that may be none has been dealt with, or nobody took notice of it."""
        if self._suspecting:
            self._suspecting = False
            self._double = self._resign = None

    def _alarm(self, text: str) -> None:
        """Keep still for a while, so that an operator can look; then begin afresh."""
        if self._alarmed:
            return
        self._alarmed = True
        self._alarms += 1
        self._set_timer("reply", None)
        self._withdraw()
        self._set_timer("alarm", self._config.alarm_wait)
        self._emit(ev.Alarm(text))

    def _after_alarm(self) -> None:
        """Decide again from a fresh board, once; then let the server save what cannot go on."""
        if self._alarms > 1:
            self._command("leave", urgent=True)
            self._set_timer("alarm", self._config.alarm_wait)  # again, should that be lost
            return
        self._alarmed = False
        self._boards = self._silent_boards = self._blind = 0
        self._rejected = []
        self.resync("an alarm is over", "timeout")

    def _request_board(self) -> None:
        self._boards += 1
        self._last_board_request = self.now
        self._command("board", urgent=True)
        self._set_timer("board", self._config.board_timeout)

    def _go_on_without_board(self) -> None:
        self._board_due = False
        self._answered = None
        if self.board is not None and self.board.turn == "me" and self._stale_dice(self.board):
            self.board = replace(self.board, dice=self._rolled)  # the text has told them
        self._consider()

    def timer(self, name: str) -> None:
        """A timer of the match is due."""
        if self.opponent is None:
            if name == "start":
                self._start_overdue()
            return
        if name in ("settle", "nudge"):
            if name == "nudge" and self.board is not None and not self.board.can_double:
                self._rolls_for_us = False  # and neither does it ask; the next time we do not wait
            self._consider(prompted=True)
        elif name == "board":
            self._silent_boards += 1
            if self._silent_boards < 2 and self._board_due:
                self._request_board()
            else:
                self._command(f"who {self._config.name}")
                self._go_on_without_board()
        elif name in ("ask_board", "resume"):
            if name == "resume":
                self._emit(ev.OutOfStep("resumed"))
            self._request_board()
        elif name == "reply":
            self._sent_steps = None
            self._no_longer_suspect()
            self.resync("no reply", "timeout", silence=True)
        elif name == "gone":
            self._suspend("the opponent is gone")
            self._command("show saved")
        elif name == "dance" and self._due() is Kind.MOVE and not self._nudged:
            self._nudged = True
            self._command("roll", urgent=True)
        elif name == "dice":
            self.resync("no board line after our roll", "timeout")
        elif name == "alarm":
            self._after_alarm()
        elif name == "quiet":
            self._listen()
        elif name == "join" and self._joined_at is not None and self._game_over:
            self._join_overdue()

    def _join_overdue(self) -> None:
        """No game has begun after our `join`: has it, and the text was lost? Later, say it again."""
        assert self._joined_at is not None
        if self._join_boards == 0:
            self._join_boards = 1
            self._command("board", urgent=True)
            self._set_timer("join", 60.0 - self._config.move_timeout)
        else:
            self._join_boards = 0
            self._joined_at = self.now
            self._command("join", urgent=True)
            self._set_timer("join", self._config.move_timeout)
