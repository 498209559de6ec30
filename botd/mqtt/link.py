"""The connection to the broker: events out, commands in, whatever the broker does.

It lives in one task beside the play. Events wait in a bounded queue of `Happenings`, so a broker that is
away, slow or hostile costs the oldest events, which are counted, and nothing else.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import aiomqtt
import structlog

from botd.addresses import endpoint
from botd.config.schema import MqttConfig
from botd.config.secret import Secret
from botd.control.commands import Commands
from botd.daemon.backoff import Backoff
from botd.daemon.happenings import Happening, Subscription
from botd.metrics.registry import Metrics
from botd.mqtt.client import MqttSetupError, new_client, tls_context
from botd.mqtt.messages import encoder, event_of, status_message
from botd.mqtt.topics import Topics

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds before the next attempt to connect."""
KICKED_WITHIN = 10.0
log = structlog.get_logger("botd.mqtt")


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
        self._broker = endpoint(config.host, config.actual_port)
        self._told = ""
        tls_context(config)

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
        return new_client(
            self._config,
            self._password,
            await asyncio.to_thread(tls_context, self._config),
            will=aiomqtt.Will(
                self._topics.status, self._encode(status_message("offline", "lost")), qos=1, retain=True
            ),
        )
