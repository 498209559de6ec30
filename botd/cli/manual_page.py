"""A manual page in mdoc, the language of manual pages, out of an argparse parser.

Help texts follow a convention here that the page uses: an epilog is paragraphs, and a block whose first line
ends in a colon (`examples:`, `exit codes:`) with indented lines after it.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from botd import __version__
from botd.cli.parsers import own_arguments, parser_of, subcommands

DATE = "November 30, 2026"
"""Of the last change to what the pages say beside the parsers; fixed, so that a build can be repeated."""

_FILES = {
    "botd": (
        ("/etc/botd/botd.toml", "configuration of the system service"),
        ("/var/lib/botd/", "journal and locks of the system service"),
        ("/run/botd/botd.sock", "the control socket of the system service"),
    ),
    "botd-engine": (("~/.cache/botd/", "bear-off databases that were generated"),),
}
_ENVIRONMENT = {
    "botd": (
        ("RUNTIME_DIRECTORY", "folder of the control socket under systemd"),
        ("XDG_RUNTIME_DIR", "folder of the control socket otherwise"),
        ("NO_COLOR", "no colours, even on a terminal"),
    ),
    "botd-engine": (("XDG_CACHE_HOME", "folder of caches, by default ~/.cache"),),
}
_EXAMPLES = ("example", "examples")
_OTHER = {"botd": "botd-engine", "botd-engine": "botd"}


@dataclass(frozen=True, slots=True)
class _Epilog:
    paragraphs: list[str]
    blocks: dict[str, list[str]]
    """Title without colon -> lines."""


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the page says of the program itself and need not repeat for each command."""

    options: set[str]
    epilog: _Epilog


def manual_page(command: str) -> str:
    """The page of section 1 for `botd` or `botd-engine`."""
    parser = parser_of(command)
    epilog = _split_epilog(parser.epilog or "")
    arguments = own_arguments(parser)
    shared = _Shared({option for action in arguments for option in action.option_strings}, epilog)
    lines = [
        f'.\\" Made from the parser of {command} {__version__}; do not edit.',
        f".Dd {DATE}",
        f".Dt {command.upper()} 1",
        ".Os",
        ".Sh NAME",
        f".Nm {command}",
        f".Nd {_summary(parser)}",
        ".Sh SYNOPSIS",
        f".Nm {command}",
        ".Op Ar OPTIONS",
        ".Ar COMMAND",
        ".Op Ar ARGUMENTS",
        ".Sh DESCRIPTION",
        *_prose(parser.description or ""),
        *(line for text in epilog.paragraphs for line in (".Pp", *_prose(text))),
        *((".Pp", "Options before the command:", *_arguments(arguments)) if arguments else ()),
        ".Sh COMMANDS",
    ]
    for name, (_, child) in subcommands(parser).items():
        lines += _command(command, (name,), child, shared)
    lines += _table_section("ENVIRONMENT", "Ev", _ENVIRONMENT[command])
    lines += _table_section("FILES", "Pa", _FILES[command])
    for title in sorted(epilog.blocks, key=lambda title: title in _EXAMPLES):
        lines += [
            f".Sh {'EXAMPLES' if title in _EXAMPLES else 'EXIT STATUS'}",
            *_literal(epilog.blocks[title]),
        ]
    lines += [".Sh SEE ALSO", f".Xr {_OTHER[command]} 1"]
    return "\n".join(lines) + "\n"


def _summary(parser: argparse.ArgumentParser) -> str:
    first = (parser.description or "").split(". ")[0].rstrip(".")
    return _escape(first[:1].lower() + first[1:])


def _command(
    program: str, path: tuple[str, ...], parser: argparse.ArgumentParser, shared: _Shared
) -> Iterator[str]:
    """One subcommand and those below it."""
    arguments = [
        action for action in own_arguments(parser) if not set(action.option_strings) & shared.options
    ]
    yield f".Ss {' '.join((program, *path))}"
    yield from _usage(program, path, arguments)
    if subcommands(parser):
        yield ".Ar ACTION"
    yield ".Pp"
    yield from _prose(parser.description or "")
    if arguments:
        yield from _arguments(arguments)
    epilog = _split_epilog(parser.epilog or "")
    for text in epilog.paragraphs:
        if text not in shared.epilog.paragraphs:
            yield ".Pp"
            yield from _prose(text)
    for title, block in epilog.blocks.items():
        if block != shared.epilog.blocks.get(title):
            yield ".Pp"
            yield f"{title[:1].upper()}{title[1:]}:"
            yield from _literal(block)
    for name, (_, child) in subcommands(parser).items():
        yield from _command(program, (*path, name), child, shared)


