"""Logs are readable by people and machines and never show a password."""

import io
import json
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from botd.config import LogConfig, Secret
from botd.daemon.logging import LogCounter, configure_logging


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = before
    logging.captureWarnings(False)
    structlog.reset_defaults()


def logged(format: Any, *secrets: str, level: Any = "debug") -> tuple[io.StringIO, Any]:
    stream = io.StringIO()
    configure_logging(LogConfig(level=level, format=format), [Secret(text) for text in secrets], stream)
    return stream, structlog.get_logger("botd.test")


def test_text_is_key_value() -> None:
    stream, log = logged("text")
    log.info("connected", server="localhost:4321", attempt=2, note="two words")
    line = stream.getvalue()
    assert line.endswith(' info     connected server=localhost:4321 attempt=2 note="two words"\n')


def test_json_is_one_object_a_line() -> None:
    stream, log = logged("json")
    log.warning("odd_line", line="a\nb\x1b[2J", number=3)
    (line,) = stream.getvalue().splitlines()
    event = json.loads(line)
    assert (event["event"], event["level"], event["line"], event["number"]) == (
        "odd_line",
        "warning",
        "a\nb\x1b[2J",
        3,
    )


def test_auto_is_json_when_nobody_looks() -> None:
    stream, log = logged("auto")
    log.info("hello")
    assert json.loads(stream.getvalue())["event"] == "hello"


def test_warnings_and_errors_are_counted_in_whatever_thread_and_only_while_watched() -> None:
    _, log = logged("json")
    levels: list[str] = []
    with LogCounter(levels.append):
        log.info("fine")
        log.warning("odd")
        thread = threading.Thread(target=log.error, args=("bad",))
        thread.start()
        thread.join()
        log.critical("worse")
    log.error("after")
    assert levels == ["warning", "error", "error"]


def test_control_characters_do_not_reach_a_terminal() -> None:
    stream, log = logged("text")
    log.info("line", text="\x1b[2J\r\nfake entry", **{"k\x07": "\u202e"})
    assert stream.getvalue().rstrip("\n").isprintable()


def test_a_very_long_value_is_cut() -> None:
    stream, log = logged("text")
    log.info("line", text="x" * 100_000)
    assert len(stream.getvalue()) < 3000


def test_level() -> None:
    stream, log = logged("text", level="warning")
    log.info("quiet")
    log.warning("loud")
    assert "quiet" not in stream.getvalue()
    assert "loud" in stream.getvalue()


def test_a_guest_without_a_password_hides_nothing() -> None:
    stream, log = logged("text", "", "hunter2")
    log.info("plain words", line="hunter2")
    assert "plain words line=***" in stream.getvalue()


@pytest.mark.parametrize("format", ["text", "json"])
def test_secrets_are_removed_everywhere(format: str) -> None:
    stream, log = logged(format, "hunter2", "hunter2+t41l")
    log.info("sent login x hunter2", line="login botd 1008 x hunter2+t41l")
    log.info("nested", data={"lines": ["hunter2", ("a hunter2",)]}, key_hunter2=1)
    log.info("by key", password="unkn0wn", api_token="t0ken", secret=Secret("s3cret"))
    log.info("object", thing=ValueError("hunter2"))
    try:
        raise RuntimeError("bad line: hunter2")
    except RuntimeError:
        log.exception("failed")
    logging.getLogger("asyncio").error("from the standard library: %s", "hunter2")
    try:
        raise RuntimeError("bad line: hunter2")
    except RuntimeError:
        logging.getLogger("asyncio").exception("trouble")
    text = stream.getvalue()
    for hidden in ("hunter2", "unkn0wn", "t0ken", "s3cret", "t41l"):
        assert hidden not in text
    assert text.count("***") >= 8
    assert "RuntimeError" in text
