"""`botd rollout`: a position played out many times, or the plays of a roll side by side."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import math
import os
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE
from botd.cli.numbers import whole
from botd.engine.settings import MAX_THREADS

if TYPE_CHECKING:
    from botd.engine.match_id import MatchState
    from botd.engine.rollout import Kept, RolledCube, RolledPlays, Roller, RolloutSettings
    from botd.engine.rollout_file import Question, SavedRollout
    from botd.engine.types import Board, Probabilities

_LEVELS = ("1T", "2T", "3T", "full")
_MAX_GAMES = 1_000_000
_MAX_HALF_MOVES = 1000
_SAVE_EVERY_S = 60.0

_EPILOG = """\
examples:
  botd rollout 4HPwATDgc/ABMA:cAkAAAAAAAAA --level 2T           should the side on roll double?
  botd rollout 4HPwATDgc/ABMA:cAkAAAAAAAAA --dice 31            the best plays of a roll, with the same dice
  botd rollout 4HPwATDgc/ABMA:cAkAAAAAAAAA --dice 43 --plays 10
  botd rollout XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 --games 1296 --jobs 4
  botd rollout 4HPwATDgc/ABMA:cAkAAAAAAAAA --dice 64 --level full --json
  botd rollout 4HPwATDgc/ABMA:cAkAAAAAAAAA --level full --target 0.005
  botd rollout 4HPwATDgc/ABMA:cAkAAAAAAAAA --games 720 --save start.json
  botd rollout --resume start.json                               after an interrupt
  botd rollout --resume start.json --games 1440                  as if 1440 had been asked for at once

Plays that were not rolled out stand without a standard error. "less" is the difference to the best play,
with the standard error that the same dice give it.

exit codes:
  0  done
  1  the engine's files are missing or damaged, or FILE cannot be written
  2  wrong arguments; nothing was started
  130  interrupted; with --save or --resume what is done is in FILE
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
        nargs="?",
        help="GNU Backgammon's Position ID and Match ID with a colon between them, or an XGID",
    )
    parser.add_argument("--dice", metavar="NN", help="the roll, as 31, where the identifier has none")
    parser.add_argument(
        "--level",
        choices=_LEVELS,
        help="Open Sage's truncated levels, or games played to their end at 0-ply (default 1T)",
    )
    parser.add_argument(
        "--games",
        type=whole(1, _MAX_GAMES),
        metavar="N",
        help="instead of the level's; best a multiple of 36. With --resume: so many in all",
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
        metavar="N",
        help="roll out so many at least (default 2; up to five that are near the best)",
    )
    parser.add_argument("--seed", type=whole(0, 2**32 - 1), metavar="N", help="of the dice (default 42)")
    parser.add_argument(
        "--jobs",
        type=whole(1, MAX_THREADS),
        default=min(os.cpu_count() or 1, MAX_THREADS),
        metavar="N",
        help="threads (default: one a processor, %(default)s)",
    )
    parser.add_argument(
        "--target",
        type=_target,
        metavar="SE",
        help="repeat the games with new seeds, at most 16 times in all, until the standard error of no "
        "double or of the best play is at most this. With --resume: instead of the file's",
    )
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="keep the games in a new file, every minute and when interrupted, to be gone on with",
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="go on from this file with the same engine on the same CPU path, and keep all games in it",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(args: argparse.Namespace) -> int:
    from botd import _core
    from botd.engine import rules
    from botd.engine.core_arguments import other_side
    from botd.engine.engine import SageEngine
    from botd.engine.rollout import Roller
    from botd.engine.rollout_file import RolloutFileError
    from botd.terminal.progress_bar import ProgressBar

    try:
        saved, question = _asked(args)
        board, state = _decoded(question.position)
        dice = _roll(args.dice, question.dice, state)
        if saved is not None and dice != question.dice:
            raise ValueError(f"--dice: expected none as in {args.resume}, got {args.dice or state.dice}")
        question = dataclasses.replace(question, dice=dice)
        if rules.game_result(board) != 0:
            raise ValueError("position: expected a game in progress, but one side is all off")
        settings = (
            _settings(args, question.level) if saved is None else saved.extended(args.games, args.target)
        )
    except (OSError, ValueError) as error:
        return _refused(error)
    try:
        roller = Roller(SageEngine.load(), settings, threads=args.jobs)
    except (OSError, _core.DataError) as error:
        print(f"botd rollout: {error}", file=sys.stderr)
        return EXIT_FAILURE
    context = state.context
    try:
        kept = saved.games(roller.info, other_side(context) if question.dice else context) if saved else {}
    except RolloutFileError as error:
        return _refused(error)

    started = time.monotonic()
    rolled: RolledCube | RolledPlays
    keeper = _Keeper(args.save or args.resume, question, roller, kept)
    try:
        if not keeper.save():
            return EXIT_FAILURE
        with ProgressBar(sys.stderr, "rolling out") as bar:

            def progress(done: float) -> None:
                keeper.save_now_and_then()
                bar(done)

            if question.dice is None:
                rolled = roller.cube(board, context, kept=kept, progress=progress)
            else:
                rolled = roller.plays(
                    board, context, question.dice, at_least=question.at_least, kept=kept, progress=progress
                )
    except ValueError as error:
        return _refused(error)
    except KeyboardInterrupt:
        return keeper.interrupted()
    seconds = time.monotonic() - started
    status = EXIT_OK if keeper.save() else EXIT_FAILURE
    if args.json:
        print(json.dumps(_document(roller, question, rolled), indent=1))
    else:
        print("\n".join([*_table(rolled), "", _how(roller, question, rolled, seconds)]))
    return status


