"""Train the rough network, which ranks plays for the fast search, from what the Sage networks say.

    python -m botd.training.rough_network --seed 1 OUT

Teacher and learner see the same positions: all plays of the rolls of self-played games. The loss compares
siblings, since that is what the network is for: the cross-entropy of the two softmax distributions over the
plays of a roll, and a little of the squared error, which keeps the values in points.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from botd import _core
from botd.cli.exit_codes import EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK
from botd.engine.network_file import Layer, NetworkFile, NetworkKind, write_network
from botd.terminal.progress_bar import ProgressBar
from botd.training.report import report, rough_values
from botd.training.teacher import Boards, Floats, Indices, SiblingSets, load_teacher, sibling_sets

LICENCE = "MIT"
_TEST_SEEDS = 1_000_000
"""Added to the seed for the positions that measure the result."""
_TEST_SETS = 100_000


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Everything that the result depends on."""

    seed: int = 1
    sets: int = 300_000
    """Rolls to learn from; about 20 boards each."""
    epochs: int = 3
    """How often each is looked at."""
    hidden: int = 128
    batch: int = 50
    """Rolls in a step of the optimiser."""
    rate: float = 0.005
    """Highest step size of Adam; it rises for 200 steps, then falls along a cosine. At three
    times this rate most units end up never active."""
    temperature: float = 0.1
    """Points of equity that make a play e times as likely."""
    value_weight: float = 0.005
    """Weight of the squared error beside the cross-entropy."""


class Learner:
    """One hidden layer of ReLU units and a linear output, with Adam."""

    def __init__(self, hidden: int, random: np.random.Generator) -> None:
        inputs = _core.PRUNE_INPUTS
        self.first = (0.15 * random.standard_normal((inputs, hidden))).astype(np.float32)
        self.bias = np.zeros(hidden, np.float32)
        self.output = (random.standard_normal(hidden) / np.sqrt(hidden)).astype(np.float32)
        self.output_bias = np.zeros(1, np.float32)
        self._means = [np.zeros_like(p) for p in self.parameters]
        self._squares = [np.zeros_like(p) for p in self.parameters]
        self._steps = 0

    @property
    def parameters(self) -> list[Floats]:
        return [self.first, self.bias, self.output, self.output_bias]

    def hidden_units(self, inputs: Floats) -> Floats:
        units: Floats = np.maximum(inputs @ self.first + self.bias, np.float32(0.0))
        return units

    def values(self, hidden_units: Floats) -> Floats:
        values: Floats = hidden_units @ self.output + self.output_bias
        return values

    def gradients(self, inputs: Floats, hidden_units: Floats, slope: Floats) -> list[Floats]:
        """Of the loss by each parameter, from its `slope` by each value."""
        back = np.outer(slope, self.output) * (hidden_units > 0.0)
        return [inputs.T @ back, back.sum(0), hidden_units.T @ slope, slope.sum(keepdims=True)]

    def step(self, gradients: Sequence[Floats], rate: float) -> None:
        self._steps += 1
        correction = np.sqrt(1.0 - 0.999**self._steps) / (1.0 - 0.9**self._steps)
        for p, gradient, mean, square in zip(
            self.parameters, gradients, self._means, self._squares, strict=True
        ):
            mean[...] = mean + 0.1 * (gradient - mean)
            square[...] = square + 0.001 * (gradient * gradient - square)
            p[...] = p - np.float32(rate * correction) * mean / (np.sqrt(square) + np.float32(1e-8))

    def network(self, source: str) -> NetworkFile:
        """As a file holds it."""
        hidden = len(self.bias)
        layers = (
            Layer(len(self.first), hidden, _numbers(self.first.T), _numbers(self.bias)),
            Layer(hidden, 1, _numbers(self.output), _numbers(self.output_bias)),
        )
        return NetworkFile(NetworkKind.ROUGH_EQUITY, _core.PRUNE_ENCODING, layers, source, LICENCE)


