"""CPU time to the first decision, measured with real processes."""

from __future__ import annotations

import sys

from botd.bench.start_time import INTERPRETER, cpu_seconds, start_times


def test_our_engines_are_measured() -> None:
    times = {each.name: each for each in start_times(rounds=3, peers=False)}
    assert set(times) == {INTERPRETER, "sage", "fast:sage", "gnubg"}
    for name in ("sage", "fast:sage", "gnubg"):
        assert times[name].own
        assert len(times[name].rounds) == 3
        assert times[INTERPRETER].seconds < times[name].seconds


def test_installed_peers_are_measured() -> None:
    peers = [each for each in start_times(rounds=1) if not each.own]
    assert [each.name.rpartition(" ")[0] for each in peers] == ["Python", "Open Sage", "gnubg"]
    assert all(each.seconds > 0 for each in peers)


def test_a_command_that_fails_has_no_time() -> None:
    assert cpu_seconds([sys.executable, "-c", "raise SystemExit(3)"]) is None
