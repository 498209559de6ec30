"""The command `botd` and its subcommands.

A subcommand is a module of this package with `add_parser(subparsers)` and `run(args) -> int`. It imports what
it needs when it runs, so that `--help` is quick.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import sys
from collections.abc import Sequence
from importlib.metadata import version

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_INTERRUPTED
from botd.cli.streams import open_missing, silence_output

_WRITE_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})

SUBCOMMANDS = (
    "init",
    "check_config",
    "doctor",
    "register",
    "run",
    "ctl",
    "watch",
    "matches",
    "match",
    "explain",
    "export",
    "check",
    "backup",
    "prune",
    "dice",
    "stats",
    "demo",
    "serve",
    "play",
    "rollout",
    "bench",
    "soak",
    "about",
    "completion",
    "manual",
)

_EPILOG = """\
examples:
  botd demo                                   two bots play a match here, on a server of their own
  botd check-config botd.toml                 is my configuration right?
  botd doctor                                 what does not work here, and what to do
  botd run --config botd.toml                 play, until SIGINT or SIGTERM
  botd ctl status                             what is the running daemon doing?
  botd watch                                  what is it playing, and what does it think of it?
  botd matches                                what has been played?
  botd match last                             the newest match, board by board
  botd explain last 1 8                       why that move? the same today?
  botd backup /srv/backups --keep 14          a checked copy of the journal
  botd dice                                   were the dice fair?
  botd stats --by opponent                    results, luck and error rates
  botd serve --port 4321                      a backgammon server on this machine
  botd play                                   play against the bot yourself
  botd rollout XGID=... --level 2T            what is right here? play it out many times
  botd bench                                  how fast is the engine on this machine?
  botd soak --matches 200                     how many matches can this machine bear?

exit codes:
  0  done, or stopped cleanly by a signal
  1  something failed while running; standard error says what
  2  wrong arguments or configuration; nothing was started
  130  ended by a second signal
"""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="botd",
        description="Plays backgammon on online servers, with its own engine.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"botd {version('botd')}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in SUBCOMMANDS:
        module = importlib.import_module(f"botd.cli.{name}")
        module.add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    open_missing()
    args = build_parser().parse_args(argv)
    command = importlib.import_module(f"botd.cli.{args.command.replace('-', '_')}")
    try:
        status = int(command.run(args))
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`botd ... | head`); nothing more can be said to it.
        silence_output()
        return EXIT_FAILURE
    except OSError as error:
        if error.errno not in _WRITE_ERRORS:
            raise
        silence_output()
        print(f"botd {args.command}: cannot write: {error.strerror}", file=sys.stderr)
        return EXIT_FAILURE


if __name__ == "__main__":
    sys.exit(main())
