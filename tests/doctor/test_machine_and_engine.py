"""Clock, limits, packages, processor, weights and workers; each trouble brought about for real."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from botd.doctor import engine
from botd.doctor.findings import Patient, State
from botd.paths import sage_assets
from tests.doctor.patients import account, config_file, found, only, patient

DOCTOR = (sys.executable, "-m", "botd.cli.main", "doctor", "--json")


def doctor(folder: Path, environment: dict[str, str], *before: str) -> dict[str, tuple[str, str, str]]:
    """State, text and advice of every finding by its name, of a process of its own."""
    result = subprocess.run(
        [*before, *DOCTOR],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)} | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode in (0, 1), result.stderr
    assert result.stderr == ""
    report = json.loads(result.stdout)
    assert report["healthy"] == (result.returncode == 0)
    return {each["name"]: (each["state"], each["text"], each["advice"]) for each in report["findings"]}


def test_a_healthy_machine_without_a_configuration(tmp_path: Path) -> None:
    findings = doctor(tmp_path, {})
    states = {name: state for name, (state, _, _) in findings.items()}
    good = (
        "packages",
        "clock",
        "limits",
        "processor",
        "weights",
        "match equities",
        "known position",
        "workers",
    )
    assert {states[name] for name in good} == {"ok"}
    assert states["configuration"] == "not tried"
    assert "problem" not in states.values()


def test_a_damaged_network(tmp_path: Path) -> None:
    package = sage_assets().parent
    copy = tmp_path / "bgsage"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("*.py[co]", "*.so"))
    network = next(copy.rglob("*purerace*"))
    content = bytearray(network.read_bytes())
    content[len(content) // 2] ^= 0x10
    network.write_bytes(content)
    findings = doctor(tmp_path, {"PYTHONPATH": str(tmp_path)})
    state, text, advice = findings["weights"]
    assert state == "problem", text
    assert "damaged" in text or str(network) in text
    assert "bgsage" in advice


def test_networks_that_are_missing(tmp_path: Path) -> None:
    (tmp_path / "bgsage").mkdir()
    (tmp_path / "bgsage" / "__init__.py").touch()
    findings = doctor(tmp_path, {"PYTHONPATH": str(tmp_path)})
    assert findings["weights"][0] == "problem"
    assert findings["workers"][0] == "problem"
    assert "bgsage" in findings["weights"][1]


@pytest.mark.parametrize(
    ("when", "said"),
    [("2001-01-01 12:00:00", "before botd was installed"), ("2150-01-01 00:00:00", "far in")],
)
def test_a_wrong_clock(when: str, said: str, tmp_path: Path) -> None:
    environment = {"FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    state, text, advice = doctor(tmp_path, environment, "faketime", when)["clock"]
    assert state == "problem"
    assert said in text
    assert "timedatectl" in advice


def test_few_open_files(tmp_path: Path) -> None:
    config_file(
        tmp_path,
        "".join(account(1, f"# {number}").replace('anna"', f'anna{number}"') for number in range(200)),
    )
    limited = ("sh", "-c", 'ulimit -n 256 && exec "$@"', "-")
    state, text, advice = doctor(tmp_path, {}, *limited)["limits"]
    assert (state, text) == ("problem", "256 open files, about 864 needed")
    assert "LimitNOFILE" in advice


async def test_a_deadline_and_workers_as_configured(tmp_path: Path) -> None:
    who = patient(tmp_path, f"[engine]\nworkers = 1\nply = 0\n{account(1)}")
    workers, memory = await found(engine.workers, who)
    assert workers.text.startswith("1 ready in ")
    assert "0-ply" in workers.text
    assert "the workers use" in memory.text


async def test_gnubg_is_optional_unless_it_is_to_play(tmp_path: Path) -> None:
    assert (await only(engine.gnubg, Patient())).state is State.OK  # the tests have it
    who = patient(tmp_path, f'[engine]\nevaluator = "gnubg:A"\n{account(1)}')
    weights, _, position = await found(engine.weights, who)
    assert (weights.state, position.state) == (State.OK, State.OK)
    assert "8/5 6/5" in position.text
