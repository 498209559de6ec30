"""Completion in the shells themselves."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from botd.cli.completion import SHELLS, completion_script
from botd.cli.main import main
from botd.cli.parsers import COMMANDS, parser_of, subcommands

CASES = [
    ("botd", "botd comp", "completion"),
    ("botd", "botd run --log-l", "--log-level"),
    ("botd", "botd run --log-format js", "json"),
    ("botd", "botd ctl unp", "unpause"),
    ("botd", "botd run --config some-c", "some-config.toml"),
    ("botd-engine", "botd-engine best", "bestmove"),
    ("botd-engine", "botd-engine bearoff gen", "generate"),
]
IDS = [line for _, line, _ in CASES]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "some-config.toml").touch()
    for command in COMMANDS:
        for shell in SHELLS:
            (tmp_path / f"{command}.{shell}").write_text(completion_script(command, shell), encoding="utf-8")
        (tmp_path / f"_{command}").write_text(completion_script(command, "zsh"), encoding="utf-8")
    return tmp_path


def output(*words: str, folder: Path) -> str:
    done = subprocess.run(
        words, cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    return done.stdout


def environment(folder: Path) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"}


@pytest.mark.parametrize(("command", "line", "expected"), CASES, ids=IDS)
def test_bash(command: str, line: str, expected: str, folder: Path) -> None:
    words = line.split()
    script = f"""
        . ./{command}.bash
        function=$(complete -p {command} | sed -E 's/.*-F ([^ ]+).*/\\1/')
        COMP_WORDS=({" ".join(words)}) COMP_CWORD={len(words) - 1}
        "$function" {command} "${{COMP_WORDS[-1]}}" "${{COMP_WORDS[-2]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    found = output("bash", "--norc", "--noprofile", "-c", script, folder=folder).splitlines()
    assert [word.strip() for word in found] == [expected]


@pytest.mark.parametrize(("command", "line", "expected"), CASES, ids=IDS)
def test_fish(command: str, line: str, expected: str, folder: Path) -> None:
    found = output("fish", "--no-config", "-c", f"source {command}.fish; complete -C '{line}'", folder=folder)
    assert [word.split("\t")[0] for word in found.splitlines()] == [expected]


@pytest.mark.parametrize(("command", "line", "expected"), CASES, ids=IDS)
def test_zsh(command: str, line: str, expected: str, folder: Path) -> None:
    """Typed into an interactive shell, because zsh completes nowhere else."""
    shell = Terminal(["zsh", "-f", "-i"], folder)
    try:
        shell.type("PS1='ready> '; unsetopt zle_bracketed_paste; fpath=($PWD $fpath)\n")
        shell.type("autoload -Uz compinit; compinit -u -D; print up $((40 + 2))\n")
        shell.read_until("up 42")
        shell.type(f"{line}\t")
        shell.read_until(expected)
    finally:
        shell.close()


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self._pid, self._descriptor = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment(folder))

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def read_until(self, expected: str) -> None:
        seen = ""
        while expected not in seen:
            seen += os.read(self._descriptor, 4096).decode()

    def close(self) -> None:
        os.close(self._descriptor)
        os.waitpid(self._pid, 0)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_the_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell, "--command", "botd-engine"]) == 0
    assert capsys.readouterr().out == completion_script("botd-engine", shell)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_offered(shell: str, command: str) -> None:
    script = completion_script(command, shell)
    for name in subcommands(parser_of(command)):
        assert name in script


def test_an_unknown_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["completion", "tcsh"])
    assert caught.value.code == 2
    assert "invalid choice: 'tcsh'" in capsys.readouterr().err
