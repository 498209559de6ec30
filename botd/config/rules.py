"""Rules that one key alone cannot break.

They look at one table at a time and at whatever of it was usable, so that one mistake does not hide another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from botd.config.lines import KeyPath
from botd.config.schema import (
    AccountConfig,
    Config,
    CreateConfig,
    EngineConfig,
    IdleConfig,
    MqttConfig,
    PolicyConfig,
    StatusPageConfig,
)
from botd.engine.levels import find_level
from botd_protocols.bgammon.client_commands import check_name, is_bot_name

PASSWORD_KEYS = ("password_file", "password_env", "password_credential")
TOKEN_KEYS = ("token_file", "token_env", "token_credential")
BGAMMON_KEYS = ("transport", "tls_ca_file", "own_server", "create")
LEAST_BGAMMON_GAP_S = 0.1
"""Ten commands a second is what such a server's operators want to see at most."""

Violation = tuple[KeyPath, str]
"""The key to blame, counted from the table, and what is wrong."""


def violations(kind: type, given: Mapping[str, object], usable: Mapping[str, Any]) -> Iterator[Violation]:
    """What is wrong with a table: its keys as `given`, and its `usable` values, defaults filled in."""
    rule = _RULES.get(kind)
    if rule is not None:
        yield from rule(given, usable)


def _config(given: Mapping[str, object], usable: Mapping[str, Any]) -> Iterator[Violation]:
    if given.get("accounts") == []:
        yield ("accounts",), "expected at least one [[accounts]] table; without one there is nothing to play"
    if (levels := usable.get("levels")) is not None:
        for name in ("easy", "medium", "hard"):
            try:
                levels.level(name)
            except ValueError as error:
                yield ("levels", name), str(error)
    servers = [table for name in ("metrics", "status_page") if (table := usable.get(name)) and table.enabled]
    addresses = [(table.host, table.port) for table in servers if table.port != 0]
    if len(set(addresses)) < len(addresses):
        yield ("status_page", "port"), "is the port of [metrics] already; each needs its own"
    seen: dict[tuple[str, int, str], int] = {}
    for number, account in enumerate(usable.get("accounts", ())):
        if account is None:
            continue
        # Also where a server tells small letters from capitals: locks and journals do not.
        identity = (account.host.lower(), account.port, account.name.lower())
        if identity in seen:
            yield (
                ("accounts", number, "name"),
                f"{account.name} on {account.server} is already accounts[{seen[identity]}]; "
                "a server lets only one session of an account live",
            )
        seen.setdefault(identity, number)


def _account(given: Mapping[str, object], usable: Mapping[str, Any]) -> Iterator[Violation]:
    bgammon = usable.get("protocol") == "bgammon"
    sources = [key for key in PASSWORD_KEYS if key in given]
    guest = bgammon and not sources
    if len(sources) != 1 and not guest and "password" not in given:  # that one has its own explanation
        found = "none" if not sources else " and ".join(sources)
        yield tuple(sources[1:2]), f"expected exactly one of {', '.join(PASSWORD_KEYS)}, found {found}"
    if bgammon:
        yield from _bgammon_account(given, usable)
    elif usable.get("protocol") == "fibs":
        for key in BGAMMON_KEYS:
            if key in given:
                yield (key,), 'is for protocol = "bgammon" only'
    level = usable.get("level")
    if level is not None:
        if "ply" in given:
            yield ("level",), "expected either ply or level"
        try:
            find_level(level)
        except ValueError as error:
            yield ("level",), str(error).removeprefix("level: ")
    policy = usable.get("policy")
    name = usable.get("name") or ""
    if policy is not None and policy.invite and policy.invite.opponent.lower() == name.lower():
        yield ("policy", "invite", "opponent"), "an account cannot invite itself"


def _bgammon_account(given: Mapping[str, object], usable: Mapping[str, Any]) -> Iterator[Violation]:
    name, policy, own = usable.get("name"), usable.get("policy"), usable.get("own_server", False)
    if name is not None:
        try:
            check_name(name)
        except ValueError as error:
            yield ("name",), str(error)
    if "tls_ca_file" in given and usable.get("transport") == "tcp":
        yield ("tls_ca_file",), 'is for transport = "websocket" only'
    if policy is not None and policy.idle is not None:
        yield ("policy", "idle"), 'is for protocol = "fibs" only; here accounts create matches and wait'
    if own:
        return
    if name is not None and not is_bot_name(name):
        yield ("name",), "expected a name that begins with BOT_; others are for people (see own_server)"
    if policy is not None and policy.invite is not None:
        yield ("policy", "invite"), "bots join nobody on a public bgammon server (see own_server)"
    if policy is not None and policy.command_gap_s < LEAST_BGAMMON_GAP_S:
        yield (
            ("policy", "command_gap_s"),
            f"expected at least {LEAST_BGAMMON_GAP_S} on a public bgammon server (see own_server)",
        )


