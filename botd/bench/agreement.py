"""Does fast mode decide as exact mode does? Both are asked the same decisions of self-played games."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from botd.bench.runner import Progress
from botd.bench.workload import Task, has_choice
from botd.engine import position_id
from botd.engine.protocol import Engine
from botd.engine.types import CubeDecision, CubeOwner, GameContext, PlayDecision, TakeAction

LEAST_SAME = 0.99
MOST_MEAN_LOSS = 0.0002
_MATCH_LENGTHS = (3, 5, 7, 9, 11)


@dataclass(frozen=True, slots=True)
class Case:
    """A decision both were asked."""

    position_id: str
    dice: tuple[int, int] | None
    """None of a cube decision."""
    context: GameContext
    exact: str
    """Its choice: the play, or whether to double and the answer to a double."""
    fast: str
    loss: float
    """What the fast choice costs by the exact equities, in points for a cube at 1 (matches: normalised)."""

    @property
    def same(self) -> bool:
        return self.exact == self.fast


@dataclass(frozen=True, slots=True)
class Agreement:
    """All decisions of one kind."""

    kind: str
    """`play` or `cube`."""
    ply: int
    decisions: int
    same: int
    mean_loss: float
    worst: Case
    disagreements: tuple[Case, ...]
    """The costliest first."""

    @property
    def met(self) -> bool:
        """Whether that is as near as fast mode has to be."""
        return self.same >= LEAST_SAME * self.decisions and self.mean_loss < MOST_MEAN_LOSS


def agreement(
    exact: Engine,
    fast: Engine,
    tasks: Iterator[Task],
    *,
    decisions: int,
    ply: int,
    seed: int,
    progress: Progress = lambda done, what: None,
) -> list[Agreement]:
    """Ask both for `decisions` plays of rolls with a choice, and for as many cube decisions.

    Scores, cubes and rules vary: half is money play, half matches of 3 to 11 points at any score.
    """
    rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
    plays: list[Case] = []
    cubes: list[Case] = []
    fitting = filter(has_choice, tasks)
    for number in range(decisions):
        progress(number / decisions, f"{ply}-ply")
        plays.append(_play(exact, fast, next(fitting), _context(rng), ply))
        cubes.append(_cube(exact, fast, next(tasks), _context(rng, may_double=True), ply))
    return [_summed("play", ply, plays), _summed("cube", ply, cubes)]


def play_loss(exact: PlayDecision, fast: PlayDecision) -> float:
    """What the play that `fast` found best costs by the equities of `exact`; a tie costs nothing."""
    equities = {entry.play.board: entry.equity for entry in exact.plays}
    return max(0.0, exact.best.equity - equities[fast.best.play.board])


def cube_loss(exact: CubeDecision, fast: CubeDecision) -> float:
    """What double or not, or the answer to a double, costs its side by the equities of `exact`."""
    doubled = min(exact.double_take, exact.double_pass)
    chosen = doubled if fast.double else exact.no_double
    doubler = exact.optimal - chosen if fast.double != exact.double else 0.0
    passes = fast.response is TakeAction.PASS
    answer = exact.double_pass if passes else exact.double_take
    taker = answer - doubled if passes != (exact.response is TakeAction.PASS) else 0.0
    return max(0.0, doubler, taker)


def _play(exact: Engine, fast: Engine, task: Task, context: GameContext, ply: int) -> Case:
    one = exact.choose_play(task.board, context, task.dice, ply=ply)
    other = fast.choose_play(task.board, context, task.dice, ply=ply)
    return Case(
        position_id=position_id.encode(task.board),
        dice=task.dice,
        context=context,
        exact=one.best.play.notation,
        fast=other.best.play.notation,
        loss=play_loss(one, other),
    )


def _cube(exact: Engine, fast: Engine, task: Task, context: GameContext, ply: int) -> Case:
    one = exact.cube_action(task.board, context, ply=ply)
    other = fast.cube_action(task.board, context, ply=ply)
    return Case(
        position_id=position_id.encode(task.board),
        dice=None,
        context=context,
        exact=_action(one),
        fast=_action(other),
        loss=cube_loss(one, other),
    )


def _action(decision: CubeDecision) -> str:
    return f"{'double' if decision.double else 'no double'}, {decision.response}"


def _context(rng: random.Random, *, may_double: bool = False) -> GameContext:
    """One that can arise. `may_double`: the side on roll may turn the cube."""
    owners = [CubeOwner.CENTERED, CubeOwner.PLAYER, *([] if may_double else [CubeOwner.OPPONENT])]
    owner = rng.choice(owners)
    value = 1 if owner is CubeOwner.CENTERED else 2
    if rng.random() < 0.5:
        return GameContext(cube_value=value, cube_owner=owner)
    length = rng.choice(_MATCH_LENGTHS)
    score, other = rng.randrange(length - 1), rng.randrange(length - 1)
    return GameContext(
        match_length=length, score_player=score, score_opponent=other, cube_value=value, cube_owner=owner
    )


def _summed(kind: str, ply: int, cases: Sequence[Case]) -> Agreement:
    return Agreement(
        kind=kind,
        ply=ply,
        decisions=len(cases),
        same=sum(case.same for case in cases),
        mean_loss=statistics.fmean(case.loss for case in cases),
        worst=max(cases, key=lambda case: case.loss),
        disagreements=tuple(
            sorted((case for case in cases if not case.same), key=lambda case: case.loss, reverse=True)
        ),
    )
