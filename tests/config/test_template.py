"""The example has every key of the schema; what is written from it has them too, and means what was asked."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from botd.config import Loaded, parse_config
from botd.config.keys import schema_keys
from botd.config.template import TemplateError, example, filled, sections

ENVIRONMENT = {"PW": "s3cret"}
FIBS = {
    ("accounts", "name"): "anna",
    ("accounts", "host"): "::1",
    ("accounts", "password_file"): None,
    ("accounts", "password_env"): "PW",
}
BGAMMON = FIBS | {
    ("accounts", "name"): "BOT_anna",
    ("accounts", "protocol"): "bgammon",
    ("accounts", "port"): 443,
}


def missing(text: str) -> list[str]:
    """The keys that are not so much as mentioned in their table."""
    by_table: dict[str, str] = {}
    for section in sections(text):
        name = "levels" if section.table.startswith("levels.") else section.table
        by_table[name] = by_table.get(name, "") + section.text
    return [
        f"{table}.{key}"
        for table, key in schema_keys()
        if not re.search(rf"\b{key}\b", by_table.get(re.sub(r"levels\..*", "levels", table), ""))
    ]


def parse(text: str) -> Loaded:
    return parse_config(text.encode(), file="b.toml", base=Path("/base"), environment=ENVIRONMENT)


def test_the_example_tells_every_key() -> None:
    assert missing(example()) == []
    assert len(set(schema_keys())) > 120


@pytest.mark.parametrize(("values", "bgammon"), [(FIBS, False), (BGAMMON, True)])
def test_what_is_written_tells_every_key(values: dict[tuple[str, str], object], bgammon: bool) -> None:
    text = filled(values, bgammon=bgammon)
    assert missing(text) == []
    loaded = parse(text)
    assert loaded.warnings == ()
    (account,) = loaded.config.accounts
    assert (account.name, account.host) == (values["accounts", "name"], "::1")
    assert loaded.config.engine == dataclasses.replace(parse(filled(FIBS)).config.engine)


@pytest.mark.parametrize(("values", "bgammon"), [(FIBS, False), (BGAMMON, True)])
def test_its_comments_are_those_of_the_example(values: dict[tuple[str, str], object], bgammon: bool) -> None:
    def comments(text: str) -> set[str]:
        ends = [line.rpartition("# ")[2] for line in text.splitlines() if "# " in line.lstrip("# ")]
        return {re.sub(r"^example[;:,]?\s*(required\.?\s*)?", "", end) for end in ends}

    assert comments(filled(values, bgammon=bgammon)) - comments(example()) == set()


def test_values_take_the_place_of_examples() -> None:
    values: dict[tuple[str, str], Any] = FIBS | {
        ("accounts", "level"): "easy",
        ("journal", "mat_directory"): 'a "b" \\ # c',
        ("accounts.policy.invite", "opponent"): "bert",
        ("accounts.policy.invite", "length"): "unlimited",
        ("mqtt", "enabled"): True,
        ("mqtt", "port"): 18830,
        ("engine", "deadline_s"): None,
    }
    text = filled(values)
    config = parse(text).config
    account = config.accounts[0]
    assert (account.level, account.policy.invite) == ("easy", parse(text).config.accounts[0].policy.invite)
    assert account.policy.invite is not None
    assert (account.policy.invite.opponent, account.policy.invite.length) == ("bert", "unlimited")
    assert config.journal.mat_directory == Path('/base/a "b" \\ # c')
    assert (config.mqtt.enabled, config.mqtt.actual_port) == (True, 18830)
    assert "# deadline_s = 10.0" in text
    assert 'host = "::1"            #' not in text  # "example; required" would not be true any more


def test_a_key_that_the_example_does_not_have() -> None:
    with pytest.raises(TemplateError, match=r"no key engine\.turbo"):
        filled({("engine", "turbo"): True})
