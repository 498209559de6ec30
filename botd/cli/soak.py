"""`botd soak`: many matches at once on this machine, and how late the daemon gets."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    from botd.bench.soak import SoakPlan, SoakReport
    from botd.bench.soak_figures import Latency

PROGRESS_EVERY_S = 30.0
"""Where standard error is no terminal."""

_EPILOG = """\
examples:
  botd soak                                   200 matches for ten minutes, judged
  botd soak --matches 20 --minutes 1          a first look
  botd soak --markdown --keep soak-files      one row for a table, logs and journals kept

exit codes:
  0  everything that is promised was held
  1  a limit was missed, a record lost, a command refused, or a process failed; standard error says what
  2  wrong arguments; nothing was started
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "soak",
        help="load test: many matches at once on this machine",
        description="Runs a local server and two daemons whose accounts play each other, all as processes "
        "of their own, and reports what their metrics and journals and the kernel say: latencies in "
        "start-up and play, CPU a move, growth, lost records, wrong commands.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--matches", type=int, default=200, help="at once (default %(default)s)")
    parser.add_argument("--minutes", type=float, default=10.0, help="of play (default %(default)s)")
    parser.add_argument("--ply", type=int, default=0, help="search depth (default %(default)s)")
    parser.add_argument("--length", type=int, default=1, help="points a match (default %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes a daemon (default %(default)s)")
    parser.add_argument(
        "--think-time", type=float, default=1.0, help="seconds before each answer (default %(default)s)"
    )
    parser.add_argument(
        "--lateness-limit",
        type=float,
        default=0.25,
        metavar="S",
        help="of the event loop at 99.9 %%, in start-up and in play (default %(default)s s; 0: none)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the dice (default %(default)s)")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep logs and journals in this empty folder"
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print JSON instead of tables")
    shape.add_argument("--markdown", action="store_true", help="print one row of a Markdown table")


def table(report: SoakReport) -> str:
    plan = report.plan
    lines = [
        f"{plan.matches} matches at once, {plan.seconds / 60:g} minutes, {plan.ply}-ply, "
        f"think time {plan.think_time_s:g} s, {plan.workers} worker(s) a daemon, seed {plan.seed}",
        f"matches finished {report.matches}, running at the end {report.playing}, "
        f"decisions {report.decisions}, fall-backs {report.fallbacks}",
        f"reconnects {report.reconnects}, commands refused {report.rejected}, "
        f"violations {report.violations}, lost records {report.lost_records}",
    ]
    for phase in report.phases:
        lines += [
            "",
            f"{f'{phase.name}, {phase.seconds:.0f} s; at most, in ms':<36} {'number':>9} {'median':>8} "
            f"{'99 %':>8} {'99.9 %':>8} {'all':>8}",
        ]
        for each in phase.latencies:
            values = " ".join(f"{_ms(value):>8}" for value in (each.p50, each.p99, each.p999, each.most))
            lines.append(f"{each.name:<36} {each.count:>9} {values}")
    lines += ["", f"{'processors, in play':<36} {'CPU s':>9} {'cores':>8} {'ms a move':>10}"]
    lines += [
        f"{each.part:<36} {each.cpu_s:>9.1f} {each.cores:>8.2f} {each.ms_per_move:>10.2f}"
        for each in report.shares
    ]
    if report.growths:
        lines += [
            "",
            f"{'from the middle to the last third':<36} {'MB':>16} {'open files':>16} {'tasks':>16}",
        ]
    for growth in report.growths:
        pairs = (growth.rss_mb, growth.open_files, growth.tasks)
        shown = " ".join("{:>16}".format("" if p is None else f"{p[0]:g} to {p[1]:g}") for p in pairs)
        lines.append(f"{growth.process:<36} {shown}")
    return "\n".join(lines)


