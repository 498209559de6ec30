"""Configuration and passwords, and whether another botd uses them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from botd.config.check import check
from botd.config.rules import PASSWORD_KEYS
from botd.daemon.locks import account_lock_file, journal_lock_file, lock_holder, state_directory
from botd.doctor.findings import Check, Finding, Patient, not_tried, ok, problem, warning

SERVICE_STATE = Path("/var/lib/botd")
"""Where the systemd unit has its locks."""


async def configuration(patient: Patient) -> AsyncIterator[Finding]:
    """All that `botd check-config` tells."""
    if patient.path is None:
        yield not_tried("configuration", "none is named", "botd init writes one; name it with --config")
        return
    report = await asyncio.to_thread(check, patient.path, patient.environment)
    for each in report.problems:
        yield problem("configuration", str(each))
    for each in report.warnings:
        yield warning("configuration", str(each))
    if not report.problems:
        yield ok("configuration", f"{patient.path}: correct")


async def passwords(patient: Patient) -> AsyncIterator[Finding]:
    """Those in files and variables have been read already: a configuration without them is not loaded."""
    if patient.loaded is None:
        return
    for account, credentials in zip(patient.loaded.config.accounts, patient.loaded.credentials, strict=True):
        name = f"password of {account.name}"
        source = next((key for key in PASSWORD_KEYS if getattr(account, key) is not None), None)
        if source is None:
            yield ok(name, "none: plays as a guest")
        elif not credentials.login.reveal():
            yield not_tried(name, f"systemd passes credential {account.password_credential} to the service")
        else:
            yield ok(name, f"read ({source})")


async def running(patient: Patient) -> AsyncIterator[Finding]:
    """Whether a botd plays these accounts, or writes this journal."""
    if patient.config is None:
        return
    own = patient.config.daemon.state_directory or state_directory(patient.environment)
    # A service has its locks elsewhere than whoever looks at it.
    folders = dict.fromkeys((own, SERVICE_STATE))
    files = {f"journal {patient.config.journal.path}": [journal_lock_file(patient.config.journal.path)]}
    for account in patient.config.accounts:
        files[f"account {account.name} on {account.server}"] = [
            account_lock_file(folder, account) for folder in folders
        ]
    holders: dict[str, str] = {}
    for what, candidates in files.items():
        for file in candidates:
            try:
                if (holder := await asyncio.to_thread(lock_holder, file)) is not None:
                    holders[what] = holder
            except OSError as error:
                yield warning("another botd", f"{file}: cannot be read: {error.strerror}", "try as its user")
    processes = sorted(set(holders.values()))
    if len(processes) > 1:
        shown = ", ".join(f"{what} by {holder}" for what, holder in holders.items())
        yield problem("another botd", f"several at work: {shown}", "stop one of them")
    elif len(holders) == len(files):
        yield ok("another botd", f"this configuration is being played by {processes[0]}")
    elif holders:
        shown = ", ".join(holders)
        yield problem("another botd", f"{processes[0]} holds {shown}", "stop it, or change the configuration")
    else:
        yield ok("another botd", "none plays these accounts or writes this journal")


CHECKS = (
    Check("configuration", configuration),
    Check("passwords", passwords),
    Check("another botd", running),
)
