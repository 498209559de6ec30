"""What `ops/install` lays out, as systemd, mandoc and dpkg see it."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest

from botd.cli.completion import completion_script
from botd.cli.manual_page import manual_page

ROOT = Path(__file__).parents[2]
INSTALL = ROOT / "ops/install"


def run(*words: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


def lay_out(folder: Path, prefix: str) -> Path:
    """All but the virtual environment, for which the nightly set has a test in a bare system."""
    run(INSTALL, "--destdir", folder, "--prefix", prefix, "--no-program", "--python", sys.executable)
    return folder


@pytest.fixture(scope="module")
def usr(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("usr"), "/usr")


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_files_lie_where_debian_has_them(usr: Path) -> None:
    found = names(usr)
    assert {name.split("/")[0] for name in found} == {"etc", "usr"}
    assert {name for name in found if name.startswith("etc/")} == {"etc/logrotate.d/botd"}
    assert (usr / "etc/botd").is_dir()
    for expected in (
        "usr/lib/sysusers.d/botd.conf",
        "usr/lib/tmpfiles.d/botd.conf",
        "usr/share/man/man1/botd.1.gz",
        "usr/share/man/man1/botd-engine.1.gz",
        "usr/share/bash-completion/completions/botd",
        "usr/share/zsh/vendor-completions/_botd",
        "usr/share/fish/vendor_completions.d/botd.fish",
        "usr/share/doc/botd/operating.md",
        "usr/share/doc/botd/LICENSE",
        "usr/share/doc/botd/THIRD_PARTY.md",
        "usr/share/doc/botd/examples/botd.example.toml",
        "usr/share/botd/mosquitto/botd.conf",
    ):
        assert expected in found
    units = {path.name for path in (ROOT / "ops/systemd").iterdir() if path.suffix in (".service", ".timer")}
    assert {name.split("/")[-1] for name in found if name.startswith("usr/lib/systemd/system/")} == units


def test_nothing_in_it_knows_where_it_was_made(usr: Path) -> None:
    for name in names(usr):
        content = (usr / name).read_bytes()
        content = gzip.decompress(content) if name.endswith(".gz") else content
        assert str(usr).encode() not in content, name
        assert str(ROOT).encode() not in content, name


def test_units_run_the_program_of_this_prefix(usr: Path) -> None:
    for unit in (usr / "usr/lib/systemd/system").glob("*.service"):
        assert re.findall(r"(?m)^ExecStart=(\S+)", unit.read_text()) == ["/usr/bin/botd"], unit


@pytest.mark.parametrize("prefix", ["/usr", "/usr/local"])
def test_systemd_finds_units_users_and_folders_by_itself(prefix: str, tmp_path: Path) -> None:
    root = lay_out(tmp_path, prefix)
    run("systemd-sysusers", f"--root={root}")
    assert re.search(r"(?m)^botd:", (root / "etc/passwd").read_text())
    run("systemd-tmpfiles", f"--root={root}", "--create")
    run("systemctl", f"--root={root}", "enable", "botd.service", "botd@one.service")
    assert (root / "etc/systemd/system/multi-user.target.wants/botd@one.service").is_symlink()


def test_pages_and_completion_are_made_from_the_parsers(usr: Path) -> None:
    for command in ("botd", "botd-engine"):
        page = gzip.decompress((usr / f"usr/share/man/man1/{command}.1.gz").read_bytes()).decode()
        assert page == manual_page(command)
        completion = (usr / f"usr/share/bash-completion/completions/{command}").read_text(encoding="utf-8")
        assert completion == completion_script(command, "bash")


def test_what_was_laid_out_can_be_taken_away(tmp_path: Path) -> None:
    root = lay_out(tmp_path, "/usr/local")
    (root / "etc/botd/botd.toml").write_text("mine")
    (root / "usr/local/bin").mkdir()
    (root / "usr/local/bin/other").write_text("not ours")
    run(INSTALL, "--uninstall", "--destdir", root, "--prefix", "/usr/local")
    assert names(root) == {"etc/botd/botd.toml", "usr/local/bin/other"}
    done = run(INSTALL, "--uninstall", "--destdir", root, "--prefix", "/usr/local", status=1)
    assert "nothing to take away" in done.stderr


@pytest.mark.parametrize("words", [["--bogus"], ["--prefix", "usr"]])
def test_wrong_options_are_one_line(words: list[str]) -> None:
    done = run(INSTALL, *words, status=2)
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize("script", ["build", "postinst", "prerm", "postrm"])
def test_scripts_of_the_debian_package_are_well_formed(script: str) -> None:
    path = ROOT / "ops/debian" / script
    shell = path.read_text().splitlines()[0].removeprefix("#!").split()
    run(*shell, "-n", path)
