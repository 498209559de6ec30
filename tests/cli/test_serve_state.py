"""`botd serve --state`: the file survives a kill, is private and whole; what is wrong is told in one line."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def serve(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "botd.cli.main", "serve", "--port", "0", *arguments]


def refused(*arguments: str) -> str:
    """The one line that says why it does not start."""
    done = subprocess.run(serve(*arguments), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2, done
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("botd serve: ")
    return line


@contextmanager
def running(state: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server that any name may log in to, and its port."""
    arguments = serve("--open", "--seed", "1", "--state", str(state))
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline().split()[-1])
        finally:
            process.kill()


def log_in(port: int, name: str, password: str) -> str:
    """What comes until the list of players is complete, or the connection asks again."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(f"login test 1008 {name} {password}\r\n".encode())
        text = ""
        while "\n6\r" not in text and text.count("login: ") < 2:
            text += connection.recv(65536).decode()
        return text


def test_accounts_survive_a_kill_and_only_their_passwords_open_them(tmp_path: Path) -> None:
    state = tmp_path / "fibs.json"
    with running(state) as (process, port):
        assert state.stat().st_mode & 0o777 == 0o600
        assert "5 anna " in log_in(port, "anna", "first-password")
        process.kill()
    data = state.read_text()
    assert "first-password" not in data
    assert [account["name"] for account in json.loads(data)["accounts"]] == ["anna"]
    with running(state) as (process, port):
        assert "5 anna " not in log_in(port, "anna", "other-password")
        assert "5 anna " in log_in(port, "anna", "first-password")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert json.loads(state.read_text())["starts"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fibs.json"]


def test_one_server_holds_the_file(tmp_path: Path) -> None:
    state = tmp_path / "fibs.json"
    with running(state) as (process, _):
        assert f"already in use by process {process.pid}" in refused("--open", "--state", str(state))


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[]", b'{"format": "x"}', b"[" * 100_000, b"0" * 9999]
)
def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    state = tmp_path / "fibs.json"
    state.write_bytes(content)
    line = refused("--open", "--state", str(state))
    assert str(state) in line
    assert len(line) < 400
    assert state.read_bytes() == content


def test_impossible_places_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    for path in (tmp_path / "folder", tmp_path / "file" / "state", Path("/proc/state")):
        assert "--state" in refused("--open", "--state", str(path))
    assert "only with --protocol fibs" in refused("--protocol", "bgammon", "--state", str(tmp_path / "state"))


def test_a_full_disk_is_told_once_and_play_goes_on(tmp_path: Path) -> None:
    state = tmp_path / "fibs.json"
    with running(state) as (process, port):
        before = state.read_bytes()
        unlimited = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, unlimited[1]))
        for name in ("anna", "bert"):
            assert f"5 {name} " in log_in(port, name, "password")
        assert state.read_bytes() == before
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, unlimited)
        assert "5 carl " in log_in(port, "carl", "password")
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr is not None
        (line,) = process.stderr.read().splitlines()
    assert line.startswith("--state: cannot write ")
    assert {account["name"] for account in json.loads(state.read_text())["accounts"]} == {
        "anna",
        "bert",
        "carl",
    }
