"""The parsers of both commands, for what is made of them: completion and manual pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

COMMANDS = ("botd", "botd-engine")


def parser_of(command: str) -> argparse.ArgumentParser:
    """The whole parser of `botd` or `botd-engine`."""
    if command == "botd":
        from botd.cli import main

        return main.build_parser()
    from botd.engine_cli import parser

    return parser.build_parser()


def subcommands(parser: argparse.ArgumentParser) -> dict[str, tuple[str, argparse.ArgumentParser]]:
    """Name -> (summary, parser) of the direct subcommands, in order; aliases are left out."""
    found: dict[str, tuple[str, argparse.ArgumentParser]] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                found[choice.dest] = (choice.help or "", action.choices[choice.dest])
    return found


def all_parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parser itself and those of its subcommands, at any depth."""
    yield parser
    for _, child in subcommands(parser).values():
        yield from all_parsers(child)


def own_arguments(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """What the parser takes, without subcommands, --help and what is hidden."""
    left_out = (argparse._SubParsersAction, argparse._HelpAction)
    return [
        action
        for action in parser._actions
        if not isinstance(action, left_out) and action.help != argparse.SUPPRESS
    ]
