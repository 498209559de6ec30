"""`botd matches`: the matches of a journal, one a line."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK
from botd.cli.journal_options import add_journal, add_match_filter, open_journal, query_of
from botd.cli.numbers import whole
from botd.cli.streams import bear_any_text

if TYPE_CHECKING:
    from botd.journal.reader import MatchSummary

_EPILOG = """\
examples:
  botd matches                               the newest 50 matches of the journal, newest last
  botd matches --opponent anna --since 30d   last month's against one player
  botd matches --state suspended --limit 0   all that wait to be resumed
  botd matches --journal copy.sqlite3 --json | jq '.[].key'

The number in the first column is what `botd match`, `botd explain` and others take.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "matches",
        help="list the matches played",
        description="Lists the matches of a journal, newest last. The daemon may be running.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_journal(parser)
    add_match_filter(parser)
    parser.add_argument(
        "--limit",
        type=whole(0, 10**9),
        default=50,
        metavar="N",
        help="the newest N of them; 0 is all (default %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="a JSON array instead of a table")


def run(args: argparse.Namespace) -> int:
    import msgspec

    from botd.journal.reader import JournalReadError

    bear_any_text()
    try:
        with open_journal(args) as journal:
            found = journal.matches(query_of(args, limit=args.limit or None))
    except JournalReadError as error:
        print(f"botd matches: {error}", file=sys.stderr)
        return EXIT_FAILURE
    if args.json:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
        return EXIT_OK
    for line in _table(found):
        print(line)
    if not found:
        print("no such matches", file=sys.stderr)
    elif len(found) == args.limit:
        print(f"(the newest {args.limit}; --limit 0 shows all)", file=sys.stderr)
    return EXIT_OK


def _table(found: list[MatchSummary]) -> list[str]:
    from botd.terminal.columns import columns
    from botd.terminal.match_words import day_and_time, duration, length, outcome

    if not found:
        return []
    heads = (
        "No",
        "Date (UTC)",
        "Server",
        "Account",
        "Opponent",
        "Length",
        "State",
        "Result",
        "Games",
        "Time",
    )
    rows = [
        (
            match.number,
            day_and_time(match.started_at),
            match.server,
            match.account,
            match.opponent,
            length(match.length),
            match.state,
            outcome(match),
            match.games,
            duration(match.seconds),
        )
        for match in found
    ]
    return columns(heads, rows, right="No Length Games Time")
