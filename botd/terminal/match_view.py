"""A match of the journal as lines of text, from our seat: board by board, or one line a move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from botd.engine import rules
from botd.engine.types import CubeOwner, GameContext
from botd.journal.decided import Chances, CubeCandidates, Decided, Option, PlayCandidates
from botd.journal.match_record import GameRecord, Sitting
from botd.journal.reader import MatchRecord
from botd.journal.records import DecisionKind, GameEnd, Side
from botd.journal.turns import Cube, Turn, TurnKind
from botd.printable import printable
from botd.terminal.board import Scene, Style, draw
from botd.terminal.match_words import day_and_time, duration, length, outcome

RESIGNED_LEVELS = {1: "a single game", 2: "a gammon", 3: "a backgammon"}
CANDIDATES_SHOWN = 6
_NOTICED = 0.0005
"""Errors below this are shown as none: equities are written with three or four digits."""
_NAME = 20
_HOW = {GameEnd.BORNE_OFF: "borne off", GameEnd.PASSED: "passed", GameEnd.RESIGNED: "resigned"}
_STOPPED = {
    "left": "we left",
    "opponent_left": "the opponent left",
    "connection_lost": "the connection was lost",
    None: "no end recorded: the program was killed",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a match to show."""

    game: int | None = None
    move: int | None = None
    """Number of a turn within its game."""
    brief: bool = False
    """One line a turn instead of boards and candidates."""
    decisions_only: bool = False
    """Only turns that a decision of ours led to."""
    boards_only: bool = False
    """Without decisions."""

    def wants(self, game: GameRecord, turn: Turn) -> bool:
        return (
            self.game in (None, game.number)
            and self.move in (None, turn.number)
            and not (self.decisions_only and not turn.decisions)
        )


