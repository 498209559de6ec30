"""`botd prune`: forget old matches by hand, while no daemon has the journal open."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE
from botd.cli.journal_options import add_journal, journal_path

if TYPE_CHECKING:
    from botd.journal.prune import Pruned

_DAYS = {"d": 1, "w": 7, "y": 365}
_MOST_DAYS = 36_500

_EPILOG = """\
examples:
  botd prune --older-than 365d --dry-run     how much would go?
  botd prune --older-than 2y                 remove matches that have been over for two years
  botd prune --decisions-older-than 90d      keep all matches, but of old decisions only what was chosen

Matches that run or are suspended stay, and so do ratings and .mat files. Afterwards the file is made small,
which needs room for a second one beside it. A running daemon can do it by itself: [journal] keep_days.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "prune",
        help="forget old matches of a journal that no daemon has open",
        description="Removes old matches, or what was considered in old decisions, for good.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--older-than",
        type=_age,
        metavar="AGE",
        help="matches that have been over for longer: 365d, 8w or 2y",
    )
    parser.add_argument(
        "--decisions-older-than",
        type=_age,
        metavar="AGE",
        help="in decisions of matches that have been over for longer: what was considered",
    )
    parser.add_argument("--dry-run", action="store_true", help="only tell what would be removed")
    parser.add_argument(
        "--no-vacuum", action="store_true", help="leave the file as large as it is; new records use the room"
    )
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")
    add_journal(parser)


def run(args: argparse.Namespace) -> int:
    from botd.config import LogConfig
    from botd.daemon.locks import LockError, journal_lock
    from botd.daemon.logging import configure_logging
    from botd.journal.prune import PruneError, prune
    from botd.journal.reader import JournalReader, JournalReadError
    from botd.printable import printable
    from botd.terminal.progress_bar import ProgressBar

    if args.older_than is None and args.decisions_older_than is None:
        print("botd prune: expected --older-than or --decisions-older-than", file=sys.stderr)
        return EXIT_USAGE
    configure_logging(LogConfig(format="text"))  # an old file that is migrated is told of there
    limits = args.older_than, args.decisions_older_than
    try:
        path = journal_path(args)
        with JournalReader(path) as journal:  # it is one, and whole as far as one can see
            if args.dry_run:
                from botd.journal.prune import preview

                with journal.reading() as connection:
                    _tell(args, preview(connection, *limits))
                return EXIT_OK
        with journal_lock(path), ProgressBar(sys.stderr, "prune") as bar:
            done = prune(path, *limits, vacuum=not args.no_vacuum, progress=bar)
    except (JournalReadError, LockError, PruneError) as error:
        print(f"botd prune: {printable(error)}", file=sys.stderr)
        return EXIT_FAILURE
    _tell(args, done)
    return EXIT_OK


def _tell(args: argparse.Namespace, done: Pruned) -> None:
    if args.json:
        import dataclasses
        import json

        print(json.dumps({"dry_run": args.dry_run, **dataclasses.asdict(done)}))
        return
    verb = "would remove" if args.dry_run else "removed"
    print(f"{verb} {done.matches} matches, and the candidates of {done.decisions} other decisions")
    if not args.dry_run:
        print(f"the file has {done.bytes_after / 1e6:.1f} MB, before {done.bytes_before / 1e6:.1f} MB")


def _age(text: str) -> int:
    """Days."""
    found = re.fullmatch(r"([0-9]{1,5})([dwy])", text)
    days = int(found[1]) * _DAYS[found[2]] if found else 0
    if not 1 <= days <= _MOST_DAYS:
        raise argparse.ArgumentTypeError(f"expected an age like 365d, 8w or 2y, got {text[:40]!r}")
    return days
