"""The page that installs everything on one machine: files are where it says, and programs take them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ops.monitoring import OPERATING, ROOT, promtool

HEADING = "## One Debian machine with everything"


def commands() -> Iterator[str]:
    """The lines of the page that are typed, remarks left out."""
    page = OPERATING.read_text().split(HEADING)[1].split("\n## ")[0]
    for line in page.splitlines():
        if line.startswith("    "):
            yield re.sub(r"\s+#.*", "", line).strip()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root after the page's `cp` and `mkdir` commands; folders that packages bring are there."""
    root = tmp_path_factory.mktemp("machine")
    subprocess.run(
        [
            ROOT / "ops/install",
            "--destdir",
            root,
            "--prefix",
            "/usr",
            "--no-program",
            "--python",
            sys.executable,
        ],
        check=True,
        capture_output=True,
    )
    for folder in (
        "etc/prometheus", "etc/mosquitto/conf.d", "etc/grafana/provisioning/dashboards",
        "etc/grafana/provisioning/datasources", "var/lib/grafana",
    ):  # fmt: skip
        (root / folder).mkdir(parents=True)
    carried_out = 0
    for command in commands():
        if command.split()[0] in ("cp", "mkdir"):
            there = re.sub(r"(?<= )/", f"{root}/", command)
            done = subprocess.run(["/bin/sh", "-c", there], capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, ""), command
            carried_out += 1
    assert carried_out >= 8
    return root


def test_prometheus_takes_its_files(machine: Path) -> None:
    done = promtool("check", "config", machine / "etc/prometheus/prometheus.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 rule files found" in done.stdout


def test_grafana_finds_the_dashboard(machine: Path) -> None:
    provider = (machine / "etc/grafana/provisioning/dashboards/botd.yml").read_text()
    folder = re.findall(r"path: (/\S+)", provider)
    assert folder == ["/var/lib/grafana/dashboards"]
    (file,) = (machine / folder[0][1:]).glob("*.json")
    assert json.loads(file.read_text())["uid"] == "botd-overview"


def test_mosquitto_finds_what_its_configuration_names(machine: Path) -> None:
    config = (machine / "etc/mosquitto/conf.d/botd.conf").read_text()
    named = set(re.findall(r"(?m)^(?:password|acl)_file (/\S+)", config))
    made = {command.split()[-2] for command in commands() if command.startswith("mosquitto_passwd")}
    assert named == made | {"/etc/mosquitto/botd.acl"}
    assert (machine / "etc/mosquitto/botd.acl").exists()
    users = set(re.findall(r"(?m)^user (\w+)", (machine / "etc/mosquitto/botd.acl").read_text()))
    assert {command.split()[-1] for command in commands() if command.startswith("mosquitto_passwd")} <= users


def test_credentials_and_the_trial_are_as_the_page_says(machine: Path) -> None:
    (credential,) = re.findall(r"LoadCredential=mqtt:(\S+)", OPERATING.read_text().split(HEADING)[1])
    assert f"install -m 600 /dev/stdin {credential}" in list(commands())
    done = subprocess.run(
        [sys.executable, machine / "usr/share/botd/try_metrics.py", "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_page_names_files_that_are_laid_out(machine: Path) -> None:
    named = {
        (page.name, path)
        for page in (ROOT / "docs").glob("*.md")
        for path in re.findall(r"/usr/share/(?:doc/)?botd/[\w./*-]*[\w*]", page.read_text())
    }
    assert {page for page, _ in named} >= {"quickstart.md", "operating.md"}
    assert [where for where in sorted(named) if not list(machine.glob(where[1].lstrip("/")))] == []
