"""`botd bench`: decisions per CPU second, ours and the installed peers', in one run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    from botd.bench.groups import Group
    from botd.bench.runner import Measurement
    from botd.engine.engine import SageEngine


_EVALUATORS = ("sage", "gnubg")


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
        "self-played games of which none comes twice, and in the same run those peers that are installed: "
        "Open Sage (Python package bgsage) beside the evaluator sage, GNU Backgammon (Python package gnubg, "
        "program gnubg) beside the evaluator gnubg. `botd core` is the compiled search without the Python "
        "types of its answers. Ply counts from 0.",
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
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=run)


def _progress(done: int, total: int, kind: str) -> None:
    if sys.stderr.isatty():
        bar = "#" * (30 * done // total)
        print(f"\r[{bar:<30}] {kind:<24}", end="\n" if done == total else "", file=sys.stderr, flush=True)


def table(results: Sequence[Measurement]) -> str:
    """Fixed-width text table. `botd/it` and `core/it` are medians of the ratios round by round; `difference`
    is the mean absolute difference of the answers from ours."""
    from botd.bench.groups import OWN, OWN_CORE
    from botd.bench.runner import median_ratio

    lines = [
        f"{'work':<22} {'engine':<16} {'per CPU s':>12} {'botd/it':>8} {'core/it':>8} {'answers':>8} "
        f"{'checksum':>14} {'difference':>11}"
    ]
    ours: dict[tuple[str, str], Measurement] = {}
    for r in results:
        line = f"{r.kind:<22} {r.contestant:<16} {r.per_second:>12,.1f}"
        if r.contestant in (OWN, OWN_CORE):
            ours[r.kind, r.contestant] = r
            line += f" {'':>17} {r.answers:>8} {r.checksum:>14.4f}"
        else:
            for name in (OWN, OWN_CORE):
                own = ours.get((r.kind, name))
                line += f" {median_ratio(own, r):>8.2f}" if own else f" {'':>8}"
            line += f" {r.answers:>8} {r.checksum:>14.4f} {r.mean_difference:>11.6f}"
        lines.append(line)
    return "\n".join(lines)


def run(args: argparse.Namespace) -> int:
    if args.rounds < 1 or not 0 < args.scale <= 1000:
        print("botd bench: --rounds must be at least 1 and --scale above 0 and at most 1000", file=sys.stderr)
        return EXIT_USAGE
    # Imported here so that other commands start without the engine.
    from botd.bench.gnubg_peer import PeerError
    from botd.bench.runner import measure
    from botd.bench.workload import tasks_from_games
    from botd.engine.engine import SageEngine
    from botd.engine.gnubg_data import GnubgDataNotFound

    engine = SageEngine.load(cpu_path=args.cpu_path)
    tasks = tasks_from_games(engine, args.seed)
    report = []
    try:
        with ExitStack() as stack:
            for group in _groups(args, engine, stack):
                results = measure(
                    group.contestants,
                    tasks,
                    rounds=args.rounds,
                    scale=args.scale,
                    sizes=group.sizes,
                    progress=_progress,
                )
                report.append(
                    {
                        "evaluator": group.name,
                        "cpu_path": group.cpu_path,
                        "absent": group.absent,
                        "results": [asdict(r) for r in results],
                    }
                )
                if not args.json:
                    _print_group(group, results, args)
    except (PeerError, GnubgDataNotFound) as error:
        print(f"botd bench: {error}", file=sys.stderr)
        return EXIT_FAILURE
    if args.json:
        print(json.dumps({"seed": args.seed, "rounds": args.rounds, "groups": report}))
    return EXIT_OK


def _groups(args: argparse.Namespace, engine: SageEngine, stack: ExitStack) -> Iterator[Group]:
    from botd.bench.groups import gnubg_groups, sage_group

    if "sage" in args.evaluators:
        yield sage_group(engine, peers=not args.no_peers)
    if "gnubg" in args.evaluators:
        yield from gnubg_groups(peers=not args.no_peers, cpu_path=args.cpu_path, stack=stack)


def _print_group(group: Group, results: Sequence[Measurement], args: argparse.Namespace) -> None:
    print(f"{group.name}: CPU path {group.cpu_path}, seed {args.seed}, {args.rounds} rounds")
    print(table(results))
    for line in group.absent:
        print(line)
    print(flush=True)
