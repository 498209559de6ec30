"""`botd-engine --evaluator puretd`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botd.engine_cli.main import main
from tests.puretd.naive import Naive
from tests.tolerances import PURETD_VALUE

START, MONEY, MATCH = "4HPwATDgc/ABMA", "cAkAAAAAAAAA", "cAmgAAAAAAAA"


def answered(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(arguments) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(arguments)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return status, captured.err


def options(network_files: dict[str, Path], name: str, *more: str) -> tuple[str, ...]:
    return ("--evaluator", "puretd", "--weights", str(network_files[name]), *more)


def test_plays_and_cube(
    capsys: pytest.CaptureFixture[str], network_files: dict[str, Path], naives: dict[str, Naive]
) -> None:
    of_cubeful = options(network_files, "cubeful", "--ply", "0")
    best = answered(capsys, *of_cubeful, "bestmove", START, MONEY, "3", "1")
    assert best["ply"] == 0
    reference = answered(capsys, *of_cubeful, "reference", START, MONEY, "3", "1")
    assert reference["moves"]["legal_move_count"] == 16
    assert reference["moves"]["ranking"][0]["probabilities"] is None
    assert reference["moves"]["ranking"][0]["equity"] == best["equity"]
    assert reference["evaluation"]["probabilities"] is None
    cube = answered(capsys, *of_cubeful, "cube", START, MONEY)
    assert cube["double_pass"] == 1.0
    assert reference["evaluation"]["equity"] == pytest.approx(cube["no_double"], abs=PURETD_VALUE)
    resign = answered(capsys, *of_cubeful, "resign", START, MONEY)
    assert resign["probabilities"] is None
    analysed = answered(capsys, *of_cubeful, "analysemove", START, MONEY, "3", "1", "8/5", "6/5")
    assert analysed["best_equity"] == best["equity"]
    assert "value" in answered(capsys, *of_cubeful, "luck", START, MONEY, "3", "1")


def test_probabilities(capsys: pytest.CaptureFixture[str], network_files: dict[str, Path]) -> None:
    answer = answered(capsys, *options(network_files, "prob5"), "reference", START, MONEY, "3", "1")
    assert 0.0 < answer["evaluation"]["probabilities"]["win"] < 1.0
    assert answer["moves"]["ranking"][0]["ply"] == 1  # the deepest there is


def test_what_it_says_of_itself(capsys: pytest.CaptureFixture[str], network_files: dict[str, Path]) -> None:
    info = answered(capsys, *options(network_files, "win"), "info")["evaluators"][0]
    assert info["name"] == "puretd"
    assert info["kind"] == "win"
    assert info["plies"] == [0, 1]
    assert info["licence"] == "MIT"
    assert info["source"] == "a test"
    assert [entry["path"] for entry in info["weights"]] == [str(network_files["win"])]


@pytest.mark.parametrize(
    ("more", "question", "status", "text"),
    [
        (["--ply", "2"], ["cube", START, MONEY], 4, "expected at most 1"),
        (
            ["--ply", "0"],
            ["cube", START, MATCH],
            4,
            "knows money play only, expected a game for money, got 0-0",
        ),
        (["--filter", "normal"], ["cube", START, MONEY], 4, "filter: expected none"),
        (["--prune"], ["cube", START, MONEY], 4, "no networks for it"),
        (["--profile", "A"], ["cube", START, MONEY], 4, "profile: expected none"),
        (["--level", "medium"], ["cube", START, MONEY], 4, "expected an evaluator with probabilities"),
        ([], ["compare", "."], 4, "expected another evaluator than puretd"),
        (["--level", "expert"], ["cube", START, MONEY], 0, ""),
    ],
)
def test_what_it_does_not_do(
    more: list[str],
    question: list[str],
    status: int,
    text: str,
    capsys: pytest.CaptureFixture[str],
    network_files: dict[str, Path],
) -> None:
    arguments = [*options(network_files, "cubeful", *more), *question]
    if status == 0:
        answered(capsys, *arguments)
        return
    found, error = refused(capsys, *arguments)
    assert (found, text in error) == (status, True), error


def test_weights_that_are_missing_or_damaged(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, error = refused(capsys, "--evaluator", "puretd", "cube", START, MONEY)
    assert status == 4
    assert "expected a network with --weights FILE" in error
    for name, content in (("missing", None), ("text", b"botdnet1 and no more"), ("other", b"anything")):
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        status, error = refused(capsys, "--evaluator", "puretd", "--weights", str(path), "cube", START, MONEY)
        assert status == 3
        assert str(path) in error
        assert "expected" in error
