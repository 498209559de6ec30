"""What differs between the protocols: which client speaks, and how matches begin.

Everything else of a session is the same for all of them.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import structlog

from botd.config.schema import AccountConfig
from botd.config.secret import Credentials
from botd.daemon.chat import ChatManners
from botd.daemon.connection import ProtocolClient
from botd.daemon.encounters import Encounters
from botd.daemon.hosting import Host
from botd.daemon.invitations import Matchmaker as FibsMatchmaker
from botd.daemon.policy import Situation
from botd.daemon.slots import Slot
from botd.engine.types import Scoring
from botd.metrics.server import ServerMetrics
from botd.tls import client_tls
from botd_protocols.bgammon.client import BgammonClient, BgammonClientConfig
from botd_protocols.bgammon.client_board import MAX_CUBE
from botd_protocols.bgammon.client_websocket import WebSocketClient
from botd_protocols.fibs.client import FibsClient, FibsClientConfig
from botd_protocols.game_client import GameClient
from botd_protocols.game_events import Event


class Matchmaker(Protocol):
    """Gets an account into matches, for one connection."""

    def hear(self, event: Event) -> None:
        """Take one event of the client; those that have nothing to do with it are ignored."""

    def tell(self, name: str, text: str) -> bool:
        """Write to a player; False if this server has no way to."""

    def leave(self) -> bool:
        """Leave the running match so that it is saved; False if this server has no way to."""

    def close(self) -> None:
        """Nothing more will be sent."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the parts of one connection may use."""

    account: AccountConfig
    credentials: Credentials
    metrics: ServerMetrics
    manners: ChatManners
    situation: Callable[[], Situation]
    """Whether a match may begin."""
    changed: Callable[[], None]
    """To be called after acting on the client."""
    publish: Callable[..., None]
    """Tell subscribers of a happening; see `Recorder.publish`."""
    abandoned: Callable[[], None]
    """To be called when the server has kept none of the account's unfinished matches."""
    slot: Slot
    """Room for a match; to be taken before one is arranged."""
    encounters: Encounters
    log: structlog.stdlib.BoundLogger


@dataclass(frozen=True, slots=True)
class Parts:
    """What makes a connection; the rest are the server's rules."""

    client: GameClient
    wire: ProtocolClient[Event]
    """What speaks with the socket: the client itself, or what carries it."""
    matchmaker: Matchmaker
    tls: ssl.SSLContext | None = None
    scoring: Scoring = Scoring.STANDARD
    max_cube: int | None = None


def fibs(around: Surroundings) -> Parts:
    account = around.account
    password = around.credentials.login.reveal()
    client = FibsClient(
        FibsClientConfig(account.name, password, command_gap=account.policy.command_gap_s),
        around.metrics.message,
    )
    matchmaker = FibsMatchmaker(
        account.name,
        client,
        account.policy,
        around.metrics,
        around.manners,
        around.situation,
        around.changed,
        around.publish,
        around.slot,
        around.encounters,
        around.log,
    )
    return Parts(client, client, matchmaker)


def bgammon(around: Surroundings) -> Parts:
    """Raises OSError if the file of certificates cannot be used any more."""
    account = around.account
    websocket = account.transport == "websocket"
    client = BgammonClient(
        BgammonClientConfig(
            account.name,
            around.credentials.login.reveal() or None,
            own_server=account.own_server,
            greeting=not websocket,
            command_gap=account.policy.command_gap_s,
            idle_reminder=None,  # the session reminds him
            idle_limit=account.policy.leave_s or None,
        ),
        around.metrics.message,
    )
    host = Host(
        account,
        around.credentials.table,
        client,
        around.metrics,
        around.manners,
        around.situation,
        around.changed,
        around.abandoned,
        around.slot,
        around.encounters,
        around.log,
    )
    if not websocket:
        return Parts(client, client, host, scoring=Scoring.BGAMMON, max_cube=MAX_CUBE)
    tls = client_tls(account.tls_ca_file)
    wire = WebSocketClient(client, f"wss://{account.server}/")
    return Parts(client, wire, host, tls, Scoring.BGAMMON, MAX_CUBE)


PROTOCOLS: dict[str, Callable[[Surroundings], Parts]] = {"fibs": fibs, "bgammon": bgammon}
"""By the configuration's word for the protocol."""
