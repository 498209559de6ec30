"""What differs between the protocols: which client speaks, and how matches begin.

Everything else of a session is the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import structlog

from botd.config.schema import AccountConfig
from botd.config.secret import Secret
from botd.daemon.chat import ChatManners
from botd.daemon.invitations import Matchmaker as FibsMatchmaker
from botd.daemon.policy import Situation
from botd.metrics.registry import ServerMetrics
from botd_protocols.fibs.client import FibsClient, FibsClientConfig
from botd_protocols.game_client import GameClient
from botd_protocols.game_events import Event


class Matchmaker(Protocol):
    """Gets an account into matches, for one connection."""

    def hear(self, event: Event) -> None:
        """Take one event of the client; those that have nothing to do with it are ignored."""

    def tell(self, name: str, text: str) -> bool:
        """Write to a player; False if this server has no way to."""

    def close(self) -> None:
        """Nothing more will be sent."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the parts of one connection may use."""

    account: AccountConfig
    password: Secret
    metrics: ServerMetrics
    manners: ChatManners
    situation: Callable[[], Situation]
    """Whether a match may begin."""
    changed: Callable[[], None]
    """To be called after acting on the client."""
    publish: Callable[..., None]
    """Tell subscribers of a happening; see `Recorder.publish`."""
    log: structlog.stdlib.BoundLogger


@dataclass(frozen=True, slots=True)
class Parts:
    client: GameClient
    matchmaker: Matchmaker


def fibs(around: Surroundings) -> Parts:
    account = around.account
    client = FibsClient(
        FibsClientConfig(account.name, around.password.reveal(), command_gap=account.policy.command_gap_s)
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
        around.log,
    )
    return Parts(client, matchmaker)


PROTOCOLS: dict[str, Callable[[Surroundings], Parts]] = {"fibs": fibs}
"""By the configuration's word for the protocol."""
