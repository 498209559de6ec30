"""Finding gnubg's files: every kind of place, versions by profile, and errors that say where it looked."""

from __future__ import annotations

import importlib.machinery
import os
import struct
import sys
from pathlib import Path

import pytest

from botd.engine import gnubg_data
from botd.engine.gnubg_data import ENVIRONMENT_VARIABLE, GnubgDataNotFound, find_gnubg_data, weights_version

TEXT = "GNU Backgammon {}\n250 128 5 0 0.1 1.0\n"


def binary(version: float) -> bytes:
    return struct.pack("<2f", 472.3782, version) + bytes(100)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any of the files; system folders are below the returned folder."""
    monkeypatch.setattr(gnubg_data, "_SYSTEM_FOLDERS", (str(tmp_path / "share"), str(tmp_path / "var")))
    monkeypatch.setattr(gnubg_data, "_PACKAGES", ("gnubg_package_of_the_test",))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    return tmp_path


def put(folder: Path, name: str, content: str | bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def test_debians_files_are_found() -> None:
    files = find_gnubg_data("A")
    assert files.version == "1.00"
    assert files.weights.is_file()
    assert files.one_sided is not None
    assert files.one_sided.read_bytes().startswith(b"gnubg-OS-06-15")


def test_versions_are_read_from_both_forms(tmp_path: Path) -> None:
    assert weights_version(put(tmp_path, "a", binary(1.0))) == "1.00"
    assert weights_version(put(tmp_path, "b", binary(1.01))) == "1.01"
    assert weights_version(put(tmp_path, "c", TEXT.format("1.01"))) == "1.01"
    assert weights_version(put(tmp_path, "d", TEXT.format("1.00").replace("\n", "\r\n"))) == "1.00"
    for name, content in (
        ("e", b""),
        ("f", b"GNU Back"),
        ("g", bytes(50)),
        ("h", b"GNU Backgammon " + b"9" * 99),
    ):
        assert weights_version(put(tmp_path, name, content)) is None
    assert weights_version(tmp_path) is None
    assert weights_version(tmp_path / "none") is None


def test_the_profile_picks_its_version_wherever_it_is(bare: Path) -> None:
    old = put(bare / "share", "gnubg.wd", binary(1.00))
    new = put(bare / "home" / ".gnubg", "gnubg.weights", TEXT.format("1.01"))
    assert find_gnubg_data("A").weights == old
    assert find_gnubg_data("B").weights == new
    assert find_gnubg_data(None).weights == new
    new.unlink()
    assert find_gnubg_data(None).weights == old
    with pytest.raises(GnubgDataNotFound, match=r"1\.01 not found; tried .*gnubg\.wd of version 1\.00"):
        find_gnubg_data("B")


def test_one_folder_may_hold_both_versions(bare: Path) -> None:
    old = put(bare / "share", "gnubg.wd", binary(1.00))
    new = put(bare / "share", "gnubg.weights", TEXT.format("1.01"))
    assert find_gnubg_data("A").weights == old
    assert find_gnubg_data("B").weights == new
    assert find_gnubg_data(None).weights == new


def test_the_environment_comes_first(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(bare / "share", "gnubg.wd", binary(1.00))
    own = put(bare / "own", "my-file", binary(1.00))
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, f"{bare / 'nowhere'}:{own}")
    files = find_gnubg_data("A")
    assert files.weights == own
    assert ENVIRONMENT_VARIABLE in files.origin


@pytest.mark.parametrize(
    "name",
    [
        "~no-such-user/folder",
        "x" * 5000,
        "a\nb",
        "loop",
        "pipe",
        "/dev/zero",
        "/dev/null/below",
        "\udcff",
        "closed",
    ],
)
def test_a_place_that_cannot_be_looked_at_is_passed_over(
    bare: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    put(bare / "share", "gnubg.wd", binary(1.00))
    (bare / "loop").symlink_to(bare / "loop")
    os.mkfifo(bare / "pipe")
    (bare / "closed").mkdir(mode=0)
    place = name if name.startswith(("~", "/")) else str(bare / name)
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, place)
    assert find_gnubg_data("A").weights == bare / "share" / "gnubg.wd"
    with pytest.raises(GnubgDataNotFound, match=r"expected gnubg's weights|weights 1.01 not found"):
        find_gnubg_data("B", Path(place) if name != "~no-such-user/folder" else None)


def test_installed_packages_are_looked_at_but_not_run(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = bare / "site" / "gnubg_package_of_the_test"
    weights = put(package / "data", "gnubg.weights", TEXT.format("1.01"))
    put(package, "__init__.py", "raise SystemExit('imported')")
    monkeypatch.syspath_prepend(str(bare / "site"))
    assert find_gnubg_data("B").weights == weights
    assert "gnubg_package_of_the_test" not in sys.modules


def test_a_blocked_import_is_no_package(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Block(importlib.machinery.PathFinder):
        @classmethod
        def find_spec(cls, name, path=None, target=None):
            if name == "gnubg_package_of_the_test":
                raise ImportError("blocked")

    monkeypatch.setattr(sys, "meta_path", [Block, *sys.meta_path])
    put(bare / "share", "gnubg.wd", binary(1.00))
    assert find_gnubg_data("A").version == "1.00"


def test_a_given_path_is_taken_whatever_it_is(bare: Path) -> None:
    put(bare / "share", "gnubg.wd", binary(1.00))
    own = put(bare / "own", "gnubg.wd", binary(1.01))
    assert find_gnubg_data("A", own).weights == own
    assert find_gnubg_data(None, own.parent).weights == own
    broken = put(bare / "own", "broken", b"?")
    assert find_gnubg_data("A", broken).version is None


@pytest.mark.parametrize("kind", ["nothing", "empty folder"])
def test_a_given_path_without_weights_is_named(bare: Path, kind: str) -> None:
    put(bare / "share", "gnubg.wd", binary(1.00))
    path = bare / "given"
    if kind == "empty folder":
        path.mkdir()
    with pytest.raises(GnubgDataNotFound, match=f"{path}: expected gnubg's weights"):
        find_gnubg_data("A", path)


def test_databases_come_from_beside_the_weights_then_from_elsewhere(bare: Path) -> None:
    put(bare / "share", "gnubg.wd", binary(1.00))
    two_sided = put(bare / "var", "gnubg_ts0.bd", b"gnubg-TS-06-06-1")
    far = put(bare / "home" / ".gnubg", "gnubg_os0.bd", b"gnubg-OS-06-15-1-1-0")
    files = find_gnubg_data("A")
    assert (files.one_sided, files.two_sided) == (far, two_sided)
    generated = put(bare / "cache", "gnubg_os0.bd", b"gnubg-OS-06-15-1-1-0")
    assert find_gnubg_data("A", databases=(generated.parent,)).one_sided == generated
    beside = put(bare / "share", "gnubg_os0.bd", b"gnubg-OS-06-15-1-1-0")
    assert find_gnubg_data("A", databases=(generated.parent,)).one_sided == beside
    for file in (two_sided, far, beside):
        file.unlink()
    assert (find_gnubg_data("A").one_sided, find_gnubg_data("A").two_sided) == (None, None)


def test_nothing_found_names_every_place_and_the_remedy_on_one_line(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(bare / "var", "gnubg.weights", b"not weights")
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, str(bare / "own"))
    with pytest.raises(GnubgDataNotFound) as error:
        find_gnubg_data(None)
    text = str(error.value)
    for part in (
        f"{bare / 'own'} (not there)",
        f"{bare / 'share'} (not there)",
        f"{bare / 'var'} (gnubg.weights is no weight file)",
        f"{bare / 'home' / '.gnubg'} (not there)",
        "apt install gnubg-data",
        "pip install 'gnubg-nn>=1.1.0a11'",
        ENVIRONMENT_VARIABLE,
    ):
        assert part in text
    assert "\n" not in text
    assert isinstance(error.value, OSError)


def test_unknown_profiles_are_refused() -> None:
    with pytest.raises(ValueError, match="profile: expected A or B, got 'C'"):
        find_gnubg_data("C")
