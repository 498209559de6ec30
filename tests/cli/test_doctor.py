"""`botd doctor` as a command: lines as they come, JSON, exit status, colours on a terminal only."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.doctor.patients import PASSWORD, account, config_file

DOCTOR = (sys.executable, "-m", "botd.cli.main", "doctor")
ENVIRONMENT = {"PATH": os.environ["PATH"], "TERM": "xterm"}


def test_a_server_that_is_away(tmp_path: Path) -> None:
    file = config_file(tmp_path, f"[metrics]\nport = 0\n[status_page]\nport = 0\n{account(1)}")
    result = subprocess.run(
        [*DOCTOR, "--config", str(file), "--login"],
        env=ENVIRONMENT | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 1, result.stderr
    lines = result.stdout.splitlines()
    assert "problem   server 127.0.0.1:1: Connection refused" in lines
    assert "problem   log-in of anna on 127.0.0.1:1: Connection refused" in lines
    assert lines[-1].startswith("2 problems, ")
    after = lines[lines.index("problem   server 127.0.0.1:1: Connection refused") + 1]
    assert after.startswith("          -> ")
    assert PASSWORD not in result.stdout + result.stderr
    assert result.stderr == ""


def test_a_bad_configuration_is_one_of_the_problems(tmp_path: Path) -> None:
    config_file(tmp_path, account(1, "prot = 1"))
    result = subprocess.run(
        [*DOCTOR, "--json"],
        cwd=tmp_path,
        env=ENVIRONMENT | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    report = json.loads(result.stdout)
    assert (result.returncode, report["healthy"]) == (1, False)
    (bad,) = [each for each in report["findings"] if each["state"] == "problem"]
    assert bad["name"] == "configuration"
    assert "unknown key" in bad["text"]
    rest = {each["name"]: each for each in report["findings"]}
    for name in ("servers", "ports", "journal", "MQTT broker", "systemd unit"):
        assert rest[name]["state"] == "not tried"
        assert "needs a configuration" in rest[name]["text"]


def test_colours_and_progress_on_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        DOCTOR, cwd=tmp_path, env=ENVIRONMENT | {"HOME": str(tmp_path)}, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 4096):
                seen += part
        except OSError:  # the end, as a terminal tells it
            pass
        assert process.wait() == 0
    os.close(ours)
    assert b"\x1b[32mok        \x1b[0mclock: " in seen
    assert b"doctor [" in seen
