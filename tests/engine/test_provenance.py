"""What an engine says about the files it has read."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from botd import paths
from botd.engine.engine import SageEngine
from botd.engine.provenance import CHANGED, Provenance
from botd.engine.settings import SearchSettings


def test_every_file_has_its_digest_and_all_have_one(engine: SageEngine) -> None:
    info = engine.info
    assert len(info.weights_files) == 22
    for path, digest in info.weights_files.items():
        assert hashlib.sha256(Path(path).read_bytes()).hexdigest() == digest
    whole = "".join(info.weights_files.values())
    assert info.weights_sha256 == hashlib.sha256(whole.encode()).hexdigest()
    assert engine.info is info
    assert engine.configured(SearchSettings(threads=2)).info is info


@pytest.mark.parametrize("change", ["replaced", "longer", "gone"])
def test_a_file_that_changed_after_loading_has_none(tmp_path: Path, change: str) -> None:
    models = tmp_path / "models"
    shutil.copytree(paths.sage_assets() / "models", models)
    engine = SageEngine.load(models=models)
    victim = models / "sl_s9_purerace.weights.best"
    if change == "replaced":
        copy = tmp_path / "copy"
        shutil.copy2(victim, copy)
        copy.replace(victim)
    elif change == "longer":
        with victim.open("ab") as file:
            file.write(b"x")
    else:
        victim.unlink()
    info = engine.info
    assert info.weights_sha256 == CHANGED
    assert [path for path, digest in info.weights_files.items() if digest == CHANGED] == [str(victim)]


def test_a_file_that_was_never_there_has_none(tmp_path: Path) -> None:
    info = Provenance("none", "plain", [tmp_path / "missing"], "").info
    assert info.weights_files == {str(tmp_path / "missing"): CHANGED}
