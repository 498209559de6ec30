"""What the daemon opens on this machine, and the broker."""

from __future__ import annotations

import asyncio
import errno
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

from botd.addresses import endpoint
from botd.control.client import ControlError, ask
from botd.control.messages import Status
from botd.control.socket import SERVICE_SOCKET, default_path
from botd.daemon.connection import connect_reason
from botd.daemon.locks import journal_lock_file, lock_holder
from botd.doctor.findings import Check, Finding, Patient, not_tried, ok, problem
from botd.doctor.listeners import holder_of, try_to_listen

CONTROL_S = 5.0


async def ports(patient: Patient) -> AsyncIterator[Finding]:
    """Whether metrics and status page can have their ports."""
    if patient.config is None:
        return
    config = patient.config
    for name, table in (("metrics", config.metrics), ("status page", config.status_page)):
        if not table.enabled:
            yield not_tried(f"port of {name}", "not enabled")
        elif table.port == 0:
            yield ok(f"port of {name}", "any free one")
        else:
            yield await asyncio.to_thread(_port, patient, f"port of {name}", table.host, table.port)


def _port(patient: Patient, name: str, host: str, port: int) -> Finding:
    assert patient.config is not None
    where = endpoint(host, port)
    error = try_to_listen(host, port)
    if error is None:
        return ok(name, f"{where} is free")
    if error.errno != errno.EADDRINUSE:
        denied = error.errno in (errno.EACCES, errno.EPERM)
        advice = (
            "ports below 1024 are root's: choose a larger one"
            if denied
            else "name an address of this machine"
        )
        return problem(name, f"{where}: {connect_reason(error)}", advice)
    holder = holder_of(port)
    if holder is None:
        return problem(name, f"{where} is taken by somebody else's process", "choose another port")
    shown = f"process {holder[0]} ({holder[1]})"
    try:
        ours = lock_holder(journal_lock_file(patient.config.journal.path)) == f"process {holder[0]}"
    except OSError:
        ours = False
    if ours:
        return ok(name, f"{where} is open, by the running botd ({shown})")
    return problem(name, f"{where} is taken by {shown}", "choose another port, or stop that process")


async def control(patient: Patient) -> AsyncIterator[Finding]:
    if patient.config is None:
        return
    path = patient.config.control.path or default_path(patient.environment)
    if patient.config.control.path is None and await asyncio.to_thread(SERVICE_SOCKET.exists):
        path = SERVICE_SOCKET
    if not patient.config.control.enabled:
        yield not_tried("control socket", "not enabled")
    elif path is None:
        yield not_tried(
            "control socket",
            "there is none without control.path, $RUNTIME_DIRECTORY or $XDG_RUNTIME_DIR",
            "set control.path to use botd ctl",
        )
    elif not await asyncio.to_thread(path.exists):
        yield ok("control socket", f"{path} will be made")
    else:
        yield await asyncio.to_thread(_control, path)


def _control(path: Path) -> Finding:
    if not path.is_socket():
        return problem(
            "control socket", f"{path} is a file that is no socket", "remove it, or set control.path"
        )
    try:
        reply = ask(path, Status(), timeout_s=CONTROL_S)
    except ControlError as error:
        if "no botd listens" in str(error):
            return ok("control socket", f"{path} is left over; it will be made anew")
        return problem("control socket", str(error), "is it another user's botd, or another program's?")
    status = reply.result if reply.ok else None
    return ok("control socket", f"{path}: botd answers" + ("" if status is None else " and runs"))


async def broker(patient: Patient) -> AsyncIterator[Finding]:
    """Logs in to the broker under a name of its own, so that a running daemon is not disturbed."""
    if patient.loaded is None:
        return
    config = patient.loaded.config.mqtt
    if not config.enabled:
        yield not_tried("MQTT broker", "not enabled")
        return
    import aiomqtt  # noqa: PLC0415 - only where a broker is used

    from botd.mqtt.client import MqttSetupError, new_client, tls_context  # noqa: PLC0415

    where = endpoint(config.host, config.actual_port)
    identifier = f"{config.prefix}-doctor-{secrets.token_hex(4)}"
    if config.username is not None and not (
        patient.loaded.mqtt_password and patient.loaded.mqtt_password.reveal()
    ):
        yield not_tried("MQTT broker", f"{where}: only the service gets the password")
        return
    try:
        tls = await asyncio.to_thread(tls_context, config)
        async with new_client(config, patient.loaded.mqtt_password, tls, identifier=identifier):
            pass
    except MqttSetupError as error:
        yield problem("MQTT broker", str(error), "see mqtt.ca_file, certificate_file, key_file")
    except (aiomqtt.MqttError, OSError, ValueError) as error:
        reason = connect_reason(error) if isinstance(error, OSError) else str(error)
        refused = "authori" in reason.lower() or "password" in reason.lower()
        advice = (
            "see mqtt.username and its password" if refused else "does it run there? see mqtt.host, port, tls"
        )
        yield problem("MQTT broker", f"{where}: {reason}", advice)
    else:
        yield ok("MQTT broker", f"{where} lets us in")


CHECKS = (
    Check("ports", ports),
    Check("control socket", control, limit_s=15),
    Check("MQTT broker", broker, limit_s=25),
)
