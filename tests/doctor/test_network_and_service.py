"""Ports, the control socket, a real broker, the systemd unit; a running daemon; nothing secret is told."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from botd.doctor import network, service
from botd.doctor.checkup import examine
from botd.doctor.findings import Check, Finding, Patient, State, ok
from tests.daemon.conftest import World, socket_folder, world
from tests.doctor.patients import PASSWORD, account, found, only, patient
from tests.mqtt.broker import broker

__all__ = ["socket_folder", "world"]


def ports(first: int, second: int = 0, host: str = "127.0.0.1") -> str:
    return f'[metrics]\nhost = "{host}"\nport = {first}\n[status_page]\nport = {second}\n{account(1)}'


async def test_a_port_that_is_taken_names_who_has_it(tmp_path: Path) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        taken, free = await found(network.ports, patient(tmp_path, ports(port)))
    assert taken.state is State.PROBLEM
    assert f"127.0.0.1:{port} is taken by process {os.getpid()} (" in taken.text
    assert (free.state, free.text) == (State.OK, "any free one")
    again, _ = await found(network.ports, patient(tmp_path, ports(port)))
    assert (again.state, again.text) == (State.OK, f"127.0.0.1:{port} is free")


async def test_an_address_that_is_not_of_this_machine(tmp_path: Path) -> None:
    finding, _ = await found(network.ports, patient(tmp_path, ports(9464, host="192.0.2.1")))
    assert finding.state is State.PROBLEM
    assert "Cannot assign requested address" in finding.text


def mqtt(port: int, more: str = "") -> str:
    return f'[mqtt]\nenabled = true\nhost = "127.0.0.1"\nport = {port}\n{more}\n{account(1)}'


async def test_a_broker(tmp_path: Path) -> None:
    async with broker(tmp_path) as it:
        fine = await only(network.broker, patient(tmp_path, mqtt(it.port)))
        port = it.port
    assert fine.state is State.OK
    away = await only(network.broker, patient(tmp_path, mqtt(port)))
    assert away.state is State.PROBLEM
    assert f"127.0.0.1:{port}: " in away.text
    assert (await only(network.broker, patient(tmp_path, account(1)))).state is State.NOT_TRIED


async def test_a_wrong_password_at_the_broker(tmp_path: Path) -> None:
    secrets = tmp_path / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(secrets), "botd", "right"], check=True)  # noqa: ASYNC221
    credentials = 'username = "botd"\npassword_file = "anna.pw"\n'
    settings = f"allow_anonymous false\npassword_file {secrets}\n"
    async with broker(tmp_path, settings) as it:
        who = patient(tmp_path, mqtt(it.port, credentials))
        wrong = await only(network.broker, who)
        (tmp_path / "anna.pw").write_text("right")
        who = patient_of(tmp_path)
        right = await only(network.broker, who)
    assert wrong.state is State.PROBLEM
    assert "see mqtt.username and its password" in wrong.advice
    assert PASSWORD not in f"{wrong}"
    assert right.state is State.OK


def patient_of(folder: Path) -> Patient:
    """The one whose files lie there already."""
    from botd.config import load_config

    file = folder / "botd.toml"
    return Patient(path=file, loaded=load_config(file))


async def test_control_sockets(tmp_path: Path, socket_folder: Path) -> None:
    path = socket_folder / "b.sock"
    who = patient(tmp_path, f'[control]\npath = "{path}"\n{account(1)}')
    assert (await only(network.control, who)).text == f"{path} will be made"
    path.write_text("a file")
    assert (await only(network.control, who)).state is State.PROBLEM
    path.unlink()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    assert "is left over" in (await only(network.control, who)).text


async def test_a_running_daemon_is_no_trouble(world: World) -> None:
    config = world.config(world.account("anna"))
    config.write_text(config.read_text().replace("[metrics]\nport = 0", f"[metrics]\nport = {free_port()}"))
    daemon = await world.start(config)
    await daemon.wait_for("ready_to_play")
    who = patient_of(world.folder)
    findings = [
        each async for each in examine(who, (*network.CHECKS, *_running())) if isinstance(each, Finding)
    ]
    assert [each for each in findings if each.state is State.PROBLEM] == []
    texts = " ".join(each.text for each in findings)
    assert "is open, by the running botd (process " in texts
    assert f"{world.socket}: botd answers and runs" in texts
    assert f"being played by process {daemon.process.pid}" in texts


def _running() -> tuple[Check, ...]:
    from botd.doctor import files

    return files.CHECKS


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# -- systemd -------------------------------------------------------------------------------------------------


def unit(folder: Path, *lines: str) -> None:
    (folder / "botd.service").write_text("[Service]\n" + "\n".join(lines) + "\n")


CREDENTIAL = account(1).replace('password_file = "anna.pw"', 'password_credential = "anna"')


async def test_units(tmp_path: Path) -> None:
    units = tmp_path / "units"
    units.mkdir()
    plain = patient(tmp_path, account(1), unit_folders=[units])
    assert (await only(service.unit, plain)).state is State.NOT_TRIED
    who = patient(tmp_path, CREDENTIAL, unit_folders=[units])
    missing = await only(service.unit, who)
    assert missing.state is State.PROBLEM
    assert "credentials come from it: anna" in missing.text

    unit(units, f"ExecStart=/bin/true run --config {tmp_path}/botd.toml", "LoadCredential=other:/x")
    no_credential = await only(service.unit, who)
    assert (no_credential.name, no_credential.state) == ("credential anna", State.PROBLEM)
    drop_in = units / "botd.service.d"
    drop_in.mkdir()
    (drop_in / "a.conf").write_text(f"[Service]\nLoadCredential=\nLoadCredential=anna:{tmp_path}/none\n")
    empty = await only(service.unit, who)
    assert empty.text == f"{tmp_path}/none is not there or empty"
    (tmp_path / "none").write_text("pw")
    assert (await only(service.unit, who)).text == f"passed from {tmp_path}/none"

    unit(units, "ExecStart=/no/such/botd run --config /etc/botd/botd.toml")
    program, config, credential = await found(service.unit, who)
    assert "/no/such/botd, which is not there" in program.text
    assert (config.state, credential.state) == (State.WARNING, State.OK)


async def test_our_own_unit_passes_its_credential(tmp_path: Path) -> None:
    ops = Path(__file__).parents[2] / "ops" / "systemd"
    found_unit = service.read_unit([tmp_path, ops])
    assert found_unit is not None
    assert found_unit.credentials == {"my_bot": Path("/etc/botd/my_bot.password")}
    assert found_unit.programs[0].startswith("/usr/local/bin/botd run --config /etc/botd/botd.toml")


async def test_a_template_and_a_broken_unit(tmp_path: Path) -> None:
    units = tmp_path / "units"
    units.mkdir()
    template = "[Service]\nExecStart=/bin/true --config {}/%i.toml\nLoadCredential=%i:{}/%i.password\n"
    (units / "botd@.service").write_text(template.format(tmp_path, tmp_path))
    who = patient(tmp_path, CREDENTIAL.replace('l = "anna"', 'l = "botd"'), unit_folders=[units])
    assert (await only(service.unit, who)).text == f"{tmp_path}/botd.password is not there or empty"
    unit(
        units,
        'ExecStart=/bin/true "unbalanced',
        "LoadCredential=x",
        "\x00\udcff".encode("utf-8", "replace").decode(),
    )
    assert [each.state for each in await found(service.unit, who)] == [State.PROBLEM]  # of the template still
    (units / "botd@.service").unlink()
    broken = await found(service.unit, who)
    assert {each.state for each in broken} == {State.PROBLEM}


# -- the checks as a whole -----------------------------------------------------------------------------------


async def test_a_check_that_hangs_raises_or_talks(tmp_path: Path) -> None:
    async def hangs(who: Patient) -> AsyncIterator[Finding]:
        yield ok("first", "seen")
        await asyncio.sleep(3600)

    async def raises(who: Patient) -> AsyncIterator[Finding]:
        raise RuntimeError(f"\x1b[2J {PASSWORD}")
        yield ok("never", "")

    async def talks(who: Patient) -> AsyncIterator[Finding]:
        yield Finding("talks", State.PROBLEM, f"sent {PASSWORD}\n to the server", f"not {PASSWORD}")

    checks = (Check("hangs", hangs, limit_s=0.1), Check("raises", raises), Check("talks", talks))
    who = patient(tmp_path, account(1))
    seen, hung, raised, told = [each async for each in examine(who, checks) if isinstance(each, Finding)]
    assert seen.text == "seen"
    assert hung.text == "not done within 0.1 s"
    assert raised.text.startswith("could not be examined: RuntimeError: \\x1b[2J ***")
    assert (told.text, told.advice) == ("sent *** to the server", "not ***")


@pytest.mark.parametrize("name", ["metrics", "status page"])
async def test_what_is_not_enabled_is_not_tried(name: str, tmp_path: Path) -> None:
    text = f"[metrics]\nenabled = false\n[status_page]\nenabled = false\n{account(1)}"
    findings = {each.name: each.state for each in await found(network.ports, patient(tmp_path, text))}
    assert findings[f"port of {name}"] is State.NOT_TRIED
