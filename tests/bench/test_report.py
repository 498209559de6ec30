"""The tables of a report."""

from __future__ import annotations

import json

from botd.bench.goals import Limit, Measure, Row
from botd.bench.machine import this_machine
from botd.bench.report import Report, markdown, number, terminal_text
from botd.bench.runner import Measurement
from botd.bench.start_time import StartTime
from botd.bench.worker_memory import Memory, WorkerMemory

ROWS = (
    Row("work", "ours", 3000.0, peer="peer", peer_value=12.5, ratio=240.0, limit=Limit(300, 200)),
    Row("memory", "worker", 0.123, "MB", measure=Measure.AT_MOST, limit=Limit(40, 0.1)),
    Row("cube", "ours", 20.0, peer="gone", limit=Limit(2, 4), note="not installed"),
)
MEASURED = Measurement("work", "ours", "sage", True, 3000.0, 2, 0.5, (1.0, 2.0), 2, 0.25)
REPORT = Report(
    machine=this_machine(None),
    command="botd bench --seed 1",
    seed=1,
    rounds=2,
    scale=1.0,
    rows=ROWS,
    measurements=(MEASURED,),
    memories=(WorkerMemory("sage", own=True, workers=2, each=Memory(3_000_000, 5_000_000)),),
    starts=(StartTime("sage", own=True, seconds=0.25, rounds=(0.25,)),),
    kernels=(),
    absent={"gone": "not installed"},
)


def test_the_terminal_shows_rows_measurements_and_who_is_missing() -> None:
    lines = terminal_text(REPORT).splitlines()
    assert lines[0].startswith("`botd bench --seed 1`, 2")
    assert REPORT.machine.cpu in lines[0]
    cells = [line.split() for line in lines]
    assert [
        "work",
        "ours",
        "3,000",
        "peer",
        "12.5",
        "240.00",
        "x",
        "300",
        "x",
        "missed",
        "200",
        "x",
        "met",
    ] in cells
    assert ["memory", "worker", "0.123", "MB", "40", "MB", "met", "0.1", "MB", "missed"] in cells
    assert ["cube", "ours", "20.0", "gone", "(not", "installed)", "2", "x", "4", "x"] in cells
    assert ["work", "ours", "3,000", "2", "0.5000", "2", "0.250000"] in cells
    assert lines[-1] == "gone: not installed"


def test_markdown_has_as_many_cells_in_every_line() -> None:
    tables = [part.splitlines() for part in markdown(REPORT).split("\n\n") if part.startswith("|")]
    assert [len(table) for table in tables] == [5, 3]
    for table in tables:
        assert len({line.count("|") for line in table}) == 1
    assert "| 240.00 x | 300 x | missed | 200 x | met |" in markdown(REPORT)


def test_json_holds_everything_and_the_verdicts() -> None:
    found = json.loads(json.dumps(REPORT.as_dict()))
    assert [(row["floor_met"], row["goal_met"]) for row in found["rows"]] == [
        (False, True),
        (True, False),
        (None, None),
    ]
    assert found["machine"]["cpu_path"] == REPORT.machine.cpu_paths[-1]
    assert found["measurements"][0]["rounds"] == [1.0, 2.0]
    assert found["absent"] == {"gone": "not installed"}


def test_numbers_have_the_digits_that_mean_something() -> None:
    assert [number(value) for value in (1234567.8, 123.45, 1.23456, -0.5, None)] == [
        "1,234,568", "123.5", "1.235", "-0.500", "",
    ]  # fmt: skip
    assert number(12.0, "MB") == "12.0 MB"


def test_the_machine_has_a_name_and_a_path() -> None:
    machine = this_machine("plain")
    assert machine.cpu
    assert "\n" not in machine.cpu
    assert machine.cpu_path == "plain"
    assert machine.cpus >= 1
