"""What a report must name so that its figures can be judged: machine, versions, date."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from botd import __version__, _core


@dataclass(frozen=True, slots=True)
class Machine:
    cpu: str
    cpus: int
    """That this process may use."""
    cpu_path: str
    """Of the measured engines."""
    cpu_paths: tuple[str, ...]
    """That this machine has."""
    load: float
    """Average number of running processes in the minute before."""
    python: str
    botd: str
    date: str
    """UTC."""


def this_machine(cpu_path: str | None) -> Machine:
    """The machine now; `cpu_path` None is the fastest path."""
    paths = tuple(_core.cpu_paths())
    return Machine(
        cpu=_cpu_name(),
        cpus=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        cpu_path=cpu_path or paths[-1],
        cpu_paths=paths,
        load=round(os.getloadavg()[0], 1),
        python=platform.python_version(),
        botd=__version__,
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
    )


def _cpu_name() -> str:
    """As Linux names it, with family and model where that is no name; else what Python knows."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    fields = dict(re.findall(r"^([^\n:]+?)\s*:[ \t]*(.*)$", text.partition("\n\n")[0], re.MULTILINE))
    name = fields.get("model name", "").strip() or platform.processor() or platform.machine()
    family, model = fields.get("cpu family"), fields.get("model")
    return f"{name} (family {family}, model {model})" if family and model else name
