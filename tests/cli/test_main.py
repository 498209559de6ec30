"""The command itself: help, version, exit codes."""

import subprocess
import sys
from importlib.metadata import version

import pytest

from botd.cli.main import build_parser, main


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"botd {version('botd')}\n"


def test_help_names_commands_examples_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert "examples:" in text
    assert "exit codes:" in text


@pytest.mark.parametrize("arguments", [[], ["fly"], ["--bogus"]])
def test_bad_arguments_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: botd" in capsys.readouterr().err


def test_every_subcommand_has_help() -> None:
    parser = build_parser()
    actions = [action for action in parser._actions if action.dest == "command"]
    for name, subparser in (actions[0].choices or {}).items():  # type: ignore[union-attr]
        assert subparser.description, name


def test_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "botd.cli.main", "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("botd ")
