"""Who is measured: our engines with each evaluator, and every installed peer; and who is missing, and why."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field

from botd.bench.batches import Contestant
from botd.bench.gnubg_peer import (
    GnubgPeer,
    PeerError,
    RunningPeer,
    installed_package,
    installed_program,
)
from botd.bench.open_sage_peer import open_sage
from botd.bench.own import batch_contestant, engine_contestant, gnubg_core, gnubg_name, sage_core
from botd.engine.engine import SageEngine
from botd.engine.fast_engine import FastEngine
from botd.engine.gnubg_data import GnubgDataNotFound
from botd.engine.gnubg_engine import GnubgEngine

EVALUATORS = ("sage", "gnubg")

NOT_INSTALLED = {
    "Open Sage": "not installed (Python package bgsage)",
    "gnubg": "not installed (Python package gnubg, a pre-release of 1.08)",
    "gnubg-nn": "not installed (Python package gnubg-nn, a pre-release)",
    "gnubg program": "not installed (Debian package gnubg)",
}
"""What the report says of an absent peer."""


@dataclass(slots=True)
class Lineup:
    contestants: list[Contestant] = field(default_factory=list)
    """Ours first within each evaluator."""
    absent: dict[str, str] = field(default_factory=dict)
    """Why somebody is not measured, by name."""


def lineup(evaluators: Collection[str], *, peers: bool, cpu_path: str | None, stack: ExitStack) -> Lineup:
    """Ours and, with `peers`, theirs; their processes end with `stack`.

    Raises FileNotFoundError or a data error where the networks of sage are missing or damaged, ValueError for
    an unknown cpu_path. Missing files of gnubg's are told in `absent`.
    """
    found = Lineup()
    if "sage" in evaluators:
        _sage(found, peers=peers, cpu_path=cpu_path)
    if "gnubg" in evaluators:
        _gnubg(found, peers=peers, cpu_path=cpu_path, stack=stack)
    return found


def _sage(found: Lineup, *, peers: bool, cpu_path: str | None) -> None:
    engine = SageEngine.load(cpu_path=cpu_path)
    found.contestants += [
        engine_contestant("sage", "sage", engine),
        sage_core(cpu_path),
        engine_contestant("fast sage", "sage", FastEngine(engine)),
        batch_contestant("fast sage, arrays", "sage", FastEngine(engine)),
    ]
    if not peers:
        return
    peer = open_sage()
    if peer is None:
        found.absent["Open Sage"] = NOT_INSTALLED["Open Sage"]
    else:
        found.contestants.append(peer)


def _gnubg(found: Lineup, *, peers: bool, cpu_path: str | None, stack: ExitStack) -> None:
    """Our evaluator with the networks of each peer; with no peer, with the networks found first."""
    rivals: list[GnubgPeer] = []
    if peers:
        candidates = {
            "gnubg": installed_package(),
            "gnubg-nn": installed_package("gnubg-nn"),
            "gnubg program": installed_program(),
        }
        rivals = [peer for peer in candidates.values() if peer is not None]
        found.absent |= {name: NOT_INSTALLED[name] for name, peer in candidates.items() if peer is None}
    wanted: list[str | None] = [*sorted({peer.profile for peer in rivals}, reverse=True)]
    for profile in wanted or [None]:
        try:
            engine = GnubgEngine.load(profile=profile, cpu_path=cpu_path)
        except GnubgDataNotFound as error:
            found.absent["our gnubg" if profile is None else f"our {gnubg_name(profile)}"] = str(error)
            continue
        name = gnubg_name(engine.profile)
        found.contestants += [
            engine_contestant(name, name, engine),
            gnubg_core(engine),
            engine_contestant(f"fast {name}", name, FastEngine(engine)),
            batch_contestant(f"fast {name}, arrays", name, FastEngine(engine)),
        ]
    for peer in rivals:
        try:
            found.contestants.append(stack.enter_context(RunningPeer(peer)).contestant())
        except PeerError as error:
            found.absent[peer.name] = f"cannot be measured: {error}"
