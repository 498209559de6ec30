"""The systemd units: valid, locked down, and in step with the daemon."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
from pathlib import Path

import pytest

from botd.config import DaemonConfig
from botd.journal.opening import open_file

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "ops" / "systemd"
DAEMONS = [FOLDER / "botd.service", FOLDER / "botd@.service"]
BACKUPS = [FOLDER / "botd-backup.service", FOLDER / "botd-backup@.service"]
UNITS = [*DAEMONS, *BACKUPS]
TIMERS = sorted(FOLDER.glob("*.timer"))
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


def test_there_is_no_unit_that_these_tests_do_not_know() -> None:
    assert sorted(FOLDER.glob("*.service")) == sorted(UNITS)
    assert [timer.with_suffix(".service") for timer in TIMERS] == BACKUPS


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


@pytest.mark.parametrize("unit", DAEMONS, ids=lambda unit: unit.name)
def test_time_to_stop_covers_the_default_drain(unit: Path) -> None:
    (limit,) = keys(unit)["TimeoutStopSec"]
    assert int(limit) >= DaemonConfig().drain_s + 30


def test_the_template_differs_only_where_an_instance_does() -> None:
    plain, template = (keys(unit) for unit in DAEMONS)
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


def test_the_template_of_the_backup_differs_only_where_an_instance_does() -> None:
    plain, template = (keys(unit) for unit in BACKUPS)
    different = {key for key in plain | template if plain.get(key) != template.get(key)}
    assert different == {"Description", "ExecStart", "StateDirectory"}


@pytest.mark.parametrize("timer", TIMERS, ids=lambda timer: timer.name)
def test_systemd_finds_nothing_wrong_with_the_timers(timer: Path, tmp_path: Path) -> None:
    installed(timer.with_suffix(".service"), tmp_path)
    copy = tmp_path / timer.name.replace("@.", "@one.")
    copy.write_text(timer.read_text())
    done = subprocess.run(
        ["systemd-analyze", "verify", str(copy)], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unit", BACKUPS, ids=lambda unit: unit.name)
def test_what_the_backup_runs_works(unit: Path, tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    open_file(tmp_path / "botd.sqlite3", busy_timeout=1).close()
    (tmp_path / "botd.toml").write_text("")
    (command,) = keys(unit)["ExecStart"]
    assert command.startswith("/usr/local/bin/botd backup ")
    arguments = re.sub(r"/etc/botd/(%i|botd).toml", "botd.toml", command).split()
    assert arguments[-1] in {f"/var/lib/botd/{item}backups" for item in ("", "%i/")}
    assert arguments[-1].removeprefix("/var/lib/") in keys(unit)["StateDirectory"][0].split()
    subprocess.run(
        [sys.executable, "-m", "botd.cli.main", *arguments[1:-1], "backups"], cwd=tmp_path, check=True
    )
    assert len(list((tmp_path / "backups").iterdir())) == 1


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
