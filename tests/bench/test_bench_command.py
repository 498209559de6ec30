"""`botd bench` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from botd.cli.main import main

SMALL = ["bench", "--rounds", "1", "--scale", "0.003", "--no-peers"]


@pytest.mark.parametrize("text", ["", "sage,", "wildbg", "sage gnubg"])
def test_unknown_evaluators_are_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["bench", "--evaluators", text])
    assert raised.value.code == 2
    assert "expected sage or gnubg or puretd" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--rounds", "0"], ["--scale", "0"], ["--scale", "nan"]])
def test_senseless_sizes_are_refused(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *options]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def bench(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "botd.cli.main", *SMALL, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_the_whole_table_as_text_and_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    done = bench("--json", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(path.read_text())
    assert {one["evaluator"].split()[0] for one in report["measurements"]} == {"sage", "gnubg"}
    assert all(one["answers"] > 0 for one in report["measurements"])
    assert report["command"] == "botd bench --rounds 1 --scale 0.003 --seed 1 --no-peers"
    assert set(report["absent"]) <= {"puretd"}
    assert all(one["each"]["uss"] > 0 for one in report["memories"])
    assert all(one["seconds"] > 0 for one in report["starts"])
    assert done.stdout.startswith(f"`{report['command']}`")
    for row in report["rows"]:
        assert row["work"] in done.stdout


def test_json_on_standard_output_is_nothing_else() -> None:
    done = bench("--evaluators", "sage", "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert {one["evaluator"] for one in report["measurements"]} == {"sage"}


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "bench.json"
    done = bench("--evaluators", "sage", "--markdown", "--json", str(path))
    assert done.returncode == 1
    assert done.stdout.startswith("`botd bench")
    assert done.stderr == f"botd bench: cannot write {path}: No such file or directory\n"
