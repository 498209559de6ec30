"""The machine: Python and packages, the clock, limits of a process, memory."""

from __future__ import annotations

import asyncio
import platform
import resource
import shutil
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

from botd.doctor.findings import Check, Finding, Patient, not_tried, ok, problem, warning

FILES_NEEDED = 64
"""Open files beside those of accounts: journal, workers, listeners, log."""
FILES_PER_ACCOUNT = 4
LAST_YEAR = 2100
"""A clock beyond it is broken, not late."""
A_DAY = 86_400


async def packages(patient: Patient) -> AsyncIterator[Finding]:
    from botd.about import packages as required  # noqa: PLC0415 - loads the engine

    found = await asyncio.to_thread(lambda: list(required()))
    missing = [each.name for each in found if each.version is None]
    shown = ", ".join(f"{each.name} {each.version}" for each in found if each.version)
    if missing:
        yield problem("packages", f"not installed: {', '.join(missing)}", "pip install botd brings them")
    else:
        yield ok("packages", f"Python {platform.python_version()}, {shown}")


async def clock(patient: Patient) -> AsyncIterator[Finding]:
    now = time.time()
    shown = f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M:%S} UTC"
    installed = (await asyncio.to_thread(Path(__file__).stat)).st_mtime
    advice = (
        "set the clock (timedatectl set-ntp true): times in journal and log would be wrong, and TLS fails"
    )
    if now < installed - A_DAY:
        yield problem("clock", f"{shown} is before botd was installed", advice)
    elif datetime.fromtimestamp(now, UTC).year > LAST_YEAR:
        yield problem("clock", f"{shown} is far in the future", advice)
    else:
        yield ok("clock", shown)


async def synchronisation(patient: Patient) -> AsyncIterator[Finding]:
    program = shutil.which("timedatectl")
    if program is None:
        yield not_tried("clock synchronised", "timedatectl is not there")
        return
    process = await asyncio.create_subprocess_exec(
        *(program, "show", "--property=NTPSynchronized", "--value"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        answer, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    match answer.strip():
        case b"yes":
            yield ok("clock synchronised", "by NTP")
        case b"no":
            yield warning(
                "clock synchronised", "no time server keeps the clock right", "timedatectl set-ntp true"
            )
        case _:
            yield not_tried("clock synchronised", "timedatectl does not say (no systemd here)")


async def limits(patient: Patient) -> AsyncIterator[Finding]:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    accounts = 1 if patient.config is None else len(patient.config.accounts)
    needed = FILES_NEEDED + FILES_PER_ACCOUNT * accounts
    text = f"{'unlimited' if hard == resource.RLIM_INFINITY else hard} open files, about {needed} needed"
    if hard != resource.RLIM_INFINITY and hard < needed:
        yield problem("limits", text, "raise LimitNOFILE= in the unit, or ulimit -n")
    else:
        yield ok("limits", text)


CHECKS = (
    Check("packages", packages),
    Check("clock", clock),
    Check("clock synchronised", synchronisation, limit_s=10),
    Check("limits", limits),
)
