"""`botd completion`: what a shell needs to complete the words of `botd` and `botd-engine`."""

from __future__ import annotations

import argparse
from typing import Any

from botd.cli.exit_codes import EXIT_OK
from botd.cli.parsers import COMMANDS, all_parsers, own_arguments, parser_of

SHELLS = ("bash", "zsh", "fish")
_FILE_WORDS = ("FILE", "DIR", "FOLDER", "PATH")

_EPILOG = """\
examples:
  mkdir -p ~/.local/share/bash-completion/completions
  botd completion bash > ~/.local/share/bash-completion/completions/botd
  botd completion bash --command botd-engine > ~/.local/share/bash-completion/completions/botd-engine
  botd completion zsh > ~/.zfunc/_botd          with `fpath+=~/.zfunc` before compinit in ~/.zshrc
  botd completion fish > ~/.config/fish/completions/botd.fish
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "completion",
        help="print completion for a shell",
        description="Prints a script that lets a shell complete commands, options, their values and file "
        "names.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=SHELLS)
    parser.add_argument("--command", dest="program", choices=COMMANDS, default="botd", help="default: botd")


def run(args: argparse.Namespace) -> int:
    print(completion_script(args.program, args.shell), end="")
    return EXIT_OK


def completion_script(command: str, shell: str) -> str:
    """The script for one command and one of `SHELLS`."""
    import shtab

    parser = parser_of(command)
    for each in all_parsers(parser):
        for action in own_arguments(each):
            if _names_a_file(action):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    text: str = shtab.complete(parser, shell)
    return text.rstrip("\n") + "\n"


def _names_a_file(action: argparse.Action) -> bool:
    metavar: Any = action.metavar
    return action.choices is None and isinstance(metavar, str) and metavar.endswith(_FILE_WORDS)
