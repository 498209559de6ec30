"""`botd stats`: results, rating, luck and error rates of the matches in a journal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE
from botd.cli.journal_options import add_journal, add_match_filter, journal_path, query_of
from botd.cli.numbers import whole
from botd.cli.streams import bear_any_text

if TYPE_CHECKING:
    from botd.journal.reader import JournalReader, MatchSummary
    from botd.stats.analysis_file import AnalysisFile, EngineId
    from botd.stats.results import MatchResult, RatingPoint

_GROUPS = ("opponent", "level", "month", "server", "account", "length")
_FORMATS = (".png", ".svg", ".pdf")

_EPILOG = """\
examples:
  botd stats                                 results, luck and error rates, month by month
  botd stats --by opponent --since 90d       against whom?
  botd stats --no-analysis                   results only, at once
  botd stats --ply 2 --jobs 4                judged as deeply as GNU Backgammon usually does, by 4 processes
  botd stats --plot stats.png                the same as pictures
  botd stats --by level --csv > levels.csv   for a spreadsheet
  botd stats --json | jq .overall.error_rate_us

An analysis is kept beside the journal (JOURNAL.analysis.sqlite3): only what is new is judged again, and after
Ctrl-C it goes on where it stopped. Definitions and their sources are in docs/statistics.md.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "stats",
        help="results, rating, luck and error rates",
        description="Results, rating, luck and error rates of both sides, from a journal. The daemon may"
        " be running.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_journal(parser)
    add_match_filter(parser)
    parser.add_argument(
        "--by", choices=_GROUPS, default="month", help="what a line of the table is (default %(default)s)"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="a JSON object instead of tables")
    form.add_argument("--csv", action="store_true", help="the table as comma-separated values")
    parser.add_argument(
        "--plot",
        type=_picture,
        metavar="FILE",
        help="draw curves into a .png, .svg or .pdf file, too (needs the extra `plots`)",
    )
    judging = parser.add_argument_group("luck and errors")
    judging.add_argument("--no-analysis", action="store_true", help="leave them out, which is quick")
    judging.add_argument(
        "--engine",
        default="fast:sage",
        metavar="NAME",
        help="who judges, as in a configuration (default %(default)s)",
    )
    judging.add_argument("--ply", type=whole(0, 4), default=1, help="how deeply (default %(default)s)")
    judging.add_argument("--jobs", type=whole(1, 256), default=1, metavar="N", help="processes (default 1)")
    judging.add_argument(
        "--analysis", type=Path, metavar="FILE", help="where to keep it (default: JOURNAL.analysis.sqlite3)"
    )


def run(args: argparse.Namespace) -> int:
    from botd.journal.reader import JournalReader, JournalReadError
    from botd.stats.analyse import AnalysisError
    from botd.stats.analysis_file import AnalysisFileError
    from botd.stats.plots import PlotError, check_plots

    bear_any_text()
    try:
        if args.plot is not None:
            check_plots()
        path = journal_path(args)
        with JournalReader(path) as journal:
            matches = journal.matches(query_of(args))
            if not matches:
                print("no such matches", file=sys.stderr)
            results, ratings, judge = _load(args, journal, path, matches)
        return _show(args, results, ratings, judge)
    except (JournalReadError, AnalysisFileError, AnalysisError, PlotError) as error:
        print(f"botd stats: {error}", file=sys.stderr)
        return EXIT_FAILURE
    except _EngineError as error:
        print(f"botd stats: --engine: {error}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        print("botd stats: interrupted; what was judged so far is kept", file=sys.stderr)
        return EXIT_INTERRUPTED


class _EngineError(Exception):
    """No such engine, or one that cannot be loaded here."""


def _load(
    args: argparse.Namespace, journal: JournalReader, path: Path, matches: list[MatchSummary]
) -> tuple[list[MatchResult], list[RatingPoint], EngineId | None]:
    from botd.printable import printable
    from botd.stats.analyse import Judge, analyse
    from botd.stats.analysis_file import EngineId
    from botd.stats.results import load_ratings, load_results
    from botd.terminal.progress_bar import ProgressBar

    ratings = load_ratings(journal, matches)
    if args.no_analysis or not matches:
        return load_results(journal, matches, None), ratings, None
    try:
        judge = Judge(args.engine)
    except (ValueError, TypeError, OSError) as error:
        raise _EngineError(str(error)) from error
    identity = EngineId.of(judge.engine.info, args.ply)
    with _analysis_file(args, path, identity) as file:
        with ProgressBar(sys.stderr, "judging") as bar:
            analyse(
                journal, matches, file, judge, spec=args.engine, ply=args.ply, jobs=args.jobs, progress=bar
            )
        for reason, games in file.reasons(match.key for match in matches).items():
            count = "1 game" if games == 1 else f"{games} games"
            print(f"botd stats: {count} cannot be judged: {printable(reason)}", file=sys.stderr)
        return load_results(journal, matches, file), ratings, identity


def _analysis_file(args: argparse.Namespace, path: Path, identity: EngineId) -> AnalysisFile:
    """The side file; in memory where the journal's folder is not ours to write into."""
    from botd.stats.analysis_file import AnalysisFile, AnalysisFileError, analysis_path

    if args.analysis is not None:
        return AnalysisFile(args.analysis, identity)
    beside = analysis_path(path)
    try:
        return AnalysisFile(beside, identity)
    except AnalysisFileError as error:
        if not error.unwritable:
            raise
        print(f"botd stats: {error}; the analysis is not kept (--analysis FILE keeps it)", file=sys.stderr)
        return AnalysisFile(None, identity)


def _show(
    args: argparse.Namespace,
    results: list[MatchResult],
    ratings: list[RatingPoint],
    judge: EngineId | None,
) -> int:
    from botd.stats.results import group, total
    from botd.stats.results_form import csv_text, group_lines, overview_lines

    rows = group(results, args.by)
    if args.json:
        _print_json(args.by, results, ratings, judge)
    elif args.csv:
        print(csv_text(rows), end="")
    elif results:
        for line in (*overview_lines(total(results), ratings, judge), "", *group_lines(rows, args.by)):
            print(line)
    if args.plot is not None and results:
        from botd.stats.plots import draw

        draw(args.plot, results, ratings)
        print(f"drawn: {args.plot}", file=sys.stderr)
    return EXIT_OK


def _print_json(
    by: str, results: list[MatchResult], ratings: list[RatingPoint], judge: EngineId | None
) -> None:
    import msgspec

    from botd.stats.results import group, total
    from botd.stats.results_form import row_fields

    document = {
        "judge": judge,
        "overall": row_fields(total(results)),
        "by": by,
        "groups": [row_fields(row) for row in group(results, by)],
        "ratings": ratings,
    }
    print(msgspec.json.format(msgspec.json.encode(document)).decode())


def _picture(text: str) -> Path:
    if not text.lower().endswith(_FORMATS):
        raise argparse.ArgumentTypeError(
            f"expected a file name ending in {', '.join(_FORMATS)}, got {text[:80]!r}"
        )
    return Path(text)
