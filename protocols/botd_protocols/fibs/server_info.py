"""Questions that change nothing but who watches whom: who, show, watch, time and the like."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from .server_accounts import Session
from .server_hub import Hub
from .server_login import sorted_names
from .server_play import Play

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


def time_text(now: float) -> str:
    """`Monday, November 30 02:20:00 UTC   ( Mon Nov 30 02:20:00 2026 UTC )`"""
    moment = datetime.fromtimestamp(now, UTC)
    day, month, clock = _DAYS[moment.weekday()], _MONTHS[moment.month - 1], moment.strftime("%H:%M:%S")
    return (
        f"{day}, {month} {moment.day} {clock} UTC   "
        f"( {day[:3]} {month[:3]} {moment.day} {clock} {moment.year} UTC )"
    )


class Info:
    def __init__(self, hub: Hub, play: Play) -> None:
        self._hub = hub
        self._play = play

    def handlers(self) -> dict[str, Callable[[Session, list[str], str], None]]:
        return {
            "who": self._who,
            "rawwho": self._who,
            "whois": self._whois,
            "ratings": self._ratings,
            "show": self._show,
            "time": self._time,
            "watch": self._watch,
            "unwatch": self._unwatch,
            "look": self._look,
            "oldmoves": self._oldmoves,
            "waitfor": self._waitfor,
            "address": self._address,
            "help": self._help,
            "motd": self._motd,
        }

    def _who(self, session: Session, words: list[str], _text: str) -> None:
        hub = self._hub
        names = sorted_names(hub, hub.accounts[session.name].settings.variables["sortwho"])
        if words:
            fields = {n: hub.who_line(n).split() for n in names}
            kind = words[0]
            if kind == "count":
                hub.send_session(session, f"{len(names)} users.")
                return
            if kind == "ready":
                names = [n for n in names if fields[n][4] == "1" and fields[n][2] == "-"]
            elif kind == "playing":
                names = [n for n in names if fields[n][2] != "-"]
            elif kind == "away":
                names = [n for n in names if fields[n][5] == "1"]
            elif kind == "from" and len(words) > 1:
                names = [n for n in names if fields[n][10].startswith(words[1])]
            elif hub.exists(kind):
                names = [kind]
            else:
                hub.refuse(session, f"** There is no one called {kind}.")
                return
        hub.send_session(session, *hub.who_group(names))

    def _rating_of(self, name: str) -> tuple[float, int] | None:
        hub = self._hub
        person = hub.accounts.get(name) or hub.house.get(name)
        return (person.rating, person.experience) if person else None

    def _whois(self, session: Session, words: list[str], _text: str) -> None:
        name = words[0] if words else session.name
        found = self._rating_of(name)
        if found is None:
            self._hub.refuse(session, f"** There is no one called {name}.")
            return
        online = "is logged in." if self._hub.exists(name) else "Not logged in right now."
        self._hub.send_session(
            session,
            f"Information about {name}:",
            f"  {name} {online}" if self._hub.exists(name) else f"  {online}",
            f"  Rating: {found[0]:.2f} Experience: {found[1]}",
        )

    def _ratings(self, session: Session, words: list[str], _text: str) -> None:
        for name in words[:5] or [session.name]:
            found = self._rating_of(name)
            if found is None:
                self._hub.refuse(session, f"** There is no one called {name}.")
            else:
                self._hub.send_session(session, f"{name:<20} {found[0]:.2f} {found[1]}")

    def _show(self, session: Session, words: list[str], _text: str) -> None:
        hub = self._hub
        what = words[0] if words else ""
        if what == "saved":
            ready = [n for n in hub.visible() if hub.is_ready(n)]
            hub.send_session(session, *hub.saved.listing(session.name, hub.visible(), ready))
        elif what == "savedcount":
            name = words[1] if len(words) > 1 else session.name
            if self._rating_of(name) is None:
                hub.refuse(session, f"** There is no one called {name}.")
            else:
                hub.send_session(session, hub.saved.count_text(name))
        else:
            hub.refuse(session, "** Valid arguments are 'saved' and 'savedcount'.")

    def _time(self, session: Session, _words: list[str], _text: str) -> None:
        self._hub.send_session(session, time_text(self._hub.now))

    def _watch(self, session: Session, words: list[str], _text: str) -> None:
        hub, name = self._hub, session.name
        target = words[0] if words else ""
        house = hub.house.get(target)
        match = hub.matches.get(target)
        if name in hub.matches:
            hub.refuse(session, "** You can't watch another game while you're playing.")
        elif not hub.exists(target):
            hub.refuse(session, f"** There is no one called {target}.")
        elif house is not None and house.opponent != "-":
            hub.refuse(session, f"** {target} doesn't want you to watch.")
        elif match is None:
            hub.send_session(session, f"{target} is not doing anything interesting.")
        else:
            session.watching = target
            hub.send_session(session, f"You're now watching {target}.")
            hub.notify(target, f"{name} is watching you.")
            hub.notify(match.opponent_of(target), f"{name} starts watching {target}.")
            hub.publish(name)

    def _unwatch(self, session: Session, _words: list[str], _text: str) -> None:
        hub = self._hub
        target, session.watching = session.watching, None
        if target is None:
            hub.refuse(session, "** You're not watching.")
            return
        hub.send_session(session, f"You stop watching {target}.")
        hub.notify(target, f"{session.name} stops watching you.")
        hub.publish(session.name)

    def _look(self, session: Session, words: list[str], _text: str) -> None:
        hub = self._hub
        name = words[0] if words else session.name
        match = hub.matches.get(name)
        if not hub.exists(name):
            hub.refuse(session, f"** There is no one called {name}.")
        elif match is None:
            hub.send_session(session, f"{name} is not playing.")
        else:
            hub.send_session(session, *self._play.board_for(session, match, match.side_of(name)))

    def _oldmoves(self, session: Session, _words: list[str], _text: str) -> None:
        lines = self._hub.finished.get(session.name)
        self._hub.send_session(session, *(lines or ["** You didn't finish a game yet."]))

    def _waitfor(self, session: Session, words: list[str], _text: str) -> None:
        hub = self._hub
        name = words[0] if words else ""
        if name not in hub.accounts:
            hub.refuse(session, f"** Don't know user {name}")
        elif name in hub.online:
            hub.send_session(session, f"{name} is already logged in.")
        else:
            hub.waiting.setdefault(name, set()).add(session.name)
            hub.send_session(session, f"Waiting for {name} to log in.")

    def _address(self, session: Session, words: list[str], _text: str) -> None:
        if len(words) != 1 or len(words[0]) > 60:
            self._hub.refuse(session, "** usage: address <email>")
            return
        self._hub.accounts[session.name].email = words[0]
        self._hub.send_session(session, f"Your email address is now '{words[0]}'.")

    def _help(self, session: Session, _words: list[str], _text: str) -> None:
        self._hub.send_session(
            session, "NAME", "  help - commands: invite, join, roll, move, double, accept, reject, resign,"
        )
        self._hub.send_session(session, "  leave, board, toggle, set, show saved, tell, kibitz, who, bye")

    def _motd(self, session: Session, _words: list[str], _text: str) -> None:
        self._hub.send_session(session, "3", *self._hub.config.motd, "4")