class MatchView:
    """Writes one record."""

    def __init__(self, record: MatchRecord, style: Style, choice: Choice) -> None:
        self._record = record
        self._style = style
        self._choice = choice
        summary = record.summary
        self._names = {
            Side.US: printable(summary.account, _NAME),
            Side.OPPONENT: printable(summary.opponent, _NAME),
        }
        self._width = max(6, *map(len, self._names.values()))
        self._sitting = 1

    def lines(self) -> Iterator[str]:
        """Everything asked for; nothing but the heading if no turn is."""
        yield from self._heading()
        for game in self._record.games:
            if self._choice.game in (None, game.number):
                yield from self._game(game)
        last = self._record.sittings[-1] if self._record.sittings else None
        if last is not None and self._record.summary.state == "suspended" and self._choice.move is None:
            yield from self._sat(last, last.number + 1)

    def _heading(self) -> Iterator[str]:
        match = self._record.summary
        us, them = self._names.values()
        yield self._bold(f"Match {match.number}: {us} - {them} on {printable(match.server)}")
        goal = f"{match.length} point match" if match.length else "unlimited match"
        sittings = f", {match.sittings} sittings" if match.sittings > 1 else ""
        games = f"{match.games} game{'' if match.games == 1 else 's'}"
        state = match.state if match.winner is None else outcome(match)
        score = f", {outcome(match)}" if match.winner is None else ""
        yield (
            f"{goal}, {state}{score}; {games}{sittings}, {duration(match.seconds)} played, begun "
            f"{day_and_time(match.started_at)} UTC; {printable(match.key)}"
        )
        if self._record.first_score != (0, 0):
            ours, theirs = self._record.first_score
            yield self._warn(f"The match had begun elsewhere: {ours}-{theirs} when the journal first saw it.")
        legend = (
            "" if self._choice.brief else " (won, gammons, backgammons - lost, gammons, backgammons in %)"
        )
        yield self._dim(f"Seen from {us}'s seat: boards, pips, equities, chances{legend}.")

    # -- a game ----------------------------------------------------------------------------------------------

    def _game(self, game: GameRecord) -> Iterator[str]:
        yield ""
        crawford = ", Crawford game" if game.crawford else ""
        goal = f" to {length(self._record.summary.length)}" if self._record.summary.length else ""
        yield self._bold(f"Game {game.number}, score {game.score[0]}-{game.score[1]}{goal}{crawford}")
        if game.gap:
            yield self._warn(f"Not everything of this game was seen: {printable(game.gap)}.")
        if self._choice.brief:
            yield self._dim(
                f" {'No':>4}  {'Player':<{self._width}}  {'Move':<34}  {'Pips':<9}  Equity   Error"
            )
        for turn in game.turns:
            yield from self._between(turn)
            if self._choice.wants(game, turn):
                yield from self._line(turn) if self._choice.brief else self._full(game, turn)
        if self._choice.move is None:
            yield from self._ending(game)

    def _between(self, turn: Turn) -> Iterator[str]:
        if turn.sitting > self._sitting:
            for sitting in self._record.sittings[self._sitting - 1 : turn.sitting]:
                yield from self._sat(sitting, turn.sitting)
            self._sitting = turn.sitting
        if turn.gap and self._choice.move in (None, turn.number):
            yield self._warn(f"      -- {printable(turn.gap)} --")

    def _sat(self, sitting: Sitting, present: int) -> Iterator[str]:
        if sitting.number < present:
            when = "" if sitting.ended_at is None else f" at {day_and_time(sitting.ended_at)}"
            why = _STOPPED.get(sitting.how, printable(sitting.how))
            yield self._dim(f"      -- interrupted{when}: {why} --")
        else:
            yield self._dim(f"      -- resumed at {day_and_time(sitting.started_at)} --")

    def _ending(self, game: GameRecord) -> Iterator[str]:
        if game.winner is None:
            yield self._dim("      (no result recorded yet)")
            return
        points = f"{game.points} point{'' if game.points == 1 else 's'}"
        how = _HOW.get(game.how, "how it ended was not seen") if game.how else "how it ended was not seen"
        yield self._bold(f"      {self._names[game.winner]} wins {points} ({how})")

    # -- a turn ----------------------------------------------------------------------------------------------

    def _line(self, turn: Turn) -> Iterator[str]:
        pips = "" if turn.after is None else "-".join(map(str, rules.pip_counts(turn.after)))
        last = turn.decisions[-1] if turn.decisions else None
        equity = "" if last is None else _signed(last.own_equity)
        loss = max((decision.loss or 0.0 for decision in turn.decisions), default=0.0)
        error = self._loss(loss) if loss >= _NOTICED else ""
        text = f" {turn.number:>4}  {self._player(turn.side):<{self._width}}  {deed(turn):<34}  {pips:<9}"
        yield f"{text}  {equity:>7}  {error}".rstrip()

    def _full(self, game: GameRecord, turn: Turn) -> Iterator[str]:
        yield ""
        if turn.before is not None:
            yield from draw(self._scene(game, turn), self._style)
        else:
            yield self._warn("      (the record does not tell the position before this move)")
        who = self._player(turn.side)
        yield self._bold(f" {turn.number}. {who}{' ' if who else ''}{deed(turn)}")
        if not self._choice.boards_only:
            for decision in turn.decisions:
                yield from self._decision(decision)

    def _scene(self, game: GameRecord, turn: Turn) -> Scene:
        assert turn.before is not None
        cube = turn.cube_before or Cube()
        owners = {None: CubeOwner.CENTERED, Side.US: CubeOwner.PLAYER, Side.OPPONENT: CubeOwner.OPPONENT}
        context = GameContext(
            match_length=self._record.summary.length,
            score_player=game.score[0],
            score_opponent=game.score[1],
            cube_value=cube.value,
            cube_owner=owners[cube.owner],
            crawford=game.crawford,
        )
        return Scene(
            turn.before,
            context,
            self._names[Side.US],
            self._names[Side.OPPONENT],
            dice=turn.dice if turn.side is not None else None,
            player_on_roll=(turn.side is Side.OPPONENT) == (turn.kind in (TurnKind.TAKE, TurnKind.PASS)),
            doubling=turn.kind in (TurnKind.DOUBLE, TurnKind.TAKE, TurnKind.PASS),
        )

    def _decision(self, decision: Decided) -> Iterator[str]:
        loss = decision.loss
        if decision.candidates is None:
            error = self._dim("  (what was considered is no longer kept)")
        elif loss is None:
            error = self._warn("  (not among the candidates kept: its cost is unknown)")
        else:
            error = f"  error {self._loss(loss)}" if loss >= _NOTICED else ""
        how = f"{decision.ply}-ply, {decision.evaluator} {decision.mode.value}, {printable(decision.source)}"
        yield (
            f"    {question(decision)} {self._bold(printable(decision.chosen) or 'cannot move')}{error}  "
            + self._dim(f"{how}, {decision.duration:.3f} s; {decision.position_id}:{decision.match_id}")
        )
        for line in option_lines(decision, self._style):
            yield f"      {line}"

    def _player(self, side: Side | None) -> str:
        return "" if side is None else self._names[side]

    # -- ink -------------------------------------------------------------------------------------------------

    def _loss(self, loss: float) -> str:
        return paint(f"-{loss:.3f}", "1;31" if loss >= 0.08 else "33" if loss >= 0.02 else "", self._style)

    def _bold(self, text: str) -> str:
        return paint(text, "1", self._style)

    def _dim(self, text: str) -> str:
        return paint(text, "2", self._style)

    def _warn(self, text: str) -> str:
        return paint(text, "1;33", self._style)


