"""Suggestions: what was probably meant by a key or value that does not fit."""

from __future__ import annotations

import pytest

from tests.config.test_config_load import GOOD, parse, problems


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        (GOOD.replace("ply = 2", 'mode = "fats"'), '; did you mean "fast"?'),
        (GOOD.replace("ply = 2", 'evaluator = "Sage"'), '; did you mean "sage"?'),
        (GOOD.replace("ply = 2", 'ply = "2"'), "; did you mean 2, without quotes?"),
        (GOOD.replace("ply = 2", 'deadline_s = "2.5"'), "; did you mean 2.5, without quotes?"),
        (f'{GOOD}[metrics]\nenabled = "true"', "; did you mean true, without quotes?"),
        (f"{GOOD}[log]\nlevel = 'warn'", '; did you mean "warning"?'),
        (GOOD.replace('"localhost"', '"fibs.com:4321"'), "; the port has a key of its own: port = 4321"),
        (GOOD.replace('"localhost"', '"https://bgammon.org/"'), "; without https:// and path"),
        (GOOD.replace('"anna"', "7"), '; did you mean "7", in quotes?'),
        (f"{GOOD}[accounts.policy]\nallow = 'bert'", "; write it in brackets: [...]"),
        (GOOD + "max_length = 5", "unknown key; it belongs to [accounts.policy]"),
        (GOOD + "deadline_s = 5", "unknown key; it belongs to [engine]"),
        (f"{GOOD}[accounts.policy]\nreconnect_s = 5", "unknown key; it belongs to [[accounts]]"),
        (GOOD.replace("host", "hots"), "unknown key; did you mean host?"),
        (GOOD.replace("ply", "PLY"), "unknown key; did you mean ply?"),
    ],
)
def test_a_suggestion(text: str, suggestion: str) -> None:
    found = problems(text)
    assert any(each.endswith(suggestion) or suggestion in each for each in found), found


@pytest.mark.parametrize("value", ['"my secret"', "1234"])
def test_none_about_what_may_be_a_secret(value: str) -> None:
    (found,) = problems(GOOD.replace('"PW"', value))
    assert "secret" not in found.partition("got ")[2]
    assert "1234" not in found


@pytest.mark.parametrize("host", ["::1", "[::1]", "2001:db8::7", "fe80::1%eth0", "fibs.com", "10.0.0.1"])
def test_hosts_with_and_without_brackets(host: str) -> None:

    account = parse(GOOD.replace("localhost", host)).config.accounts[0]
    bare = host.strip("[]")
    assert account.host == bare
    assert account.server == (f"[{bare}]:4321" if ":" in bare else f"{bare}:4321")


@pytest.mark.parametrize("host", ["a:b:c", "::1::", ":::", "[fibs.com]", "fibs.com:4321", "1:2", "a b", ""])
def test_what_is_no_host(host: str) -> None:
    (found,) = problems(GOOD.replace("localhost", host))
    assert "accounts[0].host: expected a host name or address" in found
