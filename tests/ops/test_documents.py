"""What a stranger reads first: in form, complete, and pointing at what is there."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
"""Of Keep a Changelog 1.1.0."""
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "ops").rglob("*.md")])


def package_names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=!~;\[ ]", requirement)[0] for requirement in requirements}


def test_the_changelog_keeps_its_form() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.startswith("# Changelog\n")
    versions = re.findall(r"(?m)^## (.*)$", text)
    assert versions[0] == "[Unreleased]"
    released = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", title) for title in versions[1:]]
    assert all(released), versions
    dates = [date.fromisoformat(each[2]) for each in released if each]
    assert dates == sorted(dates, reverse=True)
    assert PROJECT["version"] in [each[1] for each in released if each]
    assert set(re.findall(r"(?m)^### (.*)$", text)) <= set(KINDS)


@pytest.mark.parametrize("document", ["docs/dependencies.md", "THIRD_PARTY.md"])
def test_every_dependency_is_told_of(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    first_column = " ".join(re.findall(r"(?m)^\| (.*?) \|", text))
    for name in package_names(PROJECT["dependencies"]):
        assert name in first_column, name


def test_every_development_dependency_has_its_reason() -> None:
    text = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
    for extra in PROJECT["optional-dependencies"].values():
        for name in package_names(extra):
            assert name in text, name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    text = re.sub(r"(?s)```.*?```", "", document.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("https:", "http:", "mailto:")):
            assert (document.parent / target).exists(), target
