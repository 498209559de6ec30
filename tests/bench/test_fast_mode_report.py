"""Tables about fast mode."""

from __future__ import annotations

import json

from botd.bench.agreement import Agreement, Case
from botd.bench.fast_mode_report import FastModeReport, markdown, terminal_text
from botd.bench.machine import this_machine
from botd.bench.overrun import Overrun
from botd.engine import position_id
from botd.engine.types import STARTING_BOARD, GameContext

START = position_id.encode(STARTING_BOARD)
SCORE = GameContext(match_length=5, score_player=2, score_opponent=1)
COSTLY = Case(START, (3, 1), SCORE, "8/5 6/5", "24/23 13/10", 0.125)
FREE = Case(START, None, GameContext(), "no double, take", "no double, take", 0.0)
REPORT = FastModeReport(
    this_machine(None),
    "botd bench --agreement 200",
    "sage",
    [
        Agreement("play", 2, 200, 199, 0.000625, COSTLY, (COSTLY,)),
        Agreement("cube", 2, 200, 200, 0.0, FREE, ()),
    ],
    [Overrun(0.05, 10, 1, 0.0001, 0.002, 0.003, 0.004, {2: 9, 3: 1})],
)


def test_the_terminal_shows_shares_losses_and_lateness() -> None:
    lines = [" ".join(line.split()) for line in terminal_text(REPORT).splitlines()]
    assert "play 2 200 99.50 % 0.000625 0.125000 99 %, below 0.0002 missed" in lines
    assert "cube 2 200 100.00 % 0.000000 0.000000 99 %, below 0.0002 met" in lines
    assert f"{START} 31 2-1 of 5 1 centered 8/5 6/5 24/23 13/10 0.125000" in lines
    assert "50 ms 10 1 0.10 ms 2.00 ms 3.00 ms 4.00 ms 99.9 % below 10 ms met 2: 9, 3: 1" in lines


def test_markdown_has_as_many_cells_in_every_line() -> None:
    tables = [part.splitlines() for part in markdown(REPORT).split("\n\n") if part.startswith("|")]
    assert [len(table) for table in tables] == [4, 3, 3]
    for table in tables:
        assert len({line.count("|") for line in table}) == 1


def test_json_holds_every_disagreement_and_the_verdicts() -> None:
    found = json.loads(json.dumps(REPORT.as_dict()))
    assert [one["met"] for one in found["agreements"]] == [False, True]
    assert found["agreements"][0]["disagreements"][0]["fast"] == "24/23 13/10"
    assert found["overruns"][0]["met"] is True
    assert found["engine"] == "sage"
