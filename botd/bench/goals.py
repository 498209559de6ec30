"""What the engine owes (floors) and what it is here for (goals), and whether a run meets them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from botd.bench.batches import LEGAL, PLIES, SIBLINGS, STATIC, checker, cube
from botd.bench.puretd_kernel import BATCH, KernelSpeed
from botd.bench.runner import Measurement
from botd.bench.start_time import INTERPRETER, StartTime
from botd.bench.worker_memory import PLY, WorkerMemory

OPEN_SAGE = "Open Sage"
GNUBG = "gnubg"
BEST = "the best peer"


class Measure(StrEnum):
    """What floor and goal are compared with."""

    RATIO = "ratio"
    """Our speed divided by the peer's, at least so much."""
    AT_LEAST = "at least"
    """Our own figure."""
    AT_MOST = "at most"


@dataclass(frozen=True, slots=True)
class Limit:
    floor: float | None = None
    """None: nothing is asked, the figures are shown."""
    goal: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """Ours beside one peer at one kind of work."""

    work: str
    ours: str
    value: float
    unit: str = "a CPU second"
    """Evaluations, decisions or (legal plays) pairs of board and roll; or what is named here."""
    peer: str = ""
    """Empty where there is nobody to compare with."""
    peer_value: float | None = None
    """None for a peer that is not installed or has no such call; `note` says which."""
    ratio: float | None = None
    """Of two speeds: ours divided by theirs, median over rounds. Of what should be small: theirs by ours."""
    measure: Measure = Measure.RATIO
    limit: Limit = Limit()
    note: str = ""

    @property
    def floor_met(self) -> bool | None:
        return self._met(self.limit.floor)

    @property
    def goal_met(self) -> bool | None:
        return self._met(self.limit.goal)

    def _met(self, wanted: float | None) -> bool | None:
        figure = self.ratio if self.measure is Measure.RATIO else self.value
        if wanted is None or figure is None:
            return None
        return figure <= wanted if self.measure is Measure.AT_MOST else figure >= wanted


@dataclass(frozen=True, slots=True)
class _Wish:
    """`ours` are names of contestants. Their peers are those with the same networks, or the better of all."""

    work: str
    ours: tuple[str, ...]
    limit: Limit = Limit()
    better_of_all: bool = False


_OWN_GNUBG = ("gnubg B", "gnubg B core", "gnubg A", "gnubg A core")
_OWN_GNUBG_CORES = ("gnubg B core", "gnubg A core")
_FAST_GNUBG = ("fast gnubg B", "fast gnubg B, arrays", "fast gnubg A", "fast gnubg A, arrays")
_FAST_SAGE = ("fast sage", "fast sage, arrays")
_WISHES = (
    _Wish(STATIC, ("sage core",), Limit(3, 6)),
    _Wish(STATIC, _OWN_GNUBG_CORES, Limit(2, 4)),
    _Wish(SIBLINGS, ("sage core",), Limit(4, 8)),
    _Wish(SIBLINGS, _OWN_GNUBG_CORES),
    _Wish(checker(0), ("sage", "sage core", *_FAST_SAGE), Limit(6, 10)),
    _Wish(checker(0), _OWN_GNUBG + _FAST_GNUBG, Limit(2, 4)),
    _Wish(checker(1), _FAST_SAGE, Limit(15, 40)),
    _Wish(checker(1), ("sage",)),
    _Wish(checker(1), _OWN_GNUBG, Limit(2, 4)),
    _Wish(checker(1), _FAST_GNUBG),
    _Wish(checker(2), _FAST_SAGE, Limit(15, 60)),
    _Wish(checker(2), ("sage",)),
    _Wish(checker(2), _OWN_GNUBG, Limit(2, 4)),
    _Wish(checker(2), _FAST_GNUBG),
    *(
        _Wish(
            cube(ply),
            (*_FAST_SAGE, "sage", "sage core", *_OWN_GNUBG, *_FAST_GNUBG),
            Limit(1, 4),
            better_of_all=True,
        )
        for ply in PLIES
    ),
)
_LEGAL_LIMIT = Limit(600_000, 1_500_000)
_MEMORY_LIMIT = Limit(40, 15)
_START_LIMIT = Limit(0.15, 0.05)
_KERNEL_LIMIT = Limit(goal=3)
_BY_EVALUATOR = {"sage": OPEN_SAGE}
"""Whose peer to name where none is installed; all other evaluators are gnubg's."""


