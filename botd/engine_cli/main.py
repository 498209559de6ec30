"""Entry point of `botd-engine`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import NoReturn

from botd import __version__
from botd.cli.streams import silence_output
from botd.engine.engine import MAX_PLY
from botd.engine_cli.answers import answer
from botd.engine_cli.batch import MAX_JOBS, PoolError, run_batch
from botd.engine_cli.errors import EXIT_STATUS, AnswerError, ErrorKind
from botd.engine_cli.evaluators import EVALUATORS, MODES, PROFILES
from botd.engine_cli.requests import Request, Settings, is_xgid

_STDIN = 0

_STATUS_HELP = """\
exit status:
  0  answered
  1  standard input or output failed, or a worker process ended
  2  bad arguments, or an undecodable or illegal position
  3  data files missing or damaged
  4  a combination that the evaluator does not support
"""

_POSITION_HELP = """\
Positions are GNU Backgammon's POSITION_ID and MATCH_ID, or one XGID (with XGID= in front) in place of both.
Everything is seen by the player on roll; equities are points for a cube at 1, in a match normalised so that
losing or winning the cube's value are -1 and +1.
"""


_REFERENCE_HELP = f"""\
Answers `evaluation` (before the roll) and `moves` (the ten best plays) or, without dice, `cube`.
Dice are taken from the arguments, else from the identifier.

{_POSITION_HELP}
example: botd-engine --ply 1 reference 4HPwATDgc/ABMA cAkAAAAAAAAA 3 1"""

_LEGAL_HELP = """\
Answers `count`, `positions` (sorted Position IDs of the distinct results, the player who moved kept in
place) and `moves` (notation in the same order).

example: botd-engine legal 4HPwATDgc/ABMA 3 1"""

_PERFT_HELP = """\
Answers `leaves` (sequences of distinct plays over the 21 rolls), `distinct` (different final positions)
and `seconds`.

example: botd-engine perft 2"""

_INFO_HELP = """\
Answers version, CPU path, evaluators with licence, files and SHA-256, bear-off files and match equity
table."""

_BATCH_HELP = """\
Each line is an object with `id`, `op` (default reference), `position_id`, `match_id` or `xgid`, `dice`,
`depth`; `ply`, `level`, `evaluator`, `mode` and `profile` override the options. One answer a line, in
order, with the `id`. A bad line is answered with `error`, of `kind` request, position, data or
unsupported, and the batch goes on.

example: echo '{"op": "legal", "position_id": "4HPwATDgc/ABMA", "dice": [3, 1]}' | botd-engine batch"""


class _Parser(argparse.ArgumentParser):
    """Reports a usage error on one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    arguments = _parser().parse_args(argv)
    if sys.stdout is None:
        print(f"botd-engine {arguments.command}: standard output is closed", file=sys.stderr)
        return 1
    try:
        settings = _settings(arguments)
        if arguments.command == "batch":
            _batch(settings, arguments.jobs)
        else:
            print(json.dumps(answer(_request(arguments, settings)), allow_nan=False), flush=True)
    except AnswerError as error:
        print(f"botd-engine {arguments.command}: {error.message}", file=sys.stderr)
        return EXIT_STATUS[error.kind]
    except PoolError as error:
        print(f"botd-engine batch: {error}", file=sys.stderr)
        return 1
    except BrokenProcessPool:
        print("botd-engine batch: a worker process ended unexpectedly", file=sys.stderr)
        return 1
    except OSError as error:  # of standard input or output; data files were dealt with above
        if not isinstance(error, BrokenPipeError):  # then the reader has just seen enough
            print(f"botd-engine {arguments.command}: standard input or output: {error}", file=sys.stderr)
        silence_output()
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _batch(settings: Settings, jobs: int) -> None:
    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    # Unbuffered: a thread that waits in a buffered read would hold up the end of the program.
    run_batch(lambda size: os.read(_STDIN, size), write, settings, jobs=jobs)


def _settings(arguments: argparse.Namespace) -> Settings:
    given = vars(arguments)
    return Settings(**{name: given[name] for name in Settings.__dataclass_fields__ if name in given})


