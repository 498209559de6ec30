"""Configurations for the doctor, and what he finds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

from botd.config import load_config
from botd.doctor.findings import Finding, Patient, State

Checking = Callable[[Patient], AsyncIterator[Finding]]
PASSWORD = "anna-s3cret-pw"


def account(port: int, more: str = "") -> str:
    return (
        f'[[accounts]]\nhost = "127.0.0.1"\nport = {port}\nname = "anna"\npassword_file = "anna.pw"\n{more}\n'
    )


def bgammon(host: str, port: int, more: str = "") -> str:
    return (
        f'[[accounts]]\nprotocol = "bgammon"\nhost = "{host}"\nport = {port}\nname = "BOT_anna"\n'
        f'password_file = "anna.pw"\n{more}\n'
    )


def config_file(folder: Path, text: str) -> Path:
    """A file with a password beside it."""
    password = folder / "anna.pw"
    password.write_text(PASSWORD)
    password.chmod(0o600)
    file = folder / "botd.toml"
    file.write_text(f'[daemon]\nstate_directory = "state"\n{text}')
    return file


def patient(folder: Path, text: str, **options: object) -> Patient:
    file = config_file(folder, text)
    loaded = load_config(file, in_service=False)
    return Patient(path=file, loaded=loaded, **options)  # type: ignore[arg-type]


async def found(check: Checking, who: Patient) -> list[Finding]:
    return [finding async for finding in check(who)]


async def only(check: Checking, who: Patient) -> Finding:
    (finding,) = await found(check, who)
    assert finding.state in (State.OK, State.NOT_TRIED) or finding.advice, finding
    return finding
