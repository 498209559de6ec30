"""Runs the checks one after the other; none of them can hang, raise or give a secret away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from botd.doctor import engine, files, journal, machine, network, servers, service
from botd.doctor.findings import Check, Finding, Patient, not_tried, problem
from botd.printable import printable

HIDDEN = "***"
MAX_TEXT = 600

CHECKS: tuple[Check, ...] = (
    *machine.CHECKS,
    *engine.CHECKS,
    *files.CHECKS,
    *journal.CHECKS,
    *network.CHECKS,
    *servers.CHECKS,
    *service.CHECKS,
)


async def examine(patient: Patient, checks: Sequence[Check] = CHECKS) -> AsyncIterator[Check | Finding]:
    """Each check before it is made, then what it has found."""
    secrets = () if patient.loaded is None else patient.loaded.secrets
    hidden = sorted({secret.reveal() for secret in secrets}, key=len, reverse=True)
    for check in checks:
        yield check
        async for finding in _within_limit(check, patient):
            yield replace(finding, text=_safe(finding.text, hidden), advice=_safe(finding.advice, hidden))


async def _within_limit(check: Check, patient: Patient) -> AsyncIterator[Finding]:
    found: asyncio.Queue[Finding | None] = asyncio.Queue()

    async def run() -> None:
        try:
            silent = True
            async with asyncio.timeout(check.limit_s):
                async for finding in check.run(patient):
                    found.put_nowait(finding)
                    silent = False
            if silent:
                found.put_nowait(not_tried(check.name, "needs a configuration that is in order"))
        except TimeoutError:
            found.put_nowait(problem(check.name, f"not done within {check.limit_s:g} s"))
        except Exception as error:  # a fault of ours, and no reason to keep the other findings back
            text = f"could not be examined: {type(error).__name__}: {error}"
            found.put_nowait(problem(check.name, text, "please report this"))
        finally:
            found.put_nowait(None)

    task = asyncio.create_task(run(), name=f"check {check.name}")
    try:
        while (finding := await found.get()) is not None:
            yield finding
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _safe(text: str, hidden: Sequence[str]) -> str:
    for secret in hidden:
        text = text.replace(secret, HIDDEN)
    return printable(" ".join(text.split()), MAX_TEXT)