class _Keeper:
    """Keeps the games in a file, if there is to be one."""

    def __init__(self, path: Path | None, question: Question, roller: Roller, kept: Kept) -> None:
        self._path = path
        self._question = question
        self._roller = roller
        self._kept = kept
        self._saved = time.monotonic()

    def save(self) -> bool:
        """False, and a line about it, if that fails."""
        try:
            self._write()
        except OSError as error:
            print(f"botd rollout: {self._path}: {error.strerror or error}", file=sys.stderr)
            return False
        return True

    def save_now_and_then(self) -> None:
        """A failure is left for the last time: space may be made meanwhile."""
        if time.monotonic() - self._saved >= _SAVE_EVERY_S:
            with contextlib.suppress(OSError):
                self._write()

    def _write(self) -> None:
        from botd.engine.rollout_file import write_rollout

        self._saved = time.monotonic()
        if self._path is not None:
            write_rollout(
                self._path.resolve(), self._question, self._roller.settings, self._roller.info, self._kept
            )

    def interrupted(self) -> int:
        """Save what is done, and say so."""
        if self._path is None:
            print("botd rollout: interrupted", file=sys.stderr)
        elif self.save():
            games = sum(sums.trials for sums in self._kept.values())
            print(
                f"botd rollout: interrupted; {games} games are in {self._path}: go on with "
                f"botd rollout --resume {shlex.quote(str(self._path))}",
                file=sys.stderr,
            )
        return EXIT_INTERRUPTED


def _refused(error: Exception) -> int:
    if isinstance(error, OSError):
        error = ValueError(f"{error.filename}: {error.strerror}")
    print(f"botd rollout: {error}", file=sys.stderr)
    return EXIT_USAGE


def _asked(args: argparse.Namespace) -> tuple[SavedRollout | None, Question]:
    """The question of the arguments or of the file to go on from, which must not differ."""
    from botd.engine.rollout_file import Question, read_rollout

    if args.save is not None and args.save != args.resume and args.save.exists():
        raise ValueError(f"--save: expected a new file, but {args.save} is there; --resume goes on with it")
    if args.resume is None:
        if args.position is None:
            raise ValueError("expected a POSITION, or --resume FILE")
        plays = 2 if args.plays is None else args.plays
        return None, Question(args.position, None, plays, args.level or "1T")
    saved = read_rollout(args.resume)
    question, settings = saved.question, saved.settings
    for option, given, there in (
        ("POSITION", args.position, question.position),
        ("--level", args.level, question.level),
        ("--plays", args.plays, question.at_least),
        ("--truncate", args.truncate, settings.truncate),
        ("--seed", args.seed, settings.seed),
    ):
        if given not in (None, there):
            raise ValueError(f"{option}: expected {there!r} as in {args.resume}, got {given!r:.60}")
    return saved, question


def _target(text: str) -> float:
    try:
        target = float(text)
    except ValueError:
        target = math.nan
    if not 0.0 < target <= 10.0:
        raise argparse.ArgumentTypeError(f"expected a number above 0, at most 10, got {text[:40]!r}")
    return target


def _decoded(text: str) -> tuple[Board, MatchState]:
    from botd.engine import match_id, position_id, xgid

    if text[:5].upper() == "XGID=":
        position = xgid.decode(text)
        return position.board, position.state
    first, colon, second = text.partition(":")
    if not colon:
        raise ValueError(f"position: expected POSITION_ID:MATCH_ID or XGID=..., got {text[:60]!r}")
    return position_id.decode(first), match_id.decode(second)


