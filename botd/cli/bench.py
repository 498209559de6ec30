"""`botd bench`: decisions per CPU second, ours and the installed peers', in one run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from botd.bench.runner import Measurement


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "bench",
        help="measure the engine's speed",
        description="Measures evaluations and decisions per CPU second on one thread, on positions from "
        "self-played games of which none comes twice, and measures Open Sage (package bgsage) in the same "
        "run. Ply counts from 0.",
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
    """Fixed-width text table; `ours / theirs` is the median of the ratios round by round."""
    lines = [
        f"{'work':<22} {'engine':<12} {'per CPU s':>12} {'ours/theirs':>12} {'answers':>8} {'checksum':>14}"
    ]
    for r in results:
        ratio = "" if r.contestant == "botd" else f"{1 / r.ratio_to_first:.2f}"
        name = f"{r.kind:<22} {r.contestant:<12}"
        lines.append(f"{name} {r.per_second:>12,.1f} {ratio:>12} {r.answers:>8} {r.checksum:>14.4f}")
    return "\n".join(lines)


def run(args: argparse.Namespace) -> int:
    if args.rounds < 1 or not 0 < args.scale <= 1000:
        print("botd bench: --rounds must be at least 1 and --scale above 0 and at most 1000", file=sys.stderr)
        return 2
    # Imported here so that other commands start without the engine.
    from botd.bench.contestants import open_sage_batches, own_batches
    from botd.bench.runner import measure
    from botd.bench.workload import tasks_from_games
    from botd.engine.engine import SageEngine

    engine = SageEngine.load(cpu_path=args.cpu_path)
    contestants = {"botd": own_batches(engine)}
    peer = None if args.no_peers else open_sage_batches()
    if peer is not None:
        contestants["Open Sage"] = peer
    results = measure(
        contestants,
        tasks_from_games(engine, args.seed),
        rounds=args.rounds,
        scale=args.scale,
        progress=_progress,
    )
    if args.json:
        print(
            json.dumps(
                {"cpu_path": engine.info.cpu_path, "seed": args.seed, "results": [asdict(r) for r in results]}
            )
        )
    else:
        print(f"CPU path {engine.info.cpu_path}, seed {args.seed}, {args.rounds} rounds")
        print(table(results))
    return 0
