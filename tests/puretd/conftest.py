"""Small networks of every kind, with random weights."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from botd.engine.network_file import Layer, NetworkFile, NetworkKind, write_network
from botd.engine.puretd_engine import PuretdEngine
from tests.puretd.naive import Naive

HIDDEN = (9, 5)
KINDS = {
    "cubeful": (NetworkKind.CUBEFUL_EQUITY, "cubeful_perspective196", 200, 1),
    "cubeless": (NetworkKind.CUBELESS_EQUITY, "perspective196", 196, 1),
    "prob5": (NetworkKind.PROBABILITIES5, "perspective196", 196, 5),
    "win": (NetworkKind.WIN, "perspective196", 196, 1),
}


def small_network(name: str, seed: int = 31) -> NetworkFile:
    """A network of a kind whose equities reach beyond -1 and +1, so that all cube decisions occur."""
    kind, encoding, inputs, outputs = KINDS[name]
    rng = random.Random(seed)

    def layer(n: int, m: int, spread: float) -> Layer:
        weights = [rng.uniform(-spread, spread) for _ in range(n * m)]
        return Layer(
            n, m, struct.pack(f"<{n * m}f", *weights), struct.pack(f"<{m}f", *[rng.uniform(-0.3, 0.3)] * m)
        )

    layers = (
        layer(inputs, HIDDEN[0], 0.45),
        layer(HIDDEN[0], HIDDEN[1], 0.6),
        layer(HIDDEN[1], outputs, 1.1),
    )
    return NetworkFile(kind, encoding, layers, "a test", "MIT")


@pytest.fixture(scope="session", name="naives")
def _naives() -> dict[str, Naive]:
    return {name: Naive(small_network(name)) for name in KINDS}


@pytest.fixture(scope="session", name="network_files")
def _network_files(naives: dict[str, Naive], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("networks")
    for name, naive in naives.items():
        write_network(naive.file, folder / name)
    return {name: folder / name for name in naives}


@pytest.fixture(scope="session", name="small_engines")
def _small_engines(network_files: dict[str, Path]) -> dict[str, PuretdEngine]:
    return {name: PuretdEngine.load(path) for name, path in network_files.items()}
