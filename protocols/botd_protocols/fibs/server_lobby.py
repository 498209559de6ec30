"""Invitations, joining, leaving, resuming, and what becomes of a match when somebody goes away."""

from __future__ import annotations

from .server_accounts import Session
from .server_board import UNLIMITED_LENGTH
from .server_hub import Hub, Invitation
from .server_match import Match, Phase
from .server_play import Play

EXPERIENCED = 50
LONG_MATCH = 9


class Lobby:
    def __init__(self, hub: Hub, play: Play) -> None:
        self._hub = hub
        self._play = play

    # -- invite -----------------------------------------------------------------------------------

    def invite(self, session: Session, words: list[str]) -> None:
        hub, name = self._hub, session.name
        if not words:
            hub.refuse(session, "** invite who?")
            return
        guest = words[0]
        if name in hub.matches:
            hub.refuse(session, "** You are already playing.")
        elif guest == name:
            hub.refuse(session, "** You can't invite yourself.")
        elif not hub.exists(guest):
            hub.refuse(session, f"** There is no one called {guest}.")
        elif not hub.accounts[name].ready:
            hub.refuse(session, "** Use 'toggle ready' first")
        elif hub.is_playing(guest):
            hub.refuse(session, f"** {guest} is already playing with someone else.")
        elif not hub.is_ready(guest):
            hub.refuse(session, f"** {guest} is refusing games.")
        elif len(words) == 1:
            self._invite_to_resume(session, guest)
        else:
            self._invite_to_play(session, guest, words[1])

    def _invite_to_resume(self, session: Session, guest: str) -> None:
        hub, name = self._hub, session.name
        if hub.saved.get(name, guest) is None:
            hub.refuse(session, f"** There's no saved match with {guest}. Please give a match length.")
            return
        hub.invitations[name] = Invitation(guest, None)
        hub.send(name, f"** You invited {guest} to resume a saved match.")
        self._deliver(name, guest, f"{name} wants to resume a saved match with you.")

    def _invite_to_play(self, session: Session, guest: str, length_word: str) -> None:
        hub, name = self._hub, session.name
        account = hub.accounts[name]
        unlimited = length_word != "" and "unlimited".startswith(length_word)
        if not unlimited and not (length_word.isascii() and length_word.isdigit()):
            hub.refuse(
                session, "** The second argument to 'invite' has to be a number or the word 'unlimited'"
            )
            return
        length = UNLIMITED_LENGTH if unlimited else int(length_word[:9])
        if not unlimited and not 1 <= length <= 99:
            hub.refuse(session, f"** You can't play a {length} point match.")
            return
        long = unlimited or length > LONG_MATCH
        if hub.quirks.experience_limit and long and account.experience < EXPERIENCED:
            hub.refuse(session, "** You're not experienced enough to play a match of that length.")
            return
        if len(hub.saved.of(name)) >= hub.config.max_saved and hub.saved.get(name, guest) is None:
            hub.refuse(session, "** You are not allowed to create new games.")
            return
        hub.invitations[name] = Invitation(guest, length)
        kind = "an unlimited" if unlimited else f"a {length} point"
        spelt = f"an {hub.quirks.spellings.unlimited}" if unlimited else f"a {length} point"
        hub.send(name, f"** You invited {guest} to {kind} match.")
        saved = hub.saved.get(name, guest)
        warning = ""
        if saved is not None:
            what = "unlimited" if saved.unlimited else f"{saved.length} point"
            warning = f"WARNING: Don't accept if you want to continue the saved {what} match!"
        self._deliver(name, guest, f"{name} wants to play {spelt} match with you.", warning)

    def _deliver(self, name: str, guest: str, text: str, warning: str = "") -> None:
        hub = self._hub
        account = hub.accounts.get(guest)
        if account is not None and account.away is not None:
            hub.send(name, f"{guest} is away: {account.away}")
        lines = [text, f"Type 'join {name}' to accept."]
        if warning:
            lines.insert(1 if hub.quirks.warning_first else 2, warning)
        hub.notify(guest, *lines)

    # -- join -------------------------------------------------------------------------------------

    def join(self, session: Session, words: list[str]) -> None:
        hub, name = self._hub, session.name
        if not words:
            self._join_next_game(session)
            return
        host = words[0]
        invitation = hub.invitations.get(host)
        if name in hub.matches:
            hub.refuse(session, "** You can't play two games at once")
        elif host not in hub.online:
            hub.refuse(session, f"** Error: can't find player {host}")
        elif host in hub.matches:
            hub.refuse(session, f"** {host} is already playing with someone else.")
        elif invitation is None or invitation.to != name:
            hub.refuse(session, f"** {host} didn't invite you.")
        elif not hub.accounts[host].ready:
            hub.refuse(session, f"** {host} is refusing games.")
        elif invitation.length is None:
            self._resume(host, name)
        else:
            self._start(host, name, invitation.length)

    def _join_next_game(self, session: Session) -> None:
        hub, name = self._hub, session.name
        match = hub.matches.get(name)
        if match is None or match.phase is not Phase.BETWEEN:
            hub.refuse(session, "** Error: Join who?")
            return
        match.joined[match.side_of(name)] = True
        if all(match.joined):
            self._play.begin_game(match)
        else:
            hub.send(name, f"** Please wait for {match.opponent_of(name)} to join too.")

    def _enter(self, match: Match) -> None:
        hub = self._hub
        for player in match.players:
            hub.matches[player] = match
            hub.invitations.pop(player, None)
            hub.online[player].watching = None
        hub.publish(*match.players[::-1])

    def _start(self, host: str, joiner: str, length: int) -> None:
        hub = self._hub
        hub.saved.pop(host, joiner)
        no_crawford = not any(hub.accounts[p].settings["crawford"] for p in (host, joiner))
        match = Match((host, joiner), length, crawford_rule=not no_crawford)
        match.can_move = [hub.accounts[p].can_move for p in match.players]
        self._enter(match)
        stars = "" if match.unlimited else "** "
        dot = hub.quirks.spellings.final_dot
        hub.notify(host, f"{stars}Player {joiner} has joined you for {match.length_text} match{dot}")
        if hub.quirks.start_text_for_joiner:
            hub.send(joiner, f"** You are now playing {match.length_text} match with {host}")
        self._report(match, f"{host} and {joiner} start {match.length_text} match.")
        self._play.begin_game(match)

    def _report(self, match: Match, text: str) -> None:
        for reader in self._hub.others(*match.players):
            if self._hub.accounts[reader].settings["report"]:
                self._hub.notify(reader, text)

    def _resume(self, host: str, joiner: str) -> None:
        hub = self._hub
        match = hub.saved.pop(host, joiner)
        if match is None:
            hub.send(joiner, "** ERROR: Saved match is corrupt. Please start another one.")
            return
        self._enter(match)
        quirks, spell = hub.quirks, hub.quirks.spellings
        dot = spell.final_dot
        details: list[str] = []
        if match.in_game:
            details.append(f"turn: {match.players[match.turn]}{dot}")
        details.append(spell.unlimited_resumed if match.unlimited else f"match length: {match.length}")
        for name in (host, joiner):
            details.append(f"{spell.points_for} {name}: {match.scores[match.side_of(name)]}")
        texts = {
            host: f"{joiner} has joined you. Your running match was loaded{dot}",
            joiner: f"You are now playing with {host}. Your running match was loaded{dot}",
        }
        for name, text in texts.items():
            hub.accounts[name].settings.reset_per_game()
            if quirks.resume_text:
                if name == host:
                    hub.notify(name)
                hub.send(name, text, *details)
            if quirks.resume_board:
                self._play.send_board(match, match.side_of(name))
        length = "unlimited" if match.unlimited else f"{match.length}-point"
        self._report(match, f"{host} and {joiner} are resuming their {length} match.")
        if quirks.resume_prompt:
            self._play.prompt(match)

    # -- going away -------------------------------------------------------------------------------

    def leave(self, session: Session) -> None:
        hub, name = self._hub, session.name
        match = hub.matches.get(name)
        if match is None:
            hub.refuse(session, "** Error: No one to leave.")
            return
        if not match.unlimited:
            hub.violate(session, "conduct", "leave", "left a match that was not finished")
        other = match.opponent_of(name)
        self._suspend(match)
        hub.send(name, "** You terminated the game. The game was saved.")
        hub.suspended_at[other] = hub.now
        hub.notify(other, f"** Player {name} has left the game. The game was saved.")
        self._report(match, f"{name} has left the game with {other}.")
        hub.publish(other, name)

    def _suspend(self, match: Match) -> None:
        for player in match.players:
            self._hub.matches.pop(player, None)
        self._hub.saved.put(match)

    def gone(self, session: Session, match_text: str, news: str) -> None:
        """A player is no longer there: save the match, tell the others.

        `match_text` is for the opponent (`anna logs out.`), `news` for message 8.
        """
        hub, name = self._hub, session.name
        match = hub.matches.get(name)
        other = None
        if match is not None:
            other = match.opponent_of(name)
            self._suspend(match)
            hub.suspended_at[other] = hub.now
            if hub.quirks.loss_text:
                hub.notify(other, f"{match_text} The game was saved.")
        if hub.online.get(name) is session:
            del hub.online[name]
        hub.invitations.pop(name, None)
        for watcher in hub.watchers_of(name):
            watcher.watching = None
            hub.notify(watcher.name, f"{news} You're not watching anymore.")
        for reader in hub.others(name):
            if hub.accounts[reader].settings["notify"]:
                hub.notify(reader, f"8 {name} {news}")
        if other is not None:
            hub.publish(other)
