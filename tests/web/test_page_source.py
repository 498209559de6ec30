"""The page's files, read as text: nothing from elsewhere, no markup from texts, nothing unused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import botd

ASSETS = sorted((Path(botd.__file__).parent / "web" / "assets").iterdir())
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in ASSETS if path.suffix == ".js"}
STYLES = {path.name: path.read_text(encoding="utf-8") for path in ASSETS if path.suffix == ".css"}
PAGE = next(path for path in ASSETS if path.name == "index.html").read_text(encoding="utf-8")
SVG = "http://www.w3.org/2000/svg"


@pytest.mark.parametrize("path", ASSETS, ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace(SVG, "")
    assert re.findall(r"https?:|//[a-z]|@import|url\(", text) == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_never_parse_markup_or_code(name: str) -> None:
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|\.style\b"
    )
    assert re.findall(forbidden, SCRIPTS[name]) == []


def test_the_page_has_nothing_inline() -> None:
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=|<script(?! type=\"module\" src=)", PAGE) == []


def test_every_file_is_used() -> None:
    everything = PAGE + "".join(SCRIPTS.values())
    unused = [path.name for path in ASSETS if path.name != "index.html" and path.name not in everything]
    assert unused == []


def test_every_export_is_imported() -> None:
    for name, text in SCRIPTS.items():
        others = "".join(other for known, other in SCRIPTS.items() if known != name)
        for exported in re.findall(
            r"^export (?:async )?(?:function\*?|class|const) (\w+)", text, re.MULTILINE
        ):
            assert re.search(rf"import \{{[^}}]*\b{exported}\b", others), f"{name}: {exported}"


def test_every_class_with_a_style_is_given_to_something() -> None:
    given = PAGE + "".join(SCRIPTS.values()) + (Path(botd.__file__).parent / "web" / "access.py").read_text()
    for name, text in STYLES.items():
        for found in sorted(
            set(re.findall(r"\.([a-z][a-z-]+)(?=[^{}]*\{)", re.sub(r"/\*.*?\*/", "", text, flags=re.S)))
        ):
            assert re.search(rf"\b{found}\b", given), f"{name}: .{found}"


@pytest.mark.parametrize("path", ASSETS, ids=lambda path: path.name)
def test_lines_can_be_read(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > 125] == []
    assert len(lines) <= 500
