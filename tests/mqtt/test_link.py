"""The daemon with a real broker: events, commands, passwords, certificates, and brokers that misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import ssl
import subprocess
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from botd.mqtt.messages import EVENTS
from tests.mqtt.broker import Broker, broker, decode_msgpack, listener

World = Any
Daemon = Any
OPS = Path(__file__).parents[2] / "ops" / "mosquitto"
PASSWORD = "br0ker-s3cret-pw"
ONE_MATCH = "max_matches = 1"


def with_mqtt(config: Path, port: int, settings: str = "") -> Path:
    config.write_text(
        f"{config.read_text()}\n[mqtt]\nenabled = true\nhost = '127.0.0.1'\nport = {port}\n{settings}\n"
    )
    return config


async def stopped(daemon: Daemon) -> None:
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0, daemon.raw


async def metrics(url: str, *names: str) -> list[float]:
    """Of one reading: between two of them the daemon goes on."""

    def read() -> str:
        with urllib.request.urlopen(url + "metrics", timeout=10) as response:
            return str(response.read().decode())

    page = await asyncio.to_thread(read)
    found = [re.search(rf"^{re.escape(name)} (\S+)$", page, re.MULTILINE) for name in names]
    assert all(found), names
    return [float(each[1]) for each in found if each]


async def metric(daemon: Daemon, url: str, name: str) -> float:
    return (await metrics(url, name))[0]


async def test_a_whole_match_is_told(world: World, tmp_path: Path) -> None:
    async with broker(tmp_path) as mosquitto, listener(mosquitto.port) as ears:
        config = with_mqtt(world.config(world.two_accounts(3, ONE_MATCH)), mosquitto.port)
        daemon = await world.start(config)
        status = await ears.wait_for("botd/main/status")
        assert (status["status"], status["schema"]) == ("online", 1)
        assert await daemon.finish() == 0, daemon.raw
        last = await ears.wait_for("botd/main/status", status="offline")
        assert last["reason"] == "stopped"
    events = [message for topic, message, _ in ears.seen if "/event/" in topic]
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert all(topic == f"botd/main/event/{m['type']}" for topic, m, _ in ears.seen if "/event/" in topic)
    mine = [event for event in events if event["account"] == "anna"]
    kinds = [event["type"] for event in mine if event["type"] != "rating"]
    assert kinds[:3] == ["connected", "match_started", "game_started"]
    assert kinds[-1] == "disconnected"
    assert {"roll", "move", "decision", "game_result"} <= set(kinds) <= set(EVENTS)
    assert kinds.count("match_result") == 1
    result = next(event for event in mine if event["type"] == "match_result")
    journal = world.query("SELECT winner, score_us, score_opponent FROM matches WHERE account = 'anna'")
    assert (result["winner"], *result["score"]) == journal[0]
    decisions = [event for event in mine if event["type"] == "decision"]
    assert (
        len(decisions)
        == world.query("SELECT count(*) FROM decisions JOIN matches USING (match) WHERE account = 'anna'")[0][
            0
        ]
    )
    ratings = [(event["rating"], event["experience"]) for event in mine if event["type"] == "rating"]
    won = result["winner"] == "us"
    assert ratings == [(1500.0, 0), (1517.32 if won else 1482.68, 3)], "FIBS's formula for equal beginners"
    told = "SELECT round(rating, 2), experience, match FROM ratings WHERE account = 'anna' ORDER BY id"
    played = world.query("SELECT match FROM matches WHERE account = 'anna'")[0][0]
    assert world.query(told) == [(*ratings[0], None), (*ratings[1], played)]
    invited = next(event for event in events if event["type"] == "invited")
    assert (invited["account"], invited["player"], invited["accepted"]) == ("bert", "anna", True)


async def test_commands_come_from_the_broker_if_allowed(world: World, tmp_path: Path) -> None:
    async with broker(tmp_path) as mosquitto, listener(mosquitto.port) as ears:
        config = world.config(world.account("anna"))
        await ears.say("botd/main/command", {"command": "stop"}, retain=True)
        daemon = await world.start(with_mqtt(config, mosquitto.port, "commands = true"))
        await daemon.wait_for("mqtt_command_ignored")  # a retained one, kept by the broker
        await daemon.wait_for("ready_to_play")
        await ears.say("botd/main/command", {"command": "pause", "account": "anna", "id": "a"})
        assert await ears.wait_for("reply") == {"ok": True, "command": "pause", "id": "a"}
        await ears.say("botd/main/command", {"command": "status"})
        accounts = (await ears.wait_for("reply", command="status"))["result"]["accounts"]
        assert [(account["account"], account["paused"]) for account in accounts] == [("anna", True)]
        for hostile in (b"", b"\x00", b"[" * 4096, b"x" * 60_000, b'{"command": "stop", "now": "yes"}'):
            await ears.say("botd/main/command", hostile)
            assert (await ears.wait_for("reply"))["ok"] is False
        await ears.say("botd/main/command", {"command": "stop"})
        assert (await ears.wait_for("reply", command="stop"))["ok"] is True
        assert await daemon.finish() == 0


async def test_commands_are_off_by_default(world: World, tmp_path: Path) -> None:
    async with broker(tmp_path) as mosquitto, listener(mosquitto.port) as ears:
        daemon = await world.start(with_mqtt(world.config(world.account("anna")), mosquitto.port))
        await daemon.wait_for("mqtt_connected")
        await daemon.wait_for("ready_to_play")
        await ears.say("botd/main/command", {"command": "stop"})
        assert (await world.ctl("status"))[1]["result"]["state"] == "running"
        await stopped(daemon)
        await ears.wait_for("status", status="offline")
        assert "reply" not in ears.kinds()


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_messagepack_names_and_both_protocols(world: World, tmp_path: Path, protocol: str) -> None:
    settings = (
        f'format = "msgpack"\ninstance = "two"\nprefix = "games"\nprotocol = "{protocol}"\ncommands = true'
    )
    async with broker(tmp_path) as mosquitto, listener(mosquitto.port, decode=decode_msgpack) as ears:
        daemon = await world.start(with_mqtt(world.config(world.account("anna")), mosquitto.port, settings))
        assert (await ears.wait_for("games/two/status"))["status"] == "online"
        await ears.wait_for("games/two/event/connected", account="anna")
        await ears.say("games/two/command", bytes([0x81, 0xA7]) + b"command" + bytes([0xA5]) + b"drain")
        assert await ears.wait_for("games/two/reply") == {"ok": True, "command": "drain"}
        await stopped(daemon)


async def test_a_killed_daemon_is_offline_by_its_last_will(world: World, tmp_path: Path) -> None:
    async with broker(tmp_path) as mosquitto, listener(mosquitto.port) as ears:
        daemon = await world.start(with_mqtt(world.config(world.account("anna")), mosquitto.port))
        await ears.wait_for("status", status="online")
        daemon.process.kill()
        assert (await ears.wait_for("status", status="offline"))["reason"] == "lost"
        async with listener(mosquitto.port) as late:
            assert (await late.wait_for("status"))["status"] == "offline"
            assert late.seen[0][2], "retained"


async def test_errors_in_the_log_are_events_without_secrets(world: World, tmp_path: Path) -> None:
    async with broker(tmp_path) as mosquitto, listener(mosquitto.port) as ears:
        config = with_mqtt(world.config(world.account("anna") + world.account("carl")), mosquitto.port)
        (world.folder / "carl.password").write_text("wrong-s3cret-pw")
        daemon = await world.start(config)
        error = await ears.wait_for("event/error", error="account_refused")
        assert (error["account"], error["server"]) == ("carl", f"127.0.0.1:{world.server.port}")
        await stopped(daemon)
        await ears.wait_for("status", status="offline")
    assert "s3cret" not in repr(ears.seen) + daemon.raw


# -- who may do what -----------------------------------------------------------------------------------------


def example_settings(folder: Path) -> str:
    """ops/mosquitto/ as it is, with its files here and the port of the test."""
    passwords = folder / "botd.passwd"
    for number, user in enumerate(("botd", "operator", "viewer")):
        new = ["-c"] if number == 0 else []
        subprocess.run(["mosquitto_passwd", "-b", *new, str(passwords), user, PASSWORD], check=True)
    text = (OPS / "botd.conf").read_text().replace("/etc/mosquitto/botd.passwd", str(passwords))
    text = text.replace("/etc/mosquitto/botd.acl", str(OPS / "botd.acl"))
    assert "\nlistener 1883 127.0.0.1\n" in text
    return text.replace("\nlistener 1883 127.0.0.1\n", "\n")


async def test_the_example_of_ops_lets_everybody_do_what_he_should_and_no_more(
    world: World, tmp_path: Path
) -> None:
    (world.folder / "mqtt.password").write_text(f"{PASSWORD}\n")
    (world.folder / "mqtt.password").chmod(0o600)
    settings = 'username = "botd"\npassword_file = "mqtt.password"\ncommands = true'
    async with contextlib.AsyncExitStack() as stack:
        mosquitto = await stack.enter_async_context(broker(tmp_path, example_settings(tmp_path)))
        port = mosquitto.port
        login = {"password": PASSWORD}
        operator = await stack.enter_async_context(listener(port, username="operator", **login))
        viewer = await stack.enter_async_context(listener(port, username="viewer", **login))
        daemon = await world.start(with_mqtt(world.config(world.account("anna")), port, settings))
        await viewer.wait_for("event/connected", account="anna")
        await viewer.say("botd/main/command", {"command": "stop", "id": "viewer"})
        await viewer.say("botd/main/status", {"status": "forged"})
        await operator.say("botd/main/command", {"command": "drain", "id": "operator"})
        assert (await operator.wait_for("reply"))["id"] == "operator"
        await stopped(daemon)
        await viewer.wait_for("status", status="offline")
        await operator.wait_for("status", status="offline")
        assert "reply" not in viewer.kinds()
        assert "forged" not in repr(operator.seen)
    assert "s3cret" not in daemon.raw + world.files()


async def test_a_wrong_password_is_told_once_and_play_goes_on(world: World, tmp_path: Path) -> None:
    (world.folder / "mqtt.password").write_text("wrong-s3cret-pw")
    settings = 'username = "botd"\npassword_file = "mqtt.password"'
    async with broker(tmp_path, example_settings(tmp_path)) as mosquitto:
        daemon = await world.start(
            with_mqtt(world.config(world.two_accounts(1, ONE_MATCH)), mosquitto.port, settings)
        )
        refused = await daemon.wait_for("mqtt_unreachable")
        assert "Not authorized" in refused["error"]
        assert await daemon.finish() == 0, daemon.raw
    assert "s3cret" not in daemon.raw
    assert world.query("SELECT DISTINCT state FROM matches") == [("finished",)]


def certificates(folder: Path) -> str:
    """An authority, a broker's certificate signed by it, a client's, and the broker's settings."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl(
        "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-days", "1", "-subj", "/CN=authority"
    )
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1")
    for name in ("server", "client"):
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl(
            *("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"),
            *("-days", "1", "-out", f"{name}.crt", "-extfile", "names"),
        )
    return (
        f"allow_anonymous true\ncafile {folder}/ca.crt\ncertfile {folder}/server.crt\n"
        f"keyfile {folder}/server.key\nrequire_certificate true\n"
    )


