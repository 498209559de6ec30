"""Commands that ask or set something and have no effect on a game."""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import server_events as events
from .server_accounts import SETTINGS, Session
from .server_events import Event
from .server_hub import Hub, Result
from .server_lobby import Lobby
from .server_match import ACEY_DEUCEY, BACKGAMMON, TABULA
from .server_replay import replay_content

_PAGE = 50
_RATINGS = (
    ("CasualBackgammonSingle", BACKGAMMON, False),
    ("CasualBackgammonMulti", BACKGAMMON, True),
    ("CasualAceyDeuceySingle", ACEY_DEUCEY, False),
    ("CasualAceyDeuceyMulti", ACEY_DEUCEY, True),
    ("CasualTabulaSingle", TABULA, False),
    ("CasualTabulaMulti", TABULA, True),
)
HELP = {
    "list": "list: the open and running matches",
    "create": "create public POINTS VARIANT [NAME], create private PASSWORD POINTS VARIANT [NAME]",
    "join": "join ID|USERNAME [PASSWORD]",
    "leave": "leave: leave the match",
    "roll": "roll: roll the dice",
    "move": "move FROM/TO ...: move checkers; reversed, take moves back",
    "reset": "reset: take back all moves of this turn",
    "ok": "ok: end the turn, or accept a double",
    "double": "double: offer the cube",
    "resign": "resign: decline a double, or lose the game",
    "rematch": "rematch: ask for or accept another match",
    "say": "say TEXT: chat to the opponent",
    "board": "board: ask for the state of the match",
    "pong": "pong: answer to ping",
    "set": "set NAME VALUE: change a setting",
    "history": "history USERNAME [PAGE]: finished matches",
    "replay": "replay [ID]: a recorded match",
    "follow": "follow USERNAME: be told when somebody is online",
    "unfollow": "unfollow USERNAME: no longer be told",
    "password": "password OLD NEW: change the password",
    "json": "json on|off: the format of events",
    "disconnect": "disconnect: log out and keep the seat",
    "achievements": "achievements: what can be achieved here",
    "motd": "motd: the message of the day",
    "defcon": "defcon: the level of restrictions",
    "help": "help [COMMAND]",
}


