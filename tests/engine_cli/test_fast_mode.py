"""`--mode fast` on the command line: the same fields, nearly always the same decisions, a budget of time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from botd.engine_cli.batch import answer_line
from botd.engine_cli.main import main
from botd.engine_cli.requests import Settings

START, MONEY = "4HPwATDgc/ABMA", "cAkAAAAAAAAA"
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    def run(*words: str) -> dict[str, Any]:
        assert main(list(words)) == 0
        answer: dict[str, Any] = json.loads(capsys.readouterr().out)
        return answer

    return run


@pytest.mark.parametrize("evaluator", ["sage", "gnubg"])
@pytest.mark.parametrize("ply", ["0", "1", "2"])
def test_a_clear_decision_is_the_same_in_both_modes(ask: Ask, evaluator: str, ply: str) -> None:
    options = ["--evaluator", evaluator, "--ply", ply]
    for roll in (("3", "1"), ("4", "2"), ("6", "1")):
        answers = [
            ask("--mode", mode, *options, "bestmove", START, MONEY, *roll) for mode in ("exact", "fast")
        ]
        assert answers[0].keys() == answers[1].keys()
        assert answers[0]["position_id"] == answers[1]["position_id"]


def test_every_command_that_decides_answers_in_fast_mode(ask: Ask) -> None:
    fast = ["--mode", "fast", "--ply", "1"]
    for words in (
        ["reference", START, MONEY, "3", "1"],
        ["reference", START, MONEY],
        ["cube", START, MONEY],
        ["analysemove", START, MONEY, "3", "1", "24/23 13/10"],
        ["analysecube", "bBtiAwZn3gYGAA", MONEY, "no_double"],
        ["luck", START, MONEY, "3", "1"],
        ["resign", START, MONEY],
    ):
        exact, quick = (ask(*options, *words) for options in (["--ply", "1"], fast))
        assert exact.keys() == quick.keys()


def test_every_play_of_the_ranking_is_judged_where_it_was_made(ask: Ask) -> None:
    answer = ask("--mode", "fast", "--ply", "2", "analysemove", START, MONEY, "3", "1", "6/3 6/5")
    assert answer["ranking"][answer["rank"] - 1]["ply"] == 2
    assert answer["equity_loss"] < -0.1


def test_a_budget_ends_a_search_with_what_it_has(ask: Ask) -> None:
    answer = ask("--mode", "fast", "--ply", "4", "--budget", "0.05", "bestmove", START, MONEY, "3", "1")
    assert answer["move"] == "8/5 6/5"
    assert answer["ply"] < 4
    answer = ask("--mode", "fast", "--ply", "4", "--budget", "0.05", "cube", START, MONEY)
    assert answer["action"] == "no_double"


def test_a_budget_that_is_long_enough_changes_nothing(ask: Ask) -> None:
    words = ["--mode", "fast", "--ply", "1", "reference", START, MONEY, "3", "1"]
    assert ask("--budget", "3600", *words) == ask(*words)


@pytest.mark.parametrize("budget", ["0", "-1", "nan", "inf", "soon", "1e9"])
def test_senseless_budgets_are_refused(budget: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["--mode", "fast", f"--budget={budget}", "cube", START, MONEY])
    assert raised.value.code == 2
    assert "expected 0.001 to 3600 seconds" in capsys.readouterr().err


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "beginner", "world class"])
def test_levels_with_figures_of_their_own_mean_the_same_in_both_modes(ask: Ask, level: str) -> None:
    words = ["--level", level, "reference", START, MONEY, "6", "4"]
    assert ask("--mode", "fast", *words) == ask(*words)


def test_a_line_of_a_batch_chooses_its_mode() -> None:
    line = {"op": "bestmove", "position_id": START, "match_id": MONEY, "dice": [3, 1], "ply": 4}
    fast = {**line, "mode": "fast", "budget_s": 0.05}
    answer = json.loads(answer_line(json.dumps(fast).encode(), Settings()))
    assert answer["move"] == "8/5 6/5"


def test_info_names_the_mode_of_what_is_asked_for(ask: Ask) -> None:
    exact, fast = ask("info"), ask("--mode", "fast", "info")
    assert exact["evaluators"] == fast["evaluators"]
    assert [each["mode"] for each in (exact, fast)] == ["exact", "fast"]
