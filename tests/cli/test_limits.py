"""Many connections: as many open files as the system allows, and no more connections than asked for."""

from __future__ import annotations

import resource
import socket
import subprocess
import sys

import pytest


def serve(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "botd.cli.main", "serve", "--open", "--port", "0", *arguments]


def first_bytes(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        return connection.recv(1000)


def test_a_low_limit_of_open_files_is_raised_as_far_as_allowed() -> None:
    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 512))

    arguments = serve("--max-connections", "200")
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, preexec_fn=few_files) as process:  # noqa: PLW1509 - no threads here
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().split()[-1])
            assert resource.prlimit(process.pid, resource.RLIMIT_NOFILE) == (512, 512)
            callers = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(100)]
            assert all(b"Too many" not in caller.recv(1000) for caller in callers)
            for caller in callers:
                caller.close()
        finally:
            process.kill()


def test_no_more_connections_than_asked_for() -> None:
    with subprocess.Popen(serve("--max-connections", "1"), stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().split()[-1])
            with socket.create_connection(("127.0.0.1", port), timeout=60) as only:
                assert b"Too many" not in only.recv(1000)
                assert b"Too many connections" in first_bytes(port)
        finally:
            process.kill()


@pytest.mark.parametrize("number", ["0", "-1", "100001"])
@pytest.mark.parametrize("protocol", ["fibs", "bgammon"])
def test_impossible_numbers_of_connections_are_refused(number: str, protocol: str) -> None:
    arguments = serve("--protocol", protocol, "--max-connections", number)
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == f"botd serve: --max-connections: expected 1 to 100000, got {number}\n"
