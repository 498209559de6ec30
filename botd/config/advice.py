"""What a configuration may say and probably does not mean: warnings, not problems.

A key that has its usual value is never remarked upon, so that the example file and what `botd init` writes
can show every key.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from botd.addresses import is_loopback, is_public
from botd.config.lines import KeyPath
from botd.config.schema import (
    LEAST_BUDGET_S,
    AccountConfig,
    Config,
    EngineConfig,
    IdleConfig,
    MetricsConfig,
    MqttConfig,
    PliesConfig,
    PolicyConfig,
)
from botd.engine.types import EngineMode
from botd.metrics import buckets

Remark = tuple[KeyPath, str]
"""The key it is about and what is odd."""

_TEMPORARY = (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"))  # noqa: S108 - to be warned of


def remarks(config: Config, data: Mapping[str, Any]) -> Iterator[Remark]:
    """About a configuration that is in order; `data` is what its file says, before defaults."""
    yield from _engine(config, data.get("engine", {}))
    yield from _metrics(config.metrics, data.get("metrics", {}))
    yield from _mqtt(config.mqtt, data.get("mqtt", {}))
    yield from _files(config)
    levels = {(account.level or "").lower() for account in config.accounts}
    for name, table in data.get("levels", {}).items():
        if table and name not in levels:
            yield ("levels", name), f'has no effect: no account has level = "{name}"'
    for number, account in enumerate(config.accounts):
        path: KeyPath = ("accounts", number)
        given = data["accounts"][number]
        for key_path, message in (*_account(account, given), *_policy(account, given.get("policy", {}))):
            yield (*path, *key_path), message


def _changed(table: Mapping[str, Any], kind: type, *keys: str) -> Iterator[str]:
    """Which of these keys (all without any) the table sets to something unusual."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for key, value in table.items():
        if keys and key not in keys:
            continue
        usual = fields[key].default
        if value != (list(usual) if isinstance(usual, tuple) else usual) and value not in ({}, []):
            yield key


def _engine(config: Config, given: Mapping[str, Any]) -> Iterator[Remark]:
    engine = config.engine
    if engine.deadline_s not in buckets.DECISION:
        near = ", ".join(f"{edge:g}" for edge in buckets.DECISION if edge >= 0.1)
        yield (
            ("engine", "deadline_s"),
            f"{engine.deadline_s:g} is no edge of a histogram bucket, so the metrics cannot tell exactly how "
            f"many decisions were in time; edges are {near}",
        )
    slow = max((account.policy.think_time_s for account in config.accounts), default=0.0)
    if engine.budget_s is None and max(slow, LEAST_BUDGET_S) > engine.deadline_s:
        yield (
            ("engine", "deadline_s"),
            f"shorter than the time that a search may take (think_time_s = {slow:g}, at least "
            f"{LEAST_BUDGET_S:g}): decisions will often be answered at 0-ply",
        )
    modes = {account.mode or engine.mode for account in config.accounts}
    if "budget_s" in given and EngineMode.FAST not in modes:
        yield ("engine", "budget_s"), "has no effect: no account plays in fast mode"
    if all(account.ply is not None or account.level is not None for account in config.accounts):
        for key in (*_changed(given, EngineConfig, "ply"), *(("plies",) if given.get("plies") else ())):
            yield ("engine", key), "has no effect: every account has a ply or level of its own"
    elif "ply" in given and all(
        getattr(engine.plies, field.name) is not None for field in dataclasses.fields(PliesConfig)
    ):
        yield ("engine", "ply"), "has no effect: [engine.plies] has a depth for every kind of decision"


def _metrics(metrics: MetricsConfig, given: Mapping[str, Any]) -> Iterator[Remark]:
    if not metrics.enabled:
        for key in _changed(given, MetricsConfig, "host", "port"):
            yield ("metrics", key), "has no effect while metrics.enabled = false"
    elif not is_loopback(metrics.host):
        yield (
            ("metrics", "host"),
            f"other machines can reach {metrics.host}, and there is no password: put something in front that "
            "protects it (reverse proxy, firewall), or use 127.0.0.1",
        )


