"""The container file, read by the script that carries its steps out without a container engine."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "ops/container"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = str(FOLDER / "run-steps-in-chroot")
    loader = importlib.machinery.SourceFileLoader("run_steps_in_chroot", path)
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module  # dataclasses look their module up
    loader.exec_module(module)
    return module


def test_the_last_stage_has_no_compiler_and_another_user(script: ModuleType) -> None:
    build, final = script.parse((FOLDER / "Containerfile").read_text())
    assert "g++" in " ".join(step.text for step in build.steps)
    texts = {step.name: step.text for step in final.steps}
    runs = " ".join(step.text for step in final.steps if step.name == "RUN")
    assert not any(word in runs for word in ("g++", "gcc", "python3-dev", "pip"))
    assert texts["USER"] == "botd"
    assert "/healthz" in texts["HEALTHCHECK"]
    assert texts["VOLUME"] == "/var/lib/botd"
    assert texts["ENTRYPOINT"] == '["botd"]'
    order = [step.name for step in final.steps]
    assert order.index("USER") > max(place for place, name in enumerate(order) if name in ("RUN", "COPY"))


def test_continued_lines_and_comments(script: ModuleType) -> None:
    (stage,) = script.parse('# one\nFROM debian:bookworm AS x\nRUN a \\\n # two\n && b\n\ncmd ["c", "d e"]\n')
    assert (stage.base, stage.name) == ("debian:bookworm", "x")
    assert [(step.line, step.name, step.text) for step in stage.steps] == [
        (3, "RUN", "a && b"),
        (7, "CMD", '["c", "d e"]'),
    ]
    assert stage.steps[1].words() == ["c", "d e"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one FROM"),
        ("RUN true", "line 1: expected FROM first"),
        ("FROM a b c", "line 1: FROM: expected IMAGE"),
        ("FROM debian:bookworm\nRUN true \\", "ends in a backslash"),
    ],
)
def test_what_cannot_be_read_is_one_line(script: ModuleType, text: str, message: str) -> None:
    with pytest.raises(script.ContainerfileError, match=message):
        script.parse(text)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("ADD http://somewhere /x", "line 2: ADD"),
        ("COPY nothing-here /x", "COPY: .*nothing-here is not there"),
        ("COPY --from=other a /x", "expected --from=STAGE"),
        ("ENTRYPOINT [botd", "ENTRYPOINT: no JSON list"),
    ],
)
def test_what_cannot_be_carried_out_is_one_line(
    script: ModuleType, steps: str, message: str, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    (base / "etc").mkdir(parents=True)
    (base / "etc/debian_version").touch()
    stages = script.parse(f"FROM debian:bookworm\n{steps}")
    with pytest.raises(script.ContainerfileError, match=message):
        script.Builder(tmp_path, tmp_path / "out", base).build(stages)


def test_files_are_copied_as_engines_do(script: ModuleType, tmp_path: Path) -> None:
    base, context = tmp_path / "base", tmp_path / "context"
    (base / "etc").mkdir(parents=True)
    (base / "etc/debian_version").touch()
    (context / "folder/deep").mkdir(parents=True)
    (context / "folder/deep/file").write_text("1")
    (context / "a-1.tar").write_text("2")
    text = (
        "FROM debian:bookworm AS one\nCOPY folder /opt\nCOPY a-*.tar /src/\n"
        "FROM debian:bookworm\nCOPY --from=one /opt /opt\nENV A=1 B=${A}2\nWORKDIR /w\nUSER u\n"
    )
    image = script.Builder(context, tmp_path / "out", base).build(script.parse(text))
    assert (image.root / "opt/deep/file").read_text() == "1"
    assert not (image.root / "src").exists()
    assert (tmp_path / "out/stage-0/src/a-1.tar").read_text() == "2"
    assert (image.environment["B"], image.folder, image.user) == ("12", "/w", "u")
