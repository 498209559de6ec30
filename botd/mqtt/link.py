"""The connection to the broker: events out, commands in, whatever the broker does.

It lives in one task beside the play. Events wait in a bounded queue of `Happenings`, so a broker that is
away, slow or hostile costs the oldest events, which are counted, and nothing else.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from contextlib import AsyncExitStack

import aiomqtt
import structlog
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from botd.config.schema import MqttConfig
from botd.config.secret import Secret
from botd.control.commands import MAX_REQUEST, Commands
from botd.daemon.backoff import Backoff
from botd.daemon.happenings import Happening, Subscription
from botd.metrics.registry import Metrics
from botd.mqtt.messages import encoder, event_of, status_message
from botd.mqtt.topics import Topics

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds before the next attempt to connect."""
PATIENCE = 10.0
"""Seconds the broker may take to confirm anything."""
KEEP_ALIVE = 15
"""Seconds between signs of life. Also what a mute broker may take for its part of a TLS handshake."""
KICKED_WITHIN = 10.0
MAX_WAITING = 100
"""Commands not yet carried out; more are dropped."""
MAX_PACKET = 16 * MAX_REQUEST
"""Larger ones the broker must not send us (MQTT 5)."""

log = structlog.get_logger("botd.mqtt")

_library_log = logging.getLogger("botd.mqtt.aiomqtt")
_library_log.setLevel(logging.CRITICAL)  # what it warns of, this module tells in its own words


class MqttSetupError(Exception):
    """The link can never work as configured; says why."""