def _mqtt(mqtt: MqttConfig, given: Mapping[str, Any]) -> Iterator[Remark]:
    if not mqtt.enabled:
        keys = [key for key in _changed(given, MqttConfig) if key != "enabled"]
        if keys:
            yield ("mqtt", keys[0]), f"has no effect while mqtt.enabled = false ({', '.join(keys)})"
        return
    if mqtt.tls or is_loopback(mqtt.host):
        return
    if mqtt.username is not None:
        yield ("mqtt", "tls"), f"without TLS the password goes to {mqtt.host} in clear"
    if mqtt.commands:
        yield ("mqtt", "commands"), "without TLS whoever is on the way to the broker can operate botd"


def _files(config: Config) -> Iterator[Remark]:
    for path, file in (
        (("journal", "path"), config.journal.path),
        (("journal", "mat_directory"), config.journal.mat_directory),
    ):
        if file is not None and any(file.is_relative_to(folder) for folder in _TEMPORARY):
            yield path, f"{file} is in a folder that is emptied now and then (at the latest at a restart)"


def _account(account: AccountConfig, given: Mapping[str, Any]) -> Iterator[Remark]:
    if account.protocol == "bgammon":
        if account.own_server and is_public(account.host):
            yield (
                ("own_server",),
                f"{account.host} looks like a public server; there bots must have BOT_ names and join nobody",
            )
        if account.transport == "tcp" and given.keys() & _PASSWORDS and not is_loopback(account.host):
            yield ("transport",), f'"tcp" sends the password to {account.host} in clear'
    if account.mode is not None and account.level is not None and account.mode is EngineMode.FAST:
        yield ("mode",), "levels with habits of their own are played in exact mode whatever this says"


_PASSWORDS = {"password_file", "password_env", "password_credential"}


def _policy(account: AccountConfig, given: Mapping[str, Any]) -> Iterator[Remark]:
    policy = account.policy
    for key, needed in (
        ("max_unlimited_games", policy.unlimited or _invites_unlimited(policy)),
        ("resign_threshold", policy.resign == "likely"),
        ("resign_after", policy.resign == "likely"),
    ):
        if not needed and key in set(_changed(given, PolicyConfig, key)):
            other = "unlimited = true" if key == "max_unlimited_games" else 'resign = "likely"'
            yield ("policy", key), f"has no effect without {other}"
    if not policy.accept:
        keys = ("min_length", "max_length", "unlimited", "min_rating", "max_rating", "min_experience")
        for key in _changed(given, PolicyConfig, *keys):
            yield ("policy", key), "has no effect while accept = false"
        if account.protocol == "fibs" and policy.invite is None and policy.idle is None:
            yield (
                ("policy", "accept"),
                "nobody is accepted or invited: it only resumes saved matches",
            )
    if policy.leave_s == 0:
        yield ("policy", "leave_s"), "0: an opponent who goes away without a word holds this account for ever"
    if policy.invite is not None:
        opponent = policy.invite.opponent.lower()
        if opponent in {name.lower() for name in policy.block}:
            yield ("policy", "invite", "opponent"), f"{policy.invite.opponent} is blocked, and never invited"
        elif policy.allow and opponent not in {name.lower() for name in policy.allow}:
            yield ("policy", "invite", "opponent"), f"{policy.invite.opponent} is not among those in allow"
    yield from _idle(policy, given.get("idle", {}))


def _idle(policy: PolicyConfig, given: Mapping[str, Any]) -> Iterator[Remark]:
    idle = policy.idle
    if idle is None:
        return
    if idle.bots and not idle.bot_names:
        yield ("policy", "idle", "bot_names"), "an empty list: bots = true invites nobody"
    if policy.allow:
        yield ("policy", "idle"), "with policy.allow only those players are invited"
    if not idle.bots and not idle.humans:
        return
    for key in _changed(given, IdleConfig, "bot_names") if not idle.bots else ():
        yield ("policy", "idle", key), "only tells who is no person while bots = false"


def _invites_unlimited(policy: PolicyConfig) -> bool:
    return policy.invite is not None and policy.invite.length == "unlimited"