def markdown(report: SoakReport) -> str:
    """One row: what was run, the date, how long, what came of it."""
    plan, startup, play = report.plan, report.phases[0], report.phases[-1]
    by_name = {each.name: each for each in play.latencies}
    cpu = ", ".join(f"{each.part} {each.ms_per_move:g}" for each in report.shares)
    result = [
        f"{report.matches} matches, {report.decisions} decisions, {report.fallbacks} fall-backs, "
        f"{report.lost_records} lost records, {report.rejected + report.violations} wrong commands",
        f"event loop lateness {_quantiles(play.lateness)} (start-up {_quantiles(startup.lateness)})",
        f"decision {_quantiles(by_name['decision in a worker'])}, "
        f"its wait {_quantiles(by_name['decision waiting for a worker'])}, "
        f"move sent {_quantiles(by_name['board seen to command sent'])}",
        f"CPU ms a move: {cpu}",
        "**missed**: " + "; ".join(report.failures) if report.failures else "every limit held",
    ]
    command = f"`botd soak --matches {plan.matches} --minutes {plan.seconds / 60:g}`"
    date = time.strftime("%Y-%m-%d")
    return f"| {command} | {plan.seed} | {date} | {play.seconds:.0f} s | {'; '.join(result)} |"


def _quantiles(latency: Latency) -> str:
    return f"{_ms(latency.p50)} / {_ms(latency.p99)} / {_ms(latency.p999)} ms"


def _ms(seconds: float | None) -> str:
    return "more" if seconds is None else f"{1000 * seconds:g}"


class _Progress:
    """One line that changes, or on a file a line now and then."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last = float("-inf")

    def __call__(self, text: str) -> None:
        now = time.monotonic()
        if self._terminal:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        elif now - self._last >= PROGRESS_EVERY_S:
            self._last = now
            print(text, file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._terminal:
            print(file=sys.stderr)


def _plan(args: argparse.Namespace) -> SoakPlan | str:
    """The plan, or what is wrong with the arguments."""
    from botd.bench.soak import SoakPlan

    for option, value, least, most in (
        ("--matches", args.matches, 1, 1000),
        ("--minutes", args.minutes, 0.01, 100_000),
        ("--ply", args.ply, 0, 4),
        ("--length", args.length, 1, 64),
        ("--workers", args.workers, 1, 64),
        ("--think-time", args.think_time, 0, 60),
        ("--lateness-limit", args.lateness_limit, 0, 10),
    ):
        if not least <= value <= most:
            return f"{option}: expected {least:g} to {most:g}, got {value:g}"
    return SoakPlan(
        matches=args.matches,
        seconds=60 * args.minutes,
        ply=args.ply,
        length=args.length,
        workers=args.workers,
        think_time_s=args.think_time,
        seed=args.seed,
        lateness_limit_s=args.lateness_limit,
    )


def _unusable(folder: Path) -> str:
    """Why nothing can be kept there; empty if it can. Creates the folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The matches of an earlier run would be counted with ours.
        return "expected an empty folder" if any(folder.iterdir()) else ""
    except OSError as error:
        return str(error.strerror)


def run(args: argparse.Namespace) -> int:
    from botd.bench.soak import SoakError, soak

    plan = _plan(args)
    if isinstance(plan, str):
        print(f"botd soak: {plan}", file=sys.stderr)
        return EXIT_USAGE
    if args.keep is not None and (fault := _unusable(args.keep)):
        print(f"botd soak: --keep {args.keep}: {fault}", file=sys.stderr)
        return EXIT_USAGE
    progress = _Progress()
    with nullcontext(args.keep) if args.keep is not None else tempfile.TemporaryDirectory() as folder:
        try:
            report = soak(plan, Path(folder), progress)
        except SoakError as error:
            progress.end()
            print(f"botd soak: {error}", file=sys.stderr)
            return EXIT_FAILURE
    progress.end()
    print(
        json.dumps(asdict(report)) if args.json else markdown(report) if args.markdown else table(report),
        flush=True,
    )
    for failure in report.failures:
        print(f"botd soak: {failure}", file=sys.stderr)
    return EXIT_FAILURE if report.failures else EXIT_OK
