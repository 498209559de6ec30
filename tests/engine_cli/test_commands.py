"""Commands of botd-engine: answers, exit statuses, one-line errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botd import __version__, paths
from botd.engine import match_id, position_id
from botd.engine.match_id import MatchState
from botd.engine.types import GameContext
from botd.engine_cli.help_texts import COMMAND_HELP
from botd.engine_cli.main import main

START = "4HPwATDgc/ABMA"
MONEY = "cAkAAAAAAAAA"
MONEY_31 = match_id.encode(MatchState(GameContext(jacoby=True), dice=(3, 1)))
ALL_OFF = position_id.encode((0, -3, *(0,) * 24))
DANCE = ("a9s2AADvAACAAA", "cAkGAAAAAAAA")
DEAD_CUBE = ("bdsBCBhzuwEAAA", "UQmgABAAGAAA")
START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{}:0:0:0:0:10"


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.count("\n") == 1
    answer: dict[str, Any] = json.loads(captured.out)
    return answer


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    try:
        status = main(arguments)
    except SystemExit as exit_:  # argparse
        status = int(exit_.code or 0)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return status, captured.err


def test_legal_lists_positions_in_order_with_their_moves(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "legal", START, "3", "1")
    assert answer["count"] == 16 == len(answer["positions"]) == len(answer["moves"])
    assert answer["positions"] == sorted(answer["positions"])
    assert answer["moves"][answer["positions"].index("4HPwATDQZ/ABKA")] == "24/23 8/5"
    assert ask(capsys, "legal", START, "1", "3") == answer
    assert ask(capsys, "legal", START_XGID.format("31")) == answer
    assert ask(capsys, "legal", START_XGID.format("00"), "1", "3") == answer


def test_legal_of_a_dance_counts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, "legal", DANCE[0], "4", "1") == {"count": 0, "positions": [], "moves": []}


def test_perft_counts_the_tree(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "perft", "1")
    assert (answer["leaves"], answer["distinct"]) == (447, 406)
    assert answer["seconds"] >= 0
    assert ask(capsys, "perft", "1", "JAQAD4YDAAAAAA")["distinct"] == 37


def test_reference_ranks_plays(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "--ply", "0", "reference", START, MONEY, "3", "1")
    assert set(answer) == {"evaluation", "moves"}
    probabilities = answer["evaluation"]["probabilities"]
    assert list(probabilities) == ["win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon"]
    assert answer["moves"]["legal_move_count"] == 16
    ranking = answer["moves"]["ranking"]
    assert [entry["rank"] for entry in ranking] == list(range(1, 11))
    assert ranking[0]["move"] == "8/5 6/5"
    assert ranking[0]["equity_diff"] == 0
    equities = [entry["equity"] for entry in ranking]
    assert equities == sorted(equities, reverse=True)
    # The same question in other words, options after the command included.
    assert ask(capsys, "reference", START, MONEY_31, "--ply", "0") == answer
    assert ask(capsys, "--ply", "0", "reference", START, MONEY_31, "1", "3") == answer


def test_reference_judges_the_cube_without_dice(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "--ply", "1", "reference", *DEAD_CUBE)
    assert set(answer) == {"evaluation", "cube"}
    assert list(answer["cube"]) == [
        "no_double",
        "double_take",
        "double_pass",
        "optimal",
        "decision",
        "decision_text",
    ]
    assert answer["cube"]["decision"] == "NO_REDOUBLE_DEADCUBE"
    assert answer["cube"]["optimal"] == answer["cube"]["no_double"]


def test_reference_of_a_dance_has_no_ranking(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "--ply", "0", "reference", *DANCE)
    assert answer["moves"] == {"legal_move_count": 0, "ranking": []}


def test_an_xgid_asks_the_same_as_the_two_identifiers(capsys: pytest.CaptureFixture[str]) -> None:
    by_identifiers = ask(capsys, "--ply", "0", "reference", START, "cAkFAAAAAAAE", "2", "1")
    assert ask(capsys, "--ply", "0", "reference", START_XGID.format("21")) == by_identifiers


def test_info_names_what_answers_are_made_with(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "info")
    assert answer["version"] == __version__
    assert answer["cpu_path"] in ("plain", "avx2", "avx512")
    sage, *others = answer["evaluators"]
    assert {other["name"] for other in others} == {"gnubg"}
    assert (sage["name"], sage["modes"], sage["plies"]) == (
        "sage",
        ["exact", "fast"],
        [0, 1, 2, 3, 4],
    )
    assert all(evaluator["cpu_path"] in ("plain", "avx2", "avx512", "vnni") for evaluator in [sage, *others])
    assert sage["licence"] == "MPL-2.0"
    for file in sage["weights"] + answer["bearoff"]:
        assert Path(file["path"]).is_file()
        assert len(file["sha256"]) == 64
    assert answer["bearoff"]
    assert answer["met"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["legal", "xx", "3", "1"], "position ID: expected 14 characters, got 2"),
        (["legal", START], "expected two numbers from 1 to 6, got none"),
        (["legal", START, "3"], "dice: expected two numbers"),
        (["legal", START, "3", "7"], "expected two numbers from 1 to 6, got (3, 7)"),
        (["legal", START, "3", "-1"], "unrecognized arguments|dice: expected two numbers"),
        (["legal", START, "3", "1", "1"], "dice: expected two numbers"),
        (["legal", ALL_OFF, "3", "1"], "one side is all off"),
        (["legal", "XGID=:::", "3", "1"], "XGID"),
        (["reference", START], "expected a Match ID"),
        (["reference", START, "cAk"], "match ID 'cAk'"),
        (["reference", START, MONEY_31, "6", "6"], "dice: expected 3 1 as in the identifier, got 6 6"),
        (["--ply", "-1", "reference", START, MONEY], "ply"),
        (["--ply", "x", "reference", START, MONEY], "--ply"),
        (["--evaluator", "x", "reference", START, MONEY], "--evaluator"),
        (["perft", "x"], "DEPTH"),
        (["perft", "1", START, "3", "1"], "expected at most one POSITION_ID, got '3' too"),
        (["perft", "11"], "depth: expected 0 to 10, got 11"),
        (["fly", START, MONEY, "3", "1"], "COMMAND"),
        (["bestmove", START, MONEY], "dice: expected two numbers from 1 to 6, got none"),
        (["bestmove", START, MONEY, "3", "0"], "dice: expected two numbers"),
        (["bestmove", ALL_OFF, MONEY, "3", "1"], "one side is all off"),
        (["cube", START, MONEY_31], "dice: expected none before the roll, got 3 1"),
        (["cube", START, MONEY, "3", "1"], "dice: expected none before the roll, got 3 1"),
        (["luck", START, MONEY], "got none"),
        (["analysemove", START, MONEY, "3", "1"], "got no move"),
        (["analysemove", START, MONEY, "3", "1", "8/7"], "not one of the 16 legal plays of 3-1"),
        (["analysemove", START, MONEY, "3", "1", "x"], "'x' is no point, expected 1 to 24"),
        (["analysemove", START, MONEY, "3", "8/5"], "dice: expected two numbers from 1 to 6, got '3 8/5'"),
        (["analysemove", START, MONEY, "8/5", "6/5"], "dice: expected two numbers from 1 to 6, got none"),
        (["analysecube", START, MONEY], "expected one of no_double, double, take, pass, got 'none'"),
        (["analysecube", START, MONEY, "roll"], "got 'roll'"),
        (["analysecube", START, MONEY, "take", "4"], "dice: expected two numbers"),
        (["resign", START, MONEY, "4"], "offer: expected 1, 2 or 3"),
        (["resign", START, MONEY, "0"], "offer: expected 1, 2 or 3"),
        (["resign", START, MONEY, "offer"], "offer: expected 1, 2 or 3, got ''"),
        (["resign", START, MONEY, "offer", "1", "2"], "offer: expected 1, 2 or 3, got '1 2'"),
        (["resign", START, MONEY_31], "dice: expected none before the roll"),
        (["--level", "nobody", "bestmove", START, MONEY, "3", "1"], "level: expected one of beginner"),
        (["--level", "easy", "--ply", "1", "bestmove", START, MONEY, "3", "1"], "not allowed with"),
        (["--filter", "wide", "reference", START, MONEY], "filter: expected none, tiny"),
        (["--filter", "1,2", "reference", START, MONEY], "filter: expected none, tiny"),
        (["--threads", "0", "reference", START, MONEY], "--threads"),
        (["--profile", "C", "reference", START, MONEY], "--profile"),
        (["reference", "a\nb", MONEY], "position ID"),
        (["reference\n", START, MONEY], "COMMAND"),
        (["reference", "\udcff\ud800", MONEY], "position ID"),
        ([], "COMMAND"),
        (["batch", "--jobs", "0"], "--jobs"),
    ],
)
def test_bad_arguments_and_positions_exit_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    status, text = refused(capsys, *arguments)
    assert status == 2
    assert any(part in text for part in message.split("|")), text


def test_missing_and_damaged_data_exit_3(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, text = refused(capsys, "--weights", str(tmp_path / "none"), "reference", START, MONEY)
    assert status == 3
    assert str(tmp_path / "none") in text

    cut = tmp_path / "cut"
    cut.mkdir()
    for file in (paths.sage_assets() / "models").iterdir():
        (cut / file.name).write_bytes(file.read_bytes()[:100])
    status, text = refused(capsys, "--weights", str(cut), "info")
    assert status == 3
    assert str(cut) in text

    met = tmp_path / "met.xml"
    met.write_text("<met>")
    status, text = refused(capsys, "--met", str(met), "info")
    assert status == 3
    assert str(met) in text


@pytest.mark.parametrize("move_filter", ["normal", "0,8,0.16;-1,0,0"])
def test_a_filter_leaves_bad_plays_at_a_lower_depth(
    move_filter: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--ply", "1", "--filter", move_filter, "reference", START, MONEY, "4", "3"]
    assert main(arguments) == 0
    ranking = json.loads(capsys.readouterr().out)["moves"]["ranking"]
    depths = [entry["ply"] for entry in ranking]
    assert depths == sorted(depths, reverse=True)
    assert 1 <= depths.count(1) <= 8
    assert 0 in depths


@pytest.mark.parametrize(
    "options",
    [
        ["--evaluator", "puretd"],
        ["--evaluator", "gnubg", "--ply", "5"],
        ["--division", "exact"],
        ["--budget", "1"],
        ["--mode", "exact", "--budget", "1"],
        ["--mode", "fast", "--ply", "5"],
        ["--ply", "5"],
        ["--profile", "A"],
        ["--prune"],
    ],
)
def test_what_the_evaluator_does_not_support_exits_4(
    capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    status, text = refused(capsys, *options, "reference", START, MONEY)
    assert status == 4
    assert "expected" in text


@pytest.mark.parametrize(
    "options",
    [["--filter", "none"], ["--no-prune"], ["--threads", "2"], ["--mode", "exact"], ["--level", "0ply"]],
)
def test_options_that_change_nothing_are_fine(capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    plain = ask(capsys, "--ply", "0", "reference", START, MONEY)
    depth = [] if "--level" in options else ["--ply", "0"]
    assert ask(capsys, *options, *depth, "reference", START, MONEY) == plain


@pytest.mark.parametrize("command", [[], *([name] for name in COMMAND_HELP)])
def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main([*command, "--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    assert "exit status" in text
    if command and command[0] not in ("info", "levels"):
        assert "example: " in text


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"botd-engine {__version__}\n"
