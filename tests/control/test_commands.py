"""What commands are understood, what is refused, and how."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from botd.control import messages as m
from botd.control.commands import MAX_REQUEST, CommandError, Commands
from botd.engine.types import EngineMode

ACCOUNT = m.AccountStatus(
    account="anna",
    server="localhost:4321",
    state="ready",
    paused=False,
    ply=2,
    mode="fast",
    level_changed=True,
    opponent=None,
    length=None,
    score=None,
    matches=3,
    after_match="",
)


class Diary:
    """A target that writes down what it was told, and fails as told."""

    def __init__(self) -> None:
        self.done: list[tuple[Any, ...]] = []
        self.failure: Exception | None = None

    def _write(self, *entry: Any) -> None:
        if self.failure is not None:
            raise self.failure
        self.done.append(entry)

    def status(self) -> m.DaemonStatus:
        self._write("status")
        return m.DaemonStatus(
            version="1",
            state="running",
            uptime_s=1.0,
            engine="sage",
            workers=1,
            workers_failing=0,
            journal="ok",
            accounts=(ACCOUNT,),
        )

    def drain(self) -> None:
        self._write("drain")

    def resume(self) -> None:
        self._write("resume")

    def pause(self, account: str) -> None:
        self._write("pause", account)

    def unpause(self, account: str) -> None:
        self._write("unpause", account)

    def change_level(
        self, account: str, ply: int | None, level: str | None, mode: EngineMode | None
    ) -> m.AccountStatus:
        self._write("level", account, ply, level, mode)
        return ACCOUNT

    async def reload(self) -> m.Reloaded:
        self._write("reload")
        return m.Reloaded(
            added=("a@b:1",), removed=(), changed=(), after_match=(), restart_needed=(), warnings=()
        )

    def say(self, account: str, text: str, to: str | None) -> None:
        self._write("say", account, text, to)

    def change_log(self, level: str | None, account: str | None) -> m.LogStatus:
        self._write("log", level, account)
        return m.LogStatus(level=level or "info", account=account)

    def stop(self, *, now: bool) -> None:
        self._write("stop", now)


async def run(target: Diary, request: object) -> dict[str, Any]:
    data = request if isinstance(request, bytes) else json.dumps(request).encode()
    reply: dict[str, Any] = json.loads(msgspec.json.encode(await Commands(target).run_json(data, "test")))
    return reply


@pytest.mark.parametrize(
    ("request_", "done"),
    [
        ({"command": "status"}, ("status",)),
        ({"command": "drain"}, ("drain",)),
        ({"command": "resume"}, ("resume",)),
        ({"command": "pause", "account": "anna"}, ("pause", "anna")),
        ({"command": "unpause", "account": "anna@fibs.com:4321"}, ("unpause", "anna@fibs.com:4321")),
        ({"command": "level", "account": "anna", "ply": 0}, ("level", "anna", 0, None, None)),
        ({"command": "level", "account": "anna", "level": "hard"}, ("level", "anna", None, "hard", None)),
        ({"command": "level", "account": "anna"}, ("level", "anna", None, None, None)),
        (
            {"command": "level", "account": "anna", "ply": 1, "mode": "exact"},
            ("level", "anna", 1, None, EngineMode.EXACT),
        ),
        ({"command": "reload"}, ("reload",)),
        ({"command": "say", "account": "anna", "text": "Hello!"}, ("say", "anna", "Hello!", None)),
        ({"command": "say", "account": "a", "text": "x", "to": "bert"}, ("say", "a", "x", "bert")),
        ({"command": "log", "level": "debug"}, ("log", "debug", None)),
        ({"command": "log", "account": "anna"}, ("log", None, "anna")),
        ({"command": "stop"}, ("stop", False)),
        ({"command": "stop", "now": True}, ("stop", True)),
    ],
)
async def test_every_command_reaches_the_target(request_: dict[str, Any], done: tuple[Any, ...]) -> None:
    target = Diary()
    reply = await run(target, request_ | {"id": "q 1"})
    assert reply["ok"] is True
    assert (reply["command"], reply["id"]) == (request_["command"], "q 1")
    assert target.done == [done]
    same = await Commands(target).run_msgpack(msgspec.msgpack.encode(request_), "test")
    assert same.ok
    assert target.done == [done, done]


def test_every_name_is_a_command() -> None:
    tags = [kind.__struct_config__.tag for kind in m.AnyRequest.__args__]
    assert tuple(tags) == m.NAMES


async def test_results_come_with_the_reply() -> None:
    status = await run(Diary(), {"command": "status"})
    assert status["result"]["accounts"][0]["account"] == "anna"
    assert (await run(Diary(), {"command": "reload"}))["result"]["added"] == ["a@b:1"]
    assert "result" not in await run(Diary(), {"command": "drain"})


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({}, "expected the key command with one of status, drain,"),
        ({"command": "dance"}, "expected the key command with one of"),
        ({"command": 3}, "expected the key command with one of"),
        ([], "expected a map"),
        ("status", "expected a map"),
        (None, "expected a map"),
        ({"command": "status", "now": True}, "status: Object contains unknown field `now`"),
        ({"command": "pause"}, "pause: Object missing required field `account`"),
        ({"command": "pause", "account": ""}, "pause: Expected `str` matching regex"),
        ({"command": "pause", "account": "anna\n"}, "pause: Expected `str` matching regex"),
        ({"command": "pause", "account": "../../etc"}, "pause: Expected `str` matching regex"),
        ({"command": "level", "account": "a", "ply": 1, "level": "hard"}, "expected a ply or a level"),
        ({"command": "level", "account": "a", "level": "x" * 41}, "level: Expected `str`"),
        ({"command": "level", "account": "a", "ply": 99}, "level: Expected `int` <="),
        ({"command": "level", "account": "a", "mode": "quick"}, "level: Invalid enum value 'quick'"),
        ({"command": "level", "account": "a", "ply": "2"}, "level: Expected `int"),
        ({"command": "level", "account": "a", "ply": 1.5}, "level: Expected `int"),
        ({"command": "say", "account": "a", "text": ""}, "say: Expected `str` of length >= 1"),
        ({"command": "say", "account": "a", "text": "x" * 151}, "say: Expected `str` of length <= 150"),
        ({"command": "say", "account": "a", "text": "hi\r\nleave"}, "say: Expected `str` matching regex"),
        ({"command": "say", "account": "a", "text": "x", "to": "b c"}, "say: Expected `str` matching regex"),
        ({"command": "stop", "now": "yes"}, "stop: Expected `bool`"),
        ({"command": "stop", "id": "x" * 65}, "stop: Expected `str` of length <= 64"),
        (b"", "the request cannot be read"),
        (b"status", "the request cannot be read"),
        (b'{"command": "status"', "the request cannot be read"),
        (b'\xff\xfe{"command"', "the request cannot be read"),
        (b"[" * 4000, "the request cannot be read"),
        (b'{"command": "status", "id": "' + b"x" * MAX_REQUEST + b'"}', "longer than 4096 bytes"),
    ],
)
async def test_what_does_not_fit_the_schema_is_refused(request_: object, error: str) -> None:
    target = Diary()
    reply = await run(target, request_)
    assert reply["ok"] is False
    assert reply["error"].startswith(error) or error in reply["error"]
    assert reply["error"].isprintable()
    assert target.done == []


async def test_a_refusal_carries_command_and_id_where_they_can_be_told() -> None:
    reply = await run(Diary(), {"command": "pause", "id": "7"})
    assert (reply["command"], reply["id"]) == ("pause", "7")
    assert await run(Diary(), {"command": "no such", "id": "8"}) == {
        "ok": False,
        "id": "8",
        "error": f"expected the key command with one of {', '.join(m.NAMES)}",
    }


async def test_what_the_target_refuses_is_told() -> None:
    target = Diary()
    target.failure = CommandError("the old one stays", ("botd.toml:3: port: ...", "another"))
    assert await run(target, {"command": "reload"}) == {
        "ok": False,
        "command": "reload",
        "error": "the old one stays",
        "problems": ["botd.toml:3: port: ...", "another"],
    }


async def test_a_fault_of_ours_is_no_end_and_tells_nothing_inner() -> None:
    target = Diary()
    target.failure = RuntimeError("/secret/path")
    reply = await run(target, {"command": "drain"})
    assert reply["error"] == "internal error: RuntimeError; the log says more"


_KEYS = st.sampled_from(["command", "id", "account", "text", "to", "ply", "now", "x"])
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.sampled_from(m.NAMES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS | st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(_KEYS, _VALUES, max_size=6) | _VALUES)
async def test_any_message_gets_one_reply_that_can_be_sent(message: object) -> None:
    for reply in (
        await Commands(Diary()).run_json(json.dumps(message).encode(), "test"),
        await Commands(Diary()).run_json(
            json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass"), "t"
        ),
    ):
        assert json.loads(msgspec.json.encode(reply))["ok"] is reply.ok


@given(st.binary(max_size=300))
async def test_any_bytes_get_one_reply(data: bytes) -> None:
    commands = Commands(Diary())
    for reply in (await commands.run_json(data, "test"), await commands.run_msgpack(data, "test")):
        assert not reply.ok
        assert reply.error.isprintable()
