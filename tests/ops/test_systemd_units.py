"""The systemd units: valid, locked down, and in step with the daemon."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
from pathlib import Path

import pytest

from botd.config import DaemonConfig

ROOT = Path(__file__).parents[2]
UNITS = sorted((ROOT / "ops" / "systemd").glob("*.service"))
MAX_EXPOSURE = "20"
"""Tenths, as systemd-analyze counts: 2.0 of 10."""


def installed(unit: Path, folder: Path) -> Path:
    """The unit as on a machine with botd; templates with an instance."""
    text = unit.read_text()
    assert "/usr/local/bin/botd " in text
    copy = folder / unit.name.replace("@.", "@one.")
    copy.write_text(text.replace("/usr/local/bin/botd ", f"{sys.executable} -m botd.cli.main "))
    return copy


def keys(unit: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in re.findall(r"^(\w+)=(.*)$", unit.read_text(), re.MULTILINE):
        found.setdefault(key, []).append(value)
    return found


def test_there_is_a_unit_and_a_template() -> None:
    assert [unit.name for unit in UNITS] == ["botd.service", "botd@.service"]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_finds_nothing_wrong(unit: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "verify", str(installed(unit, tmp_path))],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_exposure(unit: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *("systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={MAX_EXPOSURE}"),
            str(installed(unit, tmp_path)),
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-300:] + done.stderr


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_time_to_stop_covers_the_default_drain(unit: Path) -> None:
    (limit,) = keys(unit)["TimeoutStopSec"]
    assert int(limit) >= DaemonConfig().drain_s + 30


def test_the_template_differs_only_where_an_instance_does() -> None:
    plain, template = (keys(unit) for unit in UNITS)
    different = {key for key in plain | template if plain.get(key) != template.get(key)}
    assert different == {
        *(
            "Description",
            "ExecStart",
            "StateDirectory",
            "RuntimeDirectory",
            "WorkingDirectory",
            "LoadCredential",
        )
    }


def test_the_user_of_the_units_is_made() -> None:
    user = re.search(r"^u (\w+) ", (ROOT / "ops/systemd/sysusers.conf").read_text(), re.MULTILINE)
    assert user
    for unit in UNITS:
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(unit.read_text())
        assert parser["Service"]["User"] == parser["Service"]["Group"] == user[1]


@pytest.mark.parametrize(
    ("program", "file"), [("systemd-sysusers", "sysusers.conf"), ("systemd-tmpfiles", "tmpfiles.conf")]
)
def test_users_and_folders_are_made_in_an_empty_system(program: str, file: str, tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    action = ["--create"] if program == "systemd-tmpfiles" else []
    done = subprocess.run(
        [program, f"--root={tmp_path}", *action, str(ROOT / "ops/systemd" / file)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "") or "Creating" in done.stderr
    if program == "systemd-sysusers":
        assert re.search(r"^botd:", (tmp_path / "etc/passwd").read_text(), re.MULTILINE)
    else:
        assert (tmp_path / "etc/botd").is_dir()
