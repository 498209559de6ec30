"""Happenings of one account, for tests."""

from __future__ import annotations

from typing import Any, TypeVar

from botd.control.messages import AccountStatus, DaemonStatus
from botd.daemon import happenings as h
from botd.daemon.recorder import Sitting
from botd.engine.types import EngineInfo, EngineMode
from botd.live.state import LiveState, Snapshot

SERVER = "here:4321"
ME = f"me@{SERVER}"
INFO = EngineInfo("0.1", "sage", EngineMode.FAST, "plain", "f" * 64)

H = TypeVar("H", bound=h.Happening)


def told(kind: type[H], /, *, account: str = "me", **fields: Any) -> H:
    return kind(account=account, server=SERVER, **fields)


def account_status(name: str = "me", state: str = "playing", **fields: Any) -> AccountStatus:
    usual: dict[str, Any] = {
        "paused": False, "ply": 2, "level_changed": False, "opponent": None, "length": None, "score": None,
        "matches": 0, "after_match": "",
    }  # fmt: skip
    return AccountStatus(account=name, server=SERVER, state=state, **(usual | fields))


def snapshot(
    *accounts: AccountStatus, at: float = 1.0, sittings: dict[str, Sitting] | None = None, **fields: Any
) -> Snapshot:
    usual: dict[str, Any] = {
        "version": "0.1", "state": "running", "uptime_s": 1.0, "engine": "sage", "workers": 2,
        "workers_failing": 0, "journal": "ok",
    }  # fmt: skip
    status = DaemonStatus(accounts=accounts or (account_status(),), **(usual | fields))
    return Snapshot(at, status, sittings or {})


def new_state(*accounts: AccountStatus) -> LiveState:
    state = LiveState("one", INFO)
    state.snapshot(snapshot(*accounts))
    state.take_changes()
    return state
