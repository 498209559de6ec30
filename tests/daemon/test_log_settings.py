"""The log of the real daemon: in a file, at another level by command, opened anew by SIGHUP."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from botd.config import LogConfig, Secret
from botd.daemon.log_file import LogFile, Rotation
from botd.daemon.log_levels import LogLevels
from botd.daemon.logging import configure_logging
from tests.daemon.test_operations import change, slow
from tests.waiting import until

World = Any
"""Of conftest.py."""


@pytest.fixture
def _restore() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = before
    logging.captureWarnings(False)
    structlog.reset_defaults()


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def decided(path: Path) -> set[str]:
    """Accounts of which decisions are logged, at level debug."""
    return {entry["account"] for entry in entries(path) if entry["event"] == "decided"}


async def test_a_running_daemon_logs_what_it_is_told_to_where_it_is_told_to(world: World) -> None:
    config = world.config(slow(world.two_accounts(25, "")))
    change(config, 'level = "debug"', 'level = "info"\nfile = "logs/botd.log"')
    (world.folder / "logs").mkdir()
    path = world.folder / "logs/botd.log"
    daemon = await world.start(config)
    await until(lambda: path.exists() and "match_started" in path.read_text())

    assert await world.ctl("log", "debug", "--account", "anna") == (
        0,
        {"ok": True, "command": "log", "result": {"level": "debug", "account": "anna"}},
    )
    await until(lambda: decided(path))
    path.rename(world.folder / "logs/anna.log")
    daemon.process.send_signal(signal.SIGHUP)
    await until(path.exists)
    await until(lambda: any(entry["event"] == "reloaded" for entry in entries(path)))

    assert (await world.ctl("log", "debug"))[1]["result"] == {"level": "debug", "account": None}
    await until(lambda: decided(path) == {"anna", "bert"})
    assert (await world.ctl("log", "--reset"))[1]["result"]["level"] == "info"
    assert (await world.ctl("log", "warning", "--account", "anna"))[1]["result"]["level"] == "warning"
    path.rename(world.folder / "logs/both.log")
    assert (await world.ctl("drain"))[0] == 0
    await until(path.exists)
    await until(lambda: any(entry["event"] == "command" for entry in entries(path)))
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0
    assert daemon.raw == ""  # nothing beside the file
    assert decided(world.folder / "logs/anna.log") == {"anna"}
    assert decided(path) == set()
    assert {entry.get("account") for entry in entries(path)} <= {None, "bert"}
    assert entries(path)[-1]["event"] == "stopped"
    everything = "".join(file.read_text() for file in (world.folder / "logs").iterdir())
    assert "s3cret" not in everything


async def test_wrong_levels_and_accounts_are_refused(world: World) -> None:
    daemon = await world.start(world.config(world.account("anna")))
    await daemon.wait_for("ready_to_play")
    assert (await world.ctl("log", "loud"))[0] == 2
    status, reply = await world.ctl("log", "debug", "--account", "zoe")
    assert (status, reply["error"].split(";")[0]) == (1, "there is no account zoe")


async def test_a_file_that_cannot_be_opened_is_an_error_at_the_start(world: World) -> None:
    config = world.config(world.account("anna"))
    change(config, "[log]", '[log]\nfile = "absent/botd.log"')
    daemon = await world.start(config)
    assert await daemon.finish() == 1
    assert daemon.raw == (
        f"botd: log.file {world.folder}/absent/botd.log: cannot be opened: No such file or directory\n"
    )


@pytest.mark.usefixtures("_restore")
@pytest.mark.parametrize("format", ["text", "json"])
def test_no_secret_is_in_any_file(tmp_path: Path, format: Any) -> None:
    file = LogFile(tmp_path / "botd.log", Rotation(bytes=2000, keep=100))
    configure_logging(LogConfig(level="debug", format=format), [Secret("hunter2")], handler=file)
    log = structlog.get_logger("botd.test")
    for number in range(50):
        log.info("login", line=f"login anna hunter2 {number}", password="hunter2")
        logging.getLogger("asyncio").warning("told hunter2")
        try:
            raise ValueError("hunter2")
        except ValueError:
            log.exception("failed")
    file.close()
    texts = [path.read_text() for path in tmp_path.iterdir()]
    assert len(texts) > 5
    assert not any("hunter2" in text for text in texts)
    assert sum(text.count("***") for text in texts) >= 150


@pytest.mark.usefixtures("_restore")
def test_levels_of_everything_and_of_accounts(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "botd.log")
    levels = LogLevels("info")
    configure_logging(LogConfig(format="json"), handler=file, levels=levels)
    log = structlog.get_logger("botd.test")
    anna, bert = log.bind(account="anna", server="s:1"), log.bind(account="bert", server="s:1")
    other = log.bind(account="anna", server="t:1")

    def logged() -> list[str]:
        before = len(entries(tmp_path / "botd.log"))
        for name, whose in (("anna", anna), ("bert", bert), ("other", other), ("all", log)):
            for level in ("debug", "info", "warning"):
                getattr(whose, level)(f"{name} {level}")
        logging.getLogger("aiomqtt").debug("foreign")
        file.flush()
        return [entry["event"] for entry in entries(tmp_path / "botd.log")[before:]]

    usual = [f"{name} {level}" for name in ("anna", "bert", "other", "all") for level in ("info", "warning")]
    assert logged() == usual
    levels.choose("debug", ("anna", "s:1"))
    assert logged() == ["anna debug", *usual]
    assert (levels.level(("anna", "s:1")), levels.level(("bert", "s:1")), levels.level()) == (
        *("debug", "info", "info"),
    )
    levels.choose("error")
    assert logged() == ["anna debug", "anna info", "anna warning"]
    configure_logging(LogConfig(level="warning", format="json"), handler=file, levels=levels)  # a reload
    assert logged() == ["anna debug", "anna info", "anna warning"]
    levels.choose(None, ("anna", "s:1"))
    levels.choose(None)
    assert logged() == [event for event in usual if event.endswith("warning")]
    levels.choose("debug")
    assert "foreign" in logged()
    file.close()