def train(data: SiblingSets, plan: TrainingPlan, progress: Callable[[float], None]) -> Learner:
    """The same for the same data and plan, on one kind of processor with one version of numpy."""
    random = np.random.default_rng(plan.seed)
    learner = Learner(plan.hidden, random)
    starts = data.starts
    sets = len(data.sizes)
    steps = plan.epochs * (sets // plan.batch)
    step = 0
    for _ in range(plan.epochs):
        order = random.permutation(sets)
        for first in range(0, sets - plan.batch + 1, plan.batch):
            chosen = order[first : first + plan.batch]
            sizes = data.sizes[chosen]
            own_starts = np.cumsum(sizes) - sizes
            rows = np.repeat(starts[chosen] - own_starts, sizes) + np.arange(sizes.sum())
            inputs = board_inputs(data.boards[rows])
            hidden_units = learner.hidden_units(inputs)
            slope = loss_slope(learner.values(hidden_units), data.cubeless[rows], own_starts, sizes, plan)
            rising = min(1.0, (step + 1) / 200)
            falling = 0.5 * (1.0 + np.cos(np.pi * step / steps))
            learner.step(learner.gradients(inputs, hidden_units, slope), plan.rate * rising * falling)
            step += 1
            progress(step / steps)
    return learner


def loss_slope(values: Floats, target: Floats, starts: Indices, sizes: Indices, plan: TrainingPlan) -> Floats:
    """Derivative of the loss by each value."""
    wanted = _softmax(target, starts, sizes, plan.temperature)
    given = _softmax(values, starts, sizes, plan.temperature)
    slope = (given - wanted) + plan.value_weight * (values - target)
    return (slope / len(values)).astype(np.float32)


def board_inputs(boards: Boards) -> Floats:
    """The network's inputs, one row a board."""
    return np.frombuffer(_core.prune_inputs(boards.tobytes()), np.float32).reshape(-1, _core.PRUNE_INPUTS)


def _softmax(values: Floats, starts: Indices, sizes: Indices, temperature: float) -> Floats:
    highest = np.repeat(np.maximum.reduceat(values, starts), sizes)
    powers: Floats = np.exp((values - highest) / np.float32(temperature))
    shares: Floats = powers / np.repeat(np.add.reduceat(powers, starts), sizes)
    return shares


def _numbers(values: Floats) -> bytes:
    return values.astype("<f4").tobytes()


def _number(lowest: int, highest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and lowest <= int(text[:18]) <= highest):
            raise argparse.ArgumentTypeError(f"expected {lowest} to {highest}, got {text[:40]!r}")
        return int(text)

    return parse


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    plan = TrainingPlan()
    parser = argparse.ArgumentParser(
        prog="python -m botd.training.rough_network",
        description="Trains the network that ranks plays for the fast search, by what the Sage networks say "
        "of all plays of the rolls of games against themselves; writes it, and prints how well it ranks "
        "other plays. The same arguments give the same file on one kind of "
        "processor with one version of numpy.",
        epilog="A million boards (50,000 rolls) take 50 MB of memory, each pass over them some 4 seconds.",
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="the network file to write")
    for option, default, lowest, highest, text in (
        ("--seed", plan.seed, 0, 10**9, "of games and first weights"),
        ("--sets", plan.sets, plan.batch, 10_000_000, "rolls to learn from"),
        ("--epochs", plan.epochs, 1, 1000, "passes over them"),
        ("--hidden", plan.hidden, 1, _core.PRUNE_MAX_HIDDEN, "hidden units"),
        ("--test-sets", _TEST_SETS, 1, 10_000_000, "rolls to measure with"),
    ):
        parser.add_argument(
            option,
            type=_number(lowest, highest),
            default=default,
            metavar="N",
            help=f"{text} (%(default)s)",
        )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    chosen = _arguments(arguments)
    plan = TrainingPlan(seed=chosen.seed, sets=chosen.sets, epochs=chosen.epochs, hidden=chosen.hidden)
    try:
        _check_writable(chosen.out)
        _train_and_report(plan, chosen.out, chosen.test_sets)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_FAILURE
    except MemoryError:
        print(f"error: not enough memory for {plan.sets} rolls; use fewer with --sets", file=sys.stderr)
        return EXIT_FAILURE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return EXIT_OK


def _check_writable(out: Path) -> None:
    """Before minutes of work, not after them."""
    if out.is_dir():
        raise IsADirectoryError(f"{out}: is a folder, expected the name of a file to write")
    with tempfile.TemporaryFile(dir=out.parent):
        pass


def _train_and_report(plan: TrainingPlan, out: Path, test_sets: int) -> None:
    teacher = load_teacher()
    data = sibling_sets(teacher, plan.seed, plan.sets)
    with ProgressBar(sys.stderr, f"training on {len(data.boards)} boards") as progress:
        learner = train(data, plan, progress)
    source = (
        f"trained by botd from the Sage networks: python -m botd.training.rough_network --seed {plan.seed} "
        f"--sets {plan.sets} --epochs {plan.epochs} --hidden {plan.hidden}"
    )
    write_network(learner.network(source), out)
    test = sibling_sets(teacher, plan.seed + _TEST_SEEDS, test_sets)
    print(report(rough_values(_core.PruneNet.load(out), test), test))


if __name__ == "__main__":
    sys.exit(main())
