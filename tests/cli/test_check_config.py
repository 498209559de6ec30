"""`botd check-config`: all that is wrong at once, for people and programs, and nothing that is secret."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from botd.cli.main import main
from botd.config import load_config
from botd.engine.network_file import Layer, NetworkFile, NetworkKind, write_network
from tests.cli.conftest import CONFIG


def check(config: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    status = main(["check-config", str(config), *options])
    out, err = capsys.readouterr()
    assert "hunter2" not in out + err
    return status, out + err


def test_a_correct_file(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = check(config, capsys)
    assert status == 0
    assert text.startswith(f"{config}: correct\n  plays anna on localhost:4321 (fibs)\n")
    assert sorted(path.name for path in config.parent.iterdir()) == ["anna.password", "botd.toml"]


def test_problems_and_warnings_with_suggestions(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(CONFIG + 'port = 99999\npasword_env = "x"\n')
    status, text = check(config, capsys)
    assert status == 2
    assert f"{config}:5: problem: accounts[0].port\n    expected an integer from 1 to 65535" in text
    assert f"{config}:6: problem: accounts[0].pasword_env\n    unknown key\n    did you mean" in text
    assert text.endswith("2 problems, no warnings\n")


def test_warnings_alone_do_no_harm_unless_strict(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (config.parent / "anna.password").chmod(0o644)
    status, text = check(config, capsys)
    assert status == 0
    assert f"{config}:4: warning: accounts[0].password_file\n    password file" in text
    assert "correct, 1 warning" in text
    assert check(config, capsys, "--strict")[0] == 1


def test_json(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(CONFIG + '[engine]\nmode = "fats"\n')
    status, text = check(config, capsys, "--json", "--show")
    found = json.loads(text)
    assert status == 2
    assert found["correct"] is False
    assert found["config"] is None
    assert found["problems"] == [
        {
            "file": str(config),
            "line": 6,
            "key": "engine.mode",
            "message": 'expected "exact" or "fast", got \'fats\'',
            "suggestion": 'did you mean "fast"?',
        }
    ]
    config.write_text(CONFIG)
    found = json.loads(check(config, capsys, "--json", "--show")[1])
    assert found["correct"] is True
    assert found["config"]["accounts"][0]["policy"]["max_length"] == 25


def test_what_it_shows_means_the_same(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(
        CONFIG
        + 'policy.greeting = "say \\"hi\\" \\\\ # no comment"\n'
        + 'policy.invite = { opponent = "bert", length = "unlimited" }\n'
        + '[mqtt]\nca_file = "a b.crt"\ntls = true\n[engine]\nplies.take = 3\nmode = "exact"\n'
    )
    status, text = check(config, capsys, "--show")
    assert status == 0
    assert 'password_file = "anna.password"  # read from there, never shown' in text
    tomllib.loads(text.partition("warning: ")[0])
    again = config.parent / "again.toml"
    again.write_text(text[text.index("[engine]") :].partition("warning: ")[0])
    assert load_config(again).config == load_config(config).config


UNFIT = [
    ('[journal]\npath = "folder"', "journal.path: {}/folder: is a folder"),
    ('[journal]\npath = "file"', "journal.path: {}/file: there is a file that is no journal"),
    ('[journal]\npath = "file/j"', "journal.path: {}/file: is a file, expected a folder"),
    ('[journal]\nmat_directory = "file"', "journal.mat_directory: {}/file: is a file"),
    ('[daemon]\nstate_directory = "file/s"', "daemon.state_directory: {}/file: is a file"),
    (f'[control]\npath = "{"x" * 120}"', "control.path: {}/xxx"),
    ('[engine]\nevaluator = "puretd:/no/such.net+sage"', "engine.evaluator: /no/such.net: "),
    ('[mqtt]\nenabled = true\ntls = true\nca_file = "file"', "mqtt.ca_file: {}/file: "),
    (
        '[mqtt]\nenabled = true\ntls = true\ncertificate_file = "none"\nkey_file = "none"',
        "mqtt.certificate_file: {}/none",
    ),
]


@pytest.mark.parametrize(("table", "said"), UNFIT)
def test_what_the_file_names_is_looked_at(
    table: str, said: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (config.parent / "folder").mkdir()
    (config.parent / "file").write_text("no journal and no certificate")
    config.write_text(f"{CONFIG}{table}\n")
    assert main(["run", "--config", str(config), "--check"]) == 2
    err = capsys.readouterr().err
    assert said.format(config.parent) in err
    assert "1 problem; nothing was started" in err


def test_a_puretd_network_is_opened(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network = config.parent / "money.net"
    layer = Layer(196, 1, bytes(4 * 196), bytes(4))
    write_network(
        NetworkFile(NetworkKind.CUBELESS_EQUITY, "perspective196", (layer,), "a test", "MIT"), network
    )
    config.write_text(CONFIG + f'[engine]\nevaluator = "puretd:{network}+sage"\n')
    assert check(config, capsys)[0] == 0
    network.write_bytes(network.read_bytes()[:-100])
    status, text = check(config, capsys)
    assert status == 2
    assert f"{config}:6: problem: engine.evaluator\n    {network}" in text


def test_a_folder_that_cannot_be_written(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(CONFIG + '[journal]\npath = "/proc/botd/j.sqlite3"\n')  # not even root can
    status, text = check(config, capsys)
    assert status == 2
    assert "journal.path\n    /proc/botd: cannot be made in /proc" in text


def test_hostile_files_end_in_one_line_each(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content in (b"\xff\xfe", b"a = [", b"x = 1\0", b"[" * 100_000, b"a.b.c = 1\n'\x1b[31m' = 2"):
        config.write_bytes(content)
        status, text = check(config, capsys)
        assert status == 2
        assert all(line.isprintable() for line in text.splitlines())
    status, text = check(config.parent / "none.toml", capsys)
    assert (status, "cannot be read: No such file" in text) == (2, True)


@pytest.mark.parametrize(("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_on_a_terminal_only(config: Path, environment: dict[str, str], coloured: bool) -> None:
    config.write_text(CONFIG + "prot = 1\n")
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "botd.cli.main", "check-config", str(config)],
        stdout=theirs,
        env={"PATH": os.environ["PATH"], "TERM": "xterm"} | environment,
        check=False,
        timeout=60,
    )
    os.close(theirs)
    assert (b"\x1b[31mproblem\x1b[0m" in os.read(ours, 65536)) is coloured
    os.close(ours)
