"""The game servers: names, whether they can be reached, what they say first, certificates, log-in."""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator, Coroutine, Iterable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path

from websockets.client import ClientProtocol
from websockets.http11 import Response
from websockets.protocol import State as WebSocketState
from websockets.uri import parse_uri

from botd.addresses import endpoint
from botd.config import AccountConfig, Credentials
from botd.daemon.connection import HAPPY_EYEBALLS_DELAY, Connection, ProtocolClient, connect_reason
from botd.daemon.locks import LockError, account_lock, state_directory
from botd.doctor.findings import Check, Finding, Patient, not_tried, ok, problem, warning
from botd.tls import client_tls
from botd_protocols.bgammon.client import BgammonClient, BgammonClientConfig
from botd_protocols.bgammon.client_websocket import WebSocketClient
from botd_protocols.fibs.client import FibsClient, FibsClientConfig
from botd_protocols.game_events import Disconnected, Event, LoggedIn, LoginRefused

REACH_S = 10.0
"""To resolve a name, to connect, and for the first words, each."""
LOGIN_S = 30.0
AT_ONCE = 8
MAX_GREETING = 64 * 1024
SOON_S = 14 * 86_400
"""A certificate that ends within two weeks should have been renewed."""
CLOCK_OFF_S = 60.0


@dataclass(frozen=True, slots=True)
class Server:
    host: str
    port: int
    protocol: str
    transport: str
    ca_file: Path | None

    @classmethod
    def of(cls, account: AccountConfig) -> Server:
        transport = "tcp" if account.protocol == "fibs" else account.transport
        return cls(account.host, account.port, account.protocol, transport, account.tls_ca_file)

    @property
    def name(self) -> str:
        return f"server {endpoint(self.host, self.port)}"

    def tls(self) -> ssl.SSLContext | None:
        """Raises OSError."""
        return client_tls(self.ca_file) if self.transport == "websocket" else None


async def servers(patient: Patient) -> AsyncIterator[Finding]:
    """Each server once, several at a time, without logging in."""
    if patient.config is None:
        return
    found = list(dict.fromkeys(map(Server.of, patient.config.accounts)))
    async for finding in _several(map(_look, found)):
        yield finding


async def logins(patient: Patient) -> AsyncIterator[Finding]:
    """Each account once, if asked for."""
    if patient.loaded is None:
        return
    if not patient.login:
        yield not_tried("log-in", "only with --login")
        return
    pairs = zip(patient.loaded.config.accounts, patient.loaded.credentials, strict=True)
    async for finding in _several(_log_in(patient, *pair) for pair in pairs):
        yield finding


async def _several(tries: Iterable[Coroutine[None, None, list[Finding]]]) -> AsyncIterator[Finding]:
    """What they find, in the order in which they are done."""
    few = asyncio.Semaphore(AT_ONCE)

    async def run(one: Coroutine[None, None, list[Finding]]) -> list[Finding]:
        async with few:
            return await one

    tasks = [asyncio.create_task(run(one)) for one in tries]
    try:
        for each in asyncio.as_completed(tasks):
            for finding in await each:
                yield finding
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


# -- without logging in --------------------------------------------------------------------------------------


async def _look(server: Server) -> list[Finding]:
    advice = "is the address right? is there a network? see host and port"
    try:
        async with asyncio.timeout(REACH_S):
            loop = asyncio.get_running_loop()
            addresses = await loop.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
    except TimeoutError:
        return [problem(server.name, "the name server does not answer", "see /etc/resolv.conf")]
    except OSError as error:
        return [problem(server.name, connect_reason(error), advice)]
    try:
        tls = server.tls()
        async with asyncio.timeout(REACH_S):
            reader, writer = await asyncio.open_connection(
                server.host,
                server.port,
                ssl=tls,
                server_hostname=None if tls is None else server.host,
                happy_eyeballs_delay=HAPPY_EYEBALLS_DELAY,
            )
    except ssl.SSLCertVerificationError as error:
        text = f"its certificate is not accepted: {error.verify_message}"
        return [problem(server.name, text, "see tls_ca_file; also whether the clock is right")]
    except (OSError, ssl.SSLError) as error:
        return [problem(server.name, connect_reason(error), advice)]
    families = sorted({"IPv6" if family == socket.AF_INET6 else "IPv4" for family, *_ in addresses})
    try:
        return [
            *await _first_words(server, reader, writer, " and ".join(families)),
            *_certificate(server, writer),
        ]
    finally:
        writer.transport.abort()


async def _first_words(
    server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, families: str
) -> list[Finding]:
    expect = {"fibs": _fibs_greeting, "bgammon": _bgammon_greeting}[server.protocol]
    if server.transport == "websocket":
        expect = _websocket_greeting
    try:
        async with asyncio.timeout(REACH_S):
            found = await expect(server, reader, writer)
    except TimeoutError:
        found = [problem(server.name, "it can be reached and says nothing", "is it another kind of server?")]
    except OSError as error:
        found = [problem(server.name, f"closed the connection: {connect_reason(error)}", "try again later")]
    reached = f"reached ({families})"
    return found or [ok(server.name, f"{reached}, speaks {server.protocol} over {server.transport}")]


