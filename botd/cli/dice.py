"""`botd dice`: were the dice fair?"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE
from botd.cli.journal_options import add_journal, add_match_filter, open_journal, query_of
from botd.cli.streams import bear_any_text

if TYPE_CHECKING:
    from botd.journal.reader import JournalReader, MatchSummary
    from botd.stats.dice_report import DiceReport

_EPILOG = """\
examples:
  botd dice                                  every server's dice beside fair ones, tests, a verdict
  botd dice --server fibs.com --since 30d    last month's there
  botd dice --match 17                       those of one match
  botd dice --by match --opponent anna       each match against one player, one a line
  botd dice --log last                       every roll of the newest match, as the server sent it
  botd dice --server fibs.com --message      one line that can be sent to a player
  botd dice --json | jq '.[] | {scope, verdict}'

What is counted and tested is described in docs/statistics.md.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "dice",
        help="were the dice fair?",
        description="Counts the dice of the matches in a journal and tests them against fair ones. The daemon"
        " may be running.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_journal(parser)
    add_match_filter(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--by",
        choices=("server", "match"),
        default="server",
        help="what to count together (default %(default)s)",
    )
    what.add_argument("--match", metavar="MATCH", help="one match only: its number, its name, last, last-2")
    what.add_argument(
        "--log", metavar="MATCH", help="print every roll of a match: time, player, dice as sent"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="a JSON array instead of tables")
    form.add_argument("--message", action="store_true", help="only the line for a player")


def run(args: argparse.Namespace) -> int:
    from botd.journal.reader import JournalReadError

    if args.message and (args.log or args.by == "match"):
        print("botd dice: --message goes with one server or --match", file=sys.stderr)
        return EXIT_USAGE
    bear_any_text()
    try:
        with open_journal(args) as journal:
            if args.log is not None:
                return _log(journal, journal.find(args.log), as_json=args.json)
            matches = [journal.find(args.match)] if args.match is not None else []
            if args.by == "match":
                matches = journal.matches(query_of(args))
            reports = _reports(journal, args, matches)
    except JournalReadError as error:
        print(f"botd dice: {error}", file=sys.stderr)
        return EXIT_FAILURE
    if args.json:
        _print_json(reports)
    elif args.message:
        return _message(reports)
    elif args.by == "match":
        _print_matches(matches, reports)
    else:
        _print_reports(matches, reports)
    if not reports:
        print("no such matches", file=sys.stderr)
    return EXIT_OK


def _reports(
    journal: JournalReader, args: argparse.Namespace, matches: list[MatchSummary]
) -> list[DiceReport]:
    from botd.stats.dice_query import dice_by_match, dice_by_server
    from botd.terminal.progress_bar import ProgressBar

    with ProgressBar(sys.stderr, "rolls") as bar:
        if args.match is not None or args.by == "match":
            return dice_by_match(journal, matches, bar)
        return dice_by_server(journal, query_of(args), bar)


def _log(journal: JournalReader, match: MatchSummary, *, as_json: bool) -> int:
    from botd.stats.dice_text import log_lines
    from botd.stats.throws import roll_log

    with journal.reading() as connection:
        throws = list(roll_log(connection, match.key))
    if as_json:
        _print_json(throws)
        return EXIT_OK
    for line in log_lines(throws, match.account, match.opponent):
        print(line)
    return EXIT_OK


def _message(reports: list[DiceReport]) -> int:
    if len(reports) > 1:
        servers = ", ".join(report.scope for report in reports)
        print(f"botd dice: choose one with --server: {servers}", file=sys.stderr)
        return EXIT_USAGE
    for report in reports:
        print(report.message)
    if not reports:
        print("no such matches", file=sys.stderr)
    return EXIT_OK


def _print_matches(matches: list[MatchSummary], reports: list[DiceReport]) -> None:
    from botd.stats.dice_text import match_lines

    if reports:
        for line in match_lines(matches, reports):
            print(line)


def _print_reports(matches: list[MatchSummary], reports: list[DiceReport]) -> None:
    from botd.stats.dice_text import report_lines

    titles = [f"{m.account} against {m.opponent} on {m.server}" for m in matches]
    for number, report in enumerate(reports):
        if number:
            print()
        for line in report_lines(report, titles[number] if titles else report.scope):
            print(line)


def _print_json(what: object) -> None:
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(what)).decode())
