"""`botd run`: bad configurations exit with 2 and say why; `--check` starts nothing."""

from pathlib import Path

import pytest

from botd.cli.main import main
from tests.cli.conftest import CONFIG


def test_check_of_a_correct_file(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--config", str(config), "--check"]) == 0
    out, err = capsys.readouterr()
    assert out == f"{config}: correct\n  plays anna on localhost:4321\n"
    assert err == ""
    assert not (config.parent / "botd.sqlite3").exists()


def test_check_warns_about_an_open_password_file(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (config.parent / "anna.password").chmod(0o644)
    assert main(["run", "--config", str(config), "--check"]) == 0
    out, err = capsys.readouterr()
    assert "chmod 600" in err
    assert "hunter2" not in out + err


@pytest.mark.parametrize("check", [[], ["--check"]])
def test_a_bad_file_exits_2_and_names_every_problem(
    config: Path, capsys: pytest.CaptureFixture[str], check: list[str]
) -> None:
    config.write_text(CONFIG + 'port = 99999\npasword_env = "x"\n')
    assert main(["run", "--config", str(config), *check]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{config}:5: accounts[0].port: expected an integer from 1 to 65535" in err
    assert f"{config}:6: accounts[0].pasword_env: unknown key; did you mean password_env?" in err
    assert "2 problems; nothing was started" in err


def test_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--config", str(tmp_path / "none.toml")]) == 2
    assert "none.toml: cannot be read: No such file or directory" in capsys.readouterr().err


def test_config_is_required(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run"])
    assert caught.value.code == 2
    assert "--config" in capsys.readouterr().err
