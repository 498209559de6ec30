"""From the text of a command to what carries it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import server_events as events
from .server_accounts import Session
from .server_hub import NO_MATCH, Hub
from .server_info import Info
from .server_lobby import Lobby
from .server_login import Login
from .server_play import Play

ALIASES = {
    "ls": "list",
    "c": "create",
    "j": "join",
    "l": "leave",
    "r": "roll",
    "m": "move",
    "mv": "move",
    "k": "ok",
    "d": "double",
    "rm": "rematch",
    "s": "say",
    "b": "board",
    "h": "help",
}
_STAFF = ("broadcast", "kick", "ban", "unban", "rename", "shutdown")
_SPECTATORS_MAY_NOT = frozenset({"roll", "move", "reset", "ok", "double", "resign", "rematch", "say"})
_MAX_CHAT = 200
_CHAT_PAUSE_S = 5.0
_MAX_COMMANDS_PER_S = 10

_Handler = Callable[[Session, Sequence[str]], None]


class Commands:
    def __init__(self, hub: Hub, play: Play, lobby: Lobby, login: Login) -> None:
        self._hub = hub
        self._lobby = lobby
        info = Info(hub, lobby)
        self._handlers: dict[str, _Handler] = {
            "list": lambda session, _: hub.send(session, login.match_list(session)),
            "create": lobby.create,
            "join": lobby.join,
            "leave": self._leave,
            "roll": lambda session, _: play.roll(session),
            "move": play.move,
            "reset": lambda session, _: play.reset(session),
            "ok": lambda session, _: play.ok(session),
            "double": lambda session, _: play.double(session),
            "resign": lambda session, _: play.resign(session),
            "rematch": lambda session, _: play.rematch(session),
            "board": self._board,
            "pong": lambda _session, _words: None,
            "set": info.set_value,
            "history": info.history,
            "replay": info.replay,
            "achievements": info.achievements,
            "help": info.help,
            "motd": info.motd,
            "follow": lambda session, words: info.follow(session, words, on=True),
            "unfollow": lambda session, words: info.follow(session, words, on=False),
            "password": info.password,
            "defcon": info.defcon,
            "disconnect": self._disconnect,
            "json": info.json,
            **dict.fromkeys(_STAFF, info.denied),
        }

    def handle(self, session: Session, text: str) -> None:
        """One trimmed, non-empty command of somebody who is logged in."""
        hub = self._hub
        self._count(session)
        keyword, _, rest = text.partition(" ")
        keyword = ALIASES.get(keyword.lower(), keyword.lower())
        if session.spectating and keyword in _SPECTATORS_MAY_NOT:
            refusal = "Command ignored: You are spectating this match."
            hub.refuse(session, events.notice(refusal), "only leave, as a spectator")
        elif keyword == "say":
            self._say(session, rest.strip())
        elif keyword in self._handlers:
            self._handlers[keyword](session, rest.split())
        else:
            hub.violate(session, "format", "an unknown command", "a command of the protocol")
            hub.notice(session, f"Unknown command: {hub.quoted(keyword[:200])}")

    def _count(self, session: Session) -> None:
        now = self._hub.now
        session.recent.append(now)
        within = sum(1 for at in session.recent if now - at < 1.0)
        if within == _MAX_COMMANDS_PER_S + 1:
            self._hub.violate(session, "conduct", "more than 10 commands a second", "at most 10 a second")

    def _say(self, session: Session, text: str) -> None:
        hub, match = self._hub, session.match
        expected = "chat only with an opponent present"
        if match is None:
            hub.refuse(session, events.notice(f"Message not sent: {NO_MATCH}"), expected)
            return
        other = match.seat(3 - match.number_of(session)).session
        if other is None:
            reason = "Message not sent: There is no one else in the match."
            hub.refuse(session, events.notice(reason), expected)
            return
        if len(text) > _MAX_CHAT:
            hub.violate(session, "conduct", f"chat of {len(text)} characters", f"at most {_MAX_CHAT}")
        if session.last_say is not None and hub.now - session.last_say < _CHAT_PAUSE_S:
            hub.violate(session, "conduct", "chat within 5 s of the last", "at most one in 5 s")
        session.last_say = hub.now
        if text:
            hub.send(other, events.say(session.name, text))

    def _board(self, session: Session, _words: Sequence[str]) -> None:
        hub = self._hub
        if session.match is None:
            hub.refuse(session, events.notice(NO_MATCH), "board only within a match")
        else:
            hub.send(session, hub.board_event(session.match, session))

    def _leave(self, session: Session, _words: Sequence[str]) -> None:
        if session.match is None:
            self._hub.refuse(session, events.failed("leave", NO_MATCH), "leave only within a match")
            return
        match = session.match
        if not session.spectating and match.has_started and not match.over and match.complete:
            self._hub.violate(session, "conduct", "left a running match", "the match played to its end")
        self._lobby.leave(session)

    def _disconnect(self, session: Session, _words: Sequence[str]) -> None:
        self._lobby.leave(session, forfeit=False)
        self._hub.terminate(session, "Client disconnected")
