"""gnubg's search with its published weights and databases, every combination built once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from botd import _core
from botd.engine.met import default_met_path, load_met
from tests.gnubg.data_files import ONE_SIDED, TWO_SIDED, WEIGHTS_100, WEIGHTS_101

TABLE = load_met(default_met_path()).table(derive_last=True)

DIVISIONS = ["exact"]
"""Ways to divide that give the recorded numbers on this machine. The approximation is an instruction of x86
processors; it was recorded on one by AMD, and other makers approximate differently."""
_CPU = Path("/proc/cpuinfo")
if _CPU.exists() and "AuthenticAMD" in _CPU.read_text():
    DIVISIONS.append("reciprocal")


@lru_cache
def evaluator(weights: str, rule: str, division: str) -> _core.GnubgEvaluator:
    """weights, rule: `A` or `B`; the rule is how the board is judged that waits for a hit checker."""
    return _core.GnubgEvaluator.load(
        {"A": WEIGHTS_100, "B": WEIGHTS_101}[weights], ONE_SIDED, TWO_SIDED, profile=rule, division=division
    )


@lru_cache
def search(
    profile: str,
    *,
    rule: str | None = None,
    division: str = "exact",
    table: str | None = None,
    filter_name: str = "normal",
    **settings: Any,
) -> _core.GnubgSearch:
    """gnubg's normal filter unless another is named; `table` A or B is where it is looked up."""
    return _core.GnubgSearch(
        evaluator(profile, rule or profile, division),
        TABLE,
        profile=profile,
        filter=_core.MoveFilter.named(filter_name, table or profile),
        **settings,
    )
