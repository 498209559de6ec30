"""Commands during and around a match: dispatch, game commands with their turn checks, settings."""

from __future__ import annotations

from collections.abc import Callable

from .server_accounts import Session
from .server_board import O_COLOUR, X_COLOUR, pip_count
from .server_chat import Chat
from .server_hub import Hub
from .server_info import Info
from .server_lobby import Lobby
from .server_login import GOODBYE
from .server_match import Match, OfferKind, Phase
from .server_moves import MoveError, parse_pairs
from .server_play import Play

Handler = Callable[[Session, list[str], str], None]
"""Session, the words after the command, and the text after the command as typed."""

_BYE = ("bye", "exit", "quit", "logout", "end", "adios", "ciao", "tschoe")
_LEVELS = {"n": 1, "g": 2, "b": 3}
_ABBREVIATED = ("move", "toggle", "board", "roll", "double", "accept", "reject", "join", "kibitz", "shout")
"""Commands that FIBS takes shortened; two letters at least, and `m`."""


class Commands:
    def __init__(self, hub: Hub, play: Play, lobby: Lobby, close: Callable[[Session], None]) -> None:
        self._hub = hub
        self._play = play
        self._lobby = lobby
        self._close = close
        chat = Chat(hub)
        info = Info(hub, play)
        self._handlers: dict[str, Handler] = {
            "accept": self._accept,
            "beaver": self._redouble,
            "board": self._board,
            "double": self._double,
            "invite": lambda s, w, _: lobby.invite(s, w),
            "join": lambda s, w, _: lobby.join(s, w),
            "leave": lambda s, _, __: lobby.leave(s),
            "move": self._move,
            "otter": self._redouble,
            "pip": self._pip,
            "raccoon": self._redouble,
            "redouble": self._redouble,
            "reject": self._reject,
            "resign": self._resign,
            "roll": self._roll,
            "set": self._set,
            "toggle": self._toggle,
            **chat.handlers(),
            **info.handlers(),
            **dict.fromkeys(_BYE, self._bye),
            "wave": self._wave,
        }

    def handle(self, session: Session, line: str) -> None:
        """One line of a logged-in player."""
        hub = self._hub
        words = line.split()
        if not words:
            return
        typed = words[0]
        if typed.isdigit() or typed.split("-")[0].lower() in {"bar"}:
            # Bare numbers are a move.
            self._move(session, words, line)
            return
        command = self._resolve(typed)
        if command != "wave":
            session.waves = 0
        if command is None:
            hub.refuse(session, f"** Unknown command: '{typed[:80]}'")
            return
        self._handlers[command](session, words[1:], line.lstrip()[len(typed) :].removeprefix(" "))

    def _resolve(self, typed: str) -> str | None:
        if typed in self._handlers:
            return typed
        if typed == "m":
            return "move"
        if len(typed) < 2:
            return None
        return next((name for name in _ABBREVIATED if name.startswith(typed)), None)

    # -- game -------------------------------------------------------------------------------------

    def _match_for(self, session: Session, text: str = "** You're not playing.") -> tuple[Match, int] | None:
        match = self._hub.matches.get(session.name)
        if match is None:
            self._hub.refuse(session, text)
            return None
        return match, match.side_of(session.name)

    def _blocked_by_resignation(self, session: Session, match: Match, side: int) -> bool:
        offer = match.offer
        if offer is None or offer.kind is not OfferKind.RESIGN:
            return False
        other = match.players[1 - side]
        if offer.by == side:
            self._hub.refuse(session, f"** Wait until {other} accepted or rejected your resign.")
        else:
            self._hub.refuse(session, f"** {other} wanted to resign. Type 'accept' or 'reject'.")
        return True

    def _own_double_open(self, session: Session, match: Match, side: int) -> bool:
        if match.offer is None or match.offer.by != side:
            return False
        self._hub.refuse(session, f"** {match.players[1 - side]} hasn't responded to your double yet.")
        return True

    def _roll(self, session: Session, _words: list[str], _text: str) -> None:
        found = self._match_for(session)
        if found is None or self._blocked_by_resignation(session, *found):
            return
        match, side = found
        if self._own_double_open(session, match, side):
            return
        if not match.in_game or match.turn != side or match.offer is not None:
            self._hub.refuse(session, "** It's not your turn to roll the dice.")
        elif match.phase is Phase.MOVE:
            self._hub.refuse(session, "** You did already roll the dice.")
        else:
            self._play.roll(match)

    def _move(self, session: Session, words: list[str], _text: str) -> None:
        found = self._match_for(session)
        if found is None or self._blocked_by_resignation(session, *found):
            return
        match, side = found
        if self._own_double_open(session, match, side):
            return
        hub = self._hub
        try:
            parse_pairs(words, match.colour(side))
            if not match.in_game or match.turn != side or match.offer is not None:
                hub.refuse(session, "** It's not your turn to move.")
            elif match.phase is Phase.ROLL:
                hub.refuse(session, "** You have to roll the dice before moving.")
            else:
                self._play.move(match, side, words)
        except MoveError as error:
            hub.refuse(session, str(error))

    def _double(self, session: Session, _words: list[str], _text: str) -> None:
        found = self._match_for(session)
        if found is None:
            return
        match, side = found
        hub, other, offer = self._hub, match.players[1 - side], match.offer
        if offer is not None and offer.kind is OfferKind.RESIGN and offer.by == side:
            hub.refuse(session, "** You can't double now. You want to resign.")
        elif self._blocked_by_resignation(session, match, side) or self._own_double_open(
            session, match, side
        ):
            return
        elif not match.in_game or offer is not None:
            hub.refuse(session, "** It's not your turn to double.")
        elif match.turn != side:
            hub.refuse(session, f"** Please wait until {other} has moved.")
        elif match.first_move:
            hub.refuse(session, "** You cannot double in the first move.")
        elif match.phase is Phase.MOVE:
            hub.refuse(session, "** You can only double before you roll the dice.")
        elif not match.may_double(side):
            hub.refuse(session, "** It's not your turn to double.")
        else:
            self._play.offer_double(match, side)

    def _redouble(self, session: Session, _words: list[str], _text: str) -> None:
        found = self._match_for(session)
        if found is None:
            return
        match, side = found
        hub, offer = self._hub, match.offer
        allowed = min(hub.accounts[p].settings.redoubles for p in match.players)
        if offer is None or offer.kind is not OfferKind.DOUBLE or offer.by == side:
            hub.refuse(session, f"** {match.players[1 - side]} didn't double or resign.")
        elif not match.unlimited or match.redoubles_used >= allowed:
            hub.refuse(session, "** It's not your turn to double.")
        else:
            self._play.redouble(match, side)

    def _answer(self, session: Session) -> tuple[Match, int] | None:
        found = self._match_for(session)
        if found is None:
            return None
        match, side = found
        if match.offer is None or match.offer.by == side:
            self._hub.refuse(session, f"** {match.players[1 - side]} didn't double or resign.")
            return None
        return found

    def _accept(self, session: Session, _words: list[str], _text: str) -> None:
        found = self._answer(session)
        if found is not None:
            self._play.accept(*found)

    def _reject(self, session: Session, _words: list[str], _text: str) -> None:
        found = self._answer(session)
        if found is not None:
            self._play.reject(*found)

    def _resign(self, session: Session, words: list[str], _text: str) -> None:
        found = self._match_for(session, "** You're not playing, so you can't give up.")
        if found is None:
            return
        match, side = found
        hub, offer = self._hub, match.offer
        level = _LEVELS.get(words[0][0].lower()) if words else None
        if offer is not None and offer.kind is OfferKind.RESIGN and offer.by == side:
            hub.refuse(session, "** You already did that.")
        elif self._blocked_by_resignation(session, match, side) or self._own_double_open(
            session, match, side
        ):
            return
        elif not match.in_game:
            hub.refuse(session, "** You're not playing, so you can't give up.")
        elif level is None:
            hub.refuse(session, "** Type 'n' (normal), 'g' (gammon) or 'b' (backgammon) after resign.")
        elif offer is not None:
            hub.refuse(session, f"** {match.players[1 - side]} doubled. Type 'accept' or 'reject'.")
        else:
            self._play.offer_resignation(match, side, level)

    def _board(self, session: Session, _words: list[str], _text: str) -> None:
        hub, name = self._hub, session.name
        if hub.quirks.board_command == "silent":
            return
        if hub.quirks.board_command == "unknown":
            hub.send_session(session, "** Unknown command: 'board'")
            return
        watched = session.watching or name
        match = hub.matches.get(name) or hub.matches.get(watched)
        if match is None:
            hub.refuse(session, "** You're not playing or watching.")
            return
        viewer = name if name in match.players else watched
        hub.send_session(session, *self._play.board_for(session, match, match.side_of(viewer)))

    def _pip(self, session: Session, _words: list[str], _text: str) -> None:
        found = self._match_for(session)
        if found is None:
            return
        match, side = found
        refusing = [p for p in match.players if not self._hub.accounts[p].settings["allowpip"]]
        if refusing:
            self._hub.send_session(session, f"** {refusing[0]} doesn't allow the use of the 'pip' command.")
            return
        pips = {colour: pip_count(match.board, colour) for colour in (O_COLOUR, X_COLOUR)}
        own, other = match.colour(side), match.colour(1 - side)
        self._hub.send_session(
            session,
            f"Pipcounts: {session.name} {pips[own]}  {match.players[1 - side]} {pips[other]}",
        )

    # -- settings ---------------------------------------------------------------------------------

    def _toggle(self, session: Session, words: list[str], _text: str) -> None:
        hub = self._hub
        account = hub.accounts[session.name]
        if not words:
            hub.send_session(session, *account.settings.toggle_list())
            return
        was_ready = account.ready
        reply = account.settings.flip(words[0])
        if reply is None:
            hub.refuse(session, f"** Don't know how to toggle {words[0][:40]}")
            return
        hub.send_session(session, reply)
        if account.ready != was_ready:
            if was_ready:
                hub.invitations.pop(session.name, None)
            hub.publish(session.name)

    def _set(self, session: Session, words: list[str], _text: str) -> None:
        settings = self._hub.accounts[session.name].settings
        if not words:
            self._hub.send_session(session, *settings.variable_list())
            return
        reply = settings.set_variable(words[0], words[1] if len(words) > 1 else None)
        if reply.startswith("**"):
            self._hub.refuse(session, reply)
        else:
            self._hub.send_session(session, reply)

    # -- going ------------------------------------------------------------------------------------

    def _bye(self, session: Session, _words: list[str], _text: str) -> None:
        hub, name = self._hub, session.name
        match = hub.matches.get(name)
        if match is not None and not match.unlimited:
            hub.violate(session, "conduct", "bye", "logged out of a match that was not finished")
        hub.send_session(session, *GOODBYE)
        self._lobby.gone(session, f"{name} logs out.", f"{name} logs out.")
        self._close(session)

    def _wave(self, session: Session, words: list[str], text: str) -> None:
        session.waves += 1
        hub, name = self._hub, session.name
        again = "" if session.waves == 1 else " again"
        hub.send_session(session, f"You wave goodbye{again}.")
        for reader in hub.others(name):
            hub.notify(reader, f"{name} waves goodbye{again}.")
        if session.waves > 1:
            self._bye(session, words, text)
