"""`botd backup`: a verified copy of the journal, also while the daemon writes it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE
from botd.cli.journal_options import add_journal, journal_path
from botd.cli.numbers import whole

_EPILOG = """\
examples:
  botd backup before-update.sqlite3                   one file
  botd backup /srv/backups --keep 14                  botd-DATE.sqlite3 there, the newest 14 are kept
  botd backup --journal /var/lib/botd/botd.sqlite3 copy.sqlite3

The daemon may be running; it is not disturbed. The copy is checked before it gets its name, and only its
owner can read it. It is a journal like any other: to go back to it, stop botd, remove the journal with its
-wal and -shm, and put the copy in its place.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "backup",
        help="copy the journal, also while the daemon writes it",
        description="Copies the journal as it is at one moment, and checks the copy.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "to", metavar="TO", type=Path, help="a file, or a folder, in which the copy gets a name with its date"
    )
    parser.add_argument("--force", action="store_true", help="replace the file if there is one")
    parser.add_argument(
        "--keep",
        type=whole(1, 100_000),
        metavar="N",
        help="afterwards remove all but the newest N dated copies in the folder TO",
    )
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")
    add_journal(parser)


def run(args: argparse.Namespace) -> int:
    import dataclasses
    import json

    from botd.journal.backup import BackupError, back_up, dated_name, rotate
    from botd.journal.read_only import JournalReadError
    from botd.printable import printable
    from botd.terminal.progress_bar import ProgressBar

    to: Path = args.to
    if args.keep is not None and not to.is_dir():
        print(f"botd backup: --keep: expected a folder, got {printable(to)}", file=sys.stderr)
        return EXIT_USAGE
    try:
        journal = journal_path(args)
        file = to / dated_name(journal) if to.is_dir() else to
        with ProgressBar(sys.stderr, "backup") as bar:
            done = back_up(journal, file, replace=args.force, progress=bar)
        if args.keep is not None:
            done = dataclasses.replace(done, removed=rotate(journal, to, args.keep))
    except (BackupError, JournalReadError) as error:
        print(f"botd backup: {printable(error)}", file=sys.stderr)
        return EXIT_FAILURE
    if args.json:
        print(json.dumps(dataclasses.asdict(done)))
    else:
        print(f"{printable(done.file)}: {done.matches} matches, {done.bytes / 1e6:.1f} MB, checked")
        for name in done.removed:
            print(f"removed {printable(name)}")
    return EXIT_OK
