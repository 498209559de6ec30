"""Our numbers are our own: the engine works with every other engine's module blocked."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import botd

BLOCKED_RUN = """
import sys

GNUBG = {"gnubg", "gnubg_nn", "gnubg_pub"}
STARTS = {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork", "pty.spawn"}

def refuse_processes(event, arguments):
    if event in STARTS:
        raise RuntimeError(f"blocked: {event} {arguments}")

sys.addaudithook(refuse_processes)

class Block:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        # Looking for the data folder of bgsage is fine; loading any of its code is not.
        if top in {"bgbot_cpp", *GNUBG, "wildbg"} or name.startswith("bgsage."):
            raise ImportError(f"blocked: {name}")
        return None

sys.meta_path.insert(0, Block())
from botd.engine.engine import SageEngine
from botd.engine.types import STARTING_BOARD, GameContext

engine = SageEngine.load()
print(engine.choose_play(STARTING_BOARD, GameContext(), (3, 1), ply=1).best.play.notation)
print(engine.cube_action(STARTING_BOARD, GameContext(), ply=1).decision)

from botd.engine_cli.main import main

START = ["4HPwATDgc/ABMA", "cAkAAAAAAAAA"]
for command in (
    ["reference", *START, "3", "1"],
    ["bestmove", *START, "3", "1"],
    ["cube", *START],
    ["analysemove", *START, "3", "1", "8/5", "6/5"],
    ["analysecube", *START, "no_double"],
    ["luck", *START, "3", "1"],
    ["resign", *START],
    ["levels"],
    ["info"],
):
    assert main(["--ply", "0", *command]) == 0, command
assert main(["--level", "medium", "bestmove", *START, "3", "1"]) == 0
assert main(["--evaluator", "gnubg", "--profile", "A", "bestmove", *START, "3", "1"]) == 0
assert not {"bgsage", "bgbot_cpp", *GNUBG} & set(sys.modules), "another engine was imported"
"""


def test_the_engine_decides_with_other_engines_blocked() -> None:
    result = subprocess.run(
        [sys.executable, "-c", BLOCKED_RUN], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "8/5 6/5"
    assert len(lines) == 13


IMPORT = re.compile(r"\s*(import|from)\s+(bgsage|bgbot_cpp|gnubg|gnubg_nn|gnubg_pub|wildbg)\b(?!_)")


def test_only_measuring_modules_name_other_engines_as_imports() -> None:
    root = Path(botd.__file__).parent
    allowed = {"bench", "compare", "duel"}
    offenders = [
        path
        for path in root.rglob("*.py")
        if not allowed & set(path.relative_to(root).parts)
        for line in path.read_text(encoding="utf-8").splitlines()
        if IMPORT.match(line) or ("import_module(" in line and ("bgsage" in line or "gnubg" in line))
    ]
    assert offenders == []
    assert IMPORT.match("    from gnubg import hint")
    assert not IMPORT.match("from botd.engine.gnubg_data import find_gnubg_data")


def test_only_comparing_starts_programs() -> None:
    """The engine and its command line, apart from `compare`, have no means to start another engine."""
    root = Path(botd.__file__).parent
    starts = re.compile(
        r"\b(subprocess|os\.(system|exec\w*|posix_spawn\w*|fork)|pty\.spawn|create_subprocess\w*)\b"
    )
    files = [*(root / "engine").rglob("*.py"), *(root / "engine_cli").rglob("*.py")]
    found = {
        path.relative_to(root).as_posix() for path in files if starts.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"engine_cli/compare/gnubg_program.py"}