def _usage(program: str, path: tuple[str, ...], arguments: list[argparse.Action]) -> Iterator[str]:
    yield f".Nm {program} {' '.join(path)}"
    for action in arguments:
        words = _usage_words(action)
        if action.required and (action.option_strings or action.nargs not in ("?", "*")):
            yield f".{words}"
        else:
            yield f".Op {words}"


def _usage_words(action: argparse.Action) -> str:
    value = _value(action)
    if not action.option_strings:
        return value
    flag = f"Fl {_flag(action.option_strings[-1])}"
    return f"{flag} {value}" if value else flag


def _arguments(actions: list[argparse.Action]) -> Iterator[str]:
    yield ".Bl -tag -width Ds"
    for action in actions:
        value = _value(action)
        names = " , ".join(f"Fl {_flag(option)}" for option in action.option_strings)
        yield f".It {' '.join(part for part in (names, value) if part)}"
        text = _help(action)
        if action.choices is not None and action.metavar is not None:
            text = f"{text}; one of {', '.join(map(str, action.choices))}".lstrip("; ")
        yield from _prose(text)
    yield ".El"


def _help(action: argparse.Action) -> str:
    text = action.help or ""
    if "%" not in text:
        return text
    values = {name: value for name, value in vars(action).items() if value is not argparse.SUPPRESS}
    return text % (values | {"prog": "botd"})


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if action.metavar is None and action.choices is not None:
        name = "|".join(map(str, action.choices))
    elif isinstance(action.metavar, tuple):
        name = " ".join(action.metavar)
    else:
        name = action.metavar or action.dest.upper()
    more = " ..." if action.nargs in ("*", "+") else ""
    return f"Ar {_escape(name)}{more}"


def _flag(option: str) -> str:
    return _escape(option.removeprefix("-"))


def _split_epilog(text: str) -> _Epilog:
    epilog = _Epilog([], {})
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        lines = part.splitlines()
        title = re.match(r"^([a-z][a-z ]*):\s*(.*)$", lines[0]) if lines else None
        if title and (title[2] or all(line.startswith(" ") for line in lines[1:])):
            epilog.blocks[title[1]] = ([f"  {title[2]}"] if title[2] else []) + lines[1:]
        elif part.strip():
            epilog.paragraphs.append(" ".join(part.split()))
    return epilog


def _literal(lines: list[str]) -> Iterator[str]:
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    yield ".Bd -literal -offset indent"
    for line in lines:
        yield _line(_escape(line[indent:].rstrip()))
    yield ".Ed"


def _prose(text: str) -> Iterator[str]:
    """Each sentence on new lines, as mdoc wants it; a line of the file has at most 80 characters."""
    for sentence in re.split(r"(?<=[.:!?]) +(?=[A-Z`\"])", " ".join(text.split())):
        for line in textwrap.wrap(_escape(sentence), 78, break_long_words=False, break_on_hyphens=False):
            yield _line(line)


def _escape(text: str) -> str:
    """Nothing in it is a request; hyphens, carets, tildes, back quotes and quotes stay what they are."""
    for character, name in (("\\", "\\e"), ("-", "\\-"), ("^", "\\(ha"), ("~", "\\(ti"), ("`", "\\(ga")):
        text = text.replace(character, name)
    return text.replace("'", "\\(aq")


def _line(text: str) -> str:
    return f"\\&{text}" if text.startswith(".") else text


def _table_section(title: str, macro: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield f".Sh {title}"
    yield ".Bl -tag -width Ds"
    for name, text in rows:
        yield f".It {macro} {_escape(name)}"
        yield from _prose(text)
    yield ".El"
