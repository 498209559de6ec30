"""`botd init`: from a pipe, at a terminal, by options; nothing is half done, overwritten or shown."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from botd.cli.main import main
from botd.config import load_config

INIT = (sys.executable, "-m", "botd.cli.main", "init")


def init(folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    result = subprocess.run(
        [*INIT, *arguments],
        input=given,
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in result.stderr
    assert "s3cret" not in result.stdout + result.stderr
    return result


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_questions_from_a_pipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = ["", "my bot", "my_bot", "file", "99", "1-9", "medium", "", "none", "", "", "none", "my-s3cret"]
    result = init(tmp_path, given="\n".join(answers) + "\n")
    assert result.returncode == 0, result.stderr
    assert "expected 1 to 32 letters, digits or underscores, got 'my bot'" in result.stderr
    assert "expected an integer from 1 to 64, got 99" in result.stderr
    assert files(tmp_path) == ["botd.toml", "my_bot.password"]
    assert stat.S_IMODE((tmp_path / "my_bot.password").stat().st_mode) == 0o600
    assert "s3cret" not in (tmp_path / "botd.toml").read_text()
    loaded = load_config(tmp_path / "botd.toml")
    assert loaded.credentials[0].login.reveal() == "my-s3cret"
    assert loaded.config.accounts[0].level == "medium"
    assert main(["check-config", str(tmp_path / "botd.toml"), "--strict"]) == 0
    assert "my_bot on fibs.com:4321" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "server"),
    [
        (["--account", "anna"], "fibs.com:4321"),
        (["--server", "bgammon", "--account", "BOT_a", "--lengths", "3,5"], "ws.bgammon.org:443"),
        (["--server", "[::1]:7", "--protocol", "bgammon-tcp", "--account", "a"], "[::1]:7"),
        (
            ["--server", "localhost:7", "--protocol", "fibs", "--account", "a", "--mqtt", "none"],
            "localhost:7",
        ),
    ],
)
def test_options_alone(
    arguments: list[str], server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = init(tmp_path, "deep/er/", *arguments, "--defaults", given="my-s3cret\n")
    assert result.returncode == 0, result.stderr
    file = tmp_path / "deep" / "er" / "botd.toml"
    assert load_config(file).config.accounts[0].server == server
    assert main(["check-config", str(file), "--strict"]) == 0
    capsys.readouterr()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "botd.toml").write_text("mine")
    (tmp_path / "anna.password").write_text("mine-s3cret")
    (tmp_path / "anna.password").chmod(0o600)
    result = init(tmp_path, "--account", "anna", "--defaults")
    assert result.returncode == 2
    assert "botd.toml is there already; --force writes over it; nothing was written" in result.stderr
    assert (tmp_path / "botd.toml").read_text() == "mine"
    result = init(tmp_path, "--account", "anna", "--defaults", "--force")
    assert result.returncode == 0
    assert "is in anna.password already" in result.stderr
    assert (tmp_path / "anna.password").read_text() == "mine-s3cret"


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        ([], "", "which has ended (server:"),
        ([], "fibs\nanna\n", "which has ended (where is the password kept"),
        (["--account", "anna", "--strength", "best", "--defaults"], "", "--strength: expected one of"),
        (["--defaults"], "", "--account: is needed with --defaults"),
        (["--account", "anna", "--protocol", "fibs", "--defaults"], "", "--protocol: has no meaning here"),
        (
            ["--account", "a", "--password-file", "x", "--password", "env", "--defaults"],
            "",
            "--password and --password-file: expected one",
        ),
        (["--account", "anna", "--defaults"], "two words s3cret\n", "printable ASCII"),
    ],
)
def test_wrong_arguments_and_answers(arguments: list[str], given: str, said: str, tmp_path: Path) -> None:
    result = init(tmp_path, *arguments, given=given)
    assert result.returncode == 2
    assert said in result.stderr
    assert files(tmp_path) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    result = init(tmp_path, "/proc/none/", "--account", "anna", "--defaults", given="my-s3cret\n")
    assert result.returncode == 1
    assert "cannot be written" in result.stderr
    (tmp_path / "botd.toml").mkdir()
    (tmp_path / "botd.toml" / "botd.toml").mkdir()
    result = init(tmp_path, "botd.toml/botd.toml", "--account", "anna", "--defaults", given="my-s3cret\n")
    assert result.returncode == 0  # a folder is where to write


def test_a_password_that_is_still_to_come(tmp_path: Path) -> None:
    result = init(tmp_path, "--account", "anna", "--defaults")
    assert result.returncode == 0
    assert "still to do: " in result.stdout
    assert "accounts[0].password_file" in result.stdout
    assert files(tmp_path) == ["botd.toml"]


def test_for_systemd(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = init(
        tmp_path,
        *("etc/", "--system", "--account", "anna", "--mqtt", "localhost", "--mqtt-user", "u", "--defaults"),
        given="my-s3cret\nother-s3cret\n",
    )
    assert result.returncode == 0, result.stderr
    folder = tmp_path / "etc"
    assert files(folder) == ["anna.password", "botd.toml", "mqtt.password"]
    text = (folder / "botd.toml").read_text()
    assert 'password_credential = "anna"' in text
    assert 'path = "/var/lib/botd/botd.sqlite3"' in text
    assert f"LoadCredential=anna:{folder}/anna.password" in result.stdout
    passed = tmp_path / "credentials"  # as systemd does
    passed.mkdir()
    for name in ("anna", "mqtt"):
        (passed / name).write_bytes((folder / f"{name}.password").read_bytes())
    loaded = load_config(folder / "botd.toml", {"CREDENTIALS_DIRECTORY": str(passed)})
    assert [secret.reveal() for secret in loaded.secrets] == ["my-s3cret", "other-s3cret"]
    assert main(["check-config", str(folder / "botd.toml")]) == 0
    assert "only the service gets it" in capsys.readouterr().out


@pytest.mark.parametrize("answers", [[], ["fibs"], ["fibs", "anna", "file", "1-9", "2", "", "", "", "", ""]])
async def test_an_interrupt_leaves_nothing(answers: list[str], tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *INIT, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path, start_new_session=True
    )
    os.close(theirs)
    for answer in (*answers, None):
        seen = b""
        while not seen.rstrip().endswith((b"]", b":")):  # a question
            seen += await asyncio.to_thread(os.read, ours, 4096)
        if answer is not None:
            os.write(ours, answer.encode() + b"\n")
    process.send_signal(signal.SIGINT)
    assert await process.wait() == 130
    os.close(ours)
    assert files(tmp_path) == []


async def test_at_a_terminal_it_asks_before_it_overwrites(tmp_path: Path) -> None:
    (tmp_path / "botd.toml").write_text("mine")
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *INIT, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path, start_new_session=True
    )
    os.close(theirs)
    seen = b""
    while b"[y/N]" not in seen:
        seen += await asyncio.to_thread(os.read, ours, 4096)
    os.write(ours, b"\n")
    assert await process.wait() == 2
    os.close(ours)
    assert (tmp_path / "botd.toml").read_text() == "mine"
