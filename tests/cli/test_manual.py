"""The manual pages: valid mdoc, and every command and option of the parsers is in them."""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

import pytest

from botd.cli import manual_page as module
from botd.cli.main import main
from botd.cli.manual_page import manual_page
from botd.cli.parsers import COMMANDS, own_arguments, parser_of, subcommands


def mandoc(page: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["mandoc", *options], input=page, capture_output=True, text=True, timeout=60, check=False
    )


def lint(page: str) -> str:
    return mandoc(page, "-T", "lint", "-W", "warning").stdout


def as_text(page: str) -> str:
    """The page as people read it, without overstriking, on lines of any length."""
    return re.sub(r".\x08", "", mandoc(page, "-T", "utf8", "-O", "width=1000").stdout)


@pytest.fixture(scope="module", params=COMMANDS)
def command(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_mandoc_finds_nothing_wrong(command: str) -> None:
    assert lint(manual_page(command)) == ""


def test_lint_would_find_something() -> None:
    assert "WARNING" in lint(manual_page("botd").replace(".Sh SEE ALSO", ".Sh NAME"))


def test_every_command_and_every_option_is_told(command: str) -> None:
    text = as_text(manual_page(command))
    sections = dict(zip(*[iter(re.split(r"(?m)^   (botd.*)$", text)[1:])] * 2, strict=True))
    program_options = {
        option for action in own_arguments(parser_of(command)) for option in action.option_strings
    }
    names = []

    def check(path: str, parser: argparse.ArgumentParser) -> None:
        for name, (_, child) in subcommands(parser).items():
            names.append(f"{path} {name}")
            section = sections[f"{path} {name}"]
            for action in own_arguments(child):
                for option in action.option_strings:
                    assert option in (text if option in program_options else section), (path, name, option)
            check(f"{path} {name}", child)

    check(command, parser_of(command))
    assert list(sections) == names


def test_examples_and_exit_status_have_their_sections() -> None:
    headings = re.findall(r"(?m)^\.Sh (.*)$", manual_page("botd"))
    assert headings == [
        *("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "ENVIRONMENT", "FILES"),
        *("EXIT STATUS", "EXAMPLES", "SEE ALSO"),
    ]
    assert manual_page("botd").count("ended by a second signal") == 1


@pytest.mark.parametrize(
    "text",
    [
        ".Sh A REQUEST",
        "'br",
        r"back\slash \fB \(aq \N'65'",
        "a line. .that begins with a full stop: `quoted` ~/^x - --long",
        "many " * 80,
        '100 % of "it"',
    ],
)
def test_help_texts_are_text(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = argparse.ArgumentParser(
        prog="botd",
        description=text,
        epilog=f"{text}\n\nexamples:\n  {text}\n{text}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--option", help=text.replace("%", "%%"))
    child = parser.add_subparsers().add_parser("child", description=text, epilog=f"examples:\n  {text}")
    child.add_argument("value", help=text.replace("%", "%%"))
    monkeypatch.setattr(module, "parser_of", lambda _: parser)
    page = manual_page("botd")
    assert lint(page) == ""
    assert as_text(page).count(" ".join(text.split())[-20:]) >= 5


def test_both_pages_are_written_into_a_folder(tmp_path: Path) -> None:
    assert main(["manual", "--output", str(tmp_path / "man1")]) == 0
    for name in COMMANDS:
        assert (tmp_path / "man1" / f"{name}.1").read_text(encoding="utf-8") == manual_page(name)


def test_a_folder_that_cannot_be_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["manual", "--output", str(tmp_path / "file" / "man1")]) == 1
    assert capsys.readouterr().err == f"botd manual: {tmp_path}/file/man1: cannot write: Not a directory\n"
