"""Open Sage, the Python package bgsage, as a black box to measure, by the compiled calls below its front.

The front (`bgsage.batch_...`) loads the networks anew for every batch and makes an object of every answer;
the calls measured here do neither, so they are its fastest.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from botd.bench.batches import (
    LEGAL,
    PLIES,
    SIBLINGS,
    STATIC,
    Batch,
    Contestant,
    checker,
    cube,
    timed,
)
from botd.bench.own import results_of_rolls
from botd.bench.workload import Task

_CANDIDATES = 5
_THRESHOLD = 0.08
"""Its own default: so many plays, within so many points of the best, are valued deeper."""


def open_sage() -> Contestant | None:
    """The engine inside the package, or None where it is not installed."""
    if importlib.util.find_spec("bgsage") is None or importlib.util.find_spec("bgbot_cpp") is None:
        return None
    package: Any = importlib.import_module("bgsage")
    compiled: Any = importlib.import_module("bgbot_cpp")
    version = importlib.metadata.version("bgsage")
    weights = package.default_weights()
    networks = (weights.strategy_type, *weights.weight_args)
    static = compiled.create_strategy(*networks)
    centered = compiled.CubeOwner.CENTERED
    # Its levels count from one.
    searches = {
        ply: compiled.create_multipy(
            *networks,
            n_plies=ply + 1,
            filter_max_moves=_CANDIDATES,
            filter_threshold=_THRESHOLD,
            parallel_evaluate=False,
            parallel_threads=0,
        )
        for ply in PLIES[1:]
    }

    def before_roll(tasks: Sequence[Task]) -> list[Any]:
        return [(list(task.board), 1, centered) for task in tasks]

    def evaluate(boards: list[Any]) -> Any:
        return compiled.batch_evaluate_positions(boards, static, 1, jacoby=False, beaver=False)

    def after_plays(tasks: Sequence[Task]) -> tuple[list[Any], list[int]]:
        rolls = results_of_rolls(tasks)
        boards = [(list(board), centered) for results in rolls for board in results]
        return boards, [len(results) for results in rolls]

    def evaluate_plays(asked: tuple[list[Any], list[int]]) -> tuple[Any, list[int]]:
        boards, counts = asked
        return compiled.batch_evaluate_post_move(boards, static, 1, jacoby=False), counts

    def rolled(tasks: Sequence[Task]) -> list[Any]:
        return [
            {
                "board": list(task.board),
                "die1": task.dice[0],
                "die2": task.dice[1],
                "cube_value": 1,
                "cube_owner": centered,
            }
            for task in tasks
        ]

    def play(ply: int) -> Callable[[list[Any]], Any]:
        engines = (static,) if ply == 0 else (static, searches[ply])
        return lambda positions: compiled.batch_checker_play(
            positions, *engines, _CANDIDATES, _THRESHOLD, 1, jacoby=False
        )

    def cube_action(ply: int) -> Callable[[list[Any]], Any]:
        engine = searches.get(ply, static)
        return lambda boards: compiled.batch_evaluate_positions(boards, engine, 1, jacoby=False, beaver=False)

    batches: dict[str, Batch] = {
        STATIC: timed(before_roll, evaluate, lambda given: [float(one["cubeless_equity"]) for one in given]),
        SIBLINGS: timed(after_plays, evaluate_plays, _sums_of_rolls, units=lambda given: len(given[0])),
        LEGAL: timed(
            lambda tasks: [(list(task.board), *task.dice) for task in tasks],
            lambda pairs: [compiled.possible_moves(*pair) for pair in pairs],
            lambda given: [float(len(boards)) for boards in given],
        ),
    }
    for ply in PLIES:
        batches[checker(ply)] = timed(rolled, play(ply), _best_equities)
        batches[cube(ply)] = timed(
            before_roll, cube_action(ply), lambda given: [float(one["equity_nd"]) for one in given]
        )
    return Contestant(f"Open Sage {version}", "sage", batches)


def _best_equities(given: Any) -> list[float]:
    return [float(one["moves"][0]["equity"]) if one["moves"] else 0.0 for one in given]


def _sums_of_rolls(given: tuple[Any, list[int]]) -> list[float]:
    values, counts = given
    equities = iter([float(one["cubeless_equity"]) for one in values])
    return [sum(islice(equities, count)) for count in counts]
