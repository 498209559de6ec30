"""What is allowed and yet remarked upon, each with its line; usual values never are."""

from __future__ import annotations

from pathlib import Path

import pytest

from botd.config.load import parse_config
from tests.config.test_config_load import BGAMMON, ENVIRONMENT, GOOD, parse

POLICY = f"{GOOD}[accounts.policy]\n"
PRIVATE = GOOD.replace("localhost", "192.168.1.7")


def remarks(text: str) -> list[str]:
    return [str(warning) for warning in parse(text).warnings]


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        (
            GOOD.replace("ply = 2", "deadline_s = 9.0"),
            "b.toml:2: engine.deadline_s: 9 is no edge of a",
        ),
        (GOOD.replace("ply = 2", "deadline_s = 0.2"), "b.toml:2: engine.deadline_s: shorter than the time"),
        (GOOD.replace("ply = 2", 'mode = "exact"\nbudget_s = 1'), "b.toml:3: engine.budget_s: has no effect"),
        (
            f"{GOOD}ply = 1".replace("ply = 2", "ply = 3"),
            "b.toml:2: engine.ply: has no effect: every",
        ),
        (f"{GOOD}[metrics]\nhost = '0.0.0.0'", "b.toml:9: metrics.host: other machines can reach 0.0.0.0"),
        (f"{GOOD}[metrics]\nhost = '[::]'", "b.toml:9: metrics.host: other machines can reach ::"),
        (f"{GOOD}[metrics]\nenabled = false\nport = 1", "b.toml:10: metrics.port: has no effect while"),
        (
            f"{GOOD}[mqtt]\nprefix = 'x'\ntls = true",
            "b.toml:9: mqtt.prefix: has no effect while mqtt",
        ),
        (
            f"{GOOD}[mqtt]\nenabled = true\nhost = 'broker'\nusername = 'b'\npassword_env = 'PW'",
            "mqtt.tls: without TLS the password goes to broker in clear",
        ),
        (
            f"{GOOD}[mqtt]\nenabled = true\nhost = 'broker'\ncommands = true",
            "b.toml:11: mqtt.commands: without TLS whoever",
        ),
        (
            f"{GOOD}[journal]\npath = '/tmp/j'",
            "b.toml:9: journal.path: /tmp/j is in a folder that is",
        ),
        (f"{GOOD}[levels.easy]\nplies = 1", "b.toml:8: levels.easy: has no effect: no account has level"),
        (
            BGAMMON.replace("localhost", "bgammon.org") + "own_server = true",
            "b.toml:5: accounts[0].own_server: bgammon.org looks like a public server",
        ),
        (
            BGAMMON.replace("localhost", "1.2.3.4") + "transport = 'tcp'\npassword_env = 'PW'",
            'b.toml:5: accounts[0].transport: "tcp" sends the password to 1.2.3.4 in clear',
        ),
        (f"{GOOD}level = 'easy'\nmode = 'fast'", "accounts[0].mode: levels with habits of their own"),
        (f"{POLICY}max_unlimited_games = 5", "policy.max_unlimited_games: has no effect without unlimited"),
        (f"{POLICY}resign_after = 5", 'policy.resign_after: has no effect without resign = "likely"'),
        (f"{POLICY}accept = false", "policy.accept: nobody is accepted or invited"),
        (f"{POLICY}accept = false\nmax_length = 7", "policy.max_length: has no effect while accept = false"),
        (f"{POLICY}leave_s = 0", "policy.leave_s: 0: an opponent who goes away"),
        (
            f"{POLICY}block = ['Bert']\ninvite.opponent = 'bert'",
            "policy.invite.opponent: bert is blocked, and never invited",
        ),
        (
            f"{POLICY}allow = ['carl']\ninvite.opponent = 'bert'",
            "policy.invite.opponent: bert is not among those in allow",
        ),
        (f"{POLICY}idle.humans = true\nidle.bot_names = []", "policy.idle.bot_names: an empty list"),
        (f"{POLICY}allow = ['carl']\nidle.after_s = 60", "policy.idle: with policy.allow only those"),
        (
            f"{POLICY}idle = {{ humans = true, bots = false, bot_names = ['x'] }}",
            "policy.idle.bot_names: only tells who is no person",
        ),
    ],
)
def test_what_is_odd(text: str, remark: str) -> None:
    found = remarks(text)
    assert any(remark in each for each in found), found


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        BGAMMON,
        BGAMMON + "own_server = true",
        f"{GOOD}[metrics]\nenabled = false\nport = 9464\nhost = '127.0.0.1'",
        f"{GOOD}[metrics]\nhost = '::1'",
        f"{GOOD}[mqtt]\nenabled = false\nport = 1883\n".replace("port = 1883", "queue = 1000"),
        f"{GOOD}[mqtt]\nenabled = true\nusername = 'b'\npassword_env = 'PW'\ncommands = true",
        f"{POLICY}allow = []\nblock = []\nmax_unlimited_games = 10\nresign_after = 3",
        f"{POLICY}unlimited = true\nmax_unlimited_games = 5",
        f"{POLICY}allow = ['bert']\ninvite.opponent = 'Bert'",
        PRIVATE,
    ],
)
def test_what_is_not(text: str) -> None:
    assert remarks(text) == []


def test_remarks_come_in_the_order_of_the_file() -> None:
    text = f"{POLICY}leave_s = 0\n[metrics]\nhost = '::'\n[journal]\npath = '/tmp/x'\n"
    lines = [warning.line for warning in parse(text).warnings]
    assert lines == [9, 11, 13]


def test_a_credential_that_only_the_service_gets() -> None:
    text = GOOD.replace('password_env = "PW"', 'password_credential = "anna"')
    loaded = parse_config(text.encode(), file="b.toml", base=Path("/"), environment={}, in_service=False)
    (warning,) = loaded.warnings
    assert str(warning).startswith("b.toml:7: accounts[0].password_credential: not looked at")
    assert ENVIRONMENT["PW"] not in repr(loaded)
