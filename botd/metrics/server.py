"""The metrics that have a label `server`."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from botd.metrics import buckets
from botd.metrics import labels as values
from botd.metrics.families import Counters, Gauges

MAX_ACCOUNTS = 1000
"""So many have a series for their rating; those beyond have none."""


class ServerMetrics:
    """What happens with one server."""

    def __init__(self, families: ServerFamilies, server: str) -> None:
        self._f = families
        self.name = server
        families.add(server)
        self._last_message = families.last_message.labels(server)
        self._messages = {row: families.messages.labels(server, *row) for row in values.MESSAGES}

    def connection_up(self, up: bool) -> None:
        """Logged in, or not any more."""
        self._f.up.labels(self.name).set(1 if up else 0)

    def message_received(self) -> None:
        """Anything came from the server."""
        self._last_message.set(time.time())

    def message(self, direction: str, kind: str) -> None:
        """A message came or went; see `botd_protocols.traffic`."""
        row = (direction if direction == "received" else "sent", kind)
        self._messages.get(row, self._messages[row[0], values.OTHER]).inc()

    def connection_attempt(self, outcome: str) -> None:
        """`ok`, `unreachable`, `refused` (by the login), `timeout`."""
        self._f.attempts.count(outcome, before=(self.name,))

    def reconnected(self, reason: str) -> None:
        """A connection was lost and is made again: one of RECONNECT_REASONS."""
        self._f.reconnects.count(reason, before=(self.name,))

    def unparsed_line(self) -> None:
        self._f.unparsed.labels(self.name).inc()

    def command_rejected(self, command: str) -> None:
        """The server refused a command of ours (first word of the command)."""
        self._f.rejected.count(command, before=(self.name,))

    def resync(self, reason: str) -> None:
        """The position had to be asked for: one of RESYNC_REASONS."""
        self._f.resyncs.count(reason, before=(self.name,))

    def set_accounts(self, by_state: Mapping[str, int]) -> None:
        """Accounts of this server by what they are doing: ACCOUNT_STATES."""
        for state in values.ACCOUNT_STATES:
            self._f.accounts.set(by_state.get(state, 0), state, before=(self.name,))

    def matches_active(self, number: int) -> None:
        self._f.active.labels(self.name).set(number)

    def match_ended(self, length: int, result: str) -> None:
        """length 0 is unlimited; result: one of MATCH_RESULTS."""
        self._f.matches.count("unlimited" if length == 0 else str(length), result, before=(self.name,))

    def points(self, side: str, number: int) -> None:
        """A game ended with `number` points for `us` or `opponent`."""
        self._f.points.count(side, before=(self.name,), amount=number)

    def rating(self, account: str, rating: float) -> None:
        """The server has told the rating of one of our accounts."""
        self._f.rate((self.name, account), rating)

    def invitation(self, outcome: str, reason: str = "none") -> None:
        """`accepted`, `declined`, `resumed`, `sent`, and why declined."""
        self._f.invitations.count(outcome, reason, before=(self.name,))

    def resignation(self, direction: str, level: int, outcome: str) -> None:
        """direction: `offered` by us or `received`; outcome: `accepted` or `rejected`."""
        self._f.resignations.count(direction, str(level), outcome, before=(self.name,))

    def double(self, direction: str, answer: str) -> None:
        """A double `offered` by us or `received` was answered with `take`, `pass` or `beaver`."""
        self._f.doubles.count(direction, answer, before=(self.name,))

    def move_latency(self, seconds: float) -> None:
        """From the question (a board was received) to the command sent."""
        self._f.latency.labels(self.name).observe(seconds)


class ServerFamilies:
    """Each metric once in the registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def gauge(name: str, text: str, *more: str) -> Gauge:
            return Gauge(name, text, ["server", *more], registry=registry)

        def counters(name: str, text: str, **labels: tuple[str, ...]) -> Counters:
            family = Counter(name, text, ["server", *labels], registry=registry)
            return Counters(family, tuple(labels.values()), deferred=True)

        self.up = gauge("botd_connection_up", "1 while logged in")
        self.last_message = gauge(
            "botd_connection_last_message_timestamp_seconds",
            "When the server last sent anything, in seconds since 1970; 0 for never",
        )
        self.accounts = Gauges(
            gauge("botd_accounts", "Accounts by what they are doing", "state"),
            (values.ACCOUNT_STATES,),
            deferred=True,
        )
        self.active = gauge("botd_matches_active", "Matches being played")
        self.rating = gauge(
            "botd_rating", "The account's own rating as the server last told it; NaN before", "account"
        )
        self._rated: set[tuple[str, str]] = set()
        self.unparsed = Counter(
            "botd_unparsed_lines",
            "Lines from the server that were not understood",
            ["server"],
            registry=registry,
        )
        self.messages = Counter(
            "botd_messages",
            "Messages received from a server by kind, and sent to it by command",
            ["server", "direction", "type"],
            registry=registry,
        )
        self.latency = Histogram(
            "botd_move_latency_seconds",
            "From the board received to the command sent: what the opponent waits for",
            ["server"],
            buckets=buckets.DECISION,
            registry=registry,
        )
        self.attempts = counters(
            "botd_connection_attempts", "Attempts to connect and log in", outcome=values.CONNECTION_OUTCOMES
        )
        self.reconnects = counters(
            "botd_reconnects", "Connections lost and made again", reason=values.RECONNECT_REASONS
        )
        self.rejected = counters(
            "botd_commands_rejected",
            "Commands that the server refused: a fault of ours",
            command=values.COMMANDS,
        )
        self.resyncs = counters(
            "botd_resyncs", "Times the position had to be asked for", reason=values.RESYNC_REASONS
        )
        self.matches = counters(
            "botd_matches",
            "Matches that ended or were interrupted",
            length=values.LENGTHS,
            result=values.MATCH_RESULTS,
        )
        self.points = counters("botd_points", "Points won, the cube counted in", side=values.SIDES)
        self.invitations = counters(
            "botd_invitations",
            "Invitations",
            outcome=values.INVITATION_OUTCOMES,
            reason=values.INVITATION_REASONS,
        )
        self.resignations = counters(
            "botd_resignations",
            "Resignations",
            direction=values.DIRECTIONS,
            level=values.LEVELS,
            outcome=values.RESIGNATION_OUTCOMES,
        )
        self.doubles = counters(
            "botd_doubles", "Doubles", direction=values.DIRECTIONS, answer=values.DOUBLE_ANSWERS
        )

    def rate(self, account: tuple[str, str], rating: float) -> None:
        """(server, name) has this rating."""
        if account not in self._rated and len(self._rated) >= MAX_ACCOUNTS:
            return
        self._rated.add(account)
        self.rating.labels(*account).set(rating)

    def set_rated(self, accounts: set[tuple[str, str]]) -> None:
        """These are all accounts; a rating not told yet is not a number."""
        for account in self._rated - accounts:
            self._rated.discard(account)
            self.rating.remove(*account)
        for account in accounts - self._rated:
            self.rate(account, math.nan)

    def add(self, server: str) -> None:
        """Create the series of a server."""
        for gauge in (self.up, self.last_message, self.active):
            gauge.labels(server).set(0)
        self.unparsed.labels(server)
        self.latency.labels(server)
        self.accounts.create((server,))
        for counters in (
            self.attempts, self.reconnects, self.rejected, self.resyncs, self.matches,
            self.points, self.invitations, self.resignations, self.doubles,
        ):  # fmt: skip
            counters.create((server,))