def _request(arguments: argparse.Namespace, settings: Settings) -> Request:
    given = vars(arguments)
    words: list[str] = given.get("position") or []
    if isinstance(words, str):
        words = [words]
    depth: int | None = given.get("depth")
    identifiers, dice_words = _split(words, arguments.command)
    dice = None
    if dice_words:
        if len(dice_words) != 2 or not all(word.isascii() and word.isdigit() for word in dice_words):
            raise AnswerError(
                ErrorKind.REQUEST,
                f"dice: expected two numbers from 1 to 6, got {' '.join(dice_words)[:40]!r}",
            )
        dice = (int(dice_words[0][:9]), int(dice_words[1][:9]))
    return Request(
        op=arguments.command,
        settings=settings,
        position_id=identifiers[0] if identifiers else None,
        match_id=identifiers[1] if len(identifiers) > 1 else None,
        dice=dice,
        depth=depth,
    )


def _split(words: list[str], command: str) -> tuple[list[str], list[str]]:
    """Identifiers and dice: an XGID stands for both identifiers, and `legal` needs no Match ID."""
    count = 1 if command == "legal" or (words and is_xgid(words[0])) else 2
    return words[:count], words[count:]


def _jobs(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MAX_JOBS:
        raise argparse.ArgumentTypeError(f"expected 1 to {MAX_JOBS}, got {text[:40]!r}")
    return int(text)


def _options() -> _Parser:
    """Options that stand before or after the command."""
    options = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = options.add_argument_group("evaluation")
    group.add_argument("--evaluator", choices=EVALUATORS, help="which evaluator answers (default: sage)")
    depth = group.add_mutually_exclusive_group()
    depth.add_argument(
        "--ply",
        type=int,
        metavar="N",
        help=f"search depth as GNU Backgammon counts it, 0 is static (default: 2; sage: at most {MAX_PLY})",
    )
    depth.add_argument("--level", metavar="NAME", help="a named level in place of --ply (sage has none)")
    group.add_argument("--mode", choices=MODES, help="exact: the evaluator's own search (default: exact)")
    group.add_argument("--profile", choices=PROFILES, help="generation of the evaluator gnubg")
    group.add_argument("--weights", metavar="PATH", help="folder of the evaluator's networks")
    group.add_argument("--met", metavar="FILE", help="match equity table in XML (default: Kazaross-XG2)")
    group.add_argument(
        "--filter", dest="move_filter", metavar="NAME", help="move filter (exact sage has none)"
    )
    group.add_argument(
        "--threads",
        type=_jobs,
        metavar="N",
        help="most threads for one search, never changes an answer (exact sage uses one; see batch --jobs)",
    )
    return options


def _parser() -> _Parser:
    options = _options()
    parser = _Parser(
        prog="botd-engine",
        description="Ask botd's backgammon engine. Every answer is one JSON object on standard output.",
        epilog=_POSITION_HELP + "\n" + _STATUS_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[options],
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    def command(name: str, summary: str, details: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog=f"{details}\n\n{_STATUS_HELP}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=[options],
        )

    reference = command(
        "reference", "evaluate a position and rank its plays or judge its cube", _REFERENCE_HELP
    )
    reference.add_argument(
        "position", nargs="+", metavar="ID", help="POSITION_ID MATCH_ID [DIE DIE], or XGID [DIE DIE]"
    )
    legal = command("legal", "list the legal plays of a roll", _LEGAL_HELP)
    legal.add_argument("position", nargs="+", metavar="ID", help="POSITION_ID DIE DIE, or XGID [DIE DIE]")
    perft = command("perft", "count all sequences of plays to a depth", _PERFT_HELP)
    perft.add_argument("depth", type=int, metavar="DEPTH", help="number of rolls")
    perft.add_argument("position", nargs="?", metavar="POSITION_ID", help="default: the starting position")
    command("info", "say what answers are made with", _INFO_HELP)
    batch = command("batch", "answer JSON lines from standard input", _BATCH_HELP)
    batch.add_argument(
        "--jobs",
        type=_jobs,
        default=1,
        metavar="N",
        help="worker processes, changes only the speed (default: 1)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
