"""`botd play`: a person plays the engine on the terminal."""

from __future__ import annotations

import argparse
import math
import random
import sys

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE
from botd.cli.numbers import whole
from botd.terminal.board import Style
from botd.terminal.commands import CommandError, parse_dice
from botd.terminal.engine_seat import EngineSeat
from botd.terminal.local_match import Dice, LocalMatch
from botd.terminal.table import Table

_BUDGET_S = 5.0

_EPILOG = """\
examples:
  botd play                          a 5 point match
  botd play --length 0 --beavers     games for money, with beavers
  botd play --ply 0 --seed 1         a fast, weaker opponent and dice that can be had again
  botd play --ply 4 --budget 20      an opponent that thinks hard
  botd play --manual-dice            roll real dice for both sides and type them in

Type help at the prompt for the commands, quit to leave.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "play",
        help="play against the engine on the terminal",
        description="A person plays the engine on the terminal.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--length",
        type=whole(0, 25),
        default=5,
        metavar="POINTS",
        help="match length 1 to 25, or 0 for money play (default %(default)s)",
    )
    parser.add_argument(
        "--ply",
        type=whole(0, 4),
        default=2,
        metavar="N",
        help="search depth 0 to 4; 0 is the bare network (default %(default)s)",
    )
    parser.add_argument(
        "--mode",
        choices=("fast", "exact"),
        default="fast",
        help="fast: botd's own search (default); exact: the evaluator's own, many times slower",
    )
    parser.add_argument(
        "--budget",
        type=_seconds,
        metavar="S",
        help="mode fast: play the best move found after so many seconds (default: 5)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="dice that repeat; without it they never do")
    parser.add_argument("--jacoby", action="store_true", help="money play: gammons count only after a double")
    parser.add_argument("--beavers", action="store_true", help="money play: the taker may redouble at once")
    parser.add_argument(
        "--manual-dice", action="store_true", help="you type the dice of both sides (from a real board)"
    )
    parser.add_argument(
        "--no-auto-roll", action="store_true", help="ask for roll even when you could not double"
    )
    parser.add_argument("--name", default="You", help="how the board calls you (default %(default)s)")
    parser.add_argument("--ascii", action="store_true", help="draw with plain ASCII characters")


def run(args: argparse.Namespace) -> int:
    from botd.engine.budgeted import BudgetedEngine
    from botd.engine.engine import SageEngine
    from botd.engine.fast_engine import FastEngine

    if args.budget is not None and args.mode == "exact":
        print("botd play: --budget is for --mode fast", file=sys.stderr)
        return EXIT_USAGE
    if args.length and (args.jacoby or args.beavers):
        print("botd play: --jacoby and --beavers are for money games (--length 0)", file=sys.stderr)
        return EXIT_USAGE
    generator = random.SystemRandom() if args.seed is None else random.Random(args.seed)  # noqa: S311 - dice

    def thrown() -> Dice:
        return generator.randint(1, 6), generator.randint(1, 6)

    def typed() -> Dice:
        while True:
            try:
                return parse_dice(_ask("Dice (for the opening: yours, then the engine's): "))
            except CommandError as error:
                print(f"  {error}")

    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")  # a stray byte is a typing error, not a crash
    style = Style.of(sys.stdout)
    if args.ascii:
        style = Style(unicode=False, colour=style.colour)
    try:
        exact = SageEngine.load()
    except (OSError, ValueError, RuntimeError) as error:
        print(f"botd play: {error}", file=sys.stderr)
        return EXIT_FAILURE
    match = LocalMatch(
        args.length, typed if args.manual_dice else thrown, jacoby=args.jacoby, beavers=args.beavers
    )
    table = Table(
        match,
        EngineSeat(
            exact if args.mode == "exact" else BudgetedEngine(FastEngine(exact), args.budget or _BUDGET_S),
            args.ply,
        ),
        ask=_ask,
        say=print,
        style=style,
        name=args.name,
        automatic_roll=not args.no_auto_roll,
    )
    try:
        if not table.play():
            print(f"Goodbye. {table.score_line()}")
    except KeyboardInterrupt:
        print(f"\nGoodbye. {table.score_line()}")
        return EXIT_INTERRUPTED
    return EXIT_OK


def _ask(prompt: str) -> str:
    """A typed line; where nobody sees the typing (a pipe) it is shown too. Raises EOFError."""
    if sys.stdin.isatty():
        import readline  # noqa: F401 - makes input() editable

        return input(prompt)
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    print(line.rstrip("\n"))
    return line


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0.01 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"expected 0.01 to 3600 seconds, got {text[:40]!r}")
    return seconds
