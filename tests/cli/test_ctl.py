"""`botd ctl`: what it prints, and its exit status."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from botd.cli.main import main
from botd.control.commands import CommandError, Commands
from botd.control.socket import ControlServer
from botd.engine.types import EngineMode
from tests.control.test_commands import Diary


class Daemon:
    """A control socket with a diary behind it."""

    def __init__(self, diary: Diary, socket: Path) -> None:
        self.diary = diary
        self._socket = socket

    async def ctl(self, *arguments: str) -> int:
        return await asyncio.to_thread(main, ["ctl", "--socket", str(self._socket), *arguments])


@pytest.fixture
async def daemon() -> AsyncIterator[Daemon]:
    with tempfile.TemporaryDirectory(prefix="botd-") as folder:
        diary = Diary()
        server = ControlServer(Commands(diary), Path(folder) / "botd.sock")
        await server.start()
        yield Daemon(diary, server.path)
        await server.stop()


async def test_status_is_a_table(daemon: Daemon, capsys: pytest.CaptureFixture[str]) -> None:
    assert await daemon.ctl("status") == 0
    assert capsys.readouterr().out == (
        "botd 1, running for 0 min; engine sage, 1 worker(s); journal ok\n"
        "account  server          state  opponent  score  matches  level\n"
        "anna     localhost:4321  ready  -         -      3        2*\n"
    )


async def test_every_action_reaches_the_daemon(daemon: Daemon, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["drain"],
        ["resume"],
        ["pause", "anna"],
        ["unpause", "anna"],
        ["level", "anna", "--ply", "2"],
        ["level", "anna", "--level", "hard"],
        ["level", "anna", "--reset"],
        ["level", "anna", "--mode", "exact"],
        ["reload"],
        ["say", "anna", "--", "-hello"],
        ["say", "anna", "hi", "--to", "bert"],
        ["stop"],
        ["stop", "--now"],
    ):
        assert await daemon.ctl(*arguments) == 0
    assert daemon.diary.done == [
        ("drain",),
        ("resume",),
        ("pause", "anna"),
        ("unpause", "anna"),
        ("level", "anna", 2, None, None),
        ("level", "anna", None, "hard", None),
        ("level", "anna", None, None, None),
        ("level", "anna", None, None, EngineMode.EXACT),
        ("reload",),
        ("say", "anna", "-hello", None),
        ("say", "anna", "hi", "bert"),
        ("stop", False),
        ("stop", True),
    ]
    output = capsys.readouterr().out
    assert "anna plays at 2-ply in fast mode\n" in output
    assert "added: a@b:1\n" in output


async def test_json_is_the_reply(daemon: Daemon, capsys: pytest.CaptureFixture[str]) -> None:
    assert await daemon.ctl("--json", "level", "anna", "--ply", "2") == 0
    reply = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (reply["ok"], reply["command"], reply["result"]["ply"]) == (True, "level", 2)


async def test_a_refusal_names_every_problem(daemon: Daemon, capsys: pytest.CaptureFixture[str]) -> None:
    daemon.diary.failure = CommandError("the old one stays", ("line 1", "line 2"))
    assert await daemon.ctl("reload") == 1
    assert capsys.readouterr().err == "botd ctl reload: the old one stays\n  line 1\n  line 2\n"
    assert await daemon.ctl("--json", "reload") == 1
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["problems"] == ["line 1", "line 2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pause", "no/name"], "botd ctl pause: Expected `str` matching regex"),
        (["level", "anna"], "botd ctl level: expected --ply, --level or --mode"),
        (["level", "anna", "--reset", "--mode", "fast"], "botd ctl level: expected --ply, --level or --mode"),
        (["level", "anna", "--ply", "-1"], "botd ctl level: Expected `int` >= 0"),
        (["say", "anna", "naïve"], "botd ctl say: Expected `str` matching regex"),
        (["say", "anna", ""], "botd ctl say: Expected `str` of length >= 1"),
    ],
)
def test_arguments_out_of_range_are_refused_here(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ctl", *arguments]) == 2
    assert capsys.readouterr().err.startswith(message)


@pytest.mark.parametrize(
    "arguments", [[], ["dance"], ["level"], ["pause"], ["--timeout", "0", "status"], ["status", "x"]]
)
def test_wrong_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["ctl", *arguments])
    assert caught.value.code == 2


def test_without_a_daemon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ctl", "--socket", str(tmp_path / "x.sock"), "status"]) == 1
    assert capsys.readouterr().err == f"botd ctl: {tmp_path}/x.sock: no botd listens there\n"
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert main(["ctl", "status"]) == 1
    assert "no control socket was found; is botd running?" in capsys.readouterr().err
