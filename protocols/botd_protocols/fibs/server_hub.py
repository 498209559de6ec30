"""What every part of the server shares: who is connected, which matches run, and how to reach people."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from botd_protocols.server_dice import DiceSource, DoublesCap

from .server_accounts import Account, HouseUser, ServerConfig, Session, SessionState, Violation
from .server_match import Match
from .server_moves import LegalPlays
from .server_output import Outbox
from .server_saved import SavedMatches

Trace = Callable[[int, str, str], None]
"""Wire log: connection, `C` or `S`, one line with passwords removed."""

_CROSSING_S = 1.0


@dataclass(frozen=True, slots=True)
class Invitation:
    to: str
    length: int | None
    """None: resume the saved match."""


class Hub:
    def __init__(
        self, config: ServerConfig, dice: DiceSource, legal_plays: LegalPlays, trace: Trace | None = None
    ) -> None:
        self.config = config
        self.quirks = config.quirks
        self.dice = dice
        self.doubles_cap = DoublesCap(config.max_doubles_per_player)
        self.legal_plays = legal_plays
        self.trace = trace
        self.now = 0.0
        self.accounts: dict[str, Account] = {
            name: Account(name, password) for name, password in config.accounts.items()
        }
        self.house: dict[str, HouseUser] = {user.name: user for user in config.house}
        self.sessions: dict[int, Session] = {}
        self.online: dict[str, Session] = {}
        self.matches: dict[str, Match] = {}
        """Running matches under both players' names."""
        self.finished: dict[str, list[str]] = {}
        """Move list of the last finished game per player."""
        self.saved = SavedMatches()
        self.invitations: dict[str, Invitation] = {}
        self.waiting: dict[str, set[str]] = {}
        """For `waitfor`: awaited name to who waits."""
        self.violations: list[Violation] = []
        self.suspended_at: dict[str, float] = {}
        """When a player last lost a match by somebody else's leaving."""
        self.outbox = Outbox(self.quirks)
        self._noise_turn = itertools.cycle(("shout", "", "who", "", "report", ""))
        if self.quirks.noise:
            self.outbox.noise = self._noise
        self.current_command: tuple[Session, str] | None = None

    # -- sending ----------------------------------------------------------------------------------

    def send(self, name: str, *lines: str, glue: bool = False) -> None:
        """Lines to a player, if logged in."""
        session = self.online.get(name)
        if session is not None:
            self.send_session(session, *lines, glue=glue)

    def send_session(self, session: Session, *lines: str, glue: bool = False) -> None:
        for line in lines:
            self.outbox.line(session.conn_id, line, glue=glue)
            if self.trace is not None:
                self.trace(session.conn_id, "S", line)

    def notify(self, name: str, *lines: str, glue: bool = False) -> None:
        """As `send`, for something the player did not ask for: a blank line first with toggle telnet NO."""
        session = self.online.get(name)
        if session is None:
            return
        assert session.account is not None
        if not session.account.settings["telnet"]:
            self.send_session(session, "")
        self.send_session(session, *lines, glue=glue)

    def refuse(self, session: Session, text: str) -> None:
        """An error reply; in strict mode also a violation."""
        self.send_session(session, text)
        command = self.current_command[1] if self.current_command else ""
        name = session.account.name if session.account else ""
        crossed = name in self.suspended_at and self.now - self.suspended_at[name] < _CROSSING_S
        if crossed and name not in self.matches:
            return  # sent before the news that the match is gone could be read
        self.violate(session, "error-reply", command, text)

    def violate(self, session: Session, kind: str, command: str, reason: str) -> None:
        if self.config.strict and len(self.violations) < self.config.max_violations:
            name = session.account.name if session.account else f"connection {session.conn_id}"
            self.violations.append(Violation(name, kind, command[:200], reason))

    # -- people -----------------------------------------------------------------------------------

    def match_of(self, name: str) -> Match | None:
        return self.matches.get(name)

    def others(self, *but: str) -> Iterator[str]:
        return (name for name in list(self.online) if name not in but)

    def watchers_of(self, *players: str) -> list[Session]:
        """Who watches one of these players, the players themselves excepted."""
        return [
            s for s in self.online.values() if s.watching in players and s.name not in players and s.watching
        ]

    def exists(self, name: str) -> bool:
        """Whether somebody of that name can be seen on the server right now."""
        return name in self.online or name in self.house

    def is_playing(self, name: str) -> bool:
        house = self.house.get(name)
        return house.opponent != "-" if house else name in self.matches

    def is_ready(self, name: str) -> bool:
        house = self.house.get(name)
        return house.ready if house else self.accounts[name].ready

    # -- who records ------------------------------------------------------------------------------

    def who_line(self, name: str) -> str:
        user = self.house.get(name)
        if user is not None:
            login = user.login or int(self.now) - 3600
            return (
                f"5 {user.name} {user.opponent} {user.watching} {int(user.ready)} {int(user.away)} "
                f"{user.rating:.2f} {user.experience} {user.idle} {login} {user.host} "
                f"{user.client} {user.email}"
            )
        session = self.online[name]
        account = self.accounts[name]
        match = self.matches.get(name)
        opponent = match.opponent_of(name) if match else "-"
        idle = max(0, int(self.now - session.last_input))
        return (
            f"5 {name} {opponent} {session.watching or '-'} {int(account.ready)} "
            f"{int(account.away is not None)} {account.rating:.2f} {account.experience} {idle} "
            f"{session.login_time} {session.host} {session.client} {account.email}"
        )

    def who_group(self, names: list[str], *, end: bool = True) -> list[str]:
        lines = [self.who_line(n) for n in names]
        if self.quirks.torn_who and self.house:
            torn = self.who_line(next(iter(self.house)))
            lines[:0] = ["5 ", torn[2:]]
        return [*lines, "6"] if end else lines

    def visible(self) -> list[str]:
        return [*self.house, *self.online]

    def publish(self, *names: str, end: bool = True) -> None:
        """Tell everybody who is logged in about changed states; each reads the own record first."""
        names = tuple(n for n in names if n in self.online)
        if not names:
            return
        group = self.who_group(list(names), end=end)  # the same for everybody else
        for reader in list(self.online):
            if reader in names:
                ordered = sorted(names, key=lambda n: n != reader)
                self.send(reader, *self.who_group(ordered, end=end))
            else:
                self.send(reader, *group)

    # -- noise ------------------------------------------------------------------------------------

    def _noise(self, conn_id: int) -> list[str]:
        session = self.sessions.get(conn_id)
        if session is None or session.state is not SessionState.READY or session.name not in self.matches:
            return []
        kind = next(self._noise_turn)
        if not self.house or not kind:
            return []
        name = next(iter(self.house))
        if kind == "shout":
            return [f"13 {name} anyone doubles? Type 'accept' or 'reject'."]
        if kind == "who":
            return [self.who_line(name), "6"]
        return ["", f"{name} wins a 1 point match against somebody  1-0 ."]
