"""Source distribution and wheel: all that is needed and nothing else."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = f"botd-{version('botd')}"
TOP = {
    *("PKG-INFO", "pyproject.toml", "Makefile", ".clang-format", ".gitignore"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "THIRD_PARTY.md"),
    *("botd", "protocols", "core_cpp", "config", "docs", "ops", "tests"),
}
"""What lies at the top of the source distribution; `.ci` is of no use to anybody else."""
GENERATED = {"__pycache__", ".pyc", ".so", ".o", ".egg-info", ".sqlite3"}
NOT_PYTHON = {"botd/_core.pyi", "botd/py.typed", "botd_protocols/py.typed"}


def build(kind: str, source: Path, folder: Path, settings: str = "None") -> Path:
    """By the hooks that every build tool calls, in a process of their own, whose folder they need."""
    code = f"from scikit_build_core.build import build_{kind} as b; print(b({str(folder)!r}, {settings}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=source, capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return folder / done.stdout.splitlines()[-1]


def python_files_of_wheel(source: Path, folder: Path) -> set[str]:
    """All of the wheel but what CMake installs."""
    with zipfile.ZipFile(build("wheel", source, folder, "{'wheel.cmake': 'false'}")) as wheel:
        return set(wheel.namelist())


def files_below(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if path.is_file() and not GENERATED & {path.suffix, *path.parts}:
            yield str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    # By tar, as a user would: Python's module wants a filter from 3.12 on and knows none in Debian's 3.11.
    subprocess.run(["tar", "-xzf", sdist, "-C", folder], check=True)
    return folder / NAME


def test_the_source_distribution_has_what_the_tree_has_and_nothing_else(unpacked: Path) -> None:
    found = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    assert {name.split("/")[0] for name in found} == TOP
    for folder in sorted(TOP):
        if (ROOT / folder).is_dir():
            below = {name for name in found if name.startswith(f"{folder}/")}
            assert below == set(files_below(ROOT / folder))
    assert not [name for name in found if GENERATED & {Path(name).suffix, *Path(name).parts}]


def test_programs_in_the_source_distribution_can_be_run(unpacked: Path) -> None:
    for path in (unpacked / "ops").rglob("*"):
        if path.is_file() and path.read_bytes().startswith(b"#!"):
            assert path.stat().st_mode & 0o111, path


def test_it_comes_out_the_same_byte_for_byte(sdist: Path, tmp_path: Path) -> None:
    again = build("sdist", ROOT, tmp_path)
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(sdist.read_bytes()).digest()


def test_a_wheel_has_every_module_its_assets_and_the_licences(unpacked: Path, tmp_path: Path) -> None:
    found = python_files_of_wheel(unpacked, tmp_path)
    packages = {
        *files_below(ROOT / "botd"),
        *(name.removeprefix("protocols/") for name in files_below(ROOT / "protocols")),
    }
    assert {name for name in found if ".dist-info/" not in name} == packages
    assert packages >= NOT_PYTHON
    assert {f"{NAME}.dist-info/licenses/{name}" for name in ("LICENSE", "THIRD_PARTY.md")} <= found
    assert found == python_files_of_wheel(ROOT, tmp_path)


def test_cmake_installs_the_extension_and_its_data(tmp_path: Path) -> None:
    (folder,) = (ROOT / "build").glob(f"cp{sys.version_info.major}{sys.version_info.minor}-*")
    subprocess.run(
        [Path(sys.executable).with_name("cmake"), "--install", folder, "--prefix", tmp_path],
        capture_output=True,
        check=True,
    )
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    data = {name.replace("config/", "botd/data/") for name in files_below(ROOT / "config") if "/" in name}
    data.discard("botd/data/botd.example.toml")
    (extension,) = found - data
    assert extension.startswith("botd/_core.")
    assert found == {extension, *data}
