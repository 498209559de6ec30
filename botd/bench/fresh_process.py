"""Code of a fresh interpreter that makes one decision: with one of our engines, or with a peer in its way."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from botd.engine.gnubg_data import GnubgDataNotFound, find_gnubg_data

_OURS = """
from botd.engine.protocol import load_engine
from botd.engine.types import STARTING_BOARD, GameContext
engine = load_engine({spec!r})
print(engine.choose_play(STARTING_BOARD, GameContext(), (3, 1), ply={ply}).best.play.notation, flush=True)
"""
_OPEN_SAGE = """
import bgsage
position = {{"board": [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0],
             "die1": 3, "die2": 1, "cube_value": 1, "cube_owner": "centered"}}
answers = bgsage.batch_checker_play([position], "{level}ply", n_threads=1, jacoby=False)
print(len(answers[0].moves), flush=True)
"""
_GNUBG = """
import gnubg
gnubg.command("set display off")
gnubg.command("set threads 1")
money = {{"cube": 1, "cubeowner": -1, "move": 0, "matchto": 0, "score": (0, 0), "crawford": 0, "jacoby": 0,
          "beavers": 0, "gammonprice": ((1.0, 1.0), (1.0, 1.0)), "bgv": 0}}
context = {{"cubeful": 1, "plies": {ply}, "deterministic": 1, "noise": 0.0, "prune": int({ply} > 0)}}
board = gnubg.positionfromid("4HPwATDgc/ABMA")
print(gnubg.findbestmove(board, money, context, (3, 1)), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Decider:
    """Who decides, how the opening roll 3-1 is to be played."""

    name: str
    code: str
    """Python, with a place for `ply` (0 is static) and `level`, one more."""
    spec: str | None = None
    """Of one of our engines, as `botd.engine.protocol.load_engine` takes it; None: a peer."""

    def command(self, ply: int) -> list[str]:
        """Run by a fresh interpreter, which prints one line when it has decided."""
        return [sys.executable, "-P", "-c", self.code.format(ply=ply, level=ply + 1, spec=self.spec)]


def deciders(*, peers: bool = True) -> Iterator[Decider]:
    """Our engines whose data is installed, and the peers that are."""
    yield Decider("sage", _OURS, "sage")
    yield Decider("fast:sage", _OURS, "fast:sage")
    try:
        find_gnubg_data()
    except GnubgDataNotFound:
        pass
    else:
        yield Decider("gnubg", _OURS, "gnubg")
    for package, name, code in (("bgsage", "Open Sage", _OPEN_SAGE), ("gnubg", "gnubg", _GNUBG)):
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
        if peers:
            yield Decider(f"{name} {version}", code)
