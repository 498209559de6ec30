"""Logging in a few at a time: nobody is forgotten, nobody can keep the others out."""

from __future__ import annotations

import asyncio
import itertools

from botd.daemon.doorway import Doorway, Visitor
from tests.waiting import until

FOREVER = 3600.0


async def test_only_so_many_are_in_the_door_and_all_get_in_in_order() -> None:
    doorway = Doorway(at_once=3, gap=0.0, patience=FOREVER)
    visitors = [doorway.line_up() for _ in range(20)]
    entered: list[int] = []

    async def visit(number: int, visitor: Visitor) -> None:
        await visitor.turn()
        entered.append(number)

    visits = [asyncio.create_task(visit(*pair)) for pair in enumerate(visitors)]
    for number in range(20):
        await until(lambda: len(entered) >= min(20, number + 3))  # noqa: B023 - called at once
        assert entered == list(range(min(20, number + 3)))
        visitors[number].leave()
        visitors[number].leave()  # as when a log-in is followed by the end of the connection
    await asyncio.gather(*visits)


async def test_one_comes_after_the_other_with_a_gap() -> None:
    doorway = Doorway(at_once=10, gap=0.02, patience=FOREVER)
    loop = asyncio.get_running_loop()
    times: list[float] = []
    for visitor in [doorway.line_up() for _ in range(5)]:
        await visitor.turn()
        times.append(loop.time())
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert min(gaps) > 0.005, "half the gap at least"


async def test_somebody_alone_goes_straight_in() -> None:
    doorway = Doorway(at_once=1, gap=FOREVER, patience=FOREVER)
    await doorway.line_up().turn()


async def test_who_stands_in_the_door_for_too_long_keeps_nobody() -> None:
    doorway = Doorway(at_once=1, gap=0.0, patience=0.01)
    first, second = doorway.line_up(), doorway.line_up()
    await first.turn()
    await second.turn()
    first.leave()
    third = doorway.line_up()
    await third.turn()


async def test_who_leaves_the_line_is_not_waited_for() -> None:
    doorway = Doorway(at_once=1, gap=0.0, patience=FOREVER)
    first, second, third = (doorway.line_up() for _ in range(3))
    await first.turn()
    second.leave()
    await second.turn()  # ends at once; the caller sees that it is to stop
    first.leave()
    await third.turn()


async def test_a_cancelled_wait_can_still_leave() -> None:
    doorway = Doorway(at_once=1, gap=0.0, patience=FOREVER)
    first, second, third = (doorway.line_up() for _ in range(3))
    waiting = asyncio.create_task(second.turn())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    second.leave()
    first.leave()
    await third.turn()
