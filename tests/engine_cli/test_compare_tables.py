"""compare: files of legal moves, bear-off positions and match equities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botd.engine import position_id, rules
from botd.engine.met import default_met_path, load_met
from botd.engine.types import STARTING_BOARD, GameContext
from botd.engine_cli.compare.criteria import Verdict
from botd.engine_cli.compare.files import read_files
from botd.engine_cli.compare.tables import TableCase, compare_table, digest
from botd.engine_cli.evaluators import select
from botd.engine_cli.fields import probability_fields
from botd.engine_cli.main import main
from botd.engine_cli.requests import Settings

START = "4HPwATDgc/ABMA"
MOVEGEN = Path(__file__).parents[1] / "data" / "movegen.json"
HOME = position_id.encode((0, 2, 2, 1, *(0,) * 18, -1, 0, -2, 0))


def verdicts(case: TableCase, *, own_networks: bool = False) -> list[Verdict]:
    out = compare_table(case, Settings(ply=0), own_networks=own_networks)
    assert out.exact or out.differences
    return [deviation.verdict for deviation in out.deviations]


def one(tmp_path: Path, content: dict[str, Any]) -> TableCase:
    file = tmp_path / "table.json"
    file.write_text(json.dumps(content))
    ((case,), others) = read_files(file, profile="B")
    assert others == []
    assert isinstance(case, TableCase)
    return case


def test_recorded_moves_are_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(MOVEGEN), "--limit", "200"]) == 0
    assert "400 counts, names and notations compared" in capsys.readouterr().out


def test_wrong_moves_fail_for_every_evaluator(tmp_path: Path) -> None:
    plays = rules.legal_plays(STARTING_BOARD, (3, 1))
    right = {
        "position_id": START,
        "dice": [3, 1],
        "count": 16,
        "sha256": digest([position_id.encode(play.board) for play in plays]),
    }
    for change, expected in (
        ({}, []),
        ({"count": 15}, [Verdict.FAILS]),
        ({"sha256": "0" * 64}, [Verdict.FAILS]),
    ):
        case = one(tmp_path, {"format": "movegen-1", "cases": [right | change]})
        assert verdicts(case, own_networks=True) == expected


def test_perft_counts_are_compared(tmp_path: Path) -> None:
    for leaves, expected in ((447, []), (448, [Verdict.FAILS])):
        perft = {"position_id": START, "depth": 1, "leaves": leaves, "distinct": 406}
        assert verdicts(one(tmp_path, {"format": "movegen-1", "perft": [perft]})) == expected


def test_match_equities_are_compared(tmp_path: Path) -> None:
    table = load_met(default_met_path())
    pre = [list(row) for row in table.pre_crawford]
    content = {"pre_crawford": pre, "post_crawford": list(table.post_crawford)}
    assert verdicts(one(tmp_path, content)) == []
    pre[3][4] += 1.1e-5
    assert verdicts(one(tmp_path, content)) == [Verdict.FAILS]
    assert verdicts(one(tmp_path, {**content, "pre_crawford": pre[:24]})) == [Verdict.FAILS, Verdict.FAILS]


def test_bearoff_positions_are_held_to_their_database(tmp_path: Path) -> None:
    engine = select(Settings()).engine
    board = position_id.decode(HOME)
    probabilities, equity = engine.evaluate(board, GameContext(), ply=0)
    cube = engine.cube_action(board, GameContext(beavers=True), ply=0)
    case = {
        "position_id": HOME,
        "database": "two-sided",
        "probabilities": probability_fields(probabilities),
        "cubeless_equity": equity,
        "money_cubeful": {
            "centered": {"no_double": cube.no_double, "optimal": cube.optimal, "decision": cube.decision}
        },
    }

    def found(change: dict[str, Any], *, own_networks: bool = False) -> list[Verdict]:
        return verdicts(
            one(tmp_path, {"format": "bearoff-1", "cases": [case | change]}), own_networks=own_networks
        )

    assert found({}) == []
    assert found({"cubeless_equity": equity + 6e-5}) == [Verdict.FAILS]
    assert found({"cubeless_equity": equity + 6e-5, "database": "one-sided"}) == []
    assert found({"cubeless_equity": equity + 6e-5}, own_networks=True) == [Verdict.REPORTED]
    wrong = {"centered": {"no_double": 0.1, "double_take": 0.5, "decision": "X"}}
    assert found({"money_cubeful": wrong})[-1] is Verdict.FAILS


@pytest.mark.parametrize(
    "content",
    [
        {"format": "movegen-1", "cases": [{"position_id": START}]},
        {"format": "movegen-1", "cases": [{"position_id": "?", "dice": [3, 1], "count": 1, "sha256": ""}]},
        {
            "format": "movegen-1",
            "cases": [{"position_id": START, "dice": [3, 9], "count": 1, "sha256": ""}],
        },
        {"format": "movegen-1", "perft": [{"position_id": START, "depth": 9, "leaves": 1, "distinct": 1}]},
        {"format": "bearoff-1", "cases": [7]},
        {"pre_crawford": "x", "post_crawford": [0.5]},
        {"pre_crawford": [[0.5]]},
    ],
)
def test_damaged_tables_exit_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: dict[str, Any]
) -> None:
    file = tmp_path / "table.json"
    file.write_text(json.dumps(content))
    assert main(["compare", str(file)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
