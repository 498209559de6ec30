"""A match we sit in: what is due by the newest board, one open question at a time, resynchronisation.

Everything is decided from the newest `board`, never from differences. An action is tied to the state it was
meant for and is sent once for it; only a time-out, followed by a `board` we asked for, allows it again. What
is told of the match (games, rolls, plays, cube, score) is in `client_story`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from botd_protocols.positions import Step

from . import client_commands as commands
from . import client_events as ev
from .client_board import BoardError, BoardState, can_move, read_board, resignation_cost
from .client_messages import Board, Moved, Rolled, Win
from .client_queue import CommandQueue
from .client_story import MatchStory
from .client_text import shown
from .client_turn import Plan

if TYPE_CHECKING:
    from .client import BgammonClientConfig

MAX_FAILURES = 3
"""Refused plays of one turn; after them steps are taken from what the server offers."""
LOOK_GAP = 10.0
"""Seconds between two boards read because somebody asked for it."""
MAX_BOARDS = 8
"""Boards asked for in one situation; after them there is no point in going on."""
_TIMERS = ("reply", "board", "forced", "opening", "away", "idle", "remind", "question", "win", "look")
Kind = ev.DecisionKind
_Action = Kind | str | None


class MatchPlay:
    """One seat in one match. `leave` gives the seat up, after a last line to the opponent (or none)."""

    def __init__(
        self,
        config: BgammonClientConfig,
        me: str,
        key: int,
        emit: Callable[[ev.Event], None],
        queue: CommandQueue,
        set_timer: Callable[[str, float | None], None],
        leave: Callable[[str], None],
    ) -> None:
        """`key`: the last one used; the questions of this match go on from there."""
        self._config, self._emit, self._queue, self._set_timer = config, emit, queue, set_timer
        self._me = me
        self._leave = leave
        self.key = key
        self._story = MatchStory(me, emit)
        self._state: BoardState | None = None
        self._closed = False
        """We are on our way out; nothing of this match matters any more."""
        self.leave_after_game = False
        self._away = False
        self._board_due = True
        self._boards = 0
        self._bad_boards = 0
        self._looked = False
        self._acted: object = None
        """The state for which an action has been sent or a question answered."""
        self._sent: str | None = None
        self._question: ev.DecisionNeeded | None = None
        self._asked: object = None
        self._turn: object = None
        self._clock: object = None
        self._plan: Plan | None = None
        self._failures = 0
        self._double_refused = False
        self._rejected: list[tuple[Step, ...]] = []
        self._forced_too_long: object = None
        self._set_timer("board", config.reply_timeout)

    # -- what is known ---------------------------------------------------------------------------------------

    @property
    def opponent(self) -> str | None:
        """Whom we play once the match has begun, as it may be shown; None before and after."""
        return self._story.opponent if self._story.running else None

    @property
    def seated(self) -> bool:
        """Somebody sits opposite or is expected back."""
        state = self._state
        return self._story.running or (state is not None and state.opponent != "" and not self._away)

    @property
    def waiting(self) -> bool:
        """Nobody has come yet."""
        return not (self._closed or self.seated)

    def is_opponent(self, name: str) -> bool:
        """Whether this is who sits opposite, as the server writes it."""
        return self._state is not None and name == self._state.opponent

    @property
    def over(self) -> bool:
        """Played to its end; both may still sit there."""
        return self._story.over

    # -- events of the server --------------------------------------------------------------------------------

    def board(self, event: Board) -> None:
        if self._closed:
            return
        if event.Variant != 0:
            self._leave_as(
                f"variant {event.Variant} is not plain backgammon",
                left_by_us=True,
                last_words="Sorry, I play only plain backgammon.",
            )
            return
        if event.Spectating:
            self._leave_as("we were only watching", left_by_us=True)
            return
        if event.Player1.Name != self._me:
            self.bad_board("the board is not seen from our seat")
            return
        try:
            state = read_board(event)
        except BoardError as error:
            self.bad_board(str(error))
            return
        if self._stranded(state):
            self.bad_board("no step is offered although the rules allow one")
            return
        self._bad_boards = 0
        self._take(state)

    def bad_board(self, reason: str) -> None:
        """A board nobody can play on: asked for again once, then the match is given up."""
        if self._closed:
            return
        self._emit(ev.UnparsedLine(f"board: {shown(reason)}"))
        self._bad_boards += 1
        if self._bad_boards > 1:
            self._give_up(f"two boards in a row cannot be played: {reason}")
        else:
            self.resync(reason)

    def rolled(self, event: Rolled) -> None:
        if event.Player == self._me and self._sent == "roll":
            self._answered()
        self._story.rolled(event)

    def moved(self, event: Moved) -> None:
        self._story.moved(event)

    def win(self, event: Win) -> None:
        self._story.win(event, self._state)
        self._withdraw()
        self._queue.drop_game()
        self._answered()
        self._set_timer("win", self._config.reply_timeout)

    def opponent_joined(self) -> None:
        self._away = False
        self._set_timer("away", None)
        self._expect_board()

    def opponent_left(self, name: str) -> None:
        state = self._state
        if self._closed or state is None or not self.is_opponent(name):
            return
        self._away = True
        self._withdraw()
        self._queue.drop_game()
        self._answered()
        self._set_timer("board", None)
        self._watch_clock()
        if self._story.running:
            self._set_timer("away", self._config.away_limit)

    def refused(self, command: str, reason: str) -> None:
        """The server says no to a command: look at the board before anything else."""
        if self._closed or self._away:
            return
        refusal: ev.Event = ev.CommandRejected(command, shown(reason))
        if command in ("move", "ok", "reset"):
            self._failures += 1
        if command == "move" and self._plan is not None:
            refusal = ev.MoveRejected(self.key, self._plan.steps, shown(reason))
            self._drop_plan()
        elif command == "double":
            self._double_refused = True
        self._emit(refusal)
        self.resync(f"{command} refused: {reason}", "rejected")

    def stop(self) -> None:
        """We log out; the match may be taken up again."""
        self._withdraw()
        self._close()

    def disconnected(self) -> None:
        self._story.finish_game()
        self._withdraw()

    def removed(self, reason: str) -> None:
        """We sit in this match no longer."""
        self._withdraw()
        self._story.suspended(reason, left_by_us=False)
        self._close()

    # -- a good board ----------------------------------------------------------------------------------------

    def _stranded(self, state: BoardState) -> bool:
        return (
            state.turn == "me"
            and state.winner is None
            and state.rolled is not None
            and not (state.moves or state.available or state.double_open)
            and can_move(state.board, state.rolled)
        )

    def _take(self, state: BoardState) -> None:
        before, self._state = self._state, state
        self._board_due = False
        self._set_timer("board", None)
        self._away = self._away and state.opponent != ""
        if self._key(before) != self._key(state):
            self._boards = 0
            self._acted = None
            self._queue.drop_game()
            self._answered()
            self._set_timer("forced", None)
        planned = () if self._plan is None else self._plan.steps
        turn = self._turn_key(state)
        if turn != self._turn:
            self._turn = turn
            self._plan = None
            self._failures = 0
            self._double_refused = False
            self._rejected = []
        if state.opponent and (before is None or before.opponent != state.opponent):
            begun = state.turn != "nobody" or state.score + state.opponent_score > 0
            self._emit(ev.Seated(shown(state.opponent, 40), state.opponent_rating, state.match_length, begun))
        between = state.winner is not None and not state.match_over
        self._set_timer("win", self._config.reply_timeout if between else None)
        ended = self._story.games
        self._story.board(state, planned)
        if state.rating and (before is None or before.rating != state.rating):
            self._emit(ev.OwnRating(state.rating))
        if self._story.over:
            self._withdraw()
            self._close()
            self._set_timer("get_up", self._config.leave_delay)
        elif self._story.games > ended and self.leave_after_game:
            self._leave_as("left between games", left_by_us=True)
        else:
            self._watch_clock()
            self._consider()

    @staticmethod
    def _key(state: BoardState | None) -> object:
        """What an action was meant for: equal keys, equal situations."""
        if state is None:
            return None
        return (
            *(state.opponent, state.score, state.opponent_score, state.board, state.turn, state.rolled),
            *(state.opening_die != 0, state.moves, state.available, state.winner, state.cube),
            *(state.cube_owner, state.double_open),
        )

    def _turn_key(self, state: BoardState) -> object:
        dice = None if state.rolled is None else tuple(sorted(state.rolled))
        return (state.opponent, state.score, state.opponent_score, state.turn, dice, state.double_open)

    def _watch_clock(self) -> None:
        """Start or stop the clocks that run while the opponent has to do something.

        They run for a whole turn: moving checkers to and fro does not stop them.
        """
        state, c = self._state, self._config
        if self._clock == (self._turn, self._away):
            return
        self._clock = (self._turn, self._away)
        waiting = state is not None and state.opponent != "" and state.winner is None and not self._away
        opening = waiting and state is not None and state.turn == "nobody"
        his = (
            waiting
            and state is not None
            and state.turn != "nobody"
            and (state.turn == "opponent") != state.double_open
        )
        self._set_timer("opening", c.opening_limit if opening else None)
        self._set_timer("idle", self._idle_limit(state) if his else None)
        self._set_timer("remind", c.idle_reminder if his else None)

    def _idle_limit(self, state: BoardState | None) -> float | None:
        limit = self._config.idle_limit
        rated = limit is not None and state is not None and state.rated
        return max(limit or 0.0, self._config.rated_idle_limit) if rated else limit

    # -- what is due -----------------------------------------------------------------------------------------

    def _due(self, state: BoardState) -> _Action:
        """A question, or a command, or nothing."""
        if state.winner is not None or not state.opponent:
            return None
        if state.double_open:
            return Kind.DOUBLE_OFFERED if state.turn == "opponent" else None
        if state.turn == "nobody":
            return None if state.opening_die or self._story.own_opening_die else "roll"
        if state.turn == "opponent":
            return None
        if state.rolled is None:
            return Kind.ROLL_OR_DOUBLE if state.can_double and not self._double_refused else "roll"
        if state.forced and self._forced_too_long != self._key(state):
            self._set_timer("forced", self._config.reply_timeout)
            return None
        return self._checkers(state)

    def _checkers(self, state: BoardState) -> _Action:
        plan = self._plan
        desperate = self._failures >= MAX_FAILURES
        if not state.available:
            if plan is not None and plan.target != state.board and state.moves and not desperate:
                self._failures += 1
                self._drop_plan()
                return "reset"
            return "ok"
        if plan is not None and not desperate:
            step = plan.next_step(state)
            if step is not None:
                return commands.move(step)
            self._failures += 1
            self._drop_plan()
        if desperate:
            return commands.move(state.available[self._failures % len(state.available)])
        return "reset" if state.moves else Kind.MOVE

    def _drop_plan(self) -> None:
        if self._plan is not None:
            self._rejected.append(self._plan.steps)
            self._plan = None

    def _consider(self) -> None:
        state = self._state
        if state is None or self._closed or self._away or self._board_due:
            self._withdraw()
            return
        key = self._key(state)
        if key == self._acted:
            return
        if self._question is not None and key != self._asked:
            self._withdraw()
        if self._question is not None:
            return
        action = self._due(state)
        if isinstance(action, Kind):
            self._ask(action, state, key)
        elif action is not None:
            self._command(action, key)

    def _ask(self, kind: Kind, state: BoardState, key: object) -> None:
        self.key += 1
        self._asked = key
        view = state.view("opponent" if kind is Kind.DOUBLE_OFFERED else "me")
        if kind is Kind.DOUBLE_OFFERED:
            view = replace(view, dice=None)
        cost = resignation_cost(state.board) if kind is Kind.ROLL_OR_DOUBLE else 1
        self._question = ev.DecisionNeeded(
            kind, self.key, view, state, resign_cost=cost, rejected=tuple(self._rejected)
        )
        self._set_timer("question", self._config.answer_limit)
        self._emit(self._question)

    def _withdraw(self) -> None:
        if self._question is not None:
            self._emit(ev.DecisionWithdrawn(self._question.key))
            self._question = None
        self._set_timer("question", None)

    def _command(self, command: str, key: object) -> None:
        self._acted = key
        self._queue.game(command)

    # -- answers ---------------------------------------------------------------------------------------------

    def answer(self, key: int, command: str, kind: Kind) -> None:
        question = self._question
        if question is None or question.key != key:
            self._emit(ev.StaleAnswer(key))
            return
        if question.kind is not kind:
            raise ValueError(f"decision {key}: {command} does not answer {question.kind}")
        self._question = None
        self._set_timer("question", None)
        self._command(command, self._asked)

    def answer_move(self, key: int, steps: tuple[Step, ...]) -> None:
        """Raises ValueError for steps that cannot be made; the question then stays open."""
        question, state = self._question, self._state
        if question is None or question.key != key or state is None or state.rolled is None:
            self._emit(ev.StaleAnswer(key))
            return
        if question.kind is not Kind.MOVE:
            raise ValueError(f"decision {key}: a move does not answer {question.kind}")
        self._plan = Plan(state.board, steps, state.rolled)
        self._question = None
        self._set_timer("question", None)
        self._consider()

    def resign(self, level: int) -> None:
        """Lose the game at once, on our own turn, if that costs no more than `level` cubes."""
        state = self._state
        if state is None or self._closed or self._away or state.winner is not None:
            return
        key = self._key(state)
        ours = state.turn == "me" and not state.double_open and key != self._acted
        if ours and resignation_cost(state.board) <= level:
            self._withdraw()
            self._command("resign", key)

    # -- clocks ----------------------------------------------------------------------------------------------

    def sent(self, command: str) -> None:
        """A game command went out: expect something to come of it."""
        self._sent = command.split(maxsplit=1)[0]
        if self._sent != "board":
            self._set_timer("reply", self._config.reply_timeout)

    def _answered(self) -> None:
        self._sent = None
        self._set_timer("reply", None)

    @property
    def sent_word(self) -> str | None:
        """The first word of the game command that waits for its effect."""
        return self._sent

    def _expect_board(self) -> None:
        """A board is on its way and must come first; asked for if it does not."""
        self._board_due = True
        self._withdraw()
        self._acted = None
        self._set_timer("board", self._config.reply_timeout)

    def resync(self, reason: str, cause: ev.Cause | None = "board_mismatch") -> None:
        """Drop the open question, read the board, decide afresh. No `cause`: somebody asked for it."""
        if self._closed:
            return
        if cause is not None:
            self._emit(ev.OutOfStep(cause))
        self._withdraw()
        self._queue.drop_game()
        self._answered()
        self._acted = None
        self._boards += 1
        if self._boards > MAX_BOARDS:
            self._give_up(f"still out of step after {MAX_BOARDS} boards: {reason}")
            return
        self._board_due = True
        self._queue.game("board")
        self._set_timer("board", self._config.reply_timeout)

    def look_again(self) -> None:
        """Somebody thinks we are stuck: read the board and decide afresh. Asking often does not help."""
        if self._closed or self._looked or self._board_due:
            return
        self._looked = True
        self._set_timer("look", LOOK_GAP)
        self._boards -= 1  # nobody's fault, so it does not count towards giving up
        self.resync("asked", None)

    def timer(self, name: str) -> None:
        """A timer of the match is due."""
        if self._closed:
            return
        c = self._config
        if name == "look":
            self._looked = False
        elif name == "reply":
            sent = self._sent or "our command"
            if sent in ("move", "ok", "reset"):
                self._failures += 1
            elif sent == "double":
                self._double_refused = True
            self.resync(f"nothing came of {sent}", "timeout")
        elif name in ("board", "win"):
            self.resync("the board did not come", "timeout")
        elif name == "forced":
            self._forced_too_long = self._key(self._state)
            self.resync("the server does not play the forced move", "timeout")
        elif name == "question":
            self._emit(ev.Alarm(f"a decision took more than {c.answer_limit:.0f} s; the client chose"))
            self._choose()
        elif name == "remind":
            self._queue.chat(commands.say("It is your turn."))
        elif name == "idle":
            seconds = self._idle_limit(self._state) or 0.0
            self._leave_as(f"the opponent did nothing for {seconds:.0f} s", left_by_us=True)
        elif name == "opening":
            self._leave_as(f"the opponent did not roll for {c.opening_limit:.0f} s", left_by_us=True)
        elif name == "away":
            self._leave_as("the opponent left and did not come back", left_by_us=False)

    def _choose(self) -> None:
        """Answer the open question ourselves, as simply as can be."""
        question = self._question
        assert question is not None
        kind = question.kind
        self._withdraw()
        if kind is Kind.MOVE:
            self._failures = MAX_FAILURES
            self._consider()
        else:
            self._command("ok" if kind is Kind.DOUBLE_OFFERED else "roll", self._asked)

    def refuse(self, text: str) -> None:
        """Get up again before the match has begun, with a line that says why."""
        if not (self._closed or self._story.running):
            self._leave_as("refused", left_by_us=True, last_words=text)

    # -- the way out -----------------------------------------------------------------------------------------

    def _give_up(self, reason: str) -> None:
        """Something is wrong that playing on would not mend."""
        self._emit(ev.Alarm(f"the match is given up: {shown(reason)}"))
        self._leave_as(reason, left_by_us=True)

    def _leave_as(self, reason: str, *, left_by_us: bool, last_words: str = "") -> None:
        self._withdraw()
        self._story.suspended(reason, left_by_us=left_by_us)
        self._close()
        self._leave(last_words)

    def _close(self) -> None:
        self._closed = True
        self._queue.drop_game()
        self._answered()
        for name in _TIMERS:
            self._set_timer(name, None)
