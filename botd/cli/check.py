"""`botd check`: is the journal whole, and does everything in it agree?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK
from botd.cli.journal_options import add_journal, journal_path

if TYPE_CHECKING:
    from botd.journal.check import Checked
    from botd.journal.check_match import Finding
    from botd.journal.rescue import Rescued

_SHOWN_OF_A_MATCH = 10

_EPILOG = """\
examples:
  botd check                                  the journal of this machine
  botd check --journal copy.sqlite3 --json    for a program
  botd check --rescue new.sqlite3             copy what can be read of a damaged one

Checked are the file (SQLite's own check), its schema, and every match: rows and their values, places and
times, all games played again with their dice and cube, decisions against positions and moves, results against
scores.

exit codes:
  0  nothing is wrong (notes, as of a clock that was set back, do not count)
  1  something is wrong, or the file cannot be read
  2  wrong arguments
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "check",
        help="is the journal whole, and does everything in it agree?",
        description="Checks a journal; the daemon may be running. With --rescue it copies what can be read.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--rescue", type=Path, metavar="NEW", help="write all that can be read to this new file"
    )
    parser.add_argument("--all", action="store_true", help="show all that was found, however much")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    add_journal(parser)


def run(args: argparse.Namespace) -> int:
    from botd.cli.streams import bear_any_text
    from botd.journal.check import check
    from botd.journal.read_only import JournalReadError
    from botd.journal.rescue import RescueError, rescue
    from botd.printable import printable
    from botd.terminal.progress_bar import ProgressBar

    bear_any_text()
    rescued: Rescued | None = None
    try:
        path = journal_path(args)
        if args.rescue is not None:
            with ProgressBar(sys.stderr, "rescue") as bar:
                rescued = rescue(path, args.rescue, bar)
            path = args.rescue
        with ProgressBar(sys.stderr, "check") as bar:
            checked = check(path, bar)
    except (JournalReadError, RescueError) as error:
        print(f"botd check: {printable(error)}", file=sys.stderr)
        return EXIT_FAILURE
    if args.json:
        _print_json(checked, rescued)
    else:
        _print(checked, rescued, most=None if args.all else _SHOWN_OF_A_MATCH)
    return EXIT_OK if checked.sound else EXIT_FAILURE


def _print_json(checked: Checked, rescued: Rescued | None) -> None:
    import dataclasses
    import json

    document = {"sound": checked.sound, **dataclasses.asdict(checked)}
    if rescued is not None:
        document["rescued"] = dataclasses.asdict(rescued)
    print(json.dumps(document))


def _print(checked: Checked, rescued: Rescued | None, most: int | None) -> None:
    from itertools import groupby

    from botd.printable import printable

    if rescued is not None:
        number = rescued.rows.get("matches", 0)
        print(f"rescued {number} matches ({sum(rescued.rows.values())} rows) into {printable(rescued.file)}")
        if rescued.damaged:
            print(f"something is lost of: {', '.join(rescued.damaged)}")
        if rescued.left_out or rescued.gaps:
            print(f"{rescued.left_out} rows did not fit; {rescued.gaps} games have got a gap")
    for match, group in groupby(checked.findings, key=lambda finding: finding.match):
        found = list(group)
        if match is not None:
            print(f"match {printable(match)}:")
        for finding in found[:most]:
            print(f"  {_line(finding)}" if match is not None else _line(finding))
        if most is not None and len(found) > most:
            print(f"  ... and {len(found) - most} more (--all)")
    amount = (
        f"{_number(checked.matches, 'match', 'matches')}, {_number(checked.games, 'game', 'games')}, "
        f"{_number(checked.decisions, 'decision', 'decisions')} checked"
    )
    wrong = sum(not finding.note for finding in checked.findings)
    if wrong:
        matches = len({finding.match for finding in checked.findings if finding.match and not finding.note})
        print(
            f"{printable(checked.file)}: {amount}; {_number(wrong, 'thing is', 'things are')} wrong, "
            f"in {_number(matches, 'match', 'matches')}"
        )
        if rescued is None:
            print(
                "The journal can be read as far as it is right. If there is a backup, use it; else\n"
                "botd check --rescue NEW copies what can be read into a new journal, to be put in its place"
            )
    else:
        print(f"{printable(checked.file)}: {amount}; nothing is wrong")


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _line(finding: Finding) -> str:
    from botd.printable import printable

    where = "" if finding.game is None else f"game {finding.game}"
    if finding.seq is not None:
        where += f", event {finding.seq}"
    text = printable(finding.what)
    return f"{'note: ' if finding.note else ''}{where + ': ' if where else ''}{text}"
