"""The quick start is followed to the letter, and a container's steps are carried out; slow, hence nightly."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    sys.path.insert(0, str(ROOT / "ops"))
    try:
        loader = importlib.machinery.SourceFileLoader("try_as_new_user", str(ROOT / "ops/try-as-new-user"))
        spec = importlib.util.spec_from_loader(loader.name, loader)
        assert spec
        module = importlib.util.module_from_spec(spec)
        sys.modules[loader.name] = module  # dataclasses look their module up
        loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "ops"))
    return module


def test_every_block_of_the_page_is_seen(script: ModuleType) -> None:
    page = (ROOT / "docs/quickstart.md").read_text(encoding="utf-8")
    found = list(script.blocks(page))
    assert len(found) == len(re.findall(r"(?m)^```sh", page))
    assert [block.heading[:2] for block in found] == sorted(block.heading[:2] for block in found)
    assert [block.text for block in found if block.beside] == [
        "botd serve --open --port 4321 --state server.state\n"
    ]
    commands = " ".join(block.text for block in found)
    for command in ("doctor", "register", "init", "check-config", "ctl status", "watch", "matches"):
        assert f"botd {command}" in commands


def test_commands_of_the_page_parse() -> None:
    """Each `botd` line of the page is one that the parser takes."""
    from botd.cli.main import build_parser

    text = (ROOT / "docs/quickstart.md").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = re.findall(r"(?m)^botd (.+)$", text)
    assert len(lines) > 8
    for line in lines:
        build_parser().parse_args(line.split())


@pytest.mark.nightly
def test_a_new_user_gets_a_watched_bot_in_ten_minutes(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "ops/try-as-new-user", "--folder", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.nightly
def test_the_steps_of_the_container_make_one_that_plays(tmp_path: Path) -> None:
    context = tmp_path / "context"
    context.mkdir()
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, context], cwd=ROOT, check=True)
    build = [ROOT / "ops/container/run-steps-in-chroot", "--context", context, "--output", tmp_path / "roots"]
    done = subprocess.run([*build, "--", "demo", "--fast", "--plain", "--ply", "0"], text=True, check=False)
    assert done.returncode == 0
    root = tmp_path / "roots/root"
    assert list((root / "var/lib/botd/demo-output").rglob("*.mat"))
    assert not list((root / "usr/bin").glob("*g++*"))
    assert not (root / "opt/botd/bin/pip").exists()
