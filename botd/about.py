"""What an installation is made of: version, processor path, data files with digests, and whose they are."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path

import msgspec

from botd import __version__, _core
from botd.engine.met import default_met_path
from botd.engine.network_file import read_network
from botd.engine_cli.errors import AnswerError
from botd.engine_cli.evaluators import describe
from botd.engine_cli.requests import Settings
from botd.paths import rough_network, sage_assets

OWN_LICENCE = "MIT"
MET_SOURCE = "published results of Neil Kazaross"


class DataFile(msgspec.Struct, frozen=True):
    path: str
    sha256: str


class Data(msgspec.Struct, frozen=True):
    """Files that belong together, such as the networks of an evaluator."""

    what: str
    """What it is for; networks have the name of their evaluator."""
    licence: str | None
    """None: not known, for files of the user's own."""
    sha256: str
    """Of networks: as journal and metrics give it."""
    files: list[DataFile]


class Package(msgspec.Struct, frozen=True):
    name: str
    version: str | None
    """None: not installed."""
    licence: str | None


class About(msgspec.Struct, frozen=True):
    version: str
    licence: str
    python: str
    system: str
    cpu_path: str
    """What evaluations are computed with here: plain, avx2 or avx512."""
    cpu_paths: list[str]
    """All that this processor has."""
    data: list[Data]
    packages: list[Package]
    problem: str | None = None
    """Why the default evaluator could not be loaded."""


def about() -> About:
    """Reads and hashes every data file."""
    problem = None
    data = [
        _single("match equities", default_met_path(), MET_SOURCE),
        _single("fast search", rough_network(), read_network(rough_network()).licence),
    ]
    try:
        data += _evaluator_data()
    except AnswerError as error:
        problem = error.message
    return About(
        version=__version__,
        licence=OWN_LICENCE,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        cpu_path=_core.cpu_paths()[-1],
        cpu_paths=_core.cpu_paths(),
        data=data,
        packages=list(packages()),
        problem=problem,
    )


def about_text(facts: About) -> str:
    """The same for people; of several files only the folder is named."""
    lines = [
        f"botd {facts.version} ({facts.licence}), Python {facts.python}, {facts.system}",
        f"processor path {facts.cpu_path} (of {', '.join(facts.cpu_paths)})",
        "",
        "data",
    ]
    for data in facts.data:
        paths = [file.path for file in data.files]
        folders = " and ".join(dict.fromkeys(str(Path(path).parent) for path in paths))
        lines += [
            f"  {data.what:15} {data.licence or 'licence not known'}",
            f"  {'':15} {paths[0] if len(paths) == 1 else f'{folders} ({len(paths)} files)'}",
            f"  {'':15} sha256 {data.sha256}",
        ]
    if facts.problem:
        lines.append(f"  missing: {facts.problem}")
    lines += ["", "packages"]
    lines += [
        f"  {package.name:18} {package.version or 'not installed':14} {package.licence or ''}".rstrip()
        for package in facts.packages
    ]
    return "\n".join(lines)


def _single(what: str, path: Path, licence: str | None, digest: str | None = None) -> Data:
    sha256 = digest or hashlib.sha256(path.read_bytes()).hexdigest()
    return Data(what, licence, sha256, [DataFile(str(path), sha256)])


def _evaluator_data() -> Iterator[Data]:
    """Of every evaluator that has its files on this machine. AnswerError if the default one has not."""
    answer = describe(Settings())
    licences: dict[Path, str | None] = {}
    for evaluator in answer["evaluators"]:
        files = [DataFile(file["path"], file["sha256"]) for file in evaluator["weights"]]
        profile = evaluator.get("profile")
        name = f"{evaluator['name']} {profile}" if profile else evaluator["name"]
        yield Data(name, evaluator["licence"], evaluator["sha256"], files)
        licences |= {Path(file.path).parent: evaluator["licence"] for file in files}
    licences[sage_assets() / "data"] = licences.get(sage_assets() / "models")
    for file in answer["bearoff"]:
        path = Path(file["path"])
        yield _single("bear-off", path, licences.get(path.parent), file["sha256"])


def packages() -> Iterator[Package]:
    """Those that botd needs, as they are installed."""
    for requirement in requires("botd") or []:
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        if name and "extra ==" not in requirement:
            yield _package(name[0])


def _package(name: str) -> Package:
    try:
        return Package(name, version(name), _package_licence(name))
    except PackageNotFoundError:
        return Package(name, None, None)


def _package_licence(name: str) -> str | None:
    fields = metadata(name)
    texts = [str(text) for text in fields.get_all("License-Expression") or []]
    texts += [text.strip() for text in fields.get_all("License") or []]  # older; may be the whole text
    texts += [
        text.split(" :: ")[-1]
        for text in fields.get_all("Classifier") or []
        if text.startswith("License :: ")
    ]
    return next((text for text in texts if text and "\n" not in text), None)
