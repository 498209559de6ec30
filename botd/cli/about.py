"""`botd about`: versions, data files with digests, and licences."""

from __future__ import annotations

import argparse
import json

from botd.cli.exit_codes import EXIT_FAILURE, EXIT_OK

_EPILOG = """\
examples:
  botd about            for people, and for a bug report
  botd about --json     the same for a program, with every file
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "about",
        help="versions, weights and licences",
        description="Says what this installation is made of: version, processor path, networks and tables "
        "with their SHA-256 and licences, Python packages with theirs.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(args: argparse.Namespace) -> int:
    import msgspec

    from botd.about import about, about_text

    facts = about()
    print(json.dumps(msgspec.to_builtins(facts)) if args.json else about_text(facts))
    return EXIT_FAILURE if facts.problem else EXIT_OK