async def test_tls_with_certificates_on_both_sides(world: World, tmp_path: Path) -> None:
    own = f'tls = true\ncertificate_file = "{tmp_path}/client.crt"\nkey_file = "{tmp_path}/client.key"\n'
    async with broker(tmp_path, certificates(tmp_path)) as mosquitto:
        config = world.config(world.account("anna"))
        plain = config.read_text()
        untrusted = await world.start(with_mqtt(config, mosquitto.port, own))
        refused = await untrusted.wait_for("mqtt_unreachable")
        assert "certificate verify failed" in refused["error"]
        await stopped(untrusted)
        config.write_text(plain)
        daemon = await world.start(with_mqtt(config, mosquitto.port, f'{own}ca_file = "{tmp_path}/ca.crt"'))
        await daemon.wait_for("mqtt_connected")
        context = ssl.create_default_context(cafile=tmp_path / "ca.crt")
        context.load_cert_chain(tmp_path / "client.crt", tmp_path / "client.key")
        async with listener(mosquitto.port, tls_context=context) as ears:
            assert (await ears.wait_for("status"))["status"] == "online"
            await stopped(daemon)


async def test_files_that_are_no_certificates_are_named_at_the_start(world: World) -> None:
    (world.folder / "bad.crt").write_text("no certificate")
    config = world.config(world.account("anna"))
    daemon = await world.start(with_mqtt(config, 8883, 'tls = true\nca_file = "bad.crt"'))
    assert await daemon.finish() == 1
    assert f"botd: mqtt: ca_file {world.folder}/bad.crt: " in daemon.raw
    assert "Traceback" not in daemon.raw


