"""Entry point of `botd-engine`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool

from botd.cli.streams import silence_output
from botd.engine_cli import bearoff_command
from botd.engine_cli.answers import answer
from botd.engine_cli.batch import PoolError, run_batch
from botd.engine_cli.compare.command import run_compare
from botd.engine_cli.errors import EXIT_STATUS, AnswerError
from botd.engine_cli.fields import Answer
from botd.engine_cli.parser import build_parser, compare_options, request_of
from botd.engine_cli.requests import Settings

_STDIN = 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    arguments = build_parser().parse_args(argv)
    if sys.stdout is None:
        print(f"botd-engine {arguments.command}: standard output is closed", file=sys.stderr)
        return 1
    try:
        if arguments.command == "batch":
            _batch(_settings(arguments), arguments.jobs)
        elif arguments.command == "bearoff":
            _print(bearoff_command.answer(arguments))
        elif arguments.command == "compare":
            passed = run_compare(compare_options(arguments), _settings(arguments), sys.stdout.write)
            sys.stdout.flush()
            return 0 if passed else 1
        else:
            _print(answer(request_of(arguments, _settings(arguments))))
    except AnswerError as error:
        print(f"botd-engine {arguments.command}: {error.message}", file=sys.stderr)
        return EXIT_STATUS[error.kind]
    except PoolError as error:
        print(f"botd-engine batch: {error}", file=sys.stderr)
        return 1
    except BrokenProcessPool:
        print(f"botd-engine {arguments.command}: a worker process ended unexpectedly", file=sys.stderr)
        return 1
    except OSError as error:  # of standard input or output; data files were dealt with above
        if not isinstance(error, BrokenPipeError):  # then the reader has just seen enough
            print(f"botd-engine {arguments.command}: standard input or output: {error}", file=sys.stderr)
        silence_output()
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _print(result: Answer) -> None:
    print(json.dumps(result, allow_nan=False), flush=True)


def _batch(settings: Settings, jobs: int) -> None:
    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    # Unbuffered: a thread that waits in a buffered read would hold up the end of the program.
    run_batch(lambda size: os.read(_STDIN, size), write, settings, jobs=jobs)


def _settings(arguments: argparse.Namespace) -> Settings:
    given = vars(arguments)
    return Settings(**{name: given[name] for name in Settings.__dataclass_fields__ if name in given})


if __name__ == "__main__":
    sys.exit(main())
