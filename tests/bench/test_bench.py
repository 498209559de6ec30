"""The bench measures what it says: fresh positions, answers of every contestant, sums that repeat."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

from botd.bench.contestants import open_sage_batches, own_batches
from botd.bench.runner import ROUND_SIZE, measure
from botd.bench.workload import tasks_from_games
from botd.engine.engine import SageEngine


def test_no_position_comes_twice_and_a_seed_repeats() -> None:
    engine = SageEngine.load()
    tasks = list(itertools.islice(tasks_from_games(engine, 7), 500))
    assert len({task.board for task in tasks}) == 500
    assert tasks == list(itertools.islice(tasks_from_games(engine, 7), 500))


def test_ours_and_the_peer_give_the_same_static_values_and_plays() -> None:
    engine = SageEngine.load()
    peer = open_sage_batches()
    assert peer is not None
    results = measure(
        {"botd": own_batches(engine), "Open Sage": peer}, tasks_from_games(engine, 2), rounds=2, scale=0.01
    )
    assert {r.kind for r in results} == set(ROUND_SIZE)
    by_key = {(r.kind, r.contestant): r for r in results}
    ours, theirs = (by_key["static evaluation", name] for name in ("botd", "Open Sage"))
    assert ours.answers == theirs.answers
    # Two implementations of the same networks, in 32 bits: 2e-5 an answer is twice the vectors' tolerance.
    assert abs(ours.checksum - theirs.checksum) < 2e-5 * ours.answers


def test_the_command_prints_json() -> None:
    command = [sys.executable, "-m", "botd.cli.main", "bench", "--rounds", "1", "--scale", "0.01", "--json"]
    result = subprocess.run([*command, "--no-peers"], capture_output=True, text=True, check=True, timeout=120)
    report = json.loads(result.stdout)
    assert {entry["contestant"] for entry in report["results"]} == {"botd"}
    assert all(entry["answers"] > 0 for entry in report["results"])
