"""Passwords are read from where they are kept and never show."""

import copy
import logging
import os
import pickle
from pathlib import Path

import pytest

from botd.config.secret import Secret, SecretError, from_credential, from_environment, from_file


def test_a_secret_does_not_show() -> None:
    secret = Secret("hunter2")
    shown = [str(secret), repr(secret), f"{secret}", f"{secret:>20}", repr([secret])]
    assert not any("hunter2" in text for text in shown)
    assert secret.reveal() == "hunter2"
    assert secret == Secret("hunter2")
    assert secret != Secret("hunter3")
    assert secret != "hunter2"
    assert len({secret, Secret("hunter2")}) == 1


def test_a_secret_does_not_leave_the_process() -> None:
    for leave in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="does not leave"):
            leave(Secret("hunter2"))


def test_a_secret_in_a_log_record(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("x").warning("login %s %r", Secret("hunter2"), {"password": Secret("hunter2")})
    assert "hunter2" not in caplog.text
    assert "***" in caplog.text


@pytest.mark.parametrize("content", [b"pw1", b"pw1\n", b"pw1\r\n", b"pw1\n\n"])
def test_password_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pw"
    path.write_bytes(content)
    path.chmod(0o600)
    warnings: list[str] = []
    assert from_file(path, warnings=warnings).reveal() == "pw1"
    assert warnings == []


def test_a_file_others_can_read_is_warned_about(tmp_path: Path) -> None:
    path = tmp_path / "pw"
    path.write_text("pw1")
    path.chmod(0o644)
    warnings: list[str] = []
    from_file(path, warnings=warnings)
    assert len(warnings) == 1
    assert "chmod 600" in warnings[0]
    assert "pw1" not in warnings[0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"\n", "is empty"),
        (b"one\ntwo\n", "expected one line"),
        (b"x" * 5000, "expected one line"),
        (b"x" * 200, "longer than 128"),
        (b"with blank", "no blank"),
        (b"nul\0", "printable ASCII"),
        ("pässwort".encode(), "byte 2 is not ASCII"),
    ],
)
def test_bad_password_files(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "pw"
    path.write_bytes(content)
    with pytest.raises(SecretError, match=reason) as caught:
        from_file(path, warnings=[])
    assert str(path) in str(caught.value)
    if content.strip():
        assert content.decode()[:4] not in str(caught.value).replace(str(path), "")


def test_not_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, reason in (("pipe", "regular file"), ("", "regular file"), ("missing", "No such file")):
        with pytest.raises(SecretError, match=reason):
            from_file(tmp_path / name, warnings=[])


def test_environment_and_credential(tmp_path: Path) -> None:
    assert from_environment("A", {"A": "pw1"}).reveal() == "pw1"
    with pytest.raises(SecretError, match="A is not set"):
        from_environment("A", {})
    (tmp_path / "fibs").write_text("pw2\n")
    assert from_credential("fibs", {"CREDENTIALS_DIRECTORY": str(tmp_path)}).reveal() == "pw2"
    with pytest.raises(SecretError, match="LoadCredential"):
        from_credential("fibs", {})