def _roll(text: str | None, saved: tuple[int, int] | None, state: MatchState) -> tuple[int, int] | None:
    """The roll of the option, the file or the identifier, which must not differ; the larger die first."""
    known = saved or state.dice
    if text is None:
        return None if known is None else (max(known), min(known))
    if len(text) != 2 or any(digit not in "123456" for digit in text):
        raise ValueError(f"--dice: expected two numbers from 1 to 6 as in 31, got {text[:40]!r}")
    dice = (int(max(text)), int(min(text)))
    if known is not None and sorted(known) != sorted(dice):
        where = "file" if saved else "identifier"
        raise ValueError(f"--dice: expected {known[0]}{known[1]} as in the {where}, got {text}")
    return dice


def _settings(args: argparse.Namespace, level: str) -> RolloutSettings:
    from botd.engine.rollout import ROLLOUT_LEVELS

    given = {"seed": args.seed, "games": args.games, "truncate": args.truncate}
    settings = dataclasses.replace(
        ROLLOUT_LEVELS[level], **{name: value for name, value in given.items() if value is not None}
    )
    return settings if args.target is None else settings.until(args.target)


def _table(rolled: RolledCube | RolledPlays) -> list[str]:
    from botd.engine.rollout import RolledCube

    return _cube_lines(rolled) if isinstance(rolled, RolledCube) else _play_lines(rolled)


def _cube_lines(cube: RolledCube) -> list[str]:
    decision = cube.decision
    less = [each - decision.no_double for each in (decision.double_take, decision.double_pass)]
    rows = [
        ("no double", decision.no_double, cube.no_double_error, ""),
        (
            "double, take",
            decision.double_take,
            cube.double_take_error,
            _difference(less[0], cube.difference_error),
        ),
        ("double, pass", decision.double_pass, 0.0, _difference(less[1], cube.no_double_error)),
    ]
    lines = [f"{decision.decision_text}", ""]
    lines += [f"{'':<16}{'equity':>8}  {'error':>7}  {'more':>8}  {'error':>7}"]
    lines += [
        f"{name:<16}{equity:>+8.4f}  {error:>7.4f}  {more}".rstrip() for name, equity, error, more in rows
    ]
    lines += ["", f"{'':<16}{_heads()}"]
    lines += [f"{'chances':<16}{_percents(decision.probabilities)}"]
    lines += [f"{'error':<16}{_percents(cube.probability_errors)}"]
    return lines


def _play_lines(rolled: RolledPlays) -> list[str]:
    width = max(len("play"), *(len(each.play.notation) for each in rolled.plays))
    best = rolled.plays[0].equity
    lines = [f"{'':>3} {'play':<{width}}  {'equity':>8}  {'error':>7}  {'less':>8}  {'error':>7}  {_heads()}"]
    for place, each in enumerate(rolled.plays, 1):
        less = _difference(each.equity - best, each.difference_error) if place > 1 else ""
        error = "" if each.equity_error is None else f"{each.equity_error:.4f}"
        lines.append(
            f"{place:>3} {each.play.notation or '-':<{width}}  {each.equity:>+8.4f}  {error:>7}  {less:<17}  "
            f"{_percents(each.probabilities)}"
        )
    return lines


def _difference(more: float, error: float | None) -> str:
    return f"{more:>+8.4f}  {'' if error is None else f'{error:.4f}':>7}"


def _heads() -> str:
    return " ".join(f"{name:>7}" for name in ("win", "win g", "win bg", "lose g", "lose bg"))


def _percents(p: Probabilities | None) -> str:
    if p is None:
        return ""
    return " ".join(f"{100 * value:>6.2f}%" for value in dataclasses.astuple(p))


def _how(roller: Roller, question: Question, rolled: RolledCube | RolledPlays, seconds: float) -> str:
    from botd.engine.rollout import RolledCube

    settings, info = roller.settings, roller.info
    if isinstance(rolled, RolledCube):
        games, error = rolled.games, rolled.no_double_error
    else:
        games, error = max(play.games for play in rolled.plays), rolled.plays[0].equity_error or 0.0
    target = ""
    if settings.target is not None:
        reached = "reached" if error <= settings.target else "not reached"
        target = f", standard error {settings.target:g} {reached}"
    cut = f"cut off after {settings.truncate} half-moves" if settings.truncate else "played to their end"
    return (
        f"level {question.level}, {games} games each{target}, {cut}, seed {settings.seed}, "
        f"{info.evaluator} ({info.cpu_path}), {seconds:.1f} s"
    )


def _document(roller: Roller, question: Question, rolled: RolledCube | RolledPlays) -> dict[str, Any]:
    from botd.engine.rollout import RolledCube

    info = roller.info
    kind = "cube" if isinstance(rolled, RolledCube) else "plays"
    return {
        "position": question.position,
        "level": question.level,
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
