"""Our numbers are our own: the engine works with every other engine's module blocked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import botd

BLOCKED_RUN = """
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        # Looking for the data folder of bgsage is fine; loading any of its code is not.
        if top in {"bgbot_cpp", "gnubg", "gnubg_nn", "gnubg_pub", "wildbg"} or name.startswith("bgsage."):
            raise ImportError(f"blocked: {name}")
        return None

sys.meta_path.insert(0, Block())
from botd.engine.engine import SageEngine
from botd.engine.types import STARTING_BOARD, GameContext

engine = SageEngine.load()
print(engine.choose_play(STARTING_BOARD, GameContext(), (3, 1), ply=1).best.play.notation)
print(engine.cube_action(STARTING_BOARD, GameContext(), ply=1).decision)
assert not {"bgsage", "bgbot_cpp", "gnubg"} & set(sys.modules), "another engine was imported"
"""


def test_the_engine_decides_with_other_engines_blocked() -> None:
    result = subprocess.run(
        [sys.executable, "-c", BLOCKED_RUN], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split("\n")[0] == "8/5 6/5"


def test_only_measuring_modules_name_other_engines_as_imports() -> None:
    root = Path(botd.__file__).parent
    allowed = {"bench", "compare", "duel"}
    offenders = [
        path
        for path in root.rglob("*.py")
        if not allowed & set(path.relative_to(root).parts)
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.lstrip().startswith(("import bgsage", "from bgsage", "import gnubg", "from gnubg"))
        or ("import_module(" in line and ("bgsage" in line or "gnubg" in line))
    ]
    assert offenders == []
