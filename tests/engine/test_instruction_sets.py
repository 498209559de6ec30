"""One binary for every x86-64: wider instructions lie only in files that are chosen at run time.

A function that is compiled in several files, such as a template's, is kept once by the linker, from whichever
file comes first. If one of these files is for wider registers, code for any processor may get its version.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OBJECTS = sorted(
    (ROOT / "build").glob(
        f"cp{sysconfig.get_config_var('py_version_nodot')}-*/CMakeFiles/botd_engine.dir/**/*.o"
    )
)
NOT_WIDE = frozenset({"verr", "verw"})
"""The only instructions of the baseline whose names begin with a v."""


def by_file(*command: str) -> Iterator[tuple[Path, str]]:
    """Each line of a program's output with the object file that it is about."""
    done = subprocess.run([*command, *map(str, OBJECTS)], capture_output=True, text=True, check=True)
    path = OBJECTS[0]
    for line in done.stdout.splitlines():
        if heading := re.match(r"(/\S+\.o):", line):
            path = Path(heading[1])
        else:
            yield path, line


@pytest.fixture(scope="module")
def wide_functions() -> dict[Path, set[str]]:
    """Names of the functions that need more than the baseline: VEX or EVEX code, wide or mask registers."""
    found: dict[Path, set[str]] = {}
    name = ""
    for path, line in by_file("objdump", "--disassemble", "--no-show-raw-insn", "--wide"):
        if heading := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            name = heading[1]
        elif instruction := re.match(r"\s+[0-9a-f]+:\s+(\w+)(.*)", line):
            mnemonic, operands = instruction[1], instruction[2]
            if (mnemonic[0] == "v" and mnemonic not in NOT_WIDE) or re.search(r"%([yz]mm|k[0-7])", operands):
                found.setdefault(path, set()).add(name)
    return found


def instruction_set(path: Path) -> str:
    wide = re.search(r"_(avx2|avx512|vnni)\.cpp\.o$", path.name)
    return wide[1] if wide else "baseline"


def test_wide_instructions_are_in_the_files_for_them_and_nowhere_else(
    wide_functions: dict[Path, set[str]],
) -> None:
    assert OBJECTS, "the build is expected in build/"
    wide = {path for path in OBJECTS if instruction_set(path) != "baseline"}
    assert bool(wide) == (platform.machine() == "x86_64")
    assert set(wide_functions) == wide


def test_no_function_is_compiled_for_two_instruction_sets() -> None:
    sets: dict[str, set[str]] = {}
    for path, line in by_file("nm", "--format=posix"):
        name, kind, *_ = [*line.split(), "", ""]
        if kind in ("W", "T"):
            sets.setdefault(name, set()).add(instruction_set(path))
    assert {name for name, found in sets.items() if len(found) > 1} == set()
