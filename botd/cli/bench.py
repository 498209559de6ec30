"""`botd bench`: decisions per CPU second, ours and the installed peers', in one run."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from pathlib import Path

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE
from botd.terminal.progress_bar import ProgressBar

_EVALUATORS = ("sage", "gnubg")

_EPILOG = """\
examples:
  botd bench                                   the whole table, some three minutes
  botd bench --json bench.json --markdown      the same for a program and for a document
  botd bench --scale 0.1 --rounds 3            a first impression

Floors are what the engine owes, goals what it is here for. Read the ratios: they are medians over rounds on
the same positions, one engine right after the other, so that a busy machine matters little.
"""


def _evaluators(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in _EVALUATORS:
            raise argparse.ArgumentTypeError(
                f"expected {' or '.join(_EVALUATORS)}, with commas between them, got {name[:40]!r}"
            )
    return names


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "bench",
        help="measure the engine's speed",
        description="Measures evaluations and decisions per CPU second on one thread, on positions from "
        "self-played games of which none comes twice, and in the same run those peers that are installed, by "
        "their fastest calls: Open Sage (Python package bgsage) and GNU Backgammon (Python packages gnubg "
        "and gnubg-nn, program gnubg). A `core` is the compiled search without the Python types of its "
        "answers. Ply counts from 0.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--evaluators",
        type=_evaluators,
        default=_EVALUATORS,
        metavar="LIST",
        help="evaluators to measure, with commas between them (default sage,gnubg)",
    )
    parser.add_argument(
        "--rounds", type=int, default=7, help="rounds a kind of work; medians are reported (default 7)"
    )
    parser.add_argument("--scale", type=float, default=1.0, help="multiply the positions a round (default 1)")
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of the games that positions come from (default 1)"
    )
    parser.add_argument(
        "--cpu-path", choices=("plain", "avx2", "avx512"), help="force a CPU path (default: the best)"
    )
    parser.add_argument("--no-peers", action="store_true", help="measure only our own engine")
    parser.add_argument("--json", metavar="FILE", help="write everything to this file; - is standard output")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.rounds < 1 or not 0 < args.scale <= 1000:
        print("botd bench: --rounds must be at least 1 and --scale above 0 and at most 1000", file=sys.stderr)
        return EXIT_USAGE
    # Imported here so that other commands start without the engine.
    from botd.bench.gnubg_peer import PeerError
    from botd.bench.goals import rows
    from botd.bench.lineup import lineup
    from botd.bench.machine import this_machine
    from botd.bench.report import Report, markdown, terminal_text
    from botd.bench.runner import measure
    from botd.bench.workload import tasks_from_games
    from botd.engine.engine import SageEngine

    try:
        machine = this_machine(args.cpu_path)
        tasks = tasks_from_games(SageEngine.load(cpu_path=args.cpu_path), args.seed)
        with ExitStack() as stack:
            progress = stack.enter_context(ProgressBar(sys.stderr, "measuring"))
            found = lineup(args.evaluators, peers=not args.no_peers, cpu_path=args.cpu_path, stack=stack)
            if not found.contestants:
                raise PeerError("; ".join(f"{name}: {why}" for name, why in found.absent.items()))
            measurements = measure(
                found.contestants, tasks, rounds=args.rounds, scale=args.scale, progress=progress
            )
    except (PeerError, OSError, ValueError) as error:
        print(f"botd bench: {error}", file=sys.stderr)
        return EXIT_FAILURE
    report = Report(
        machine=machine,
        command=_command(args),
        seed=args.seed,
        rounds=args.rounds,
        scale=args.scale,
        rows=tuple(rows(measurements, found.absent)),
        measurements=tuple(measurements),
        absent=found.absent,
    )
    if args.json == "-":
        print(json.dumps(report.as_dict()))
        return EXIT_OK
    print(markdown(report) if args.markdown else terminal_text(report))
    if args.json is not None:
        try:
            report.write(Path(args.json))
        except OSError as error:
            print(f"botd bench: cannot write {args.json}: {error.strerror}", file=sys.stderr)
            return EXIT_FAILURE
    return EXIT_OK


def _command(args: argparse.Namespace) -> str:
    """What to type for the same run."""
    words = ["botd bench"]
    if args.evaluators != _EVALUATORS:
        words.append(f"--evaluators {','.join(args.evaluators)}")
    for option in ("rounds", "scale", "seed"):
        words.append(f"--{option} {getattr(args, option):g}")
    if args.cpu_path:
        words.append(f"--cpu-path {args.cpu_path}")
    if args.no_peers:
        words.append("--no-peers")
    return " ".join(words)
