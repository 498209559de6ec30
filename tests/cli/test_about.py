"""What an installation says of itself."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from botd.cli.main import main
from botd.engine.engine import SageEngine
from botd.engine_cli import evaluators


def about(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["about", "--json"]) == 0
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)
    return facts


def test_weights_with_digests_and_licence(capsys: pytest.CaptureFixture[str]) -> None:
    facts = about(capsys)
    (sage,) = [data for data in facts["data"] if data["what"] == "sage"]
    assert sage["licence"] == "MPL-2.0"
    assert sage["sha256"] == SageEngine.load().info.weights_sha256
    for data in facts["data"]:
        for file in data["files"]:
            assert file["sha256"] == hashlib.sha256(Path(file["path"]).read_bytes()).hexdigest()


def test_the_licence_of_a_bear_off_table_is_that_of_its_package(capsys: pytest.CaptureFixture[str]) -> None:
    licences = {
        file["path"]: data["licence"]
        for data in about(capsys)["data"]
        if data["what"] == "bear-off"
        for file in data["files"]
    }
    assert "MPL-2.0" in [licence for path, licence in licences.items() if "bgsage" in path]
    assert {"GPL-3.0-or-later"} == {licence for path, licence in licences.items() if "gnubg" in path}


def test_packages_with_versions_and_licences(capsys: pytest.CaptureFixture[str]) -> None:
    packages = {package["name"]: package for package in about(capsys)["packages"]}
    assert {"bgsage", "msgspec", "websockets"} <= set(packages)
    assert "pytest" not in packages
    for name, package in packages.items():
        assert package["version"] == version(name)
        assert package["licence"], name


def test_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    facts = about(capsys)
    assert main(["about"]) == 0
    text = capsys.readouterr().out
    assert f"botd {version('botd')} (MIT)" in text
    for data in facts["data"]:
        assert data["sha256"] in text


def test_without_the_networks_the_rest_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "bgsage" else find_spec(name, *more)
    )
    evaluators._loaded.cache_clear()
    evaluators._engine.cache_clear()
    assert main(["about"]) == 1
    text = capsys.readouterr().out
    assert "missing: " in text
    assert "pip install bgsage" in text
    assert "match equities" in text
