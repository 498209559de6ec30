"""Entry point of `botd-engine`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext

from botd.cli.streams import silence_output
from botd.engine_cli import bearoff_command, import_command
from botd.engine_cli.answers import answer
from botd.engine_cli.batch import PoolError, run_batch
from botd.engine_cli.compare.command import run_compare
from botd.engine_cli.errors import EXIT_STATUS, AnswerError
from botd.engine_cli.fields import Answer
from botd.engine_cli.interrupts import ended_at_once, ended_with_cleanup
from botd.engine_cli.parser import compare_options, parse, request_of
from botd.engine_cli.requests import Settings
from botd.printable import printable

_STDIN = 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    arguments = parse(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:
        _complain(arguments.command, "standard output is closed")
        return 1
    try:
        if arguments.command == "batch":
            _batch(_settings(arguments), arguments.jobs)
        elif arguments.command == "bearoff":
            with ended_with_cleanup():
                _print(bearoff_command.answer(arguments))
        elif arguments.command == "import-net":
            with ended_with_cleanup():
                _print(import_command.answer(arguments))
        elif arguments.command == "compare":
            with ended_with_cleanup():
                passed = run_compare(compare_options(arguments), _settings(arguments), sys.stdout.write)
            sys.stdout.flush()
            return 0 if passed else 1
        else:
            with ended_at_once():
                _print(answer(request_of(arguments, _settings(arguments))))
    except AnswerError as error:
        _complain(arguments.command, error.message)
        return EXIT_STATUS[error.kind]
    except PoolError as error:
        _complain("batch", str(error))
        return 1
    except BrokenProcessPool:
        _complain(arguments.command, "a worker process ended unexpectedly")
        return 1
    except OSError as error:  # of standard input or output; data files were dealt with above
        if not isinstance(error, BrokenPipeError):  # then the reader has just seen enough
            _complain(arguments.command, f"standard input or output: {error}")
        silence_output()
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _complain(command: str, message: str) -> None:
    print(f"botd-engine {command}: {printable(message, limit=None)}", file=sys.stderr)


def _print(result: Answer) -> None:
    print(json.dumps(result, allow_nan=False), flush=True)


def _batch(settings: Settings, jobs: int) -> None:
    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    # Unbuffered: a thread that waits in a buffered read would hold up the end of the program.
    with ended_at_once() if jobs == 1 else nullcontext():  # worker processes are to be ended, too
        run_batch(lambda size: os.read(_STDIN, size), write, settings, jobs=jobs)


def _settings(arguments: argparse.Namespace) -> Settings:
    given = vars(arguments)
    return Settings(**{name: given[name] for name in Settings.__dataclass_fields__ if name in given})


if __name__ == "__main__":
    sys.exit(main())
