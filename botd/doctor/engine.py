"""The engine: processor path, weights, match equities, a known position, workers and their memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from botd.config import EngineConfig
from botd.doctor.findings import Check, Finding, Patient, not_tried, ok, problem, warning
from botd.engine.protocol import Engine, EvaluatingEngine, load_engine
from botd.engine.types import Board, EngineInfo, GameContext

OPENING: Board = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)
KNOWN_VALUES = (0.5276377, 0.1498433, 0.0081575, 0.1256334, 0.0056979)
"""Of the opening at 0-ply, money, with Sage's networks of KNOWN_WEIGHTS: as bgsage itself gives them."""
NEARLY = 1e-4
"""Paths of the processor round differently; a wrong network is off by far more."""
KNOWN_ROLL, KNOWN_PLAY = (3, 1), "8/5 6/5"
"""Every evaluator that plays at all makes the five point."""
KNOWN_WEIGHTS = {"2.0.20260907": "0d65b5c0a6a1be1375a01be061b772481be27f3304bb25d719134301fc982473"}
"""Digest of all networks and the bear-off table by version of bgsage."""
LITTLE_MEMORY = 256 << 20
_FLAGS = {"avx2": ("avx2", "fma"), "avx512": ("avx512f", "avx512bw", "avx512dq", "avx512vl")}


def _configured(patient: Patient) -> EngineConfig:
    return EngineConfig() if patient.config is None else patient.config.engine


def _base(patient: Patient) -> str:
    """The evaluator that plays matches, without the network for money."""
    return _configured(patient).evaluator.rpartition("+")[2]


async def processor(patient: Patient) -> AsyncIterator[Finding]:
    from botd import _core  # noqa: PLC0415

    built = list(_core.cpu_paths())
    used = built[-1]
    flags = await asyncio.to_thread(_cpu_flags)
    able = [path for path, needed in _FLAGS.items() if flags.issuperset(needed)]
    faster = [path for path in able if path not in built]
    if faster:
        text = f"uses {used}, though this processor has {faster[-1]}"
        yield warning("processor", text, "install a build of botd with that path; it is about twice as fast")
    else:
        yield ok("processor", f"{used}, the fastest that this processor has")


def _cpu_flags() -> set[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return set()
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return set(line.partition(":")[2].split())


async def weights(patient: Patient) -> AsyncIterator[Finding]:
    """Loads the evaluator in this process, hashes its files and asks for a known position."""
    spec = _base(patient)
    try:
        engine = await asyncio.to_thread(load_engine, spec)
        info = await asyncio.to_thread(lambda: engine.info)
    except (OSError, ValueError) as error:
        advice = "pip install --force-reinstall bgsage" if spec == "sage" else ""
        yield problem("weights", str(error), advice)
        return
    yield _weights(spec, info)
    yield ok("match equities", info.met or "none")
    yield await asyncio.to_thread(_known_position, spec, engine)


def _weights(spec: str, info: EngineInfo) -> Finding:
    shown = f"{info.evaluator}, {len(info.weights_files)} files, sha256 {info.weights_sha256[:16]}"
    if spec != "sage":
        return ok("weights", shown)
    try:
        installed = version("bgsage")
    except PackageNotFoundError:
        installed = ""
    known = KNOWN_WEIGHTS.get(installed)
    if known is None:
        return ok("weights", f"{shown}; bgsage {installed or 'of no version'} is not known to this botd")
    if known != info.weights_sha256:
        text = f"{shown}, but those of bgsage {installed} are {known[:16]}: a file is damaged or changed"
        return problem("weights", text, "pip install --force-reinstall bgsage")
    return ok("weights", f"{shown}, those of bgsage {installed}")


def _known_position(spec: str, engine: Engine) -> Finding:
    """Static values where they are known, and a play that is beyond doubt."""
    context = GameContext()
    play = engine.choose_play(OPENING, context, KNOWN_ROLL, ply=0).best.play.notation
    if play != KNOWN_PLAY:
        shown = f"{KNOWN_ROLL[0]}-{KNOWN_ROLL[1]}"
        text = f"plays the opening {shown} as {play}, expected {KNOWN_PLAY}"
        return problem("known position", text, "the weights or this build of botd are broken")
    if spec != "sage" or not isinstance(engine, EvaluatingEngine):
        return ok("known position", f"plays the opening 3-1 as {play}")
    found, _ = engine.evaluate(OPENING, context, ply=0)
    assert found is not None  # these networks have them
    values = (found.win, found.win_gammon, found.win_backgammon, found.lose_gammon, found.lose_backgammon)
    error = max(abs(a - b) for a, b in zip(values, KNOWN_VALUES, strict=True))
    if error > NEARLY:
        text = f"the opening's chances are off by {error:.6f}, expected at most {NEARLY}"
        return problem("known position", text, "the weights or this build of botd are broken")
    return ok("known position", f"the opening's chances are right within {error:.7f}; 3-1 is {play}")


async def workers(patient: Patient) -> AsyncIterator[Finding]:
    """Starts the workers as the daemon does, asks one question, and looks at their memory."""
    from botd.decisions.pool import PoolStartError  # noqa: PLC0415 - what plays, not needed to look elsewhere
    from botd.decisions.service import DecisionService, ServiceConfig  # noqa: PLC0415

    engine = _configured(patient)
    service = DecisionService(ServiceConfig.of(engine))
    began = time.monotonic()
    try:
        await service.start()
        started = time.monotonic() - began
        answer = await service.choose_play(OPENING, GameContext(), KNOWN_ROLL)
        took = time.monotonic() - began - started
        memory = await asyncio.to_thread(_memory, service.worker_pids)
    except PoolStartError as error:
        yield problem("workers", str(error), "see the lines about weights")
        return
    finally:
        await service.stop()
    depth = answer.decision.best.ply
    yield ok(
        "workers",
        f"{engine.workers} ready in {started:.1f} s; first decision ({depth}-ply) in {took * 1000:.0f} ms",
    )
    yield _memory_finding(memory)


def _memory(pids: list[int]) -> int | None:
    """Bytes of all workers, shared ones counted once; None where the kernel does not tell."""
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
        except (OSError, StopIteration):
            return None
    return total


def _memory_finding(used: int | None) -> Finding:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) * 1024
    except (OSError, StopIteration):
        return not_tried("memory", "the kernel does not tell")
    text = f"{free >> 20} MB to be had" + (f"; the workers use {used >> 20} MB" if used is not None else "")
    if free < LITTLE_MEMORY:
        return warning("memory", text, "fewer engine.workers, or end something else")
    return ok("memory", text)


async def gnubg(patient: Patient) -> AsyncIterator[Finding]:
    """Optional, unless the configuration names it."""
    from botd.engine.gnubg_data import GnubgDataNotFound, find_gnubg_data  # noqa: PLC0415

    needed = _base(patient).startswith("gnubg")
    try:
        files = await asyncio.to_thread(find_gnubg_data)
    except GnubgDataNotFound as error:
        if needed:
            yield problem("gnubg data", str(error))
        else:
            yield not_tried("gnubg data", 'not installed; only evaluator = "gnubg" needs it')
        return
    yield ok("gnubg data", f"weights {files.version or 'of unknown version'} in {files.weights}")


CHECKS = (
    Check("processor", processor),
    Check("weights", weights, limit_s=60),
    Check("workers", workers, limit_s=90),
    Check("gnubg data", gnubg),
)
