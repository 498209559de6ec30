"""The engines that can be measured, each by its fastest public call and on one thread.

A contestant answers a batch of tasks of one kind and returns one number per answer; the numbers are summed
into the checksum that a report prints, so that nobody is timed for doing nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

from botd import _core
from botd.bench.workload import MONEY, Task
from botd.engine.engine import SageEngine
from botd.engine.rules import mirrored
from botd.paths import sage_assets

Batch = Callable[[Sequence[Task]], list[float]]


def own_batches(engine: SageEngine) -> dict[str, Batch]:
    """Ours, by kind of work."""
    assets = sage_assets()
    evaluator = _core.SageEvaluator.load(
        assets / "models", assets / "data" / "bearoff_1sided.db", engine.info.cpu_path
    )

    def static(tasks: Sequence[Task]) -> list[float]:
        # A network judges what the side that has moved leaves to the other one.
        boards = [mirrored(t.board) for t in tasks]
        answers = [0.0] * len(tasks)
        by_network: dict[int, list[int]] = {}
        for index, board in enumerate(boards):
            by_network.setdefault(evaluator.route(board), []).append(index)
        for network, indices in by_network.items():
            raw = evaluator.evaluate_raw([boards[i] for i in indices], network)
            for i, (win, gammon, backgammon, lose_gammon, lose_backgammon) in zip(indices, raw, strict=True):
                answers[i] = -(2 * win - 1 + gammon - lose_gammon + backgammon - lose_backgammon)
        return answers

    def play(ply: int) -> Batch:
        return lambda tasks: [engine.choose_play(t.board, MONEY, t.dice, ply=ply).best.equity for t in tasks]

    def cube(ply: int) -> Batch:
        return lambda tasks: [engine.cube_action(t.board, MONEY, ply=ply).no_double for t in tasks]

    return {
        "static evaluation": static,
        "legal plays": lambda tasks: [float(len(_core.legal_plays(t.board, *t.dice))) for t in tasks],
        **{f"checker play, {ply}-ply": play(ply) for ply in (0, 1, 2)},
        **{f"cube decision, {ply}-ply": cube(ply) for ply in (0, 1, 2)},
    }


def open_sage_batches() -> dict[str, Batch] | None:
    """The engine inside the `bgsage` package, or None where it cannot be imported."""
    if importlib.util.find_spec("bgsage") is None:
        return None
    bgsage: Any = importlib.import_module("bgsage")

    def positions(tasks: Sequence[Task]) -> list[dict[str, Any]]:
        return [
            {
                "board": list(t.board),
                "die1": t.dice[0],
                "die2": t.dice[1],
                "cube_value": 1,
                "cube_owner": "centered",
            }
            for t in tasks
        ]

    def static(tasks: Sequence[Task]) -> list[float]:
        answers = bgsage.batch_evaluate(positions(tasks), "1ply", n_threads=1, jacoby=False, beaver=False)
        return [float(a.cubeless_equity) for a in answers]

    # Its levels count from one. The batch calls are its fastest: few candidates are valued at full depth.
    def play(ply: int) -> Batch:
        def run(tasks: Sequence[Task]) -> list[float]:
            answers = bgsage.batch_checker_play(positions(tasks), f"{ply + 1}ply", n_threads=1, jacoby=False)
            return [float(a.moves[0].equity) if a.moves else 0.0 for a in answers]

        return run

    def cube(ply: int) -> Batch:
        def run(tasks: Sequence[Task]) -> list[float]:
            answers = bgsage.batch_cube_action(
                positions(tasks), f"{ply + 1}ply", n_threads=1, jacoby=False, beaver=False
            )
            return [float(a.equity_nd) for a in answers]

        return run

    return {
        "static evaluation": static,
        "legal plays": lambda tasks: [
            float(len(bgsage.possible_moves(list(t.board), *t.dice))) for t in tasks
        ],
        **{f"checker play, {ply}-ply": play(ply) for ply in (0, 1, 2)},
        **{f"cube decision, {ply}-ply": cube(ply) for ply in (0, 1, 2)},
    }
