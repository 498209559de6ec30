"""What a contestant is: for each kind of work a batch of tasks that is answered under the clock.

One number per answer comes back; they are summed into the checksum that a report prints, so that nobody is
timed for doing nothing. What a call needs is made before the clock starts, what it gave is read after it
has stopped, so that no interface is timed for the form that another one likes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from botd.bench.workload import Task

STATIC = "static evaluation, unrelated boards"
SIBLINGS = "static evaluation, all plays of a roll"
LEGAL = "legal plays"
PLIES = (0, 1, 2)


def checker(ply: int) -> str:
    """The kind of work: which play of a roll?"""
    return f"checker decision, {ply}-ply"


def cube(ply: int) -> str:
    """The kind of work: double, take, pass?"""
    return f"cube decision, {ply}-ply"


CHECKER = tuple(checker(ply) for ply in PLIES)
KINDS = (STATIC, SIBLINGS, LEGAL, *CHECKER, *(cube(ply) for ply in PLIES))


@dataclass(frozen=True, slots=True)
class Timing:
    """A batch done."""

    seconds: float
    """Of CPU time, spent in the process that did the work."""
    answers: list[float]
    """One equity (or count) per task, for the side on roll."""
    units: int
    """What a speed counts: tasks, but boards where a task has many."""


Batch = Callable[[Sequence[Task]], Timing]


@dataclass(frozen=True, slots=True)
class Contestant:
    """An engine, or one way into it."""

    name: str
    evaluator: str
    """Contestants of one evaluator have the same networks, so their static values are the same."""
    batches: Mapping[str, Batch]
    """By kind of work."""
    own: bool = False
    limit: int | None = None
    """Most tasks a round."""


_Asked = TypeVar("_Asked")
_Given = TypeVar("_Given")


def timed(
    prepare: Callable[[Sequence[Task]], _Asked],
    call: Callable[[_Asked], _Given],
    read: Callable[[_Given], list[float]],
    units: Callable[[_Given], int] | None = None,
) -> Batch:
    """A batch in this process: only `call` is timed. `units` counts what it gave, if not the tasks."""

    def run(tasks: Sequence[Task]) -> Timing:
        asked = prepare(tasks)
        start = time.process_time()
        given = call(asked)
        seconds = time.process_time() - start
        return Timing(seconds, read(given), len(tasks) if units is None else units(given))

    return run


def money_equity(probabilities: Sequence[float]) -> float:
    """Cubeless, in points, of (win, win gammon, win backgammon, lose gammon, lose backgammon)."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = probabilities
    return 2 * win - 1 + win_gammon - lose_gammon + win_backgammon - lose_backgammon
