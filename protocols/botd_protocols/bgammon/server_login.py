"""Everything between connecting and being logged in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import server_events as events
from .server_accounts import Account, Session, SessionState
from .server_hub import Hub, new_account
from .server_lobby import Lobby
from .server_names import IN_USE, NameRefusedError, check_name, free_guest_number, guest_name

GREETING = "hello Welcome to this backgammon server! Please log in."
LOGIN_WORDS = frozenset({"login", "loginjson", "lj", "register", "registerjson", "rj", "resetpassword"})
_NO_ACCOUNT = (
    "No account was found with the provided username and password. "
    "To log in as a guest, do not enter a password."
)
_ABUSE = "Due to ongoing abuse, {}. Please try again later."
_HELD_S = 0.5
MAX_HELD = 64
_OFFICIAL = "boxcars"


class Login:
    def __init__(self, hub: Hub, lobby: Lobby) -> None:
        self._hub = hub
        self._lobby = lobby
        self._next_guest = 0

    def greet(self, session: Session) -> None:
        if not session.framed:
            self._hub.raw_line(session, GREETING)

    def handle(self, session: Session, text: str) -> None:
        """A command of somebody who is not logged in; others than log-in ones are held back."""
        hub = self._hub
        keyword, _, rest = text.partition(" ")
        keyword = keyword.lower()
        words = rest.split()
        if keyword not in LOGIN_WORDS:
            hub.violate(
                session, "early", "a command before the log-in", "nothing but the log-in until welcome"
            )
            room = hub.config.max_line - sum(len(held) for held in session.held)
            if len(session.held) < MAX_HELD and len(text) <= room:
                session.held.append(text)
                session.held_due = hub.now + _HELD_S
            return
        try:
            if keyword == "resetpassword":
                hub.terminate(session, "resetpasswordok")
            elif keyword in {"register", "registerjson", "rj"}:
                self._register(session, words, json=keyword != "register")
            else:
                self._log_in(session, words, json=keyword != "login")
        except NameRefusedError as refusal:
            self._reject(session, str(refusal))

    def run_held(self, session: Session, run: Callable[[Session, str], None]) -> None:
        """Carry out what was held back, if the log-in has succeeded; else look again later."""
        if session.state is SessionState.LOGIN:
            session.held_due = self._hub.now + _HELD_S
            return
        session.held_due = None
        held = session.held[:]
        session.held.clear()
        for text in reversed(held) if self._hub.quirks.held_reversed else held:
            if session.state is SessionState.READY:
                run(session, text)

    def _reject(self, session: Session, reason: str) -> None:
        hub = self._hub
        crossing = reason == IN_USE  # the own ghost; retrying is what a client should do
        if not crossing:
            hub.violate(session, "refused", reason, "a log-in that can succeed")
        hub.terminate(session, reason)

    def _log_in(self, session: Session, words: Sequence[str], *, json: bool) -> None:
        hub, config = self._hub, self._hub.config
        session.json = json
        if not words:
            hub.violate(
                session, "format", "a log-in without parameters stops the real server",
                "loginjson CLIENT/LANGUAGE [USERNAME [PASSWORD]]",
            )  # fmt: skip
            hub.terminate(session, "Server error")
            return
        if json:
            session.client, _, session.language = words[0].partition("/")
            words = words[1:]
        # In text mode the password is ignored (quirk 3).
        name = words[0] if words else ""
        password = "_".join(words[1:]) if json else ""
        if config.defcon <= 1:
            self._reject(session, _ABUSE.format("only registered users may connect"))
            return
        account: Account | None = None
        if not name:
            shown = free_guest_number(hub.online, self._next_guest * 37)
            self._next_guest += 1
        else:
            check_name(name)
            if password:
                account = self._account(session, name, password)
                if account is None:
                    return
                shown = account.name
            else:
                shown = guest_name(name)
        lower = shown.lower()
        if lower in config.banned:
            why = config.banned[lower]
            self._reject(session, f"You are banned: {why}" if why else "You are banned")
        elif lower in hub.online or (account is not None and f"guest_{lower}" in hub.online):
            self._reject(session, IN_USE)
        else:
            self._enter(session, shown, account)

    def _account(self, session: Session, name: str, password: str) -> Account | None:
        """The account of these credentials; None if the log-in has been refused."""
        hub, config = self._hub, self._hub.config
        account = hub.accounts.get(name.lower())
        room = len(hub.accounts) < config.max_accounts and not name.lower().startswith("guest_")
        if account is None and config.open_accounts and room:
            account = hub.accounts[name.lower()] = new_account(name, password)
        if account is None or account.password != password:
            self._reject(session, _NO_ACCOUNT)
            return None
        if account.disabled or name.lower() in config.disabled:
            self._reject(session, "Failed to log in: account disabled")
            return None
        return account

    def _register(self, session: Session, words: Sequence[str], *, json: bool) -> None:
        hub, config = self._hub, self._hub.config
        session.json = json
        if json and words:
            session.client, _, session.language = words[0].partition("/")
            words = words[1:]
        hub.violate(session, "conduct", "registers an account by program", "an account made by a person")
        if config.defcon <= 2:
            hub.terminate(session, _ABUSE.format("registration is disabled"))
            return
        if len(words) < 3:
            hub.terminate(session, "Please enter an email, username and password.")
            return
        email, name, password = words[0], words[1], "_".join(words[2:])
        check_name(name)
        problem = ""
        if "@" not in email or "." not in email:
            problem = "please enter a valid email address"
        elif name.lower().startswith("guest_") or name.lower() in hub.accounts or name.lower() in hub.online:
            problem = "that username is already in use"
        elif any(account.email.lower() == email.lower() for account in hub.accounts.values()):
            problem = "that email is already in use"
        elif hub.registered_hosts.get(session.host, 0) >= config.accounts_per_host:
            problem = "you have already registered an account"
        elif len(hub.accounts) >= config.max_accounts:
            problem = "no more accounts can be made"
        if problem:
            hub.terminate(session, f"Failed to register: {problem}")
            return
        hub.registered_hosts[session.host] = hub.registered_hosts.get(session.host, 0) + 1
        account = hub.accounts[name.lower()] = new_account(name, password, email)
        self._enter(session, account.name, account)

    def _enter(self, session: Session, name: str, account: Account | None) -> None:
        """Everything a good log-in brings, in its order."""
        hub = self._hub
        session.name, session.account, session.state = name, account, SessionState.READY
        hub.online[name.lower()] = session
        if account is not None:
            session.settings, session.follows = account.settings, account.follows
        hub.send(session, events.welcome(name, len(hub.online), len(hub.matches)))
        if account is not None:
            hub.send(session, events.settings(account.settings))
        hub.send(session, self.match_list(session))
        hub.notice(session, hub.motd)
        if session.language not in {"", "en"}:
            hub.notice(session, "This server speaks English only; translations are welcome.")
        if session.client.startswith(_OFFICIAL):
            hub.violate(session, "conduct", "a client name of the official client", "a name of its own")
            hub.notice(session, "Your client is out of date.")
        if hub.config.defcon <= 3:
            hub.notice(session, "Due to ongoing abuse, some actions are restricted to registered users.")
        for other in list(hub.online.values()):
            if name.lower() in other.follows and other is not session:
                hub.notice(other, f"{name} is online.")
            if other.name.lower() in session.follows and other is not session:
                hub.notice(session, f"{other.name} is online.")
        if self._lobby.rejoinable(session) is None:
            return
        if hub.quirks.rejoin_delay_s:
            session.rejoin_due = hub.now + hub.quirks.rejoin_delay_s
        else:
            self._lobby.rejoin(session)

    def match_list(self, session: Session) -> events.Event:
        games = self._hub.listings(session)
        null = self._hub.quirks.empty_lists != "empty"
        return events.Event("list", fields={"Games": None if not games and null else games})