# -- brokers that misbehave ----------------------------------------------------------------------------------


async def test_events_of_a_broker_outage_are_sent_when_it_is_back(world: World, tmp_path: Path) -> None:
    mosquitto = Broker(tmp_path)
    await mosquitto.start()
    accounts = world.two_accounts(1, "").replace("think_time_s = 0", "think_time_s = 0.03")
    daemon = await world.start(with_mqtt(world.config(accounts), mosquitto.port))
    await daemon.wait_for("match_started", account="anna")
    await mosquitto.kill()
    await daemon.wait_for("mqtt_unreachable")
    await daemon.wait_for("decided", account="anna", kind="play")
    await mosquitto.start()
    async with listener(mosquitto.port) as ears:
        await ears.wait_for("status", status="online")
        result = await ears.wait_for("event/match_result", account="anna")
        assert result["seq"] > 0
        await stopped(daemon)
    await mosquitto.kill()
    assert ("finished",) in world.query("SELECT DISTINCT state FROM matches")


async def test_a_small_queue_drops_the_oldest_and_counts(world: World) -> None:
    accounts = world.two_accounts(1, "")
    daemon = await world.start(with_mqtt(world.config(accounts), 1, "queue = 10"))  # nothing listens there
    url = (await daemon.wait_for("metrics"))["addresses"][0]
    await daemon.wait_for("match_ended", account="anna")
    assert await metric(daemon, url, 'botd_events_dropped_total{sink="mqtt"}') > 10
    assert await metric(daemon, url, "botd_mqtt_up") == 0
    assert await metric(daemon, url, 'botd_mqtt_connection_attempts_total{outcome="failed"}') >= 1
    assert await metric(daemon, url, 'botd_events_published_total{sink="mqtt"}') == 0
    await stopped(daemon)


