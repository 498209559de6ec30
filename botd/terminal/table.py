"""A person and the engine at one table: shows, asks, and carries out what is typed."""

from __future__ import annotations

from collections.abc import Callable

from botd.engine import rules
from botd.terminal.board import Scene, Style, draw
from botd.terminal.commands import HELP, Action, Command, CommandError, parse_command
from botd.terminal.engine_seat import EngineSeat
from botd.terminal.local_match import GameEnd, GameResult, IllegalActionError, LocalMatch, Phase, Seat

_KINDS = ("a single game", "a gammon", "a backgammon")


class Table:
    """One match between `ask` (prompt in, line out; EOFError ends it) and the engine."""

    def __init__(
        self,
        match: LocalMatch,
        engine: EngineSeat,
        *,
        ask: Callable[[str], str],
        say: Callable[[str], None],
        style: Style,
        name: str = "You",
        automatic_roll: bool = True,
    ) -> None:
        self.match = match
        self._engine = engine
        self._ask = ask
        self._say = say
        self._style = style
        self._name = name
        self._automatic_roll = automatic_roll

    def play(self) -> bool:
        """Play until the match is over (True) or the person quits (False). EOFError counts as quitting."""
        try:
            while self.match.phase is not Phase.OVER:
                if not self._step():
                    return False
        except EOFError:
            self._say("")
            return False
        winner = self.match.winner
        self._say(f"{'You win' if winner is Seat.PERSON else 'The engine wins'} the match {self._score()}.")
        return True

    def score_line(self) -> str:
        goal = f"{self.match.length} point match" if self.match.length else "money play"
        return f"Score ({goal}): {self._score()} (you - engine)"

    def _score(self) -> str:
        return f"{self.match.score[Seat.PERSON]}-{self.match.score[Seat.ENGINE]}"

    def _step(self) -> bool:
        match = self.match
        if match.phase is Phase.BETWEEN_GAMES:
            return self._next_game()
        if match.to_act is Seat.ENGINE:
            self._engine_acts()
            return True
        if match.phase is Phase.MOVE and not match.legal_plays():
            self._show_board()
            self._say("You cannot move.")
            match.move(Seat.PERSON, "")
            return True
        if match.phase is Phase.ROLL and self._automatic_roll and match.why_no_double(Seat.PERSON):
            self._roll()
            return True
        if match.phase in (Phase.ROLL, Phase.MOVE, Phase.DOUBLED):
            self._show_board()
        return self._person_acts()

    def _next_game(self) -> bool:
        match = self.match
        if match.length == 0 and match.game and not self._wants_more():
            return False
        openings = match.start_game()
        self._say(f"\nGame {match.game}. {self.score_line()}{', Crawford game' if match.crawford else ''}")
        for mine, theirs in openings:
            tie = " - again" if mine == theirs else ""
            self._say(f"You roll {mine}, the engine rolls {theirs}{tie}.")
        return True

    def _wants_more(self) -> bool:
        while True:
            answer = self._ask("Another game? (yes or no) ").strip().lower()
            if answer in ("y", "yes", ""):
                return True
            if answer in ("n", "no", "q", "quit"):
                return False
            self._say("Please answer yes or no.")

    def _engine_acts(self) -> None:
        match = self.match
        rolled = match.dice
        done = self._engine.act(match)
        dice = f" {rolled[0]} {rolled[1]}:" if rolled and match.dice is None else ""
        equity = f"   (equity {done.equity:+.3f})" if done.equity is not None else ""
        self._say(f"Engine{dice} {done.text}{equity}")
        if done.result:
            self._game_over(done.result)

    def _game_over(self, result: GameResult) -> None:
        if result.how is GameEnd.BORNE_OFF:
            self._show_board()
        who = "You win" if result.winner is Seat.PERSON else "The engine wins"
        self._say(f"{who} {result.points} point{'s' if result.points != 1 else ''}. {self.score_line()}")

    def _person_acts(self) -> bool:
        """Ask until something is done; False if the person quits."""
        while True:
            try:
                command = parse_command(self._ask(self._prompt()))
                if command.action is Action.QUIT:
                    return False
                if self._carry_out(command):
                    return True
            except (CommandError, IllegalActionError) as error:
                self._say(f"  {error}")

    def _prompt(self) -> str:
        match = self.match
        match match.phase:
            case Phase.ROLL:
                return "Roll or double? " if not match.why_no_double(Seat.PERSON) else "Roll: "
            case Phase.MOVE if match.dice:
                return f"Your move with {match.dice[0]} {match.dice[1]}: "
            case Phase.DOUBLED:
                choices = "take, pass or beaver" if match.beavers else "take or pass"
                return f"The engine doubles to {2 * match.cube}: {choices}? "
            case Phase.BEAVERED:
                return f"The engine beavers, the cube is at {match.cube}: take or pass? "
            case Phase.RESIGNING:
                kind = _KINDS[match.resignation_level - 1]
                points = match.resignation_level * match.cube
                return f"The engine wants to resign {kind} ({points}): accept or reject? "
            case _:
                return "> "

    def _carry_out(self, command: Command) -> bool:
        """True if the match went on. Raises IllegalActionError."""
        match, me = self.match, Seat.PERSON
        answering = match.phase is Phase.RESIGNING
        match command.action:
            case Action.ROLL:
                self._roll()
            case Action.MOVE:
                play = match.move(me, command.move)
                self._say(f"You play {play.notation}.")
                if match.result:
                    self._game_over(match.result)
            case Action.DOUBLE:
                self._say(f"You double to {match.double(me)}.")
            case Action.TAKE | Action.PASS if answering:
                self._answer_resignation(command.action is Action.TAKE)
            case Action.TAKE:
                self._say(f"The cube is at {match.take(me)}.")
            case Action.PASS:
                self._game_over(match.refuse(me))
            case Action.BEAVER:
                self._say(f"The cube is at {match.beaver(me)}.")
            case Action.RESIGN:
                match.resign(me, command.level)
                self._say(f"You offer to lose {_KINDS[command.level - 1]}.")
            case _:
                self._inform(command.action)
                return False
        return True

    def _roll(self) -> None:
        first, second = self.match.roll(Seat.PERSON)
        self._say(f"You roll {first} {second}.")

    def _answer_resignation(self, accept: bool) -> None:
        level = self.match.resignation_level
        result = self.match.answer_resignation(Seat.PERSON, accept)
        if result:
            self._game_over(result)
        else:
            self._engine.refused(self.match, level)

    def _inform(self, action: Action) -> None:
        match action:
            case Action.HINT:
                self._hint()
            case Action.BOARD:
                self._show_board()
            case Action.PIPS:
                mine, theirs = rules.pip_counts(self.match.board(Seat.PERSON))
                self._say(f"  Pips: you {mine}, the engine {theirs}.")
            case _:
                self._say(HELP)

    def _hint(self) -> None:
        match = self.match
        match match.phase:
            case Phase.MOVE:
                best = self._engine.best_play(match)
                for number, ranked in enumerate(best.plays[:5], start=1):
                    loss = ranked.equity - best.best.equity
                    chances = ranked.probabilities
                    self._say(
                        f"  {number}. {ranked.play.notation:<24} {ranked.equity:+.3f}"
                        f"{f'  ({loss:+.3f})' if number > 1 else ''}"
                        f"{f'  wins {chances.win:.1%}' if chances is not None else ''}"
                    )
            case Phase.ROLL | Phase.DOUBLED:
                cube = self._engine.cube(match)
                answer = f"{cube.response.value}" if match.phase is Phase.DOUBLED else cube.decision_text
                view = "the engine's" if match.phase is Phase.DOUBLED else "your"
                self._say(
                    f"  {answer}   ({view} equity: no double {cube.no_double:+.3f},"
                    f" double and take {cube.double_take:+.3f}, double and pass {cube.double_pass:+.3f})"
                )
            case Phase.RESIGNING:
                verdict = self._engine.resignation(match)
                self._say(
                    f"  {'accept' if verdict.accept else 'reject'}   (the offer is worth"
                    f" {verdict.resign_equity:+.3f}, playing on {verdict.equity:+.3f})"
                )
            case _:
                self._say("  take: passing a beaver is hardly ever right")

    def _show_board(self) -> None:
        match, me = self.match, Seat.PERSON
        scene = Scene(
            board=match.board(me),
            context=match.context(me),
            player=self._name,
            opponent="Engine",
            dice=match.dice,
            player_on_roll=match.on_roll is me,
            doubling=match.phase is Phase.DOUBLED,
        )
        self._say("\n" + "\n".join(draw(scene, self._style)))