class MqttLink:
    """Publishes the happenings of `subscription` and, if so configured, obeys commands. `run` once."""

    def __init__(
        self,
        config: MqttConfig,
        password: Secret | None,
        subscription: Subscription,
        commands: Commands,
        metrics: Metrics,
    ) -> None:
        """Raises MqttSetupError if certificates cannot be used."""
        self._config = config
        self._password = password
        self._subscription = subscription
        self._commands = commands
        self._metrics = metrics
        self._topics = Topics.of(config)
        self._encode = encoder(config.format)
        self._sequence = 0
        self._unsent: Happening | None = None
        """Taken from the queue, but the broker does not have it yet."""
        self._broker = f"{config.host}:{config.actual_port}"
        self._told = ""
        self._tls_context()

    async def run(self) -> None:
        """Until the subscription is closed and everything in it is published; or until cancelled."""
        loop = asyncio.get_running_loop()
        backoff = Backoff(FIRST_WAIT, LONGEST_WAIT)
        while True:
            began = loop.time()
            try:
                await self._converse()
                return
            except (aiomqtt.MqttError, MqttSetupError, OSError, ValueError) as error:
                self._warn(error)
            except Exception:
                log.exception("mqtt_failed", broker=self._broker)
            finally:
                self._metrics.mqtt_up(False)
            backoff.connection_lived(loop.time() - began)
            await asyncio.sleep(backoff.next_wait())

    def _warn(self, error: Exception) -> None:
        text = (str(error) or type(error).__name__)[:300]
        # Told once, not once a minute for as long as the broker is away.
        tell = log.debug if text == self._told else log.warning
        tell("mqtt_unreachable", broker=self._broker, error=text)
        self._told = text

    async def _converse(self) -> None:
        """One connection. Returns when there is nothing more to tell; raises when it is lost."""
        loop = asyncio.get_running_loop()
        async with AsyncExitStack() as stack:
            try:
                client = await stack.enter_async_context(await self._new_client())
            except Exception:
                self._metrics.mqtt_attempt("failed")
                raise
            self._metrics.mqtt_attempt("ok")
            self._metrics.mqtt_up(True)
            connected = loop.time()
            log.info("mqtt_connected", broker=self._broker, topics=f"{self._topics.base}/#")
            try:
                await self._publish_status(client, "online")
                await self._exchange(client)
                await self._publish_status(client, "offline", "stopped")
            except aiomqtt.MqttError:
                if loop.time() - connected < KICKED_WITHIN:
                    log.warning("mqtt_lost_at_once", hint="does another client use this mqtt.instance?")
                self._told = ""
                raise

    async def _exchange(self, client: aiomqtt.Client) -> None:
        """Tell and obey until there is nothing more to tell."""
        if self._config.commands:
            await client.subscribe(self._topics.command, qos=1)
        # Obeying also notices that the connection is lost, so it runs without commands too.
        obeying = asyncio.create_task(self._obey(client), name="mqtt commands")
        telling = asyncio.create_task(self._tell(client), name="mqtt events")
        try:
            done, _ = await asyncio.wait({obeying, telling}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in (obeying, telling):
                task.cancel()
            await asyncio.gather(obeying, telling, return_exceptions=True)

    # -- events ----------------------------------------------------------------------------------------------

    async def _tell(self, client: aiomqtt.Client) -> None:
        while True:
            if self._unsent is None:
                self._unsent = await self._subscription.take()
            if self._unsent is None:
                return
            event = event_of(self._unsent)
            message = event.message(self._sequence)
            await self._publish(client, self._topics.event(event.kind), message, event.qos)
            self._sequence += 1
            self._unsent = None
            self._metrics.mqtt_published()

    async def _publish_status(self, client: aiomqtt.Client, status: str, reason: str = "") -> None:
        await self._publish(client, self._topics.status, status_message(status, reason), 1, retain=True)

    async def _publish(
        self, client: aiomqtt.Client, topic: str, message: object, qos: int, *, retain: bool = False
    ) -> None:
        await client.publish(topic, self._encode(message), qos=qos, retain=retain)

    # -- commands --------------------------------------------------------------------------------------------

    async def _obey(self, client: aiomqtt.Client) -> None:
        """Ends only by the loss of the connection."""
        run = self._commands.run_msgpack if self._config.format == "msgpack" else self._commands.run_json
        async for message in client.messages:
            if message.topic.value != self._topics.command:
                continue  # never asked for
            if message.retain:
                # It would be carried out again at every connection, long after it was meant.
                log.warning("mqtt_command_ignored", reason="retained; publish commands without retain")
                continue
            reply = await run(bytes(message.payload), "mqtt")
            await self._publish(client, self._topics.reply, reply, 1)

    # -- the library -----------------------------------------------------------------------------------------

    async def _new_client(self) -> aiomqtt.Client:
        """A fresh one for each connection: the library's are not fit for use after a failed attempt."""
        config = self._config
        newest = config.protocol == "5"
        limits = None
        if newest:
            limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            limits.MaximumPacketSize = MAX_PACKET
        return aiomqtt.Client(
            config.host,
            config.actual_port,
            username=config.username,
            password=None if self._password is None else self._password.reveal(),
            logger=_library_log,
            identifier=f"{config.prefix}-{config.instance}",
            protocol=aiomqtt.ProtocolVersion.V5 if newest else aiomqtt.ProtocolVersion.V311,
            clean_session=None if newest else True,  # each protocol has its own word for it
            clean_start=newest or MQTT_CLEAN_START_FIRST_ONLY,
            will=aiomqtt.Will(
                self._topics.status, self._encode(status_message("offline", "lost")), qos=1, retain=True
            ),
            timeout=PATIENCE,
            keepalive=KEEP_ALIVE,
            max_queued_incoming_messages=MAX_WAITING,
            properties=limits,
            tls_context=await asyncio.to_thread(self._tls_context),
        )

    def _tls_context(self) -> ssl.SSLContext | None:
        """Read anew for each connection: certificates are renewed. Raises MqttSetupError."""
        config = self._config
        if not config.tls:
            return None
        try:
            context = ssl.create_default_context(cafile=config.ca_file)
        except (OSError, ssl.SSLError) as error:
            raise MqttSetupError(f"ca_file {config.ca_file}: {_reason(error)}") from error
        if config.certificate_file is not None:
            try:
                # An encrypted key must not make us ask at a terminal.
                context.load_cert_chain(config.certificate_file, config.key_file, password=lambda: b"")
            except (OSError, ssl.SSLError) as error:
                files = f"certificate_file {config.certificate_file} with key_file {config.key_file}"
                raise MqttSetupError(f"{files}: {_reason(error)}") from error
        return context


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