def rows(measurements: Sequence[Measurement], absent: Mapping[str, str]) -> list[Row]:
    """What was measured, beside each peer, with floor and goal; `absent` tells why a peer is missing."""
    found = {(one.kind, one.contestant): one for one in measurements}
    result: list[Row] = []
    for wish in _WISHES:
        for name in wish.ours:
            own = found.get((wish.work, name))
            if own is not None:
                result.extend(_rows(wish, own, measurements, absent))
    peers = [one for one in measurements if one.kind == LEGAL and not one.own]
    for own in measurements:
        if own.kind == LEGAL and own.own:
            best = max(peers, key=lambda one: one.per_second, default=None)
            result.append(_beside(LEGAL, own, best, Measure.AT_LEAST, _LEGAL_LIMIT))
    return result


def memory_rows(memories: Sequence[WorkerMemory]) -> list[Row]:
    """Of one more worker, beside the peer that takes least."""
    return _small(
        f"memory of one more worker (USS after a {PLY}-ply decision)",
        "MB",
        {one.name: one.each.uss / 1e6 for one in memories if one.own},
        {one.name: one.each.uss / 1e6 for one in memories if not one.own},
        _MEMORY_LIMIT,
    )


def start_rows(starts: Sequence[StartTime]) -> list[Row]:
    """CPU time to a first decision, beside the peer that takes least."""
    return _small(
        "start to first decision, CPU",
        "s",
        {one.name: one.seconds for one in starts if one.own},
        {one.name: one.seconds for one in starts if not one.own and one.name != INTERPRETER},
        _START_LIMIT,
    )


def kernel_rows(speeds: Sequence[KernelSpeed]) -> list[Row]:
    """CPU time of a deep network for one board."""
    return [
        Row(
            work=f"puretd, a board of {BATCH}, {one.parameters:,} parameters",
            ours=f"{one.arithmetic}, {one.kernels}",
            value=one.microseconds,
            unit="us",
            measure=Measure.AT_MOST,
            limit=_KERNEL_LIMIT,
        )
        for one in speeds
    ]


def _small(
    work: str, unit: str, ours: Mapping[str, float], theirs: Mapping[str, float], limit: Limit
) -> list[Row]:
    """What should be small."""
    peer = min(theirs, key=lambda name: theirs[name], default="")
    return [
        Row(
            work=work,
            ours=name,
            value=value,
            unit=unit,
            peer=peer,
            peer_value=theirs.get(peer),
            ratio=theirs[peer] / value if peer and value else None,
            measure=Measure.AT_MOST,
            limit=limit,
            note=BEST if len(theirs) > 1 else "",
        )
        for name, value in ours.items()
    ]


def _rows(
    wish: _Wish, own: Measurement, measurements: Sequence[Measurement], absent: Mapping[str, str]
) -> Iterator[Row]:
    peers = [
        one
        for one in measurements
        if not one.own and one.kind == wish.work and (wish.better_of_all or one.evaluator == own.evaluator)
    ]
    if wish.better_of_all and len(peers) > 1:
        yield _beside_the_best(wish.work, own, peers, wish.limit)
        return
    for peer in peers:
        yield _beside(wish.work, own, peer, Measure.RATIO, wish.limit)
    if not peers:
        name = _BY_EVALUATOR.get(own.evaluator, GNUBG)
        yield Row(
            work=wish.work,
            ours=own.contestant,
            value=own.per_second,
            peer=name,
            limit=wish.limit,
            note=absent.get(name, "no such call"),
        )


def _beside(work: str, own: Measurement, peer: Measurement | None, measure: Measure, limit: Limit) -> Row:
    return Row(
        work=work,
        ours=own.contestant,
        value=own.per_second,
        peer="" if peer is None else peer.contestant,
        peer_value=None if peer is None else peer.per_second,
        ratio=None if peer is None else median_ratio(own.rounds, peer.rounds),
        measure=measure,
        limit=limit,
    )


def _beside_the_best(work: str, own: Measurement, peers: Sequence[Measurement], limit: Limit) -> Row:
    best = tuple(map(max, zip(*(peer.rounds for peer in peers), strict=True)))
    fastest = max(peers, key=lambda one: one.per_second)
    return Row(
        work=work,
        ours=own.contestant,
        value=own.per_second,
        peer=fastest.contestant,
        peer_value=statistics.median(best),
        ratio=median_ratio(own.rounds, best),
        limit=limit,
        note=BEST,
    )


def median_ratio(one: Sequence[float], other: Sequence[float]) -> float:
    """Median over rounds of the one's speed divided by the other's in the same round."""
    return statistics.median(a / b for a, b in zip(one, other, strict=True))