class Info:
    def __init__(self, hub: Hub, lobby: Lobby) -> None:
        self._hub = hub
        self._lobby = lobby

    def set_value(self, session: Session, words: Sequence[str]) -> None:
        hub = self._hub
        name = words[0].lower() if words else ""
        value = words[1] if len(words) > 1 else ""
        if name not in SETTINGS:
            text = f"Please specify a setting of these: {', '.join(SETTINGS)}"
            hub.refuse(session, events.notice(text), "set NAME NUMBER")
            return
        highest = SETTINGS[name][1]
        if len(value) != 1 or value not in "0123"[: highest + 1]:
            hub.refuse(
                session,
                events.notice(f"Invalid setting value: {name} takes 0 to {highest}."),
                "set NAME NUMBER",
            )
            return
        session.settings[name] = int(value)

    def help(self, session: Session, words: Sequence[str]) -> None:
        if not words:
            self._hub.notice(session, f"Commands: {', '.join(sorted(HELP))}. Try: help roll")
            return
        text = HELP.get(words[0].lower())
        self._hub.notice(session, text or "There is no help on that command.")

    def motd(self, session: Session, words: Sequence[str]) -> None:
        if words:
            self.denied(session, words)
        else:
            self._hub.notice(session, self._hub.motd)

    def defcon(self, session: Session, words: Sequence[str]) -> None:
        if words:
            self.denied(session, words)
        else:
            self._hub.notice(session, f"Current level: DEFCON {self._hub.config.defcon}")

    def denied(self, session: Session, _words: Sequence[str]) -> None:
        """Commands of the staff; nobody here is."""
        self._hub.refuse(session, events.notice("Access denied."), "no commands of the staff")

    def json(self, session: Session, words: Sequence[str]) -> None:
        hub = self._hub
        choice = words[0].lower() if words else ""
        if choice not in {"on", "off"}:
            hub.refuse(session, events.notice("Please specify on or off: json on"), "json on|off")
            return
        session.json = choice == "on"
        hub.notice(session, f"JSON formatted messages are now {'enabled' if session.json else 'disabled'}.")

    def follow(self, session: Session, words: Sequence[str], *, on: bool) -> None:
        hub = self._hub
        if session.account is None or not words:
            text = "Please log in to an account and name a user."
            hub.refuse(session, events.notice(text), "follow USERNAME, from an account")
            return
        name = words[0].lower()[:32]
        if not on:
            session.follows.discard(name)
        elif len(session.follows) < 100:
            session.follows.add(name)
        hub.notice(session, f"You are {'now' if on else 'no longer'} following {hub.quoted(words[0][:32])}.")

    def password(self, session: Session, words: Sequence[str]) -> None:
        hub, account = self._hub, session.account
        if account is None or len(words) < 2:
            text = "Please log in to an account and specify your old and new password."
            hub.refuse(session, events.notice(text), "password OLD NEW, from an account")
        elif account.password != words[0]:
            hub.refuse(session, events.notice("Incorrect existing password."), "the present password")
        else:
            account.password = "_".join(words[1:])
            hub.notice(session, "Password changed successfully.")

    def achievements(self, session: Session, _words: Sequence[str]) -> None:
        """This server awards none."""
        self._hub.send(session, Event("achievements", fields={"Achievements": self._empty()}))

    def history(self, session: Session, words: Sequence[str]) -> None:
        hub = self._hub
        self._leave_by_query(session, "history")
        if not words:
            hub.refuse(session, events.notice("Please specify a username."), "history USERNAME [PAGE]")
            return
        name = words[0].lower()
        found = [r for r in hub.results if name in {r.winner.lower(), r.loser.lower()}]
        found.reverse()
        pages = max(1, math.ceil(len(found) / _PAGE))
        page = int(words[1][:9]) if len(words) > 1 and words[1].isascii() and words[1].isdigit() else 1
        page = min(max(1, page), pages)
        matches = [self._row(result, name) for result in found[(page - 1) * _PAGE : page * _PAGE]]
        fields = {
            "Page": page,
            "Pages": pages,
            "Matches": matches or self._empty(),
            "Achievements": self._empty(),
        }
        account = hub.accounts.get(name)
        for title, variant, several in _RATINGS:
            fields[title] = account.rating(variant, several).shown if account is not None else 0
        hub.send(session, Event("history", words[0], fields))

    @staticmethod
    def _row(result: Result, name: str) -> dict[str, object]:
        won = result.winner.lower() == name
        return {
            "ID": result.match_id,
            "Timestamp": result.timestamp,
            "Points": result.length,
            "Opponent": result.loser if won else result.winner,
            "Winner": 1 if won else 2,
        }

    def replay(self, session: Session, words: Sequence[str]) -> None:
        hub = self._hub
        own = session.match
        self._leave_by_query(session, "replay")
        if not words:
            if own is None or not own.games:
                hub.refuse(session, events.notice("Please specify a match by id."), "replay ID")
                return
            fields = {"ID": -1, "Content": replay_content(own.games)}
            hub.send(session, Event("replay", fields=fields))
            return
        wanted = int(words[0][:18]) if words[0].isascii() and words[0].isdigit() else -1
        result = next((r for r in reversed(hub.results) if r.match_id == wanted), None)
        if result is None:
            hub.refuse(session, events.notice("No replay was recorded for that match."), "a finished match")
            return
        fields = {"ID": result.match_id, "Content": replay_content(result.games)}
        hub.send(session, Event("replay", fields=fields))

    def _leave_by_query(self, session: Session, command: str) -> None:
        if session.match is None:
            return
        self._hub.violate(
            session, "conduct", f"{command} within a match leaves it", "queries outside matches"
        )
        if self._hub.quirks.queries_leave_match:
            self._lobby.leave(session)

    def _empty(self) -> list[object] | None:
        return [] if self._hub.quirks.empty_lists == "empty" else None
