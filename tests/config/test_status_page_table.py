"""The table [status_page]: its token, its warning, its port."""

from __future__ import annotations

from pathlib import Path

import pytest

from botd.addresses import is_loopback
from botd.config import ConfigError, Loaded, Secret, StatusPageConfig, parse_config

ACCOUNT = '[[accounts]]\nhost = "h"\nname = "anna"\npassword_env = "PW"\n'


def parse(table: str, folder: Path = Path("/base"), **environment: str) -> Loaded:
    text = f"[status_page]\n{table}\n{ACCOUNT}"
    return parse_config(text.encode(), file="f", base=folder, environment={"PW": "pw", **environment})


def problem(table: str, **environment: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse(table, **environment)
    return str(caught.value)


def test_without_a_word_it_is_there_for_this_machine() -> None:
    loaded = parse("")
    assert loaded.config.status_page == StatusPageConfig(True, "127.0.0.1", 9465)
    assert loaded.status_token is None
    assert not [warning for warning in loaded.warnings if "status_page" in str(warning)]


def test_the_token_from_each_of_the_three_places(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("from-file")
    path.chmod(0o600)
    assert parse(f'token_file = "{path}"').status_token == Secret("from-file")
    assert parse('token_env = "T"', T="from-env").status_token == Secret("from-env")
    found = parse('token_credential = "token"', CREDENTIALS_DIRECTORY=str(tmp_path))
    assert found.status_token == Secret("from-file")
    assert Secret("from-file") in found.secrets, "it must not get into the log"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            'token_env = "T"\ntoken_file = "x"',
            "expected at most one of token_file, token_env, token_credential",
        ),
        ('token_env = "NOT_SET"', "status_page.token_env: the environment variable NOT_SET is not set"),
        ('token = "oops"', "a token does not belong in this file"),
        ("port = 9464", "is the port of [metrics] already"),
        ("port = 65536", "status_page.port"),
        ('names = ["a b"]', "status_page.names"),
        ('host = "x y"', "status_page.host"),
    ],
)
def test_what_is_wrong_with_it(table: str, words: str) -> None:
    text = problem(table)
    assert words in text
    assert "oops" not in text


def test_a_page_for_everybody_wants_a_token() -> None:
    for host in ("0.0.0.0", "::", "10.0.0.1", "bot.example.org"):
        (warning,) = [str(one) for one in parse(f'host = "{host}"').warnings if "status_page" in str(one)]
        assert "token" in warning
        open_page = parse(f'host = "{host}"\ntoken_env = "T"', T="t").warnings
        assert not [one for one in open_page if "status_page" in str(one)]
    assert not [one for one in parse('host = "0.0.0.0"\nenabled = false').warnings if "status" in str(one)]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.3.2.1", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("x", False),
    ],
)
def test_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
