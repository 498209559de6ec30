"""Every command with a standard stream closed or full: one clear line, never a traceback."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

BOTD = f"{shlex.quote(sys.executable)} -m botd.cli.main"
ENGINE = f"{shlex.quote(sys.executable)} -m botd.engine_cli.main"
CONFIG = """
[[accounts]]
host = "127.0.0.1"
name = "anna"
password_env = "ANNA"
"""


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"ANNA": "secret", "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "command",
    [
        "play --ply 0 </dev/null >/dev/full",
        "run --config ok.toml --check >/dev/full",
        "check-config ok.toml >/dev/full",
        "doctor --config ok.toml >/dev/full",
        "init new.toml --account a --defaults </dev/null >/dev/full",
        "serve --open --port 0 >/dev/full",
        "demo --fast --plain --ply 0 --output out >/dev/full",
        "rollout 4HPwATDgc/ABMA:cAkAAAAAAAAA --games 36 --truncate 2 >/dev/full",
    ],
)
def test_a_full_output_is_one_line_and_status_1(command: str, tmp_path: Path) -> None:
    (tmp_path / "ok.toml").write_text(CONFIG, encoding="utf-8")
    result = shell(f"{BOTD} {command}", tmp_path)
    assert result.returncode == 1, result.stderr
    assert "Traceback" not in result.stderr
    assert "No space left" in result.stderr


@pytest.mark.parametrize("redirection", ["</dev/null >&-", "<&- >/dev/null", "<&- >&- 2>&-"])
def test_play_with_closed_streams_ends_quietly(redirection: str, tmp_path: Path) -> None:
    result = shell(f"{BOTD} play --ply 0 {redirection}", tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


@pytest.mark.parametrize("command", ["info", "legal 4HPwATDgc/ABMA 3 1", "batch </dev/null"])
def test_the_engine_says_that_nobody_can_hear_it(command: str, tmp_path: Path) -> None:
    result = shell(f"{ENGINE} {command} >&-", tmp_path)
    assert result.returncode == 1
    assert "standard output is closed" in result.stderr


def test_deeply_nested_accounts_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "deep.toml").write_text("a=" + "[" * 100_000, encoding="utf-8")
    result = shell(f"{BOTD} serve --port 0 --accounts deep.toml", tmp_path)
    assert result.returncode == 2
    assert "nested too deeply" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("option", ["--jacoby", "--beavers"])
def test_money_rules_are_refused_in_a_match(option: str, tmp_path: Path) -> None:
    result = shell(f"{BOTD} play --length 3 {option} </dev/null", tmp_path)
    assert result.returncode == 2
    assert "money games" in result.stderr
