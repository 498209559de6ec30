"""The stable interface of `botd.engine`: the names in docs/python-api.md exist, explained, typed and true."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import botd.engine
from botd.engine import STARTING_BOARD, load_engine

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python-api.md"
MODULES = ("analysis", "market", "match_id", "met", "notation", "position_id", "rules", "xgid")
INTERNAL = {"fast_search", "cube_decision"}
"""Methods of public classes that the page calls seams of the inside."""
SEEN_BY = re.compile(
    r"\b(on roll|seen (like|by)|own view|mover|doubler|side that|either side|of the player|whoever|"
    r"both sides|other side|same side|either order|player)\b"
)


def public() -> Iterator[tuple[str, ModuleType | type | Any]]:
    """Every public name with what it stands for, those of the public modules with the module before them."""
    for name in botd.engine.__all__:
        value = getattr(botd.engine, name)
        yield name, value
        if name in MODULES:
            for inner in value.__all__:
                yield f"{name}.{inner}", getattr(value, inner)


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that a class defines itself."""
    for name, value in vars(kind).items():
        if name.startswith("_") or name in INTERNAL:
            continue
        if isinstance(value, classmethod | staticmethod):
            yield name, value.__func__
        elif inspect.isfunction(value) or isinstance(value, property):
            yield name, value


def source_of(value: object) -> Path:
    return Path(inspect.getsourcefile(value) or "")  # type: ignore[arg-type]


def documented_by_string(path: Path) -> set[str]:
    """Names in a module that are explained by a string behind their assignment, fields of classes too."""
    found = set()

    def look(body: list[ast.stmt], prefix: str) -> None:
        for statement, follower in zip(body, [*body[1:], None], strict=True):
            if isinstance(statement, ast.ClassDef):
                look(statement.body, f"{statement.name}.")
            targets: list[ast.expr] = []
            if isinstance(statement, ast.AnnAssign):
                targets = [statement.target]
            elif isinstance(statement, ast.Assign):
                targets = statement.targets
            explained = isinstance(follower, ast.Expr) and isinstance(follower.value, ast.Constant)
            if explained:
                found.update(prefix + target.id for target in targets if isinstance(target, ast.Name))

    look(ast.parse(path.read_text(encoding="utf-8")).body, "")
    return found


def test_the_page_lists_exactly_the_public_names() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## All names")[2]
    names, *modules = section.partition("Of the engine classes")[0].split("\n- ")
    assert set(re.findall(r"`(\w+)`", names)) | set(MODULES) == set(botd.engine.__all__)
    listed = {}
    for entry in modules:
        module, *inner = re.findall(r"`(\w+)`", entry)
        listed[module] = sorted(inner)
    assert listed == {name: sorted(getattr(botd.engine, name).__all__) for name in MODULES}


def test_every_name_can_be_had_in_every_way() -> None:
    for name in botd.engine.__all__:
        assert name in dir(botd.engine)
        assert getattr(botd.engine, name) is getattr(botd.engine, name)
    everything: dict[str, Any] = {}
    exec("from botd.engine import *", everything)
    assert set(botd.engine.__all__) <= everything.keys()
    for wrong in ("nothing", "_ELSEWHERE_", "SageSearch"):
        with pytest.raises(AttributeError, match=wrong):
            getattr(botd.engine, wrong)
    with pytest.raises(ImportError):
        exec("from botd.engine import nothing")


def test_type_checkers_see_the_same_names() -> None:
    """What stands under TYPE_CHECKING is what is there when the program runs."""
    tree = ast.parse(source_of(botd.engine).read_text(encoding="utf-8"))
    [checked] = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    ]
    imported = {}
    for node in checked.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            imported[alias.name] = node.module
    assert set(imported) == set(botd.engine.__all__)
    for name, home in imported.items():
        if name not in MODULES:
            assert getattr(importlib.import_module(home or ""), name) is getattr(botd.engine, name)


def test_importing_the_package_loads_nothing() -> None:
    code = "import sys, botd.engine; print([name for name in sys.modules if name.startswith('botd.engine.')])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def explained(value: object) -> bool:
    """Whether there is a docstring that somebody has written: `dataclass` and `Enum` make some themselves."""
    text = (value.__doc__ if isinstance(value, type) else inspect.getdoc(value)) or ""
    return bool(text) and not (isinstance(value, type) and text.startswith(f"{value.__name__}("))


def test_everything_public_is_explained() -> None:
    unexplained = []
    for name, value in public():
        module, _, short = name.rpartition(".")
        constant = not isinstance(value, type | ModuleType) and not callable(value)
        if constant or not explained(value):  # constants, and classes of the core
            home = importlib.import_module(f"botd.engine.{module or _home(name)}")
            if short not in documented_by_string(source_of(home)):
                unexplained.append(name)
        if isinstance(value, type) and value.__module__.startswith("botd.engine"):
            unexplained += [f"{name}.{member}" for member, inner in members(value) if not explained(inner)]
    assert unexplained == []


