"""The bench measures what it says: fresh positions, answers of every contestant, sums that repeat."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack

import pytest

from botd.bench import groups as groups_module
from botd.bench.contestants import Timing, open_sage_batches, own_batches
from botd.bench.gnubg_peer import (
    GnubgPeer,
    PeerError,
    RunningPeer,
    installed_package,
    installed_program,
)
from botd.bench.groups import gnubg_groups
from botd.bench.runner import ROUND_SIZE, Measurement, measure
from botd.bench.workload import Task, tasks_from_games
from botd.cli.bench import table
from botd.cli.main import main
from botd.engine.engine import SageEngine
from botd.engine.types import STARTING_BOARD
from tests.tolerances import GNUBG_REFERENCE


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


def test_gnubg_and_each_installed_peer_give_the_same_answers() -> None:
    tasks = tasks_from_games(SageEngine.load(), 3)
    with ExitStack() as stack:
        groups = list(gnubg_groups(peers=True, cpu_path=None, stack=stack))
        measured = [
            (group.name, r)
            for group in groups
            for r in measure(group.contestants, tasks, rounds=2, scale=0.02, sizes=group.sizes)
        ]
    peers = {r.contestant for _, r in measured if not r.contestant.startswith("botd")}
    assert peers == {peer.name for peer in (installed_package(), installed_program()) if peer}
    # Only the program has a call for cube decisions.
    cubes = {r.contestant for _, r in measured if r.kind == "cube decision, 2-ply"}
    program = installed_program()
    assert program is not None
    assert program.name in cubes
    for name, r in measured:
        assert r.answers > 0
        assert all(rate > 0 for rate in r.rounds)
        # Ours divides exactly in profile A, too, where the program approximates.
        assert r.mean_difference <= GNUBG_REFERENCE, (name, r)


def test_checker_plays_are_asked_where_there_is_a_choice() -> None:
    dance = Task((0, *[0] * 18, -2, -2, -2, -2, -2, -2, 1), (6, 6))
    choice = Task(STARTING_BOARD, (3, 1))
    asked: list[Task] = []

    def answer(tasks: Sequence[Task]) -> Timing:
        asked.extend(tasks)
        return Timing(0.5, [1.0 for _ in tasks])

    kinds = {"checker play, 0-ply": 1, "legal plays": 1}
    results = measure(
        {"one": dict.fromkeys(kinds, answer), "other": {"legal plays": answer}},
        itertools.cycle([dance, choice]),
        rounds=1,
        sizes=kinds,
    )
    assert [(r.kind, r.contestant) for r in results] == [
        ("checker play, 0-ply", "one"),
        ("legal plays", "one"),
        ("legal plays", "other"),
    ]
    assert asked[:2] == [choice, choice]
    assert dance in asked


BROKEN_PEERS = {
    "ends": ("pass", "ended without an answer"),
    "nonsense": ("channel.sendall(b'nonsense\\n')", "an answer that is none"),
    "cut short": ("channel.sendall(b'{')", "ended without an answer"),
    "silent": ("time.sleep(60)", "no answer within 2 s"),
}


@pytest.mark.parametrize("fault", BROKEN_PEERS)
def test_a_broken_peer_is_one_line(fault: str) -> None:
    act, message = BROKEN_PEERS[fault]
    script = "import os, socket, time; channel = socket.socket(fileno=int(os.environ['BOTD_BENCH_SOCKET'])); "
    peer = GnubgPeer("peer", "B", (sys.executable, "-c", script + act))
    with pytest.raises(PeerError, match=message) as raised, RunningPeer(peer, silence_s=2.0):
        pass
    assert "\n" not in str(raised.value)


def test_a_peer_that_stops_answering_is_one_line() -> None:
    script = (
        "import os, socket; channel = socket.socket(fileno=int(os.environ['BOTD_BENCH_SOCKET'])); "
        'channel.sendall(b\'{"kinds": ["static"]}\\n\'); channel.recv(10)'
    )
    with RunningPeer(GnubgPeer("peer", "B", (sys.executable, "-c", script))) as running:
        batch = running.batches()["static evaluation"]
        with pytest.raises(PeerError, match="peer: "):
            batch([Task(STARTING_BOARD, (3, 1))])


def test_a_program_that_cannot_start_is_one_line() -> None:
    with (
        pytest.raises(PeerError, match="peer: No such file"),
        RunningPeer(GnubgPeer("peer", "B", ("/nowhere/gnubg",))),
    ):
        pass


def test_absent_peers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "installed_package", lambda: None)
    monkeypatch.setattr(groups_module, "installed_program", lambda: None)
    with ExitStack() as stack:
        (group,) = gnubg_groups(peers=True, cpu_path=None, stack=stack)
    assert set(group.contestants) == {"botd", "botd core"}
    assert [line.split(":")[0] for line in group.absent] == [
        "GNU Backgammon 1.08",
        "GNU Backgammon, the program",
    ]


def test_the_table_shows_ratios_round_by_round() -> None:
    ours = Measurement("static evaluation", "botd", 300.0, 2, 1.0, (200.0, 300.0, 900.0), 0.0)
    theirs = Measurement("static evaluation", "peer", 100.0, 2, 1.0, (100.0, 100.0, 300.0), 0.25)
    _, own_line, peer_line = table([ours, theirs]).splitlines()
    assert own_line.split()[-3:] == ["300.0", "2", "1.0000"]
    assert peer_line.split()[2:] == ["peer", "100.0", "3.00", "2", "1.0000", "0.250000"]


@pytest.mark.parametrize("text", ["", "sage,", "wildbg", "sage gnubg"])
def test_unknown_evaluators_are_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["bench", "--evaluators", text])
    assert raised.value.code == 2
    assert "expected sage or gnubg" in capsys.readouterr().err


def test_the_command_prints_json() -> None:
    command = [sys.executable, "-m", "botd.cli.main", "bench", "--rounds", "1", "--scale", "0.01", "--json"]
    result = subprocess.run([*command, "--no-peers"], capture_output=True, text=True, check=True, timeout=120)
    report = json.loads(result.stdout)
    assert [group["evaluator"].split(",")[0] for group in report["groups"]] == ["sage", "gnubg"]
    entries = [entry for group in report["groups"] for entry in group["results"]]
    assert {entry["contestant"] for entry in entries} == {"botd", "botd core"}
    assert all(entry["answers"] > 0 for entry in entries)
    assert all(group["absent"] == [] for group in report["groups"])
