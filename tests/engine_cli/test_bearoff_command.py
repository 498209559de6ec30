"""`botd-engine bearoff`: files made, checked and looked into, and every mistake one line."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from botd.engine import position_id
from botd.engine.bearoff import OneSidedDatabase, OneSidedShape, TwoSidedShape
from botd.engine.gnubg_engine import GnubgEngine
from botd.engine_cli.main import main
from tests.waiting import until

GNUBG_ONE_SIDED = "/usr/share/gnubg/gnubg_os0.bd"
EXACT = "KQAAIAMAAAAAAA"  # three checkers each
LONG = "7hYAANxkAAAAAA"  # eight against nine
START = "4HPwATDgc/ABMA"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "botd"


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["bearoff", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""  # no progress bar: not a terminal
    answer: dict[str, Any] = json.loads(captured.out)
    return answer


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    try:
        status = main(["bearoff", *arguments])
    except SystemExit as exit_:  # argparse
        status = int(exit_.code or 0)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("botd-engine bearoff")
    return status, captured.err


def test_the_usual_databases_go_where_they_are_found(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    one = ask(capsys, "generate", "one-sided")
    assert one["file"] == str(cache / "gnubg_os0.bd")
    assert one["verdict"] == "standard"
    assert (one["points"], one["checkers"], one["bytes"]) == (6, 15, 1465788)
    assert (cache / "gnubg_os0.bd").read_bytes() == Path(GNUBG_ONE_SIDED).read_bytes()
    two = ask(capsys, "generate", "two-sided", "--threads", "2")
    assert two["file"] == str(cache / "gnubg_ts0.bd")
    assert two["verdict"] == "standard"
    assert two["seconds"] >= 0
    checked = ask(capsys, "check", two["file"])
    assert checked == {name: value for name, value in two.items() if name != "seconds"}
    assert sorted(path.name for path in cache.iterdir()) == ["gnubg_os0.bd", "gnubg_ts0.bd"]


def test_other_sizes_and_layouts(capsys: pytest.CaptureFixture[str], cache: Path, tmp_path: Path) -> None:
    answer = ask(
        capsys, "generate", "one-sided", "--points", "3", "--checkers", "4", "--no-gammons", "--uncompressed"
    )
    path = cache / "gnubg-OS-03-04-0-0-0.bd"
    assert answer["file"] == str(path)
    assert answer["verdict"] == "whole"
    assert OneSidedDatabase(path).shape == OneSidedShape(3, 4, gammons=False, compressed=False)
    assert ask(capsys, "check", str(path), "--recompute", "--threads", "2")["verdict"] == "recomputed"
    chosen = tmp_path / "chosen.bd"
    answer = ask(
        capsys, "generate", "two-sided", "--points", "4", "--checkers", "2", "--no-cube", "-o", str(chosen)
    )
    assert answer["file"] == str(chosen)
    assert not answer["cubeful"]
    assert answer["bytes"] == chosen.stat().st_size == 40 + 2 * 15**2


def test_recomputing_finds_what_no_other_check_can(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "two.bd"
    ask(capsys, "generate", "two-sided", "--checkers", "3", "-o", str(path))
    data = bytearray(path.read_bytes())
    data[4000] ^= 1
    path.write_bytes(data)
    assert ask(capsys, "check", str(path))["verdict"] == "whole"
    status, message = refused(capsys, "check", "--recompute", str(path))
    assert status == 3
    assert f"{path}: offset 4000: differs" in message


def test_show_one_sided(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "show", GNUBG_ONE_SIDED, LONG)
    assert answer["own"]["index"] == 1872
    assert sum(answer["own"]["all_off"]) == pytest.approx(1, abs=1e-6)
    assert answer["own"]["mean_rolls"] == pytest.approx(
        sum(rolls * chance for rolls, chance in enumerate(answer["own"]["all_off"])), abs=1e-6
    )
    assert answer["opponent"]["mean_rolls"] > answer["own"]["mean_rolls"]
    assert answer["probabilities"]["win"] == 0.807816
    assert "money" not in answer
    assert "first_off" not in answer["own"]
    full = ask(
        capsys, "show", GNUBG_ONE_SIDED, position_id.encode((0, *(0, 0, 0, 5, 5, 5), *(0,) * 17, -1, 0))
    )
    assert sum(full["own"]["first_off"]) == pytest.approx(1, abs=1e-6)
    assert 0 < full["probabilities"]["lose_gammon"] < 1


def test_show_two_sided(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    file = ask(capsys, "generate", "two-sided")["file"]
    answer = ask(capsys, "show", file, EXACT)
    assert answer["own"] == {"index": 58}
    assert answer["opponent"] == {"index": 40}
    assert answer["probabilities"]["win"] == 0.800412
    assert answer["money"]["centered"] == 0.70412755
    assert list(answer["money"]) == ["cubeless", "owned", "centered", "opponent"]


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        (["show", GNUBG_ONE_SIDED, START], 2, "expected a game that is not over, no contact, and each side"),
        (["show", GNUBG_ONE_SIDED, "x"], 2, "position ID"),
        (["show", "/usr/share/gnubg/none", LONG], 3, "no such file, expected a bear-off database"),
        (["check", "/usr/share/gnubg"], 3, "a folder, expected a bear-off database"),
        (["check", "/usr/share/gnubg/gnubg.wd"], 3, "expected a file that begins with gnubg-OS or gnubg-TS"),
        (["generate", "two-sided", "--points", "19"], 2, "points: expected 1 to 18, got 19"),
        (["generate", "one-sided", "--checkers", "16"], 2, "checkers: expected 1 to 15, got 16"),
        (["generate", "two-sided", "--points", "99999999999999999999"], 2, "points: expected 1 to 18, got 9"),
        (
            ["generate", "two-sided", "--points", "18", "--checkers", "15"],
            2,
            "expected one that takes at most 4096",
        ),
        (["generate", "two-sided", "--no-gammons"], 2, "expected with one-sided only"),
        (["generate", "one-sided", "--no-cube"], 2, "expected with two-sided only"),
        (["generate", "one-sided", "--threads", "0"], 2, "threads: expected 1 to 256, got 0"),
        (["check", GNUBG_ONE_SIDED, "--threads", "257"], 2, "threads: expected 1 to 256, got 257"),
        (
            ["generate", "one-sided", "-o", "/proc/none/file.bd"],
            3,
            "/proc/none/file.bd: cannot be written: No such",
        ),
        (["generate", "one-sided", "-o", "/dev/null"], 3, "/dev/null: cannot be written: not a regular file"),
        (["generate", "one-sided", "-o", "/dev"], 3, "/dev: cannot be written: Is a directory"),
        (["generate", "three-sided"], 2, "invalid choice"),
        ([], 2, "ACTION"),
    ],
)
def test_mistakes(
    capsys: pytest.CaptureFixture[str], cache: Path, arguments: list[str], status: int, expected: str
) -> None:
    found, message = refused(capsys, *arguments)
    assert (found, expected) == (status, expected if expected in message else message)
    assert not cache.exists() or list(cache.iterdir()) == []


@pytest.mark.parametrize("arguments", [[], ["generate"], ["check"], ["show"]])
def test_every_action_explains_itself(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["bearoff", *arguments, "--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    assert "generate" in text if not arguments else "example: " in text


def test_names_of_default_files_differ_with_what_is_in_them(cache: Path) -> None:
    from botd.engine.bearoff import default_path

    shapes = [
        OneSidedShape(),
        OneSidedShape(7),
        OneSidedShape(gammons=False),
        TwoSidedShape(),
        TwoSidedShape(7),
    ]
    assert len({default_path(shape) for shape in shapes}) == len(shapes)
    assert {default_path(shape).parent for shape in shapes} == {cache}


def test_without_a_cache_variable_the_home_folder_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from botd.engine.bearoff import default_folder

    monkeypatch.setenv("HOME", "/somewhere")
    for value in ("", "relative/path"):  # which XDG asks to ignore
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert default_folder() == Path("/somewhere/.cache/botd")


def test_a_user_without_a_home_folder_is_told_what_to_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def unknown_user(_user: int) -> NoReturn:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown_user)
    generate = ["bearoff", "generate", "two-sided", "--points", "2", "--checkers", "2"]
    assert main(generate) == 3
    assert capsys.readouterr().err == (
        "botd-engine bearoff: no home folder; set HOME or XDG_CACHE_HOME, or name the file with -o\n"
    )
    assert main([*generate, "-o", str(tmp_path / "file")]) == 0
    assert GnubgEngine.load(profile="A").profile == "A"  # generated databases are just not looked for


COMMAND = [sys.executable, "-m", "botd.engine_cli.main", "bearoff", "generate"]


def test_a_terminal_sees_a_bar(tmp_path: Path) -> None:
    reader, writer = pty.openpty()
    result = subprocess.run(
        [*COMMAND, "two-sided", "-o", tmp_path / "two.bd"],
        stdout=subprocess.PIPE,
        stderr=writer,
        timeout=120,
        check=True,
    )
    os.close(writer)
    shown = os.read(reader, 65536)
    while not shown.endswith(b"\r\x1b[K"):
        shown += os.read(reader, 65536)
    os.close(reader)
    assert b"two.bd [####" in shown
    assert json.loads(result.stdout)["verdict"] == "standard"


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_interrupted_work_leaves_nothing(tmp_path: Path, number: signal.Signals, status: int) -> None:
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *("one-sided", "--points", "9", "-o", str(tmp_path / "large.bd")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    await until(lambda: names(tmp_path))
    process.send_signal(number)
    async with asyncio.timeout(120):
        out, errors = await process.communicate()
    assert (process.returncode, out, errors) == (status, b"", b"")
    assert names(tmp_path) == []
