"""A clock that is set is noticed once; one that is kept right, or a machine that slept, is no such thing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog.testing
from hypothesis import given
from hypothesis import strategies as st

from botd.daemon.clock_watch import LEAST_JUMP_S, ClockWatch
from tests.waiting import until


class Machine:
    def __init__(self) -> None:
        self.wall = 1_800_000_000.0
        self.steady = 5000.0
        self.boot = 9000.0
        self.jumps: list[float] = []
        self.watch = ClockWatch(
            self.jumps.append, wall=lambda: self.wall, steady=lambda: self.steady, boot=lambda: self.boot
        )

    def run(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds
        self.boot += seconds

    def sleep(self, seconds: float) -> None:
        self.wall += seconds
        self.boot += seconds

    def looked(self, *happened: Callable[[], None]) -> list[tuple[str, float]]:
        with structlog.testing.capture_logs() as logs:
            for do in happened:
                do()
                self.watch.look()
                self.run(5)
                self.watch.look()
        return [(entry["event"], entry["seconds"]) for entry in logs]


def test_a_jump_is_told_once_with_its_size() -> None:
    machine = Machine()

    def set_clock(by: float) -> None:
        machine.wall += by

    told = machine.looked(
        lambda: machine.run(3600),
        lambda: set_clock(7200),
        lambda: set_clock(-36_000),
        lambda: machine.run(86_400),
    )
    assert told == [("clock_jumped", 7200), ("clock_jumped", -36_000)]
    assert machine.jumps == [7200, -36_000]


def test_sleep_is_no_jump() -> None:
    machine = Machine()
    assert machine.looked(lambda: machine.sleep(28_800)) == [("machine_was_asleep", 28_800)]
    assert machine.jumps == []


def test_a_clock_wrong_after_sleep_is_both() -> None:
    machine = Machine()

    def wake_up_wrong() -> None:
        machine.sleep(28_800)
        machine.wall -= 3600

    assert machine.looked(wake_up_wrong) == [("machine_was_asleep", 28_800), ("clock_jumped", -3600)]


@given(st.lists(st.floats(-0.9 * LEAST_JUMP_S, 0.9 * LEAST_JUMP_S), max_size=50))
def test_small_steps_never_add_up_to_a_jump(steps: list[float]) -> None:
    machine = Machine()
    for step in steps:
        machine.run(5)
        machine.wall += step
        machine.watch.look()
    assert machine.jumps == []


async def test_it_looks_again_and_again() -> None:
    machine = Machine()
    running = asyncio.create_task(machine.watch.run(0.001))
    for number in range(1, 4):
        machine.wall += 100
        await until(lambda number=number: len(machine.jumps) == number)  # type: ignore[misc]
    running.cancel()
    assert machine.jumps == [100, 100, 100]
