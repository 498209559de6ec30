"""`botd play` as it is started: arguments, bad input, ends."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "botd.cli.main", "play", "--ply", "0"]


def play(*arguments: str, lines: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], input=lines, capture_output=True, check=False, timeout=120)


def test_bad_input_is_answered_and_asked_again() -> None:
    typed = b"nonsense\n\xff\xfe\x00\n8/5/\n" + b"9" * 5000 + b"\nresign 7\ntake\nhint\nquit\n"
    done = play("--seed", "5", lines=typed)
    out = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    for complaint in ("'nonsense' is no command", "5000 characters", "resign what?", "you cannot take now"):
        assert complaint in out
    assert "Goodbye. Score (5 point match): 0-0" in out


def test_end_of_input_is_a_goodbye() -> None:
    done = play(lines=b"")
    assert done.returncode == 0
    assert b"Goodbye" in done.stdout


def test_a_seed_repeats_the_dice() -> None:
    first, second, other = (play("--seed", seed, "--ascii", lines=b"quit\n").stdout for seed in "778")
    assert first == second
    assert first != other
    assert first.isascii()


def test_dice_can_be_typed() -> None:
    done = play("--manual-dice", lines=b"seven\n31\n8/5 6/5\n66\nquit\n")
    out = done.stdout.decode()
    assert "expected two dice" in out
    assert "You play 8/5 6/5." in out
    assert "Engine rolls 6 6" in out
    assert done.returncode == 0


@pytest.mark.parametrize("options", [["--mode", "exact"], ["--ply", "3", "--budget", "0.2"]])
def test_the_engine_moves_in_either_mode(options: list[str]) -> None:
    done = play("--manual-dice", *options, lines=b"31\n8/5 6/5\n66\nquit\n")
    assert b"Engine rolls 6 6" in done.stdout
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--length", "26"],
        ["--length", "-1"],
        ["--ply", "5"],
        ["--seed", "x"],
        ["--mode", "slow"],
        ["--budget", "0"],
        ["--budget", "nan"],
        ["--budget", "1", "--mode", "exact"],
    ],
)
def test_wrong_arguments_are_refused(arguments: list[str]) -> None:
    done = play(*arguments, lines=b"")
    assert done.returncode == 2
    assert arguments[0].encode() in done.stderr


def test_an_interrupt_ends_cleanly() -> None:
    with subprocess.Popen(
        [*COMMAND, "--seed", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        seen = b""
        while b"? " not in seen and b": " not in seen.rpartition(b"\n")[2]:
            seen += process.stdout.read1()  # type: ignore[attr-defined]
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait() == 130
        assert b"Goodbye" in rest
        assert process.stderr.read() == b""
