"""Ours and the installed peers on the same positions: same answers where they do the same work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from botd.bench import lineup as lineup_module
from botd.bench.batches import KINDS, LEGAL, SIBLINGS, STATIC, cube
from botd.bench.gnubg_peer import GnubgPeer, installed_package, installed_program
from botd.bench.lineup import EVALUATORS, Lineup, lineup
from botd.bench.runner import Measurement, measure
from botd.bench.workload import tasks_from_games
from botd.engine.engine import SageEngine
from tests.tolerances import GNUBG_REFERENCE


@pytest.fixture(scope="module")
def found() -> Iterator[Lineup]:
    with ExitStack() as stack:
        yield lineup(EVALUATORS, peers=True, cpu_path=None, stack=stack)


@pytest.fixture(scope="module")
def measured(found: Lineup) -> list[Measurement]:
    tasks = tasks_from_games(SageEngine.load(), 3)
    return measure(found.contestants, tasks, rounds=2, scale=0.01)


def test_everybody_installed_is_measured_at_everything_he_can_do(
    found: Lineup, measured: list[Measurement]
) -> None:
    assert found.absent == {}
    assert {one.kind for one in measured} == set(KINDS)
    peers = {one.contestant for one in measured if not one.own}
    installed = (installed_package(), installed_package("gnubg-nn"), installed_program())
    assert {peer.name for peer in installed if peer} < peers
    (open_sage,) = peers - {peer.name for peer in installed if peer}
    assert {one.kind for one in measured if one.contestant == open_sage} == set(KINDS)
    # Only the program has a call for cube decisions.
    program = installed_program()
    assert program is not None
    assert {one.contestant for one in measured if one.kind == cube(2) and one.evaluator != "sage"} == {
        "gnubg B", "gnubg B core", "fast gnubg B", "fast gnubg B, arrays",
        "gnubg A", "gnubg A core", "fast gnubg A", "fast gnubg A, arrays", program.name,
    }  # fmt: skip
    assert all(rate > 0 for one in measured for rate in one.rounds)
    assert all(one.compared == one.answers > 0 for one in measured)


def test_the_same_networks_give_the_same_answers(measured: list[Measurement]) -> None:
    for one in measured:
        if one.contestant.startswith("fast"):
            continue  # a search of its own
        if one.evaluator.startswith("gnubg") and one.kind != LEGAL:
            # Ours divides exactly in profile A, too, where the program approximates. The plays of a roll are
            # up to a hundred values, added up.
            limit = 100 * GNUBG_REFERENCE if one.kind == SIBLINGS else GNUBG_REFERENCE
            assert one.mean_difference <= limit, one
        if one.evaluator == "sage" and one.kind == STATIC:
            # Two implementations of the same networks in 32 bits: twice the vectors' tolerance.
            assert one.mean_difference < 2e-5, one
        if one.own:
            assert one.mean_difference < 1e-6, one


def test_legal_plays_are_counted_alike(measured: list[Measurement]) -> None:
    counts = {one.contestant: one for one in measured if one.kind == LEGAL}
    assert counts["gnubg-nn " + _version("gnubg-nn")].mean_difference == 0.0


def _version(package: str) -> str:
    peer = installed_package(package)
    assert peer is not None
    return peer.name.split()[-1]


def test_absent_peers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str = "") -> None:
        return None

    monkeypatch.setattr(lineup_module, "installed_package", none)
    monkeypatch.setattr(lineup_module, "installed_program", none)
    monkeypatch.setattr(lineup_module, "open_sage", none)
    with ExitStack() as stack:
        found = lineup(EVALUATORS, peers=True, cpu_path=None, stack=stack)
    assert all(each.own for each in found.contestants)
    assert list(found.absent) == ["Open Sage", "gnubg", "gnubg-nn", "gnubg program"]
    assert all(why.startswith("not installed") for why in found.absent.values())


def test_a_peer_that_does_not_start_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = GnubgPeer("broken", "B", ("/nowhere/gnubg",))
    monkeypatch.setattr(lineup_module, "installed_package", lambda name="": broken)
    monkeypatch.setattr(lineup_module, "installed_program", lambda: None)
    with ExitStack() as stack:
        found = lineup(("gnubg",), peers=True, cpu_path=None, stack=stack)
    assert found.absent["broken"].startswith("cannot be measured: broken: No such file")
