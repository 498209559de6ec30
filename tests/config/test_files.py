"""Reading named files: what never ends, and what never begins."""

from __future__ import annotations

import os
import ssl
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from botd.cli.main import main
from botd.files import expect_regular_file, read_small_file
from botd.tls import client_tls


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 1001, 200_000])
def test_a_file_is_read_to_one_byte_beyond_the_limit(tmp_path: Path, size: int) -> None:
    (tmp_path / "file").write_bytes(b"x" * size)
    assert len(read_small_file(tmp_path / "file", 1000)) == min(size, 1001)


def test_devices_end() -> None:
    assert read_small_file(Path("/dev/null"), 1000) == b""
    assert read_small_file(Path("/dev/zero"), 1000) == bytes(1001)


def test_what_is_written_into_a_pipe_is_read_however_it_is_cut(pipe: Path) -> None:
    def write() -> None:
        with pipe.open("wb", buffering=0) as out:
            for _ in range(50):
                out.write(b"0123456789" * 500)

    writer = threading.Thread(target=write)
    writer.start()
    assert read_small_file(pipe, 1 << 20, patience_s=60) == b"0123456789" * 25_000
    writer.join()


def test_a_pipe_into_which_nobody_writes_is_given_up(pipe: Path) -> None:
    with pytest.raises(TimeoutError) as told:
        read_small_file(pipe, 1000, patience_s=0.05)
    assert told.value.strerror == "no file, and whoever writes into it does not come to an end"


def test_a_pipe_that_stays_open_is_given_up(pipe: Path) -> None:
    keeper = os.open(pipe, os.O_RDWR)
    try:
        os.write(keeper, b"[engine]\n")
        with pytest.raises(TimeoutError):
            read_small_file(pipe, 1000, patience_s=0.05)
    finally:
        os.close(keeper)


def test_only_files_are_files(tmp_path: Path, pipe: Path) -> None:
    for path in (tmp_path, pipe, Path("/dev/null")):
        with pytest.raises(OSError, match="expected a file"):
            expect_regular_file(path)
        with pytest.raises(OSError, match="expected a file"):
            client_tls(path)
    with pytest.raises(FileNotFoundError):
        client_tls(tmp_path / "nothing")
    (tmp_path / "empty.pem").touch()
    with pytest.raises(ssl.SSLError):
        client_tls(tmp_path / "empty.pem")


_BGAMMON = '[[accounts]]\nprotocol = "bgammon"\nhost = "h"\nname = "BOT_a"\ntls_ca_file = "pipe"\n'
_FIBS = '[[accounts]]\nhost = "h"\nname = "anna"\npassword_file = "anna.password"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (_BGAMMON, "accounts[0].tls_ca_file: cannot be read: expected a file"),
        (f'[mqtt]\nenabled = true\ntls = true\nca_file = "pipe"\n{_FIBS}', "mqtt.ca_file: "),
        (
            '[mqtt]\nenabled = true\ntls = true\ncertificate_file = "pipe"\nkey_file = "pipe"\n' + _FIBS,
            "mqtt.certificate_file: ",
        ),
        (f'[journal]\npath = "pipe"\n{_FIBS}', "journal.path: "),
        (f'[status_page]\ntoken_file = "pipe"\n{_FIBS}', "status_page.token_file: "),
        (_FIBS.replace("anna.password", "pipe"), "accounts[0].password_file: "),
    ],
)
def test_a_configuration_that_names_a_pipe_is_blamed_and_holds_nothing_up(
    tmp_path: Path, pipe: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    (tmp_path / "anna.password").write_text("secret\n")
    (tmp_path / "anna.password").chmod(0o600)
    (tmp_path / "botd.toml").write_text(text)
    assert main(["run", "--check", "--config", str(tmp_path / "botd.toml")]) == 2
    printed = capsys.readouterr().err
    assert told in printed
    assert "expected a" in printed


_COMMANDS = (
    "run --config pipe",
    "check-config pipe",
    "matches --config pipe",
    "matches --journal pipe",
    "serve --port 0 --accounts pipe",
    "serve --port 0 --open --dice pipe",
    "serve --port 0 --open --state pipe",
    "serve --protocol bgammon --port 0 --cert pipe --key pipe",
)


def test_no_command_waits_for_a_pipe(tmp_path: Path, pipe: Path) -> None:
    with ExitStack() as running:
        begun = [
            running.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "botd.cli.main", *command.split()],
                    cwd=tmp_path,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
            for command in _COMMANDS
        ]
        for command, process in zip(_COMMANDS, begun, strict=True):
            printed, _ = process.communicate(timeout=60)
            assert process.returncode in (1, 2), command
            assert "pipe" in printed, command
            assert "Traceback" not in printed, command


def test_a_configuration_may_come_from_a_program(
    tmp_path: Path, pipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "anna.password").write_text("secret\n")
    (tmp_path / "anna.password").chmod(0o600)
    writer = threading.Thread(target=pipe.write_text, args=[_FIBS])
    writer.start()
    assert main(["run", "--check", "--config", str(pipe)]) == 0, capsys.readouterr().err
    writer.join()