def paint(text: str, code: str, style: Style) -> str:
    """The text in a colour of the terminal, if there are colours."""
    return f"\x1b[{code}m{text}\x1b[0m" if style.colour and code and text.strip() else text


def deed(turn: Turn) -> str:
    """What was done, in few words and without who did it."""
    dice = "" if turn.dice is None else "{}{}".format(*sorted(turn.dice, reverse=True))
    match turn.kind:
        case TurnKind.MOVE:
            assert turn.move is not None
            server = " (played by the server)" if turn.move.automatic else ""
            return f"{dice}: {printable(turn.move.notation) or 'cannot move'}{server}"
        case TurnKind.ROLL:
            return f"{dice}: (no move recorded)"
        case TurnKind.TIE:
            return f"both roll {dice[0]}, once more"
        case TurnKind.DOUBLE:
            return f"doubles to {turn.cube}"
        case TurnKind.TAKE:
            return "takes"
        case TurnKind.PASS:
            return "passes"
        case TurnKind.BEAVER:
            return f"beavers to {turn.cube}"
        case TurnKind.AUTOMATIC:
            return f"equal dice: the cube is at {turn.cube}"
        case TurnKind.OFFER:
            return f"offers to resign {RESIGNED_LEVELS.get(turn.level or 0, f'level {turn.level}')}"
        case TurnKind.ACCEPT:
            return "accepts the resignation"
        case TurnKind.REJECT:
            return "refuses the resignation"
        case TurnKind.DECISION:
            return f"{dice}: (decided, but nothing that followed was recorded)".removeprefix(": ")


def question(decision: Decided) -> str:
    """What was asked."""
    match decision.kind:
        case DecisionKind.PLAY:
            return "play"
        case DecisionKind.DOUBLE:
            return "double?"
        case DecisionKind.TAKE:
            return "take?"
        case DecisionKind.RESIGN:
            return "resign?"
        case DecisionKind.ANSWER_RESIGNATION:
            return "accept?"


def option_lines(decision: Decided, style: Style, most: int = CANDIDATES_SHOWN) -> list[str]:
    """The candidates, the best first, the chosen one marked; equities of the side that decides."""
    if decision.source == "forced" or len(decision.options) < 2:
        return []
    chosen = next((n for n, option in enumerate(decision.options) if option.action == decision.chosen), None)
    shown = [*decision.options[:most]]
    numbers = [*range(len(shown))]
    if chosen is not None and chosen >= most:
        shown.append(decision.options[chosen])
        numbers.append(chosen)
    texts = [_option_text(decision, option) for option in shown]
    width = max(map(len, texts))
    mark = "▸" if style.unicode else ">"
    lines = []
    for number, option, text in zip(numbers, shown, texts, strict=True):
        sign = mark if number == chosen else " "
        loss = f"(-{option.loss:.4f})" if option.loss >= 0.00005 else ""
        ply = f"{option.ply}-ply" if isinstance(decision.candidates, PlayCandidates) else ""
        won = percentages(option.probabilities)
        line = f"{sign} {number + 1:>2}. {text:<{width}}  {option.equity:+.4f} {loss:<10} {won}"
        lines.append(paint(f"{line}  {ply}".rstrip(), "1" if number == chosen else "", style))
    kept = len(decision.options)
    if kept > len(shown):
        lines.append(paint(f"     ... {kept - len(shown)} more", "2", style))
    return lines


def _option_text(decision: Decided, option: Option) -> str:
    cube = decision.candidates
    if (
        decision.kind is DecisionKind.DOUBLE
        and isinstance(cube, CubeCandidates)
        and option.action == "double"
    ):
        return "double, take" if cube.double_take <= cube.double_pass else "double, pass"
    return printable(option.action) or "cannot move"


def percentages(found: Chances | None) -> str:
    """Wins, gammons, backgammons - losses, by gammon and by backgammon, in percent."""
    if found is None:
        return ""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = (100 * chance for chance in found)
    won = f"{win:5.1f} {win_gammon:4.1f} {win_backgammon:4.1f}"
    return f"{won} -{100 - win:5.1f} {lose_gammon:4.1f} {lose_backgammon:4.1f}"


def _signed(equity: float | None) -> str:
    return "" if equity is None else f"{equity:+.3f}"
