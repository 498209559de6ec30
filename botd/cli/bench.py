"""`botd bench`: decisions per CPU second, ours and the installed peers', in one run; what fast mode does."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE
from botd.engine.protocol import ConfigurableEngine, Engine
from botd.engine.settings import SearchSettings
from botd.terminal.progress_bar import ProgressBar

_EVALUATORS = ("sage", "gnubg", "puretd")

_EPILOG = """\
examples:
  botd bench                                   the whole table, some three minutes
  botd bench --json bench.json --markdown      the same for a program and for a document
  botd bench --scale 0.1 --rounds 3            a first impression
  botd bench --agreement 2000 --ply 2          does fast mode decide as exact mode does?
  botd bench --overrun 2000 --budget 0.05      how late are answers after a time budget of 50 ms?

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


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 1_000_000):
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1000000, got {text[:40]!r}")
    return int(text)


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
        help="evaluators to measure, with commas between them (default sage,gnubg,puretd; the networks of "
        "puretd are those in the folder that BOTD_PURETD_DIR names)",
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
    parser.add_argument(
        "--agreement",
        type=_count,
        metavar="N",
        help="compare fast mode with exact mode instead, on N plays and N cube decisions",
    )
    parser.add_argument(
        "--overrun",
        type=_count,
        metavar="N",
        help="measure instead how late fast mode answers after its time budget, over N decisions",
    )
    parser.add_argument(
        "--engine",
        default="sage",
        metavar="NAME",
        help="whose fast mode these two look at: sage, gnubg, gnubg:A, ... (default sage)",
    )
    parser.add_argument(
        "--ply",
        type=int,
        choices=range(5),
        metavar="N",
        help="depth for these two (default 2, and 4, which no budget allows)",
    )
    parser.add_argument(
        "--budget", type=float, default=0.05, metavar="S", help="seconds, for --overrun (default 0.05)"
    )
    parser.add_argument("--no-peers", action="store_true", help="measure only our own engine")
    parser.add_argument("--json", metavar="FILE", help="write everything to this file; - is standard output")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.rounds < 1 or not 0 < args.scale <= 1000:
        print("botd bench: --rounds must be at least 1 and --scale above 0 and at most 1000", file=sys.stderr)
        return EXIT_USAGE
    if not 0 < args.budget <= 60:
        print("botd bench: --budget must be above 0 and at most 60 seconds", file=sys.stderr)
        return EXIT_USAGE
    # Imported here so that other commands start without the engine.
    from botd.config import LogConfig
    from botd.daemon.logging import configure_logging

    configure_logging(LogConfig(level="warning", format="text"), (), sys.stderr)
    command = _fast_mode if args.agreement or args.overrun else _speed
    try:
        text, fields = command(args)
    except (RuntimeError, OSError, ValueError) as error:
        print(f"botd bench: {error}", file=sys.stderr)
        return EXIT_FAILURE
    if args.json == "-":
        print(json.dumps(fields))
        return EXIT_OK
    print(text)
    if args.json is not None:
        try:
            Path(args.json).write_text(json.dumps(fields, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            print(f"botd bench: cannot write {args.json}: {error.strerror}", file=sys.stderr)
            return EXIT_FAILURE
    return EXIT_OK


def _speed(args: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """The whole table, and the same for JSON. Raises RuntimeError, OSError, ValueError."""
    from botd.bench.gnubg_peer import PeerError
    from botd.bench.goals import kernel_rows, memory_rows, rows, start_rows
    from botd.bench.lineup import lineup
    from botd.bench.machine import this_machine
    from botd.bench.puretd_kernel import FOLDER_VARIABLE, kernel_speeds
    from botd.bench.report import Report, markdown, terminal_text
    from botd.bench.runner import measure
    from botd.bench.start_time import start_times
    from botd.bench.worker_memory import worker_memories
    from botd.bench.workload import tasks_from_games
    from botd.engine.engine import SageEngine

    machine = this_machine(args.cpu_path)
    tasks = tasks_from_games(SageEngine.load(cpu_path=args.cpu_path), args.seed)
    with ExitStack() as stack:
        progress = stack.enter_context(ProgressBar(sys.stderr, "measuring"))
        found = lineup(args.evaluators, peers=not args.no_peers, cpu_path=args.cpu_path, stack=stack)
        if not found.contestants and "puretd" not in args.evaluators:
            raise PeerError("; ".join(f"{name}: {why}" for name, why in found.absent.items()))
        measurements = measure(
            found.contestants, tasks, rounds=args.rounds, scale=args.scale, progress=progress
        )
        kernels = []
        if "puretd" in args.evaluators:
            if folder := os.environ.get(FOLDER_VARIABLE):
                kernels = kernel_speeds(Path(folder), tasks, rounds=args.rounds, progress=progress)
            else:
                found.absent["puretd"] = f"{FOLDER_VARIABLE} names no folder with networks"
        progress(1.0, "memory of one more worker")
        memories = worker_memories(peers=not args.no_peers)
        progress(1.0, "start to first decision")
        starts = start_times(rounds=args.rounds, peers=not args.no_peers)
    report = Report(
        machine=machine,
        command=_command(args, "evaluators", "rounds", "scale", "seed", "cpu_path", "no_peers"),
        seed=args.seed,
        rounds=args.rounds,
        scale=args.scale,
        rows=(
            *rows(measurements, found.absent),
            *memory_rows(memories),
            *start_rows(starts),
            *kernel_rows(kernels),
        ),
        measurements=tuple(measurements),
        memories=tuple(memories),
        starts=tuple(starts),
        kernels=tuple(kernels),
        absent=found.absent,
    )
    return markdown(report) if args.markdown else terminal_text(report), report.as_dict()


def _fast_mode(args: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Fast mode beside exact mode or against its time budget. Raises RuntimeError, OSError, ValueError."""
    from botd.bench.agreement import agreement
    from botd.bench.fast_mode_report import FastModeReport, markdown, terminal_text
    from botd.bench.machine import this_machine
    from botd.bench.overrun import overrun
    from botd.bench.workload import tasks_from_games
    from botd.engine.engine import SageEngine
    from botd.engine.protocol import load_engine

    tasks = tasks_from_games(SageEngine.load(), args.seed)
    fast = load_engine(f"fast:{args.engine}")
    command = _command(args, "agreement", "overrun", "engine", "ply", "budget", "seed")
    report = FastModeReport(this_machine(fast.info.cpu_path), command, args.engine)
    with ProgressBar(sys.stderr, "comparing" if args.agreement else "waiting") as progress:
        if args.agreement:
            report.agreements = agreement(
                _leaving_nothing_out(load_engine(args.engine)),
                fast,
                tasks,
                decisions=args.agreement,
                ply=2 if args.ply is None else args.ply,
                seed=args.seed,
                progress=progress,
            )
        if args.overrun:
            report.overruns = [
                overrun(
                    fast,
                    tasks,
                    decisions=args.overrun,
                    ply=4 if args.ply is None else args.ply,
                    budget_s=args.budget,
                    progress=progress,
                )
            ]
    return markdown(report) if args.markdown else terminal_text(report), report.as_dict()


def _leaving_nothing_out(engine: Engine) -> Engine:
    """The judge values every play to the full depth, and every reply."""
    if isinstance(engine, ConfigurableEngine):
        return engine.configured(SearchSettings(filter="none", prune=False))
    return engine


def _command(args: argparse.Namespace, *options: str) -> str:
    """What to type for the same run."""
    words = ["botd bench"]
    for option in options:
        value = getattr(args, option)
        name = f"--{option.replace('_', '-')}"
        if value is True:
            words.append(name)
        elif isinstance(value, tuple):
            if value != _EVALUATORS:
                words.append(f"{name} {','.join(value)}")
        elif value not in (None, False):
            words.append(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}")
    return " ".join(words)