def _home(name: str) -> str:
    return botd.engine._ELSEWHERE.get(name, "types")


def test_whatever_takes_a_board_says_whose_view_it_is() -> None:
    """In its own words, its class's or its module's."""
    silent = []
    for name, value in public():
        found = [(name, value)] if inspect.isfunction(value) else []
        if isinstance(value, type) and value.__module__.startswith("botd.engine"):
            found += [(f"{name}.{member}", inner) for member, inner in members(value)]
        for what, function in found:
            if not inspect.isfunction(function):
                continue
            if not {"board", "context", "boards"} & set(inspect.signature(function).parameters):
                continue
            module = inspect.getdoc(sys.modules[function.__module__]) or ""
            texts = [inspect.getdoc(function) or "", inspect.getdoc(value) or "", module]
            if not any(SEEN_BY.search(text) for text in texts):
                silent.append(what)
    assert silent == []


def test_the_examples_of_the_page_are_true() -> None:
    failed, tried = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL & 0
    )
    assert tried > 40
    assert failed == 0


def test_the_example_of_the_package_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    lines = (botd.engine.__doc__ or "").splitlines()
    exec(textwrap.dedent("\n".join(line for line in lines if line.startswith("    "))), {})
    assert capsys.readouterr().out == "8/5 6/5\n"


@pytest.mark.parametrize(
    "name",
    [
        "fast:sage",
        "sage",
        "gnubg",
        "gnubg:A",
        "fast:gnubg",
        "random",
        "random:3",
        "sage@hard",
        "sage@easy:7",
        "sage@expert",
    ],
)
def test_engines_of_the_table_can_be_had(name: str) -> None:
    engine = load_engine(name)
    assert isinstance(engine, botd.engine.Engine)
    decision = engine.choose_play(STARTING_BOARD, botd.engine.GameContext(), (3, 1), ply=0)
    assert decision.legal_count == 16


PROGRAM = """
from botd.engine import STARTING_BOARD, Board, CancelToken, Engine, FastEngine, GameContext, SearchSettings
from botd.engine import load_engine, match_id, notation, position_id, rules, xgid
from botd.engine.analysis import analyse_play


def best(engine: Engine, board: Board, dice: tuple[int, int]) -> str:
    decision = engine.choose_play(board, GameContext(match_length=5), dice, ply=1)
    return decision.best.play.notation


engine = load_engine("fast:sage")
print(best(engine, STARTING_BOARD, (3, 1)))
if isinstance(engine, FastEngine):
    token = CancelToken()
    engine.configured(SearchSettings(threads=1)).choose_play(
        STARTING_BOARD, GameContext(), (6, 5), ply=2, deadline_s=1.0, cancel=token
    )
reveal_type(engine.cube_action(STARTING_BOARD, GameContext(), ply=0).double)
reveal_type(rules.legal_plays(STARTING_BOARD, (3, 1))[0].steps)
reveal_type(position_id.decode("4HPwATDgc/ABMA"))
reveal_type(match_id.decode("cAkAAAAAAAAA").context.cube_value)
reveal_type(xgid.decode("").board)
reveal_type(notation.parse_play("8/5 6/5", STARTING_BOARD, (3, 1)).notation)
reveal_type(analyse_play)
"""
REVEALED = (
    "bool",
    "tuple[tuple[int, int], ...]",
    "tuple[int, ...]",
    "int",
    "tuple[int, ...]",
    "str",
    "def (engine: botd.engine.protocol.Engine",
)
WRONG = """
from botd.engine import STARTING_BOARD, GameContext, load_engine, nothing_of_the_kind, rules

engine = load_engine(3)
engine.choose_play(STARTING_BOARD, GameContext(), (3, 1))
engine.cube_action(STARTING_BOARD, GameContext(), ply=0).doubled
rules.legal_plays("board", (3, 1))
"""


def mypy(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Check a program that uses botd as an installed package, types and all."""
    packages = folder / "site-packages"
    packages.mkdir(exist_ok=True)
    for name in ("botd", "botd_protocols"):
        source = ROOT / name if name == "botd" else ROOT / "protocols" / name
        if not (packages / name).exists():
            (packages / name).symlink_to(source, target_is_directory=True)
    (folder / "program.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "program.py"]
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_program_of_somebody_else_passes_mypy_strict(tmp_path: Path) -> None:
    assert (ROOT / "botd" / "py.typed").exists()
    result = mypy(PROGRAM, tmp_path)
    assert result.returncode == 0, result.stdout
    told = re.findall(r'Revealed type is "(.*)"', result.stdout.replace("", ""))
    assert len(told) == len(REVEALED)
    for text, expected in zip(told, REVEALED, strict=True):
        assert text.startswith(expected), text
    wrong = mypy(WRONG, tmp_path)
    for code in ("attr-defined", "arg-type", "call-arg"):
        assert f"[{code}]" in wrong.stdout
    assert len(re.findall(r"program.py:\d+: error", wrong.stdout)) == 5, wrong.stdout
