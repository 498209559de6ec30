"""Floors and goals: which figures they are held against, and when they are met."""

from __future__ import annotations

from botd.bench.batches import LEGAL, STATIC, checker, cube
from botd.bench.goals import BEST, Measure, kernel_rows, memory_rows, rows, start_rows
from botd.bench.puretd_kernel import KernelSpeed
from botd.bench.runner import Measurement
from botd.bench.start_time import INTERPRETER, StartTime
from botd.bench.worker_memory import Memory, WorkerMemory

NAMES = {"sage": "sage", "sage core": "sage", "fast sage": "sage", "gnubg B core": "gnubg B"}


def measured(kind: str, name: str, *rounds: float, evaluator: str = "") -> Measurement:
    return Measurement(
        kind=kind,
        contestant=name,
        evaluator=evaluator or NAMES[name],
        own=not evaluator,
        per_second=sorted(rounds)[len(rounds) // 2],
        answers=2,
        checksum=1.0,
        rounds=rounds,
        compared=2,
        mean_difference=0.0,
    )


def test_ratios_are_medians_round_by_round() -> None:
    ours = measured(STATIC, "sage core", 200.0, 300.0, 900.0)
    theirs = measured(STATIC, "Open Sage", 100.0, 100.0, 300.0, evaluator="sage")
    (row,) = rows([ours, theirs], {})
    assert (row.ours, row.value, row.peer, row.peer_value) == ("sage core", 300.0, "Open Sage", 100.0)
    assert row.ratio == 3.0
    assert (row.floor_met, row.goal_met) == (True, False)


def test_each_peer_with_the_same_networks_is_a_row() -> None:
    ours = measured(STATIC, "gnubg B core", 390.0)
    peers = [
        measured(STATIC, "gnubg", 200.0, evaluator="gnubg B"),
        measured(STATIC, "gnubg-nn", 100.0, evaluator="gnubg B"),
        measured(STATIC, "Open Sage", 1000.0, evaluator="sage"),
    ]
    found = [(row.peer, row.ratio, row.floor_met, row.goal_met) for row in rows([ours, *peers], {})]
    assert found == [("gnubg", 1.95, False, False), ("gnubg-nn", 3.9, True, False)]


def test_cube_decisions_are_held_against_the_better_peer_of_each_round() -> None:
    ours = measured(cube(1), "fast sage", 400.0, 400.0, 400.0)
    peers = [
        measured(cube(1), "Open Sage", 100.0, 50.0, 100.0, evaluator="sage"),
        measured(cube(1), "gnubg", 50.0, 100.0, 50.0, evaluator="gnubg A"),
    ]
    (row,) = rows([ours, *peers], {})
    assert (row.peer, row.note, row.peer_value, row.ratio) == ("Open Sage", BEST, 100.0, 4.0)
    assert (row.floor_met, row.goal_met) == (True, True)


def test_without_a_peer_the_row_says_why_and_judges_nothing() -> None:
    (row,) = rows([measured(checker(1), "fast sage", 400.0)], {"Open Sage": "not installed"})
    assert (row.peer, row.note, row.ratio, row.floor_met) == ("Open Sage", "not installed", None, None)
    (row,) = rows([measured(checker(1), "fast sage", 400.0)], {})
    assert row.note == "no such call"


def test_exact_sage_is_shown_deeper_than_the_floor_asks() -> None:
    (row,) = rows(
        [measured(checker(2), "sage", 7.0), measured(checker(2), "Open Sage", 2.0, evaluator="sage")], {}
    )
    assert (row.ratio, row.floor_met, row.goal_met) == (3.5, None, None)


def test_legal_plays_are_counted_absolutely() -> None:
    ours = measured(LEGAL, "sage core", 700_000.0)
    (row,) = rows([ours], {"gnubg-nn": "not installed"})
    assert (row.measure, row.floor_met, row.goal_met, row.peer) == (Measure.AT_LEAST, True, False, "")
    slow = measured(LEGAL, "slow", 70_000.0, evaluator="sage")
    quick = measured(LEGAL, "quick", 350_000.0, evaluator="gnubg B")
    (row,) = rows([ours, slow, quick], {})
    assert (row.peer, row.ratio) == ("quick", 2.0)


def test_memory_and_start_are_held_against_the_smallest_peer() -> None:
    def memory(name: str, megabytes: int, *, own: bool = False) -> WorkerMemory:
        return WorkerMemory(name, own=own, workers=2, each=Memory(megabytes * 1_000_000, 0))

    def start(name: str, seconds: float, *, own: bool = False) -> StartTime:
        return StartTime(name, own=own, seconds=seconds, rounds=(seconds,))

    (row,) = memory_rows([memory("sage", 20, own=True), memory("a", 100), memory("b", 60)])
    assert (row.value, row.unit, row.peer, row.ratio, row.note) == (20.0, "MB", "b", 3.0, BEST)
    assert (row.floor_met, row.goal_met) == (True, False)
    (row,) = start_rows([start(INTERPRETER, 0.01), start("sage", 0.25, own=True)])
    assert (row.value, row.unit, row.peer, row.ratio) == (0.25, "s", "", None)
    assert (row.floor_met, row.goal_met) == (False, False)


def test_kernels_have_a_goal_in_microseconds() -> None:
    speeds = [KernelSpeed("net", "avx512vnni", "int16", 562_945, us, 64, 1.0) for us in (2.5, 3.5)]
    found = kernel_rows(speeds)
    assert [(row.unit, row.floor_met, row.goal_met) for row in found] == [
        ("us", None, True),
        ("us", None, False),
    ]
