"""What the Sage networks say of all plays of a roll, on positions of their games against themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from botd import _core
from botd.paths import sage_assets

Boards = npt.NDArray[np.int8]
"""n x 26 numbers, each row as in botd.engine.types.Board."""
Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class SiblingSets:
    """Sets of siblings: the boards that the plays of one roll lead to, seen by the side that has moved.

    The opponent is to roll. Sets follow each other in `boards`; each has at least two.
    """

    unmoved: Boards
    """The position that was rolled in, one a set."""
    network: npt.NDArray[np.uint8]
    """Which of the Sage networks values that position."""
    sizes: Indices
    boards: Boards
    cubeless: Floats
    """Money equity of each board in points."""
    cubeful: Floats
    """The same with a cube that nobody has turned yet."""

    @property
    def starts(self) -> Indices:
        """Where each set begins in `boards`."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def owners(self) -> Indices:
        """Which set each board belongs to."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def load_teacher() -> _core.SageEvaluator:
    """The networks of the installed package bgsage, with their bear-off table.

    Raises FileNotFoundError or DataError if they are missing or damaged.
    """
    assets = sage_assets()
    return _core.SageEvaluator.load(assets / "models", assets / "data" / "bearoff_1sided.db")


def sibling_sets(teacher: _core.SageEvaluator, seed: int, sets: int) -> SiblingSets:
    """At least `sets` sets from whole games; the same for the same seed."""
    raw = _core.sage_sibling_sets(teacher, seed, sets)
    return SiblingSets(
        unmoved=np.frombuffer(raw["unmoved"], np.int8).reshape(-1, 26),
        network=np.frombuffer(raw["network"], np.uint8),
        sizes=np.frombuffer(raw["size"], np.uint16).astype(np.intp),
        boards=np.frombuffer(raw["boards"], np.int8).reshape(-1, 26),
        cubeless=np.frombuffer(raw["cubeless"], np.float32),
        cubeful=np.frombuffer(raw["cubeful"], np.float32),
    )
