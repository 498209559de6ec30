"""`botd explain`: decide a recorded decision again, and say what would differ today."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE
from botd.cli.journal_options import add_journal, open_journal
from botd.cli.numbers import whole
from botd.cli.streams import bear_any_text

if TYPE_CHECKING:
    from botd.decisions.again import Deciders, Setup
    from botd.decisions.explanation import Explanation
    from botd.journal.decided import Decided
    from botd.journal.match_record import GameRecord
    from botd.journal.questions import Question
    from botd.journal.reader import MatchRecord
    from botd.journal.turns import Turn
    from botd.terminal.board import Style
    from botd.terminal.progress_bar import ProgressBar

_MOST_PLY = 4

_EPILOG = """\
examples:
  botd explain last 1 8                      the 8th move of the newest match's first game
  botd explain 12 2 7 --ply 3                and what 3 and 4 plies say
  botd explain 12 2 7 --evaluator gnubg      and what gnubg's evaluator says (its data files are needed)
  botd explain 12 2 7 --level expert --json  and what a level plays; as JSON

MATCH and MOVE are numbered as `botd match` prints them. A decision of ours is made again as it was recorded
(engine, mode, depth, level, noise; time limits aside) and compared; then today's default and one ply more
have their say, or what the options ask for. A move of the opponent is judged in the opponent's eyes.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "explain",
        help="decide a recorded decision again",
        description="Decides a decision of a recorded match again, with the engine and settings of then "
        "and of today, and says what differs.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("match", metavar="MATCH", help="which match, as for `botd match`")
    parser.add_argument("game", metavar="GAME", type=whole(1, 10**6), help="number of the game")
    parser.add_argument("move", metavar="MOVE", type=whole(1, 10**6), help="number of the move in it")
    parser.add_argument(
        "--ply", type=whole(0, _MOST_PLY), metavar="N", help="today's depth (default 2); one ply more follows"
    )
    parser.add_argument("--level", metavar="NAME", help="what this level plays, instead of a plain search")
    parser.add_argument(
        "--evaluator", metavar="NAME", default="sage", help="sage, gnubg, gnubg:A, puretd:FILE+sage, ..."
    )
    parser.add_argument(
        "--mode", choices=("fast", "exact"), default="fast", help="today's mode (default %(default)s)"
    )
    parser.add_argument("--ascii", action="store_true", help="draw with plain ASCII characters")
    parser.add_argument("--json", action="store_true", help="a JSON document instead of text")
    add_journal(parser)


def run(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from botd.decisions.again import CannotRepeatError, Deciders
    from botd.engine_cli.interrupts import ended_at_once
    from botd.journal.questions import UnknownQuestionError
    from botd.journal.reader import JournalReadError
    from botd.terminal.board import Style
    from botd.terminal.progress_bar import ProgressBar

    bear_any_text()
    try:
        setups = list(_today(args))
    except ValueError as error:
        print(f"botd explain: {error}", file=sys.stderr)
        return EXIT_USAGE
    try:
        with open_journal(args) as journal:
            record = journal.record(journal.find(args.match).key)
        game, turn = _turn(record, args.game, args.move)
        questions = list(_questions(record, game, turn))
        deciders = Deciders()
        for setup in setups:
            deciders.load(setup.engine, setup.mode)
    except (JournalReadError, _NoSuchTurnError, UnknownQuestionError, CannotRepeatError) as error:
        print(f"botd explain: {error}", file=sys.stderr)
        return EXIT_FAILURE
    with ended_at_once(), ProgressBar(sys.stderr, "deciding again") as bar:
        explanations = _explained(deciders, questions, setups, bar)
    if args.json:
        _print_json(record, game, turn, explanations)
        return EXIT_OK
    style = Style.of(sys.stdout)
    if args.ascii:
        style = replace(style, unicode=False)
    for line in _text(record, game, turn, explanations, style):
        print(line)
    return EXIT_OK


class _NoSuchTurnError(Exception):
    pass


def _today(args: argparse.Namespace) -> Iterator[Setup]:
    """The ways to decide that were asked for. Raises ValueError for an unknown level."""
    from botd.config.schema import EngineConfig
    from botd.decisions.again import Setup
    from botd.engine.levels import find_level
    from botd.engine.modes import mode_for
    from botd.engine.types import EngineMode

    mode = EngineMode(args.mode)
    if args.level is not None:
        level = find_level(args.level)
        yield Setup(args.evaluator, mode_for(level, mode), level.plies, level)
        if args.ply is None:
            return
    ply = EngineConfig().ply if args.ply is None else args.ply
    yield Setup(args.evaluator, mode, ply)
    if ply < _MOST_PLY and mode is EngineMode.FAST:  # exact mode takes minutes there
        yield Setup(args.evaluator, mode, ply + 1)


def _turn(record: MatchRecord, number: int, move: int) -> tuple[GameRecord, Turn]:
    game = next((game for game in record.games if game.number == number), None)
    if game is None:
        raise _NoSuchTurnError(f"game {number}: this match has {len(record.games)}")
    turn = next((turn for turn in game.turns if turn.number == move), None)
    if turn is None:
        raise _NoSuchTurnError(f"move {move}: game {number} has {len(game.turns)}")
    return game, turn


def _questions(
    record: MatchRecord, game: GameRecord, turn: Turn
) -> Iterator[tuple[Question, Decided | None]]:
    """What was to be decided, with our decisions where there are any. Raises UnknownQuestionError."""
    from botd.journal.questions import UnknownQuestionError, asked_by_turn, asked_of_us

    for decision in turn.decisions:
        yield asked_of_us(decision, game), decision
    if turn.decisions:
        return
    asked = asked_by_turn(record, game, turn)
    if not asked:
        raise UnknownQuestionError(f"move {turn.number}: there was nothing to decide")
    for question in asked:
        yield question, None


def _explained(
    deciders: Deciders,
    questions: list[tuple[Question, Decided | None]],
    setups: list[Setup],
    bar: ProgressBar,
) -> list[Explanation]:
    from botd.decisions.explanation import explain

    searches = sum(len(setups) + (decision is not None) for _, decision in questions)
    done = 0

    def working(what: str) -> None:
        nonlocal done
        bar(done / searches, what)
        done += 1

    return [explain(deciders, question, decision, setups, working) for question, decision in questions]


def _text(
    record: MatchRecord, game: GameRecord, turn: Turn, explanations: list[Explanation], style: Style
) -> Iterator[str]:
    from botd.journal.records import Side
    from botd.printable import printable
    from botd.terminal.explain_view import explanation_lines
    from botd.terminal.match_view import Choice, MatchView

    view = MatchView(record, style, Choice(game.number, turn.number, boards_only=True))
    yield from view.lines()
    names = {Side.US: record.summary.account, Side.OPPONENT: record.summary.opponent}
    shown = {side: printable(name, 24) for side, name in names.items()}
    for found in explanations:
        yield ""
        yield from explanation_lines(found, shown, style)


def _print_json(record: MatchRecord, game: GameRecord, turn: Turn, explanations: list[Explanation]) -> None:
    import msgspec

    from botd.decisions.explanation_document import explanation_document

    document = {
        "match": record.summary.key,
        "number": record.summary.number,
        "game": game.number,
        "move": turn.number,
        "decisions": [explanation_document(found) for found in explanations],
    }
    print(msgspec.json.encode(document).decode())
