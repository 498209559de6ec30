"""`botd rollout`: a position played out many times, or the plays of a roll side by side."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK, EXIT_USAGE
from botd.cli.numbers import whole
from botd.engine.settings import MAX_THREADS

if TYPE_CHECKING:
    from botd.engine.match_id import MatchState
    from botd.engine.rollout import RolledCube, RolledPlays, Roller, RolloutSettings
    from botd.engine.types import Board, Probabilities

_LEVELS = ("1T", "2T", "3T", "full")
_MAX_GAMES = 1_000_000
_MAX_HALF_MOVES = 1000

_EPILOG = """\
examples:
  botd rollout 4HPwATDgc/ABMA:cAkAAAAAAAAA --level 2T           should the side on roll double?
  botd rollout 4HPwATDgc/ABMA:cAkAAAAAAAAA --dice 31            the best plays of a roll, with the same dice
  botd rollout 4HPwATDgc/ABMA:cAkAAAAAAAAA --dice 43 --plays 10
  botd rollout XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 --games 1296 --jobs 4
  botd rollout 4HPwATDgc/ABMA:cAkAAAAAAAAA --dice 64 --level full --json

Plays that were not rolled out stand without a standard error.

exit codes:
  0  done
  1  the engine's files are missing or damaged
  2  wrong arguments; nothing was started
  130  interrupted
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "rollout",
        help="play a position out many times",
        description="Rolls a position out with Open Sage's networks: whether to double or, with a roll, "
        "what to play. Luck is removed from every game, and all candidates have the same dice. The result "
        "depends on the position, the settings and the CPU path alone, never on the number of jobs.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "position",
        metavar="POSITION",
        help="GNU Backgammon's Position ID and Match ID with a colon between them, or an XGID",
    )
    parser.add_argument("--dice", metavar="NN", help="the roll, as 31, where the identifier has none")
    parser.add_argument(
        "--level",
        choices=_LEVELS,
        default="1T",
        help="Open Sage's truncated levels, or games played to their end at 0-ply (default %(default)s)",
    )
    parser.add_argument(
        "--games",
        type=whole(1, _MAX_GAMES),
        metavar="N",
        help="instead of the level's; best a multiple of 36",
    )
    parser.add_argument(
        "--truncate",
        type=whole(0, _MAX_HALF_MOVES),
        metavar="N",
        help="cut games off after this many half-moves, instead of the level's; 0: never",
    )
    parser.add_argument(
        "--plays",
        type=whole(1, 500),
        default=2,
        metavar="N",
        help="roll out so many at least (default %(default)s; up to five that are near the best)",
    )
    parser.add_argument(
        "--seed", type=whole(0, 2**32 - 1), default=42, metavar="N", help="of the dice (default %(default)s)"
    )
    parser.add_argument(
        "--jobs",
        type=whole(1, MAX_THREADS),
        default=min(os.cpu_count() or 1, MAX_THREADS),
        metavar="N",
        help="threads (default: one a processor, %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(args: argparse.Namespace) -> int:
    from botd import _core
    from botd.engine import rules
    from botd.engine.engine import SageEngine
    from botd.engine.rollout import Roller
    from botd.terminal.progress_bar import ProgressBar

    try:
        board, state = _decoded(args.position)
        dice = _roll(args.dice, state)
        if rules.game_result(board) != 0:
            raise ValueError("position: expected a game in progress, but one side is all off")
        settings = _settings(args)
    except ValueError as error:
        print(f"botd rollout: {error}", file=sys.stderr)
        return EXIT_USAGE
    try:
        roller = Roller(SageEngine.load(), settings, threads=args.jobs)
    except (OSError, _core.DataError) as error:
        print(f"botd rollout: {error}", file=sys.stderr)
        return EXIT_FAILURE

    started = time.monotonic()
    rolled: RolledCube | RolledPlays
    try:
        with ProgressBar(sys.stderr, "rolling out") as bar:
            if dice is None:
                rolled = roller.cube(board, state.context, progress=bar)
            else:
                rolled = roller.plays(board, state.context, dice, at_least=args.plays, progress=bar)
    except ValueError as error:
        print(f"botd rollout: {error}", file=sys.stderr)
        return EXIT_USAGE
    seconds = time.monotonic() - started
    if args.json:
        print(json.dumps(_document(roller, args, rolled), indent=1))
    else:
        print("\n".join([*_table(rolled), "", _how(roller, args, seconds)]))
    return EXIT_OK


def _decoded(text: str) -> tuple[Board, MatchState]:
    from botd.engine import match_id, position_id, xgid

    if text[:5].upper() == "XGID=":
        position = xgid.decode(text)
        return position.board, position.state
    first, colon, second = text.partition(":")
    if not colon:
        raise ValueError(f"position: expected POSITION_ID:MATCH_ID or XGID=..., got {text[:60]!r}")
    return position_id.decode(first), match_id.decode(second)


def _roll(text: str | None, state: MatchState) -> tuple[int, int] | None:
    """The roll of the identifier or the option; the larger die first."""
    if text is None:
        return None if state.dice is None else (max(state.dice), min(state.dice))
    if len(text) != 2 or any(digit not in "123456" for digit in text):
        raise ValueError(f"--dice: expected two numbers from 1 to 6 as in 31, got {text[:40]!r}")
    dice = (int(max(text)), int(min(text)))
    if state.dice is not None and sorted(state.dice) != sorted(dice):
        raise ValueError(f"--dice: expected {state.dice[0]}{state.dice[1]} as in the identifier, got {text}")
    return dice


def _settings(args: argparse.Namespace) -> RolloutSettings:
    from botd.engine.rollout import ROLLOUT_LEVELS

    settings = dataclasses.replace(ROLLOUT_LEVELS[args.level], seed=args.seed)
    if args.games is not None:
        settings = dataclasses.replace(settings, games=args.games)
    if args.truncate is not None:
        settings = dataclasses.replace(settings, truncate=args.truncate)
    return settings


def _table(rolled: RolledCube | RolledPlays) -> list[str]:
    from botd.engine.rollout import RolledCube

    return _cube_lines(rolled) if isinstance(rolled, RolledCube) else _play_lines(rolled)


def _cube_lines(cube: RolledCube) -> list[str]:
    decision = cube.decision
    rows = [
        ("no double", decision.no_double, cube.no_double_error),
        ("double, take", decision.double_take, cube.double_take_error),
        ("double, pass", decision.double_pass, 0.0),
    ]
    lines = [f"{decision.decision_text}", ""]
    lines += [f"{'':<16}{'equity':>8}  {'error':>7}"]
    lines += [f"{name:<16}{equity:>+8.4f}  {error:>7.4f}" for name, equity, error in rows]
    lines += ["", f"{'':<16}{_heads()}"]
    lines += [f"{'chances':<16}{_percents(decision.probabilities)}"]
    lines += [f"{'error':<16}{_percents(cube.probability_errors)}"]
    return lines


def _play_lines(rolled: RolledPlays) -> list[str]:
    width = max(len("play"), *(len(each.play.notation) for each in rolled.plays))
    best = rolled.plays[0].equity
    lines = [f"{'':>3} {'play':<{width}}  {'equity':>8} {'less':>8}  {'error':>7}  {_heads()}"]
    for place, each in enumerate(rolled.plays, 1):
        less = f"{each.equity - best:+.4f}" if place > 1 else ""
        error = "" if each.equity_error is None else f"{each.equity_error:.4f}"
        lines.append(
            f"{place:>3} {each.play.notation or '-':<{width}}  {each.equity:>+8.4f} {less:>8}  {error:>7}  "
            f"{_percents(each.probabilities)}"
        )
    return lines


def _heads() -> str:
    return " ".join(f"{name:>7}" for name in ("win", "win g", "win bg", "lose g", "lose bg"))


def _percents(p: Probabilities | None) -> str:
    if p is None:
        return ""
    return " ".join(f"{100 * value:>6.2f}%" for value in dataclasses.astuple(p))


def _how(roller: Roller, args: argparse.Namespace, seconds: float) -> str:
    settings, info = roller.settings, roller.info
    cut = f"cut off after {settings.truncate} half-moves" if settings.truncate else "played to their end"
    return (
        f"level {args.level}, {settings.games} games each, {cut}, seed {settings.seed}, {info.evaluator} "
        f"({info.cpu_path}), {seconds:.1f} s"
    )


def _document(roller: Roller, args: argparse.Namespace, rolled: RolledCube | RolledPlays) -> dict[str, Any]:
    from botd.engine.rollout import RolledCube

    info = roller.info
    kind = "cube" if isinstance(rolled, RolledCube) else "plays"
    return {
        "position": args.position,
        "level": args.level,
        "settings": dataclasses.asdict(roller.settings),
        "engine": {
            "version": info.version,
            "evaluator": info.evaluator,
            "cpu_path": info.cpu_path,
            "weights_sha256": info.weights_sha256,
            "met": info.met,
        },
        kind: dataclasses.asdict(rolled),
    }
