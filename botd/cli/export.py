"""`botd export`: matches of a journal as files for other programs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE
from botd.cli.journal_options import add_journal, add_match_filter, open_journal, query_of
from botd.cli.streams import bear_any_text

if TYPE_CHECKING:
    from botd.journal.reader import JournalReader, MatchSummary

_FORMATS = ("mat", "jsonl", "csv")

_EPILOG = """\
examples:
  botd export last > match.mat                      for GNU Backgammon, eXtreme Gammon and others
  botd export --to matches                          a .mat file for each match in the folder matches
  botd export --format jsonl --since 30d > all.jsonl    everything the journal knows, one JSON object a line
  botd export --format csv --opponent anna > anna.csv   one line a match, for a spreadsheet

MATCH is a number or a name as for `botd match`; without it all matches that the options choose. Files of
the same matches in FOLDER are replaced; they are named as those that the daemon writes
(journal.mat_directory).
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "export",
        help="matches as .mat files, JSON lines or CSV",
        description="Writes matches of a journal for other programs. The daemon may be running.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("matches", metavar="MATCH", nargs="*", help="these matches")
    parser.add_argument(
        "--format",
        choices=_FORMATS,
        default="mat",
        help="mat: the moves; jsonl: everything; csv: a line a match (default %(default)s)",
    )
    parser.add_argument(
        "--to",
        type=Path,
        metavar="FOLDER",
        help="a file for each match there, or matches.csv (default: standard output)",
    )
    add_match_filter(parser)
    add_journal(parser)


def run(args: argparse.Namespace) -> int:
    from botd.journal.reader import JournalReadError

    bear_any_text()
    try:
        with open_journal(args) as journal:
            query = query_of(args)
            named = [journal.find(name) for name in args.matches]
            chosen = [match for match in journal.matches(query) if not named or match in named]
            if not chosen:
                print("no such matches", file=sys.stderr)
                return EXIT_OK
            if args.to is not None:
                return _into_folder(args, journal, chosen)
            if args.format == "mat" and len(chosen) > 1:
                print(
                    f"botd export: a .mat file holds one match, and these are {len(chosen)}: name one, or a "
                    "folder with --to",
                    file=sys.stderr,
                )
                return EXIT_USAGE
            for text in _texts(args.format, journal, chosen):
                sys.stdout.write(text)
            return EXIT_OK
    except JournalReadError as error:
        print(f"botd export: {error}", file=sys.stderr)
        return EXIT_FAILURE


def _texts(form: str, journal: JournalReader, chosen: list[MatchSummary]) -> Iterator[str]:
    from botd.journal.export import json_lines
    from botd.journal.history import load_history
    from botd.journal.mat import format_match

    if form == "csv":
        yield from _csv(chosen)
        return
    for match in chosen:
        with journal.reading() as connection:
            if form == "mat":
                yield format_match(load_history(connection, match.key))
            else:
                for line in json_lines(connection, match.key):
                    yield f"{line}\n"


def _into_folder(args: argparse.Namespace, journal: JournalReader, chosen: list[MatchSummary]) -> int:
    from botd.journal.export import file_stem, write_whole
    from botd.printable import printable
    from botd.terminal.progress_bar import ProgressBar

    folder: Path = args.to
    if args.format == "csv":
        groups = [("matches.csv", chosen)]
    else:
        groups = [
            (f"{file_stem(match.server, match.account, match.opponent, match.key)}.{args.format}", [match])
            for match in chosen
        ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ProgressBar(sys.stderr, "export") as bar:
            for number, (name, matches) in enumerate(groups):
                bar(number / len(groups))
                write_whole(folder / name, "".join(_texts(args.format, journal, matches)))
    except OSError as error:
        print(f"botd export: {printable(folder)}: cannot write: {error.strerror}", file=sys.stderr)
        return EXIT_FAILURE
    print(f"{len(chosen)} matches written into {len(groups)} files in {printable(folder)}")
    return EXIT_OK


def _csv(chosen: list[MatchSummary]) -> Iterator[str]:
    import csv
    import io

    from botd.journal.store import timestamp
    from botd.spreadsheet import cell

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = (
        *("number", "match", "server", "account", "opponent", "length", "state", "winner"),
        *("score_us", "score_opponent", "games", "sittings", "decisions", "seconds_played"),
        *("started_at", "ended_at", "mode", "level"),
    )
    writer.writerow(heads)
    for match in chosen:
        row = (
            *(match.number, match.key, match.server, match.account, match.opponent, match.length),
            *(match.state, match.winner, *match.score, match.games, match.sittings, match.moves),
            *(round(match.seconds, 3), timestamp(match.started_at)),
            *("" if match.ended_at is None else timestamp(match.ended_at), match.mode, match.level),
        )
        writer.writerow([cell(value) for value in row])
        yield out.getvalue()
        out.seek(0)
        out.truncate()
