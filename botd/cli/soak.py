"""`botd soak`: many matches at once on this machine, and how late the daemon gets."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    from botd.bench.soak import SoakReport


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "soak",
        help="load test: many matches at once on this machine",
        description="Runs a local server and two daemons whose accounts play each other, all as processes "
        "of their own, and reports what their metrics and journals say: latencies, lost records, wrong "
        "commands.",
    )
    parser.add_argument("--matches", type=int, default=200, help="at once (default %(default)s)")
    parser.add_argument("--minutes", type=float, default=10.0, help="of play (default %(default)s)")
    parser.add_argument("--ply", type=int, default=0, help="search depth (default %(default)s)")
    parser.add_argument("--length", type=int, default=1, help="points a match (default %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes a daemon (default %(default)s)")
    parser.add_argument(
        "--think-time", type=float, default=1.0, help="seconds before each answer (default %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the dice (default %(default)s)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep logs and journals in this folder")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def table(report: SoakReport) -> str:
    plan = report.plan
    lines = [
        f"{plan.matches} matches at once, {plan.seconds / 60:g} minutes, {plan.ply}-ply, "
        f"think time {plan.think_time_s:g} s",
        f"matches finished {report.matches}, running at the end {report.playing}, "
        f"decisions {report.decisions}, fall-backs {report.fallbacks}",
        f"reconnects {report.reconnects}, commands refused {report.rejected}, "
        f"violations {report.violations}, lost records {report.lost_records}",
        f"{'at most, in ms':<28} {'number':>9} {'median':>8} {'99 %':>8} {'99.9 %':>8}",
    ]
    for each in report.latencies:
        values = " ".join(f"{1000 * value:>8g}" for value in (each.p50, each.p99, each.p999))
        lines.append(f"{each.name:<28} {each.count:>9} {values}")
    return "\n".join(lines)


def _progress(played: float, running: int, finished: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{played:>6.0f} s  {running} running  {finished} finished  ", end="", file=sys.stderr)


def run(args: argparse.Namespace) -> int:
    from botd.bench.soak import SoakError, SoakPlan, soak

    if not (1 <= args.matches <= 1000 and 0 < args.minutes <= 100_000 and 1 <= args.length <= 64):
        print(
            "botd soak: expected --matches 1 to 1000, --minutes above 0 and --length 1 to 64",
            file=sys.stderr,
        )
        return EXIT_USAGE
    plan = SoakPlan(
        matches=args.matches,
        seconds=60 * args.minutes,
        ply=args.ply,
        length=args.length,
        workers=args.workers,
        think_time_s=args.think_time,
        seed=args.seed,
    )
    if args.keep is not None:
        args.keep.mkdir(parents=True, exist_ok=True)
    with nullcontext(args.keep) if args.keep is not None else tempfile.TemporaryDirectory() as folder:
        try:
            report = soak(plan, Path(folder), _progress)
        except SoakError as error:
            print(f"botd soak: {error}", file=sys.stderr)
            return EXIT_FAILURE
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(json.dumps(asdict(report)) if args.json else table(report))
    return EXIT_OK
