"""Talk: tell, say, kibitz, whisper, shout, stored messages, away."""

from __future__ import annotations

from collections.abc import Callable

from .server_accounts import Session
from .server_hub import Hub

_MAX_TEXT = 1000


class Chat:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def handlers(self) -> dict[str, Callable[[Session, list[str], str], None]]:
        return {
            "tell": self._tell,
            "tellx": self._tell,
            "say": self._say,
            "kibitz": self._kibitz,
            "whisper": self._whisper,
            "shout": self._shout,
            "message": self._message,
            "away": self._away,
            "back": self._back,
        }

    def _tell(self, session: Session, words: list[str], text: str) -> None:
        hub = self._hub
        if not words:
            hub.refuse(session, "** Tell whom?")
            return
        self._tell_to(session, words[0], text.lstrip()[len(words[0]) :].removeprefix(" ")[:_MAX_TEXT])

    def _tell_to(self, session: Session, to: str, text: str) -> None:
        hub, name = self._hub, session.name
        if not hub.exists(to):
            hub.refuse(session, f"** There is no one called {to}.")
            return
        if not text.strip():
            hub.refuse(session, "** You can't say nothing.")
            return
        listener = hub.online.get(to)
        if listener is not None:
            listener.last_teller = name
            hub.notify(to, f"12 {name} {text}")
        hub.send_session(session, f"16 {to} {text}")
        account = hub.accounts.get(to)
        if account is not None and account.away is not None:
            hub.send_session(session, f"{to} is away: {account.away}")

    def _say(self, session: Session, _words: list[str], text: str) -> None:
        hub = self._hub
        match = hub.matches.get(session.name)
        to = match.opponent_of(session.name) if match else session.last_teller
        if to is None:
            hub.refuse(session, "** Tell whom?")
            return
        self._tell_to(session, to, text[:_MAX_TEXT])

    def _table(self, session: Session) -> tuple[list[str], list[str]] | None:
        """Players and watchers at this session's board, itself excepted."""
        hub, name = self._hub, session.name
        match = hub.matches.get(name) or (hub.matches.get(session.watching) if session.watching else None)
        if match is None:
            hub.refuse(session, "** You're not watching or playing.")
            return None
        watchers = [s.name for s in hub.watchers_of(*match.players) if s.name != name]
        return [p for p in match.players if p != name], watchers

    def _kibitz(self, session: Session, _words: list[str], text: str) -> None:
        table = self._table(session)
        if table is None:
            return
        if not text.strip():
            self._hub.refuse(session, "** You can't say nothing.")
            return
        for reader in table[0] + table[1]:
            self._hub.notify(reader, f"15 {session.name} {text[:_MAX_TEXT]}")
        self._hub.send_session(session, f"19 {text[:_MAX_TEXT]}")

    def _whisper(self, session: Session, _words: list[str], text: str) -> None:
        table = self._table(session)
        if table is None:
            return
        for reader in table[1]:
            self._hub.notify(reader, f"14 {session.name} {text[:_MAX_TEXT]}")
        self._hub.send_session(session, f"18 {text[:_MAX_TEXT]}")

    def _shout(self, session: Session, _words: list[str], text: str) -> None:
        hub, name = self._hub, session.name
        hub.violate(session, "conduct", "shout", "a program must not shout")
        if hub.accounts[name].settings["silent"]:
            hub.refuse(session, "** Please type 'toggle silent' again before you shout.")
            return
        if not text.strip():
            hub.refuse(session, "** You can't say nothing.")
            return
        for reader in hub.others(name):
            if not hub.accounts[reader].settings["silent"]:
                hub.notify(reader, f"13 {name} {text[:_MAX_TEXT]}")
        hub.send_session(session, f"17 {text[:_MAX_TEXT]}")

    def _message(self, session: Session, words: list[str], text: str) -> None:
        hub = self._hub
        if len(words) < 2:
            hub.refuse(session, "** usage: message <user> <text>")
            return
        to = words[0]
        body = text.lstrip()[len(to) :].strip()[:_MAX_TEXT]
        account = hub.accounts.get(to)
        if account is None and to not in hub.house:
            hub.refuse(session, f"** Don't know user {to}")
        elif account is not None and to not in hub.online:
            account.stored.append((session.name, int(hub.now), body))
            hub.send_session(session, f"11 {to}")
        else:
            hub.notify(to, f"9 {session.name} {int(hub.now)} {body}")
            hub.send_session(session, f"10 {to}")

    def _away(self, session: Session, _words: list[str], text: str) -> None:
        hub = self._hub
        hub.accounts[session.name].away = text.strip()[:200] or "away"
        hub.send_session(session, "You're away. Please type 'back'")
        hub.publish(session.name)

    def _back(self, session: Session, _words: list[str], _text: str) -> None:
        hub = self._hub
        account = hub.accounts[session.name]
        if account.away is None:
            hub.refuse(session, "** You're not away.")
            return
        account.away = None
        hub.send_session(session, "Welcome back.")
        hub.publish(session.name)
