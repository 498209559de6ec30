"""Pictures and samples of the docs: what is committed fits the program, and the script makes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from botd.live.documents import Live
from tests.journal.test_mat import parse

ROOT = Path(__file__).parents[3]
_PNG = b"\x89PNG\r\n\x1a\n"


def check(folder: Path) -> None:
    """Samples as in `docs/`, pictures not too large for a page."""
    live = msgspec.json.decode((folder / "samples" / "live.json").read_bytes(), type=Live)
    assert live.accounts[0].match is not None
    assert live.accounts[0].match.board is not None
    assert parse((folder / "samples" / "match.mat").read_text(encoding="utf-8"))
    pictures = sorted((folder / "images").glob("*.png"))
    for picture in pictures:
        content = picture.read_bytes()
        assert content.startswith(_PNG)
        assert 5_000 < len(content) < 200_000
    assert {"live-light", "live-dark", "live-phone", "past-match"} <= {picture.stem for picture in pictures}


def test_what_is_committed_fits() -> None:
    check(ROOT / "docs")


@pytest.mark.nightly
def test_the_script_makes_them(tmp_path: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "docs.make_screenshots", "--output", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    check(tmp_path)
