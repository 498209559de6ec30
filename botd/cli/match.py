"""`botd match`: one match of a journal, board by board."""

from __future__ import annotations

import argparse
import sys

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK
from botd.cli.journal_options import add_journal, open_journal
from botd.cli.numbers import whole
from botd.cli.streams import bear_any_text

_EPILOG = """\
examples:
  botd match last                      the newest match, board by board
  botd match 12 --brief                one line a move, with our equity and what errors cost
  botd match 12 --game 2 --move 7      one move of it
  botd match 12 --decisions-only       only where we had something to decide
  botd match 20261130-0525 --json      everything as one JSON document

MATCH is the number that `botd matches` shows, the beginning of the match's name, last, or last-2 for the
second before the last. Numbers of moves are those that `botd explain MATCH GAME MOVE` takes.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "match",
        help="show a match, board by board",
        description="Shows one match of a journal: boards, dice, moves, cube and what the bot thought of its "
        "choices. The daemon may be running, and the match too.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("match", metavar="MATCH", help="which match (see below)")
    parser.add_argument("--game", type=whole(1, 10**6), metavar="G", help="only this game")
    parser.add_argument("--move", type=whole(1, 10**6), metavar="M", help="only this move of each game shown")
    parser.add_argument("--brief", action="store_true", help="one line a move")
    parser.add_argument("--decisions-only", action="store_true", help="only moves that we decided")
    parser.add_argument("--ascii", action="store_true", help="draw with plain ASCII characters")
    parser.add_argument("--json", action="store_true", help="a JSON document instead of text")
    add_journal(parser)


def run(args: argparse.Namespace) -> int:
    from dataclasses import replace

    import msgspec

    from botd.journal.match_document import match_document
    from botd.journal.reader import JournalReadError
    from botd.terminal.board import Style
    from botd.terminal.match_view import Choice, MatchView

    bear_any_text()
    try:
        with open_journal(args) as journal:
            record = journal.record(journal.find(args.match).key)
    except JournalReadError as error:
        print(f"botd match: {error}", file=sys.stderr)
        return EXIT_FAILURE
    games = [game for game in record.games if args.game in (None, game.number)]
    if args.game is not None and not games:
        print(f"botd match: game {args.game}: this match has {len(record.games)}", file=sys.stderr)
        return EXIT_FAILURE
    if args.move is not None and not any(len(game.turns) >= args.move for game in games):
        most = max((len(game.turns) for game in games), default=0)
        print(f"botd match: move {args.move}: there are {most}", file=sys.stderr)
        return EXIT_FAILURE
    choice = Choice(args.game, args.move, args.brief, args.decisions_only)
    if args.json:
        print(msgspec.json.encode(match_document(record, choice.wants)).decode())
        return EXIT_OK
    style = Style.of(sys.stdout)
    if args.ascii:
        style = replace(style, unicode=False)
    for line in MatchView(record, style, choice).lines():
        print(line)
    return EXIT_OK
