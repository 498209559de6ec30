"""The systemd unit: whether it is there, starts this configuration, and passes the credentials it names."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from botd.config import Config
from botd.config.rules import TOKEN_KEYS
from botd.doctor.findings import Check, Finding, Patient, not_tried, ok, problem, warning

MAX_UNIT = 1 << 20
_CREDENTIAL_KEYS = ("LoadCredential", "LoadCredentialEncrypted")
_KEYS = ("ExecStart", *_CREDENTIAL_KEYS)


@dataclass(frozen=True, slots=True)
class Unit:
    """What counts here of a unit with its drop-ins."""

    path: Path
    programs: tuple[str, ...]
    credentials: dict[str, Path]


def read_unit(folders: Sequence[Path], instance: str | None = None) -> Unit | None:
    """`botd.service`, or `botd@.service` for an instance: of the first folder that has it, with all drop-ins.

    Raises OSError.
    """
    name = "botd.service" if instance is None else "botd@.service"
    file = next((folder / name for folder in folders if (folder / name).is_file()), None)
    if file is None:
        return None
    drop_ins: dict[str, Path] = {}
    for folder in reversed(folders):
        for owner in (name, name.replace("@", f"@{instance}")):
            drop_ins |= {path.name: path for path in (folder / f"{owner}.d").glob("*.conf")}
    found: dict[str, list[str]] = {key: [] for key in _KEYS}
    for path in (file, *(drop_ins[each] for each in sorted(drop_ins))):
        with path.open(encoding="utf-8", errors="replace") as unit:
            for line in unit.read(MAX_UNIT).splitlines():
                key, equals, value = line.strip().partition("=")
                if equals and key in found:
                    value = value.replace("%i", instance or "")
                    found[key] = [*found[key], value] if value else []  # an empty value forgets those before
    passed = [line for key in _CREDENTIAL_KEYS for line in found[key]]
    credentials = dict(line.partition(":")[::2] for line in passed)
    return Unit(file, tuple(found["ExecStart"]), {name: Path(where) for name, where in credentials.items()})


def _fitting(patient: Patient) -> Unit | None:
    """The unit that starts this configuration; if none does, the plain one."""
    plain = read_unit(patient.unit_folders)
    if patient.path is None or (plain is not None and _named(plain) == patient.path.absolute()):
        return plain
    template = read_unit(patient.unit_folders, patient.path.stem)
    return template if template is not None and _named(template) == patient.path.absolute() else plain


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line.lstrip("-@:+!")) or [""]
    except ValueError:  # unbalanced quotes
        return [line]


def _named(unit: Unit) -> Path | None:
    """The configuration that a unit starts."""
    for line in unit.programs:
        words = _words(line)
        if "--config" in words[:-1]:
            return Path(words[words.index("--config") + 1])
    return None


def credentials_of(config: Config) -> list[str]:
    """The names of all systemd credentials that a configuration uses."""
    names = [account.password_credential for account in config.accounts]
    names += [account.create.password_credential for account in config.accounts]
    if config.mqtt.enabled:
        names.append(config.mqtt.password_credential)
    if config.status_page.enabled:
        names += [getattr(config.status_page, key) for key in TOKEN_KEYS if key.endswith("_credential")]
    return sorted({name for name in names if name is not None})


async def unit(patient: Patient) -> AsyncIterator[Finding]:
    if patient.config is None:
        return
    needed = credentials_of(patient.config)
    found = await asyncio.to_thread(_fitting, patient)
    if found is None:
        if needed:
            text = f"not installed, though credentials come from it: {', '.join(needed)}"
            yield problem("systemd unit", text, "install ops/systemd/botd.service (docs/operating.md)")
        else:
            yield not_tried("systemd unit", "not installed; only needed to run as a service")
        return
    for finding in await asyncio.to_thread(lambda: list(_unit(patient, found, needed))):
        yield finding


def _unit(patient: Patient, unit: Unit, needed: Sequence[str]) -> list[Finding]:
    found: list[Finding] = []
    if not unit.programs:
        found.append(problem("systemd unit", f"{unit.path}: no ExecStart=", "copy it from ops/systemd again"))
    for line in unit.programs:
        program = _words(line)[0]
        if not Path(program).is_file():
            text = f"{unit.path}: ExecStart= names {program}, which is not there"
            found.append(problem("systemd unit", text, "systemctl edit botd, and name the path of botd"))
    named = _named(unit)
    if named is not None and patient.path is not None and named != patient.path.absolute():
        text = f"{unit.path}: starts {named}, not {patient.path}"
        found.append(warning("systemd unit", text, "is that what you want to look at? see --config"))
    for name in needed:
        where = unit.credentials.get(name)
        if where is None:
            text = f"{unit.path}: does not pass credential {name}"
            advice = f"systemctl edit botd: LoadCredential={name}:/etc/botd/{name}.password"
            found.append(problem(f"credential {name}", text, advice))
        else:
            found.append(_credential(name, where))
    return found or [ok("systemd unit", f"{unit.path}")]


def _credential(name: str, where: Path) -> Finding:
    try:
        exists = where.is_file() and where.stat().st_size > 0
    except PermissionError:
        return not_tried(f"credential {name}", f"{where}: only root can look", "run botd doctor as root")
    if not exists:
        advice = "write the password into it; chmod 600"
        return problem(f"credential {name}", f"{where} is not there or empty", advice)
    return ok(f"credential {name}", f"passed from {where}")


CHECKS = (Check("systemd unit", unit),)