async def _read(reader: asyncio.StreamReader, sofar: bytes) -> bytes:
    """More of it; raises OSError at the end, or if there is no end to it."""
    data = await reader.read(4096)
    if not data or len(sofar) > MAX_GREETING:
        raise ConnectionAbortedError(None, "before its greeting was complete")
    return sofar + data


async def _fibs_greeting(
    server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> list[Finding]:
    heard = b""
    while not heard.rstrip().endswith(b"login:"):
        try:
            heard = await _read(reader, heard)
        except ConnectionAbortedError:
            return [_other(server, heard)]
    return []


async def _bgammon_greeting(
    server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> list[Finding]:
    heard = b""
    while b"\n" not in heard:
        try:
            heard = await _read(reader, heard)
        except ConnectionAbortedError:
            return [_other(server, heard)]
    return [] if heard.startswith(b"hello") else [_other(server, heard)]


def _other(server: Server, heard: bytes) -> Finding:
    said = heard[-200:].decode("latin-1").strip()
    text = f"no greeting of a {server.protocol} server" + (f"; it says: {said}" if said else "")
    return problem(server.name, text, "is the port right? is the server shutting down?")


async def _websocket_greeting(
    server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> list[Finding]:
    protocol = ClientProtocol(parse_uri(f"wss://{endpoint(server.host, server.port)}/"))
    protocol.send_request(protocol.connect())
    writer.write(b"".join(protocol.data_to_send()))
    while protocol.state is WebSocketState.CONNECTING:
        data = await reader.read(4096)
        if data:
            protocol.receive_data(data)
        else:
            protocol.receive_eof()
        if protocol.handshake_exc is not None:
            text = f"no WebSocket there: {protocol.handshake_exc}"
            return [problem(server.name, text, "is the port right?")]
    answer = next((event for event in protocol.events_received() if isinstance(event, Response)), None)
    date = None if answer is None else answer.headers.get("Date")
    return [] if date is None else _clock(server, date)


def _clock(server: Server, date: str) -> list[Finding]:
    """A warning if the server's clock and ours differ much; its greeting is fine in any case."""
    try:
        off = time.time() - parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError):
        return []
    if abs(off) < CLOCK_OFF_S:
        return []
    text = f"reached; our clock is {abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} its own"
    return [warning(server.name, text, "set the clock: timedatectl set-ntp true")]


def _certificate(server: Server, writer: asyncio.StreamWriter) -> list[Finding]:
    peer: ssl.SSLObject | None = writer.get_extra_info("ssl_object")
    certificate = None if peer is None else peer.getpeercert()
    if not certificate or "notAfter" not in certificate:
        return []
    ends = str(certificate["notAfter"])
    left = ssl.cert_time_to_seconds(ends) - time.time()
    name = f"certificate of {endpoint(server.host, server.port)}"
    if left < SOON_S:
        return [warning(name, f"valid, until {ends} only", "its operators should renew it")]
    return [ok(name, f"valid until {ends}")]


# -- logging in ----------------------------------------------------------------------------------------------


async def _log_in(patient: Patient, account: AccountConfig, credentials: Credentials) -> list[Finding]:
    """Log in and out; never beside a daemon, whose connection the server would close."""
    assert patient.config is not None
    name = f"log-in of {account.name} on {account.server}"
    if account.password_credential is not None and not credentials.login.reveal():
        return [not_tried(name, "only the service gets the password")]
    folder = patient.config.daemon.state_directory or state_directory(patient.environment)
    try:
        lock = await asyncio.to_thread(account_lock, folder, account)
    except LockError as error:
        return [not_tried(name, str(error), "stop it first: the server lets only one of them live")]
    try:
        return [await _converse(name, account, credentials)]
    finally:
        lock.release()


async def _converse(name: str, account: AccountConfig, credentials: Credentials) -> Finding:
    server = Server.of(account)
    password = credentials.login.reveal()
    client: FibsClient | BgammonClient
    wire: ProtocolClient[Event]
    if account.protocol == "fibs":
        wire = client = FibsClient(FibsClientConfig(account.name, password))
    else:
        tcp = account.transport == "tcp"
        own = account.own_server
        client = BgammonClient(
            BgammonClientConfig(account.name, password or None, own_server=own, greeting=tcp)
        )
        wire = client if tcp else WebSocketClient(client, f"wss://{account.server}/")
    outcome: list[Finding] = []

    def handle(event: Event) -> None:
        match event:
            case LoggedIn():
                outcome.append(ok(name, f"let in as {event.name}, and out again"))
                client.bye()
            case LoginRefused(reason):
                outcome.append(problem(name, f"refused: {reason}", "see name and password of the account"))
            case Disconnected(reason):
                if not outcome:
                    outcome.append(problem(name, reason, "try again later"))
                connection.close("done")

    connection: Connection[Event] = Connection(wire, handle)
    try:
        async with asyncio.timeout(LOGIN_S):
            await connection.open(account.host, account.port, server.tls())
            await connection.wait_closed()
    except TimeoutError:
        outcome.append(problem(name, f"not done within {LOGIN_S:g} s", "try again later"))
    except (OSError, ssl.SSLError) as error:
        outcome.append(problem(name, connect_reason(error), "see the line about the server"))
    finally:
        connection.abort("done")
    return outcome[0] if outcome else problem(name, "the server closed the connection", "try again later")


CHECKS = (
    Check("servers", servers, limit_s=120),
    Check("log-in", logins, limit_s=300),
)