def _status_page(given: Mapping[str, object], usable: Mapping[str, Any]) -> Iterator[Violation]:
    yield from _at_most_one(TOKEN_KEYS, given)


def _create(given: Mapping[str, object], usable: Mapping[str, Any]) -> Iterator[Violation]:
    yield from _at_most_one(PASSWORD_KEYS, given)


def _at_most_one(keys: tuple[str, ...], given: Mapping[str, object]) -> Iterator[Violation]:
    found = [key for key in keys if key in given]
    if len(found) > 1:
        yield (found[1],), f"expected at most one of {', '.join(keys)}, found {' and '.join(found)}"


def _policy(given: Mapping[str, object], usable: Mapping[str, Any]) -> Iterator[Violation]:
    least, most = usable.get("min_length"), usable.get("max_length")
    if least is not None and most is not None and least > most:
        key = "min_length" if "min_length" in given else "max_length"
        yield (key,), f"min_length ({least}) is larger than max_length ({most})"
    yield from _bands(usable)
    both = {name.lower() for name in usable.get("allow") or ()} & {
        name.lower() for name in usable.get("block") or ()
    }
    if both:
        yield ("block",), f"{min(both)} is both allowed and blocked"
    if usable.get("rematch") == "offer":
        if usable.get("cooldown_s"):
            yield (
                ("rematch",),
                'with "offer" expected cooldown_s = 0: no rematch is allowed before it is over',
            )
        if usable.get("max_in_a_row") == 1:
            yield ("rematch",), 'with "offer" expected max_in_a_row = 0 or at least 2: 1 allows no rematch'
    remind, leave = usable.get("remind_s"), usable.get("leave_s")
    if remind and leave and remind >= leave:
        key = "remind_s" if "remind_s" in given else "leave_s"
        yield (key,), f"remind_s ({remind:g}) comes too late: at leave_s ({leave:g}) the match is left"


def _engine(given: Mapping[str, object], usable: Mapping[str, Any]) -> Iterator[Violation]:
    budget, deadline = usable.get("budget_s"), usable.get("deadline_s")
    if budget is not None and deadline is not None and budget > deadline:
        yield ("budget_s",), f"budget_s ({budget:g}) is larger than deadline_s ({deadline:g})"


def _idle(given: Mapping[str, object], usable: Mapping[str, Any]) -> Iterator[Violation]:
    yield from _bands(usable)
    bots, humans, names = usable.get("bots"), usable.get("humans"), usable.get("bot_names")
    if humans is False and (bots is False or names == ()):
        key = "bots" if bots is False else "bot_names"
        yield (key,), "invites nobody: expected humans = true, or bots = true with some bot_names"


def _bands(usable: Mapping[str, Any]) -> Iterator[Violation]:
    for what in ("rating", "experience"):
        low, high = usable.get(f"min_{what}"), usable.get(f"max_{what}")
        if low is not None and high is not None and low > high:
            yield (f"min_{what}",), f"min_{what} ({low:g}) is larger than max_{what} ({high:g})"


def _mqtt(given: Mapping[str, object], usable: Mapping[str, Any]) -> Iterator[Violation]:
    sources = [key for key in PASSWORD_KEYS if key in given]
    if "username" in given and len(sources) != 1 and "password" not in given:
        found = "none" if not sources else " and ".join(sources)
        yield ("username",), f"expected exactly one of {', '.join(PASSWORD_KEYS)} with it, found {found}"
    if "username" not in given and sources:
        yield (sources[0],), "expected a username with it"
    if ("certificate_file" in given) != ("key_file" in given):
        key = "certificate_file" if "certificate_file" in given else "key_file"
        yield (key,), "expected certificate_file and key_file together"
    for key in ("ca_file", "certificate_file"):
        if key in given and not usable.get("tls"):
            yield (key,), "has no effect without tls = true"


_RULES: dict[type, Callable[[Mapping[str, object], Mapping[str, Any]], Iterator[Violation]]] = {
    Config: _config,
    AccountConfig: _account,
    EngineConfig: _engine,
    CreateConfig: _create,
    MqttConfig: _mqtt,
    PolicyConfig: _policy,
    IdleConfig: _idle,
    StatusPageConfig: _status_page,
}
