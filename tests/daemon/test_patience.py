"""When an opponent is reminded and left: by a clock that runs only while he is to act."""

from __future__ import annotations

import asyncio

import pytest

from botd.daemon import patience
from botd.daemon.patience import Patience, Step
from botd_protocols import game_events as ev
from tests.waiting import until

BERT = "bert"
OURS = ev.DecisionNeeded(ev.DecisionKind.MOVE, 1, None, None)  # type: ignore[arg-type] - only the key matters


@pytest.fixture(autouse=True)
def _short_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "LEAVING", 0.03)


class Watch:
    def __init__(self, remind_s: float = 0.03, leave_s: float = 0.06) -> None:
        self.steps: list[Step] = []
        self.patience = Patience(remind_s, leave_s, self.steps.append)

    def hear(self, *events: ev.Event) -> None:
        for event in events:
            self.patience.hear(event, BERT)


async def test_reminded_left_and_hung_up_in_this_order() -> None:
    watch = Watch()
    watch.hear(ev.MatchStarted(BERT, 5))
    await until(lambda: len(watch.steps) == 3)
    assert watch.steps == [Step.REMIND, Step.LEAVE, Step.HANG_UP]
    await asyncio.sleep(0.1)
    assert len(watch.steps) == 3


@pytest.mark.parametrize(
    "sign",
    [
        ev.DiceRolled(False, (3, 1)),
        ev.CheckersMoved(False, ()),
        ev.Danced(False),
        ev.CubeDoubled(False),
        ev.ResignationOffered(False, 1),
        ev.GameStarted(BERT),
        ev.Chat("kibitz", BERT, "one moment"),
    ],
)
async def test_every_sign_of_life_starts_the_clock_anew(sign: ev.Event) -> None:
    watch = Watch(remind_s=0.3, leave_s=0.0)
    watch.hear(ev.MatchStarted(BERT, 5))
    for _ in range(5):
        await asyncio.sleep(0.1)
        watch.hear(sign)
    assert watch.steps == []
    await until(lambda: watch.steps)
    assert watch.steps == [Step.REMIND]


async def test_what_is_no_sign_of_life_leaves_the_clock_alone() -> None:
    watch = Watch(remind_s=0.1)
    watch.hear(ev.MatchStarted(BERT, 5))
    while not watch.steps:  # else this would never end
        watch.hear(ev.ServerError("** You said: x"), ev.UnparsedLine("x"), ev.Chat("shout", "carl", "hello"))
        await asyncio.sleep(0.01)
    assert watch.steps[0] is Step.REMIND


async def test_our_own_thinking_is_not_held_against_the_opponent() -> None:
    watch = Watch()
    watch.hear(ev.DiceRolled(True, (3, 1)), OURS)
    await asyncio.sleep(0.2)
    assert watch.steps == []
    watch.patience.answered(BERT)
    await until(lambda: watch.steps)


async def test_a_withdrawn_question_is_no_longer_ours() -> None:
    watch = Watch()
    watch.hear(OURS, ev.DecisionWithdrawn(1))
    await until(lambda: watch.steps)


@pytest.mark.parametrize(
    "end",
    [
        ev.MatchEnded(BERT, True, 5, 5, 0),
        ev.MatchSuspended(BERT, "left"),
        ev.Disconnected("lost", False, ev.Retry.BACK_OFF),
    ],
)
async def test_the_clock_ends_with_the_match(end: ev.Event) -> None:
    watch = Watch()
    watch.hear(ev.MatchStarted(BERT, 5), end)
    watch.patience.answered(None)  # of a decision that was under way
    await asyncio.sleep(0.2)
    assert watch.steps == []


@pytest.mark.parametrize(
    ("remind_s", "leave_s", "steps"),
    [(0, 0, []), (0.03, 0, [Step.REMIND]), (0, 0.03, [Step.LEAVE, Step.HANG_UP])],
)
async def test_zero_is_never(remind_s: float, leave_s: float, steps: list[Step]) -> None:
    watch = Watch(remind_s, leave_s)
    watch.hear(ev.MatchStarted(BERT, 5))
    await asyncio.sleep(0.3)
    assert watch.steps == steps
