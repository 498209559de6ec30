"""Questions and answers: the schema decides what is a good answer, and every good one gives a good file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botd.config import AccountConfig, Config, ConfigError, Problem, parse_config
from botd.config.interview import QUESTIONS, Answers, answered

BY_OPTION = {question.option: question for question in QUESTIONS}


def interview(**given: str) -> Answers:
    """The usual answer to every question that is not answered here."""
    answers = Answers()
    for question in QUESTIONS:
        if question.asked(answers):
            answers = answered(question, answers, given.pop(question.option.replace("-", "_"), ""))
    assert given == {}
    return answers


def config_of(answers: Answers) -> Config:
    environment = {"ANNA": "s3cret"}
    return parse_config(answers.text().encode(), file="b", base=Path("/"), environment=environment).config


def account_of(**given: str) -> AccountConfig:
    return config_of(interview(**{"account": "anna", "password": "env:ANNA"} | given)).accounts[0]


def test_the_usual_answers() -> None:
    account = account_of()
    assert (account.server, account.name, account.protocol) == ("fibs.com:4321", "anna", "fibs")
    assert (account.policy.min_length, account.policy.max_length, account.ply) == (1, 25, 2)


@pytest.mark.parametrize(
    ("given", "server", "transport", "own"),
    [
        ({"server": "bgammon", "account": "BOT_a"}, "ws.bgammon.org:443", "websocket", False),
        ({"server": "bgammon.org", "account": "BOT_a"}, "ws.bgammon.org:443", "websocket", False),
        ({"server": "FIBS.com:4321"}, "fibs.com:4321", "websocket", False),
        ({"server": "ws.bgammon.org:443", "account": "BOT_a"}, "ws.bgammon.org:443", "websocket", False),
        ({"server": "::1", "protocol": "x"}, "", "", False),
        ({"server": "[::1]:7", "protocol": "fibs"}, "[::1]:7", "websocket", False),
        ({"server": "[::1]:7", "protocol": "bgammon"}, "[::1]:7", "websocket", True),
        ({"server": "host:7", "protocol": "bgammon-tcp"}, "host:7", "tcp", True),
    ],
)
def test_servers(given: dict[str, str], server: str, transport: str, own: bool) -> None:
    if not server:
        with pytest.raises(ValueError, match="expected"):
            account_of(**given)
        return
    account = account_of(**given)
    assert (account.server, account.transport, account.own_server) == (server, transport, own)


def test_lengths_and_strengths() -> None:
    assert account_of(lengths="5").policy.min_length == account_of(lengths="5").policy.max_length == 5
    assert account_of(lengths="3 - 9").policy.max_length == 9
    assert account_of(strength="world class").level == "world class"
    assert account_of(strength="0").ply == 0
    bgammon = account_of(server="bgammon", account="BOT_a", lengths="3, 5 ,7")
    assert bgammon.create.lengths == (3, 5, 7)
    assert bgammon.create.name == ""


def test_a_broker_and_what_listens() -> None:
    config = config_of(interview(account="anna", password="env:ANNA", mqtt="mqtts://b", metrics="none"))
    assert (config.mqtt.host, config.mqtt.actual_port, config.mqtt.tls) == ("b", 8883, True)
    assert not config.metrics.enabled
    answers = interview(account="anna", mqtt="[::1]:7", mqtt_user="u", status_page="off", records="-")
    assert 'password_file = "mqtt.password"' in answers.text()
    assert 'host = "::1"' in answers.text()
    assert "# mat_directory" in answers.text()


@pytest.mark.parametrize(
    ("option", "text", "reason"),
    [
        ("server", "a b", "expected fibs, bgammon, or HOST:PORT"),
        ("server", "fibs.org", "expected fibs, bgammon, or HOST:PORT"),
        ("server", "host:0", "expected a port from 1 to 65535"),
        ("account", "", "expected an answer"),
        ("account", "a b", "expected 1 to 32 letters, digits or underscores"),
        ("password", "none", "FIBS has no guests"),
        ("password", "safe", "expected file, env or credential"),
        ("lengths", "0-3", "expected an integer from 1 to 64, got 0"),
        ("lengths", "9-3", r"min_length \(9\) is larger than max_length \(3\)"),
        ("lengths", "1-2-3", "expected the shortest and the longest"),
        ("lengths", "long", "expected 1-25 or 5"),
        ("strength", "9", "expected an integer from 0 to 4, got 9"),
        ("strength", "mediun", "expected one of .*medium"),
        ("metrics", "99999", "expected an integer from 0 to 65535"),
        ("metrics", "yes", "expected a port number, or none"),
        ("status-page", "9464", r"the port of \[metrics\] already"),
        ("journal", "a\x00b", "expected printable text"),
        ("account", "\udcff", "expected printable text"),
        ("password", "env:a b", "expected the name of an environment variable after env:"),
        ("password", "credential:../x", "expected the name of a credential"),
        ("password", f"file:{'x' * 5000}", "expected a file name after file:"),
        ("mqtt", "b:x", "expected a port"),
    ],
)
def test_an_answer_is_refused_with_the_reason(option: str, text: str, reason: str) -> None:
    answers = Answers()
    for question in QUESTIONS:
        if question.option == option:
            break
        if question.asked(answers):
            answers = answered(question, answers, "anna" if question.option == "account" else "")
    with pytest.raises(ValueError, match=reason):
        answered(BY_OPTION[option], answers, text)


def test_the_name_rules_of_the_server_count() -> None:
    with pytest.raises(ValueError, match="begins with BOT_"):
        interview(server="bgammon", account="anna")
    assert account_of(server="host:7", protocol="bgammon").name == "anna"


@settings(max_examples=25)
@given(
    st.lists(
        st.text(max_size=12) | st.sampled_from(["fibs", "host:7", "bgammon", "none", "3", "env:A", "file:x"]),
        max_size=15,
    )
)
def test_any_answers_lead_to_a_file_that_is_in_order(texts: list[str]) -> None:
    answers = Answers()
    for question in QUESTIONS:
        if not question.asked(answers):
            continue
        while True:
            text = texts.pop() if texts else {"account": "BOT_a"}.get(question.option, "")
            try:
                answers = answered(question, answers, text)
            except ValueError:
                continue
            break
    assert answers.complaints() == []
    wrong: list[Problem] = []
    try:
        config_of(answers)
    except ConfigError as error:
        wrong = error.problems
    # The passwords are not there, and nothing else is wrong.
    assert all("password_" in each.key and not each.message.startswith("expected") for each in wrong)
