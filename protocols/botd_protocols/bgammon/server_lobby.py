"""Matches as places: who creates, joins, leaves, loses his seat and finds it again, who watches, sweeping."""

from __future__ import annotations

from collections.abc import Sequence

from . import server_events as events
from .server_accounts import Session
from .server_hub import Hub
from .server_match import ACEY_DEUCEY, MAX_POINTS, TABULA, Match, Seat
from .server_play import Play

_CREATE_USAGE = (
    "To create a public match please specify whether it is public or private, the number of points, "
    "the variant and, optionally, its name: create public 3 0 My match"
)
_TITLE_PREFIX = {ACEY_DEUCEY: "(Acey-deucey) ", TABULA: "(Tabula) "}
_VARIANTS = {"0": 0, "1": ACEY_DEUCEY, "2": TABULA}
_MAX_TITLE = 128
_GONE_EXPECTED = "create only outside a match"


class Lobby:
    def __init__(self, hub: Hub, play: Play) -> None:
        self._hub = hub
        self._play = play

    # -- create -----------------------------------------------------------------------------------

    def create(self, session: Session, words: Sequence[str]) -> None:
        hub = self._hub
        if session.match is not None or session.rejoin_due is not None:
            text = "Please leave the match you are in before creating another."
            self._refuse_create(session, text, _GONE_EXPECTED)
            return
        if hub.shutdown_reason is not None:
            self._refuse_create(
                session, f"The server is shutting down. Reason: {hub.shutdown_reason}", "no match now"
            )
            return
        kind = words[0].lower() if words else ""
        rest = list(words[1:])
        password: str | None = None
        if kind == "private" and rest:
            password = rest.pop(0).replace("_", " ")
        good = kind == "public" or password is not None
        points = _points(rest[0]) if good and rest else 0
        variant = _VARIANTS.get(rest[1], -1) if len(rest) > 1 else -1
        if not good or not points or variant < 0:
            if kind == "private" and len(words) < 4:
                hub.violate(
                    session, "format", "a private match without its variant stops the real server",
                    "create private PASSWORD POINTS VARIANT",
                )  # fmt: skip
            self._refuse_create(session, _CREATE_USAGE, "create public|private ... POINTS VARIANT [NAME]")
            return
        title = "" if hub.config.defcon <= 3 and session.account is None else " ".join(rest[2:])[:_MAX_TITLE]
        title = title or f"{session.name}'{'' if session.name.endswith('s') else 's'} match"
        hub.last_match_id += 1
        match = Match(
            hub.last_match_id, _TITLE_PREFIX.get(variant, "") + title, password, points, variant, hub.now
        )
        match.turn_since = hub.now
        hub.matches[match.id] = match
        self._sit(match, 1 if hub.dice.host_is_first() else 2, session)
        hub.notice(session, f"Created match: {hub.quoted(match.title)}")
        hub.notice(session, "Note: the match starts once somebody joins and both have rolled.")

    def _refuse_create(self, session: Session, text: str, expected: str) -> None:
        hub = self._hub
        hub.refuse(session, events.failed("create", text), expected)
        if hub.quirks.double_refusal:
            hub.notice(session, f"Failed to create match: {text}")

    # -- join -------------------------------------------------------------------------------------

    def join(self, session: Session, words: Sequence[str]) -> None:
        hub = self._hub
        if session.is_bot and not hub.config.bots_may_join:
            hub.violate(session, "conduct", "a bot joins a match", "bots create matches and wait")
        if not words:
            hub.refuse(
                session,
                events.notice("Please specify a match by id or username: join 7"),
                "join ID [PASSWORD]",
            )
            return
        if session.match is not None or session.rejoin_due is not None:
            text = "Please leave the match you are in before joining another."
            hub.refuse(session, events.failed("join", text), "join only outside a match")
            return
        match = self._find(words[0])
        if match is None:
            hub.refuse(session, events.failed("join", "Match not found."), "a match of the list")
            return
        if match.password is not None and " ".join(words[1:]).replace("_", " ") != match.password:
            hub.refuse(session, events.failed("join", "Invalid password."), "the match's password")
            return
        seat = self._free_seat(match, session)
        people = any(not player.is_bot for player in match.players)
        if seat and session.is_bot and people and not hub.config.bots_may_join:
            text = "Bots are not allowed to join player matches. Please create a match instead."
            hub.send(session, events.failed("join", text))
            return
        if seat:
            self._sit(match, seat, session)
        else:
            self._watch(match, session)
        hub.notice(session, f"Joined match: {hub.quoted(match.title)}")

    def _find(self, word: str) -> Match | None:
        hub = self._hub
        if word.isascii() and word.isdigit():
            return hub.matches.get(int(word)) if len(word) <= 18 else None
        other = hub.online.get(word.lower())
        return other.match if other is not None else None

    @staticmethod
    def _free_seat(match: Match, session: Session) -> int:
        """The seat that is free for this player; 0 if he can only watch."""
        if match.over:
            return 0
        for number in (1, 2):
            seat = match.seat(number)
            if seat.session is None and (not match.has_started or seat.owner.lower() == session.name.lower()):
                return number
        return 0

    def _sit(self, match: Match, number: int, session: Session) -> None:
        """Seat a player and tell everybody in the match."""
        hub, seat = self._hub, match.seat(number)
        session.match, session.spectating = match, False
        seat.owner, seat.session, seat.gone_at = session.name, session, None
        if match.has_started:
            seat.may_rejoin = hub.quirks.rematch_rejoin or not match.is_rematch
        seat.rated = session.account is not None
        seat.rating = 0
        if session.account is not None:
            seat.rating = session.account.rating(match.variant, match.length > 1).shown
        if match.complete and match.turn:
            match.turn_since = hub.now
        hub.show(match, lambda eyes: events.joined(match, session.name, eyes.number(number)))
        hub.excuse(match.players)
        hub.send_boards(match)

    def _watch(self, match: Match, session: Session) -> None:
        session.match, session.spectating = match, True
        match.spectators.append(session)
        self._hub.send(session, events.joined(match, session.name, 1), self._hub.board_event(match, session))

    # -- leave ------------------------------------------------------------------------------------

    def leave(self, session: Session, *, forfeit: bool = True) -> None:
        """Take somebody out of his match; without `forfeit` he may come back to his seat."""
        match = session.match
        if match is None:
            return
        hub = self._hub
        number = match.number_of(session)
        hub.send(session, events.left(session.name))
        session.match, session.spectating = None, False
        if not number:
            match.spectators.remove(session)
            if forfeit and hub.quirks.spectator_spoils_rejoin:
                match.seats[0].may_rejoin = False
            return
        seat = match.seat(number)
        seat.session, seat.gone_at, seat.wants_rematch = None, hub.now, False
        if forfeit:
            seat.may_rejoin = False
        hub.tell(match, events.left(session.name))
        hub.excuse(match.players)
        if not match.has_started:
            self._vacate(match, seat)
            if not match.clients:
                hub.matches.pop(match.id, None)
        elif not match.over:
            self._count_absence(match, number, forfeit)
        if hub.quirks.board_after_left:
            hub.send_boards(match)

    @staticmethod
    def _vacate(match: Match, seat: Seat) -> None:
        seat.owner, seat.rating, seat.rated, seat.die = "", 0, False, 0
        seat.inactive_s, seat.may_rejoin = 0.0, False
        if not any(s.die for s in match.seats):
            match.opening_pair = None

    def _count_absence(self, match: Match, number: int, forfeit: bool) -> None:
        """Somebody is away from a running match: remember who was first, book it once both have left."""
        hub = self._hub
        waiting = match.turn == 3 - number
        tired = match.inactive(3 - number, hub.now, hub.config.inactive_turn_s) >= hub.config.inactive_s
        if match.players:
            match.first_gone = number
            if match.rated and waiting and tired:
                match.first_gone = 3 - number
        elif forfeit and match.first_gone:
            self._play.finish_match(match, 3 - match.first_gone)
            match.seat(3 - match.first_gone).points = match.length

    # -- coming back ------------------------------------------------------------------------------

    def rejoinable(self, session: Session) -> tuple[Match, int] | None:
        """The match in which this player's seat waits for him, and the seat."""
        hub = self._hub
        for match in hub.matches.values():
            for number in (1, 2):
                seat, other = match.seat(number), match.seat(3 - number)
                if (
                    match.has_started
                    and not match.over
                    and seat.session is None
                    and seat.may_rejoin
                    and seat.owner.lower() == session.name.lower()
                    and (other.session is not None or hub.config.keep_matches)
                ):
                    return match, number
        return None

    def rejoin(self, session: Session) -> None:
        """Put a player who has just logged in back to his seat."""
        hub = self._hub
        session.rejoin_due = None
        found = self.rejoinable(session)
        if found is None or session.match is not None:
            return
        match, number = found
        self._sit(match, number, session)
        hub.notice(session, f"Rejoined match: {hub.quoted(match.title)}")
        session.excused_until = hub.now + 3.0

    # -- sweeping ---------------------------------------------------------------------------------

    def sweep(self) -> None:
        """Drop matches nobody is in, and take the last one out of those that have waited long enough."""
        hub, config = self._hub, self._hub.config
        for match in list(hub.matches.values()):
            players = match.players
            if len(players) == 2:
                continue
            if not players:
                if not self._kept(match):
                    self._drop(match)
                continue
            number = match.number_of(players[0])
            gone_at = match.seat(3 - number).gone_at
            limit = config.finished_s if match.over else config.abandoned_s
            if (match.has_started or match.over) and gone_at is not None and hub.now - gone_at >= limit:
                hub.notice(players[0], "Left completed match.")
                self.leave(players[0])
                self._drop(match)

    def _kept(self, match: Match) -> bool:
        return (
            self._hub.config.keep_matches
            and match.has_started
            and not match.over
            and all(seat.may_rejoin for seat in match.seats)
        )

    def _drop(self, match: Match) -> None:
        for watcher in list(match.spectators):
            self._hub.notice(watcher, "Left completed match.")
            self.leave(watcher)
        self._hub.matches.pop(match.id, None)

    def watch_inactivity(self) -> None:
        """Tell both players of a rated match once that one of them has been slow for too long."""
        hub, config = self._hub, self._hub.config
        for match in hub.matches.values():
            if not match.rated or match.over or not match.complete or match.inactivity_told or not match.turn:
                continue
            if match.inactive(match.turn, hub.now, config.inactive_turn_s) >= config.inactive_s:
                match.inactivity_told = True
                slow = match.seat(match.turn).owner
                for player in match.players:
                    hub.notice(
                        player,
                        f"{slow} has been inactive for too long: the opponent may leave and win the match.",
                    )


def _points(word: str) -> int:
    """Match length from a parameter, at most 127; 0 if it is none."""
    if not (word.isascii() and word.isdigit()):
        return 0
    return min(MAX_POINTS, int(word.lstrip("0")[:12] or "0"))
