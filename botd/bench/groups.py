"""What is measured against what: our engine with one evaluator, and that evaluator's installed peers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

from botd.bench.contestants import (
    Batch,
    open_sage_batches,
    own_batches,
    own_gnubg_batches,
    own_gnubg_core_batches,
)
from botd.bench.gnubg_peer import GnubgPeer, RunningPeer, installed_package, installed_program
from botd.bench.runner import ROUND_SIZE
from botd.engine.engine import SageEngine
from botd.engine.gnubg_data import GnubgDataNotFound
from botd.engine.gnubg_engine import GnubgEngine

OWN = "botd"
OWN_CORE = "botd core"

# The program needs some 10 ms of elapsed time for each call, however short.
_PROGRAM_LIMIT = 200


@dataclass(slots=True)
class Group:
    """Contestants that are measured on the same positions; the first is ours."""

    name: str
    cpu_path: str
    contestants: dict[str, Mapping[str, Batch]]
    sizes: Mapping[str, int] = field(default_factory=lambda: ROUND_SIZE)
    absent: list[str] = field(default_factory=list)
    """A line for each peer that is not installed."""


def sage_group(engine: SageEngine, *, peers: bool) -> Group:
    """The evaluator sage, and Open Sage."""
    group = Group("sage", engine.info.cpu_path, {OWN: own_batches(engine)})
    if peers:
        peer = open_sage_batches()
        if peer is None:
            group.absent.append("Open Sage: not installed (Python package bgsage)")
        else:
            group.contestants["Open Sage"] = peer
    return group


def gnubg_groups(*, peers: bool, cpu_path: str | None, stack: ExitStack) -> Iterator[Group]:
    """The evaluator gnubg, and GNU Backgammon: a group for each profile that an installed peer has.

    With no peer: the profile of the installed weights. Peers' processes end with `stack`. Raises
    GnubgDataNotFound where there are no weights at all, PeerError for a peer that does not start.
    """
    package, program = (installed_package(), installed_program()) if peers else (None, None)
    absent: list[str] = []
    if peers and package is None:
        absent.append("GNU Backgammon 1.08: not installed (Python package gnubg, a pre-release)")
    if peers and program is None:
        absent.append("GNU Backgammon, the program: not installed (Debian package gnubg)")
    rivals: dict[str, list[GnubgPeer]] = {}
    engines: dict[str, GnubgEngine] = {}
    for peer in (package, program):
        if peer is None:
            continue
        try:
            engines[peer.profile] = GnubgEngine.load(profile=peer.profile, cpu_path=cpu_path)
        except GnubgDataNotFound:
            absent.append(f"{peer.name}: left out, the weights of profile {peer.profile} were not found")
        else:
            rivals.setdefault(peer.profile, []).append(peer)
    if not engines:
        engine = GnubgEngine.load(cpu_path=cpu_path)
        engines[engine.profile] = engine
    for profile, engine in engines.items():
        contestants: dict[str, Mapping[str, Batch]] = {
            OWN: own_gnubg_batches(engine),
            OWN_CORE: own_gnubg_core_batches(engine),
        }
        for peer in rivals.get(profile, []):
            contestants[peer.name] = stack.enter_context(RunningPeer(peer)).batches()
        limit = _PROGRAM_LIMIT if program is not None and program.name in contestants else None
        yield Group(
            f"gnubg, profile {profile}",
            engine.info.cpu_path,
            contestants,
            sizes={kind: min(size, limit or size) for kind, size in ROUND_SIZE.items()},
            absent=absent,
        )
        absent = []
