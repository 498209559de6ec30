"""The log-in prompt and the guest dialogue."""

from __future__ import annotations

import re
from collections.abc import Callable

from .server_accounts import MAX_NAME, RESERVED_NAMES, Account, Session, SessionState
from .server_hub import Hub
from .server_lobby import Lobby

CLIP_VERSION = "1008"
WILL_ECHO = b"\xff\xfb\x01"
WONT_ECHO = b"\xff\xfc\x01"
_PROMPT = b"login: "
_OPEN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_GUEST_NAME = re.compile(r"[A-Za-z_]+")
_FIELD = re.compile(r"[\x21-\x7e]{1,60}")

WELCOME_GUEST = (
    "",
    "Welcome to FIBS. You just logged in as guest.",
    "Please register before using this server:",
    "",
    "Type 'name username' where name is the word 'name' and",
    "username is the login name you want to use.",
    "",
    "ONE USERNAME PER PERSON ONLY!!!",
)
GOODBYE = ("                             Goodbye.", "", "Example farewell text.")


class Login:
    def __init__(self, hub: Hub, lobby: Lobby, close: Callable[[Session], None]) -> None:
        self._hub = hub
        self._lobby = lobby
        self._close = close

    def greet(self, session: Session) -> None:
        self._hub.send_session(session, *self._hub.config.banner)
        self._hub.outbox.raw(session.conn_id, _PROMPT)

    def handle(self, session: Session, line: str) -> None:
        """One line of a connection that is not logged in."""
        if session.state is SessionState.LOGIN:
            self._login_line(session, line)
        elif session.state is SessionState.GUEST:
            self._guest_line(session, line)
        else:
            self._password_line(session, line)

    # -- login ------------------------------------------------------------------------------------

    def _login_line(self, session: Session, line: str) -> None:
        words = line.split()
        if words == ["guest"]:
            session.state = SessionState.GUEST
            self._hub.send_session(session, *WELCOME_GUEST)
            self._prompt(session)
            return
        if len(words) == 5 and words[0] == "login" and _FIELD.fullmatch(words[1]):
            account = self._authenticate(words[3], words[4])
            if account is not None:
                if words[2] != CLIP_VERSION:
                    self._hub.violate(session, "format", "login", f"CLIP version {words[2][:8]}")
                self._welcome(session, account, words[1])
                return
        session.failures += 1
        hub = self._hub
        if hub.quirks.refuse_with_text:
            hub.send_session(session, "Login incorrect")
            self._close(session)
        elif session.failures >= hub.config.max_login_failures:
            self._close(session)
        else:
            hub.send_session(session, "")
            hub.outbox.raw(session.conn_id, _PROMPT)

    def _authenticate(self, name: str, password: str) -> Account | None:
        hub = self._hub
        account = hub.accounts.get(name)
        if account is not None:
            return account if account.accepts(password) else None
        usable = _OPEN_NAME.fullmatch(name) and len(name) <= MAX_NAME and self._name_is_free(name)
        if not hub.config.open_accounts or not usable or len(hub.accounts) >= hub.config.max_accounts:
            return None
        return self._create(name, password)

    def _name_is_free(self, name: str) -> bool:
        return name not in RESERVED_NAMES and name not in self._hub.house and name not in self._hub.accounts

    def _create(self, name: str, password: str) -> Account:
        account = self._hub.accounts[name] = Account(name, password)
        return account

    def _welcome(self, session: Session, account: Account, client: str) -> None:
        hub, name = self._hub, account.name
        hub.send_session(session, "")
        older = hub.online.get(name)
        if older is not None:
            hub.send_session(session, "** Warning: You are already logged in.")
            hub.send_session(older, f"Closed old connection with user {name}.")
            self._lobby.gone(older, f"Closed old connection with user {name}.", f"{name} drops connection.")
            self._close(older)
        session.state, session.account, session.client = SessionState.READY, account, client
        session.login_time = int(hub.now)
        last_host = account.last_host if account.last_login else session.host
        own = account.settings
        flag = {toggle: int(value) for toggle, value in own.toggles.items()}
        redoubles = own.variables["redoubles"].replace("none", "0")
        hub.send_session(
            session,
            f"1 {name} {account.last_login} {last_host}",
            f"2 {name} {flag['allowpip']} {flag['autoboard']} {flag['autodouble']} {flag['automove']} "
            f"{int(account.away is not None)} {flag['bell']} {flag['crawford']} {flag['double']} "
            f"{account.experience} {flag['greedy']} {flag['moreboards']} {flag['moves']} {flag['notify']} "
            f"{account.rating:.2f} {flag['ratings']} {flag['ready']} {redoubles} "
            f"{flag['report']} {flag['silent']} {own.variables['timezone']}",
            "3",
            *hub.config.motd,
            "4",
        )
        account.last_login, account.last_host = session.login_time, session.host
        while account.stored:
            sender, when, text = account.stored.popleft()
            hub.send_session(session, f"9 {sender} {when} {text}")
        hub.online[name] = session
        hub.send_session(session, *hub.who_group(sorted_names(hub, own.variables["sortwho"])))
        for reader in hub.others(name):
            if hub.accounts[reader].settings["notify"]:
                hub.notify(reader, f"7 {name} {name} logs in.")
            hub.send(reader, *hub.who_group([name]))
        for waiter in hub.waiting.pop(name, set()):
            hub.notify(waiter, f"{name} logs in.")

    # -- guest ------------------------------------------------------------------------------------

    def _prompt(self, session: Session) -> None:
        self._hub.outbox.raw(session.conn_id, b"> ")

    def _guest_line(self, session: Session, line: str) -> None:
        hub = self._hub
        words = line.split()
        command = words[0] if words else ""
        if command == "bye":
            hub.send_session(session, *GOODBYE)
            self._close(session)
            return
        if command != "name":
            if command:
                hub.send_session(session, f"** Unknown command: '{command[:40]}'")
        elif len(words) != 2 or not _GUEST_NAME.fullmatch(words[1]):
            hub.send_session(
                session, "** Your name may only contain letters and the underscore character _ ."
            )
        elif len(words[1]) > MAX_NAME:
            hub.send_session(session, f"** Please use a name with at most {MAX_NAME} characters.")
        elif not self._name_is_free(words[1]):
            hub.send_session(
                session, f"** Please use another name. '{words[1]}' is already used by someone else."
            )
        elif not hub.config.registration or len(hub.accounts) >= hub.config.max_accounts:
            hub.send_session(session, "Your site is not allowed to create new accounts.")
        else:
            session.new_name = words[1]
            session.state = SessionState.PASSWORD
            hub.send_session(
                session,
                f"Your name will be {words[1]}",
                "Type in no password and hit Enter/Return if you want to change it now.",
            )
            hub.outbox.raw(session.conn_id, WILL_ECHO + b"Please give your password: ")
            return
        self._prompt(session)

    def _password_line(self, session: Session, line: str) -> None:
        hub = self._hub
        hub.send_session(session, "")
        if session.state is SessionState.RETYPE:
            self._retyped(session, line)
            return
        complaint = ""
        if not line:
            hub.send_session(session, "** No password given. Please choose a new name")
            session.state = SessionState.GUEST
            hub.outbox.raw(session.conn_id, WONT_ECHO)
            self._prompt(session)
            return
        if len(line) < 4:
            complaint = "Minimal password length is 4 characters."
        elif ":" in line:
            complaint = "Your password may not contain ':'"
        elif not _FIELD.fullmatch(line):
            complaint = "Your password may not contain blanks"
        if complaint:
            hub.send_session(session, complaint)
            hub.outbox.raw(session.conn_id, b"Please give your password: ")
            return
        session.new_password = line
        session.state = SessionState.RETYPE
        hub.outbox.raw(session.conn_id, b"Please retype your password: ")

    def _retyped(self, session: Session, line: str) -> None:
        hub = self._hub
        if line != session.new_password:
            session.state = SessionState.PASSWORD
            hub.outbox.raw(
                session.conn_id,
                b"** The two passwords were not identical. Please give them again. Password: ",
            )
            return
        session.state = SessionState.GUEST
        if not self._name_is_free(session.new_name):
            hub.send_session(
                session,
                f"** Please use another name. '{session.new_name}' is already used by someone else.",
            )
        else:
            self._create(session.new_name, line)
            hub.send_session(session, "You are registered.", "Type 'help beginner' to get started.")
        session.new_password = ""
        hub.outbox.raw(session.conn_id, WONT_ECHO)
        self._prompt(session)


def sorted_names(hub: Hub, order: str) -> list[str]:
    """Everybody on the server in the order of variable `sortwho`."""

    def login_time(name: str) -> int:
        house = hub.house.get(name)
        return house.login if house else hub.online[name].login_time

    def rating(name: str) -> float:
        house = hub.house.get(name)
        return house.rating if house else hub.accounts[name].rating

    names = hub.visible()
    if order == "name":
        return sorted(names)
    if order in {"rating", "rrating"}:
        return sorted(names, key=rating, reverse=order == "rating")
    return sorted(names, key=login_time)