CONNACK_5 = bytes([0x20, 0x03, 0x00, 0x00, 0x00])


async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Says nothing at all."""
    await reader.read()


async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Accepts the connection and never reads again."""
    await reader.read(1000)
    writer.write(CONNACK_5)
    await asyncio.sleep(3600)


async def forgetful(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads everything and confirms nothing."""
    await reader.read(1000)
    writer.write(CONNACK_5)
    while await reader.read(65536):
        pass


async def babbling(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Sends bytes that are no MQTT, without end."""
    await reader.read(1000)
    writer.write(CONNACK_5)
    with contextlib.suppress(OSError):
        while True:
            writer.write(bytes(range(256)) * 64)
            await writer.drain()


async def flooding(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Publishes what was never asked for, without end."""
    await reader.read(1000)
    writer.write(CONNACK_5)
    body = b"\x00\x01x\x00" + b"y" * 120
    with contextlib.suppress(OSError):
        while True:
            writer.write((bytes([0x30, len(body)]) + body) * 100)
            await writer.drain()


@contextlib.asynccontextmanager
async def impostor(behave: Any) -> AsyncIterator[int]:
    """Something that is no broker; its port."""
    conversations: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        conversations.add(task)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await behave(reader, writer)
        writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in conversations:
            task.cancel()
        await asyncio.gather(*conversations, return_exceptions=True)


@pytest.mark.parametrize("behave", [mute, deaf, forgetful, babbling, flooding])
async def test_a_hostile_broker_delays_nothing(world: World, behave: Any) -> None:
    async with impostor(behave) as port:
        daemon = await world.start(
            with_mqtt(world.config(world.two_accounts(1, ONE_MATCH)), port, "queue = 50")
        )
        url = (await daemon.wait_for("metrics"))["addresses"][0]
        await daemon.wait_for("match_started", account="anna")
        # A wait for the broker in the loop would last until its time-out; less may be a busy machine.
        in_time, total = await metrics(
            url, 'botd_event_loop_lag_seconds_bucket{le="5.0"}', "botd_event_loop_lag_seconds_count"
        )
        assert in_time == total, "the event loop was held up"
        assert await daemon.finish() == 0, daemon.raw
    assert world.query("SELECT DISTINCT state FROM matches") == [("finished",)]
    assert "Traceback" not in daemon.raw


async def test_two_daemons_with_one_client_id_are_told(world: World, tmp_path: Path) -> None:
    async with broker(tmp_path) as mosquitto:
        daemon = await world.start(with_mqtt(world.config(world.account("anna")), mosquitto.port))
        await daemon.wait_for("mqtt_connected")
        thief = aiomqtt.Client("127.0.0.1", mosquitto.port, identifier="botd-main")
        with contextlib.suppress(aiomqtt.MqttError):  # the daemon takes its name back
            async with thief:
                lost = await daemon.wait_for("mqtt_lost_at_once")
                await anext(thief.messages)
        assert "another client" in lost["hint"]
        await stopped(daemon)
    assert "never retrieved" not in daemon.raw


def test_the_example_configuration_matches_the_documents() -> None:
    text = (OPS / "botd.acl").read_text()
    for topic in ("status", "event/#", "reply", "command"):
        assert f"botd/+/{topic}" in text
