"""A client of the broker as the configuration describes it: certificates, log-in, limits."""

from __future__ import annotations

import logging
import ssl

import aiomqtt
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from botd.config.schema import MqttConfig
from botd.config.secret import Secret
from botd.control.commands import MAX_REQUEST
from botd.files import expect_regular_file
from botd.tls import client_tls

PATIENCE = 10.0
"""Seconds the broker may take to confirm anything."""
KEEP_ALIVE = 15
"""Seconds between signs of life. Also what a mute broker may take for its part of a TLS handshake."""
MAX_WAITING = 100
"""Commands not yet carried out; more are dropped."""
MAX_PACKET = 16 * MAX_REQUEST
"""Larger ones the broker must not send us (MQTT 5)."""

_library_log = logging.getLogger("botd.mqtt.aiomqtt")
_library_log.setLevel(logging.CRITICAL)  # what it warns of is told by who uses it, in its own words


class MqttSetupError(Exception):
    """The link can never work as configured; says why."""


def new_client(
    config: MqttConfig,
    password: Secret | None,
    tls: ssl.SSLContext | None,
    *,
    identifier: str | None = None,
    will: aiomqtt.Will | None = None,
) -> aiomqtt.Client:
    """Not connected yet. `identifier`: by default the daemon's own, which nobody else may use."""
    newest = config.protocol == "5"
    limits = None
    if newest:
        limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        limits.MaximumPacketSize = MAX_PACKET
    return aiomqtt.Client(
        config.host,
        config.actual_port,
        username=config.username,
        password=None if password is None else password.reveal(),
        logger=_library_log,
        identifier=identifier or f"{config.prefix}-{config.instance}",
        protocol=aiomqtt.ProtocolVersion.V5 if newest else aiomqtt.ProtocolVersion.V311,
        clean_session=None if newest else True,  # each protocol has its own word for it
        clean_start=newest or MQTT_CLEAN_START_FIRST_ONLY,
        will=will,
        timeout=PATIENCE,
        keepalive=KEEP_ALIVE,
        max_queued_incoming_messages=MAX_WAITING,
        properties=limits,
        tls_context=tls,
    )


def tls_context(config: MqttConfig) -> ssl.SSLContext | None:
    """Read anew for each connection: certificates are renewed. Raises MqttSetupError."""
    if not config.tls:
        return None
    try:
        context = client_tls(config.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise MqttSetupError(f"ca_file {config.ca_file}: {_reason(error)}") from error
    if config.certificate_file is not None:
        try:
            for file in filter(None, (config.certificate_file, config.key_file)):
                expect_regular_file(file)
            # An encrypted key must not make us ask at a terminal.
            context.load_cert_chain(config.certificate_file, config.key_file, password=lambda: b"")
        except (OSError, ssl.SSLError) as error:
            files = f"certificate_file {config.certificate_file} with key_file {config.key_file}"
            raise MqttSetupError(f"{files}: {_reason(error)}") from error
    return context


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
