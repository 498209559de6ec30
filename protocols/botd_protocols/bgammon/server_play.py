"""Running games: opening roll, dice, moves, cube, resignation, results, and who is told what and when."""

from __future__ import annotations

from collections.abc import Sequence

from . import server_events as events
from . import server_steps
from .server_accounts import Session
from .server_board import Step, step_text
from .server_hub import NO_MATCH, Hub, Result
from .server_match import BACKGAMMON, Match
from .server_moves import carry_out, out_of_range, parse_moves
from .server_rating import after_match
from .server_replay import GameRecord

_MOVE_USAGE = "Specify one or more moves in the form FROM/TO. For example: 8/4 6/4"
_NOT_YOURS = "It is not your turn."
_DUE = "a command that the last board asks for"


class Play:
    """The commands of players, carried out on their match."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    # -- rolling ----------------------------------------------------------------------------------

    def roll(self, session: Session) -> None:
        hub = self._hub
        match = self._in_play(session, events.failed("roll", NO_MATCH))
        if match is None:
            return
        seat = match.number_of(session)
        if match.variant != BACKGAMMON:
            text = "Only backgammon is played here."
            hub.refuse(session, events.failed("roll", text), "leaving a match of another variant")
            return
        if not match.complete:
            text = "You may not roll until your opponent rejoins the match."
            hub.refuse(session, events.failed("roll", text), "waiting for the opponent")
            return
        may = match.seat(seat).die == 0 if match.turn == 0 else match.turn == seat and match.dice == (0, 0)
        if not may:
            text = "It is not your turn to roll."
            hub.refuse(session, events.failed("roll", text), "roll only with Turn 0 or 1 and own die 0")
            return
        if match.offered:
            hub.violate(session, "conduct", "rolled while the own double is open", "waiting for the answer")
            if not hub.quirks.roll_while_doubled:
                hub.send(session, events.failed("roll", "Waiting for response from opponent."))
                return
        if match.turn == 0:
            self._opening_die(match, seat)
        else:
            self._roll_for_turn(match)

    def _opening_die(self, match: Match, seat: int) -> None:
        hub = self._hub
        first, second = match.seats
        if match.opening_pair is None:
            match.opening_pair = hub.dice.roll()
        match.seat(seat).die = match.opening_pair[seat - 1]
        self._show_opening(match, seat)
        if not (first.die and second.die):
            if hub.quirks.first_opening_board:
                hub.send_boards(match)
            return
        while first.die == second.die:
            first.die, second.die = hub.dice.roll()
            self._show_opening(match, 1, (first.die, 0))
            self._show_opening(match, 2)
        self._begin(match)

    def _show_opening(self, match: Match, seat: int, dice: tuple[int, int] | None = None) -> None:
        shown = dice or (match.seats[0].die, match.seats[1].die)
        self._hub.show(match, lambda eyes: events.opening_rolled(match, eyes, seat, shown))

    def _begin(self, match: Match) -> None:
        """Both opening dice are on the table: the higher starts with them."""
        hub = self._hub
        first, second = match.seats
        now = int(hub.now)
        if not match.has_started:
            match.started = now
            for seat in match.seats:
                seat.may_rejoin = hub.quirks.rematch_rejoin or not match.is_rematch
        match.games.append(
            GameRecord(
                now, (first.owner, second.owner), match.length, (first.points, second.points), match.variant
            )
        )
        match.start_turn(1 if first.die > second.die else 2, hub.now)
        match.opening_pair = None
        match.opening = True
        match.set_dice(first.die, second.die)
        self._dice_are_out(match)

    def _roll_for_turn(self, match: Match) -> None:
        dice = self._hub.doubles_cap.roll(self._hub.dice, match.thrown_doubles, match.turn - 1)
        match.set_dice(*dice)
        self._hub.tell(match, events.rolled(match, match.turn))
        self._dice_are_out(match)

    def _dice_are_out(self, match: Match) -> None:
        """Show the roll, and play it if it is forced and the player wants that."""
        steps = self._forced(match)
        match.forced = bool(steps)
        self._hub.send_boards(match)
        match.forced = False
        if steps:
            self._autoplay(match, steps)

    # -- automatic play ---------------------------------------------------------------------------

    def _forced(self, match: Match) -> list[Step]:
        player = match.seat(match.turn).session
        if player is None or match.offered or not player.settings["autoplay"]:
            return []
        steps = server_steps.forced_play(match.view(match.turn), match.left)
        if self._hub.quirks.autoplay_incomplete and server_steps.bears_off_with_larger_die(steps, match.left):
            return []
        return steps

    def _autoplay(self, match: Match, steps: list[Step]) -> None:
        hub, seat = self._hub, match.turn
        hub.excuse(match.players)
        for step in steps:
            match.make(step)
            self._show_moved(match, seat, [step])
        if match.borne_off_all(seat):
            match.winner = seat
            self._finish_game(match, seat, match.value_for(seat), "")
            if hub.quirks.autoplay_repeats_board:
                hub.send_boards(match)
            return
        self._pass_turn(match)

    # -- moving -----------------------------------------------------------------------------------

    def move(self, session: Session, words: Sequence[str]) -> None:
        hub = self._hub
        match = session.match
        if match is None:
            hub.refuse(session, events.failed_move(NO_MATCH), "no play command outside a match")
            return
        seat = match.number_of(session)
        if match.winner:
            hub.send(session, hub.board_event(match, session))
            hub.ignore(session, "the game is over", "no move once Winner is set")
            return
        reason = ""
        if not match.complete:
            reason = "You may not move until your opponent rejoins the match."
        elif match.turn != seat or match.dice == (0, 0):
            reason = "It is not your turn to move."
        elif not words:
            reason = _MOVE_USAGE
        if reason:
            hub.refuse(session, events.failed_move(reason), _DUE)
            return
        moves = parse_moves(words)
        if moves is None:
            hub.refuse(session, events.failed_move(_MOVE_USAGE), "at most 8 parameters FROM/TO")
            return
        outside = out_of_range(moves)
        if outside is not None:
            hub.refuse(session, events.failed_move("Illegal move.", outside), "spaces 0 to 24 and 26")
            return
        quirks = hub.quirks
        steps, all_made = carry_out(match, moves, insist=quirks.insist_on_both_dice, lying=quirks.lying_moved)
        if not steps:
            hub.refuse(session, events.failed_move("Illegal move."), "steps of Available, or the last undone")
            return
        if not all_made:
            hub.violate(
                session, "conduct", "steps that exclude each other in one command", "one step per command"
            )
        self._show_moved(match, seat, steps)
        if match.borne_off_all(seat):
            match.winner = seat
            hub.send_boards(match)
            hub.excuse(match.players)
            self._finish_game(match, seat, match.value_for(seat), "")
        else:
            hub.send_boards(match)

    def reset(self, session: Session) -> None:
        hub = self._hub
        match = self._in_play(session, events.notice(NO_MATCH))
        if match is None:
            return
        seat = match.number_of(session)
        if match.turn != seat:
            hub.refuse(session, events.notice(_NOT_YOURS), _DUE)
            return
        steps = []
        while match.made:
            start, end = match.unmake()
            steps.append((end, start))
        if steps:
            self._show_moved(match, seat, steps)
            hub.send_boards(match)

    def _show_moved(self, match: Match, seat: int, steps: list[Step]) -> None:
        self._hub.show(match, lambda eyes: events.moved(match, eyes, seat, steps))

    # -- end of turn, cube ------------------------------------------------------------------------

    def ok(self, session: Session) -> None:
        hub = self._hub
        match = self._in_play(session, events.notice(NO_MATCH))
        if match is None:
            return
        seat = match.number_of(session)
        refusal = ""
        if not match.complete:
            refusal = "You must wait until your opponent rejoins the match before continuing the game."
        elif match.offered and match.turn == seat:
            refusal = "Waiting for response from opponent."
        elif match.offered:
            self._take(match, session)
            return
        elif match.turn != seat:
            refusal = _NOT_YOURS
        elif match.dice == (0, 0):
            refusal = "You must roll first."
        if refusal:
            hub.refuse(session, events.notice(refusal), _DUE)
            return
        steps = match.steps(insist=hub.quirks.insist_on_both_dice)
        if steps:
            text = ", ".join(step_text(step) for step in steps)
            reason = f"The following legal moves are available: {text}"
            hub.refuse(session, events.failed("ok", reason), "ok only when Available is empty")
            return
        self._pass_turn(match)

    def _pass_turn(self, match: Match) -> None:
        hub, seat = self._hub, match.turn
        match.games[-1].turn(seat, match.dice, [made.step for made in match.made])
        match.seat(seat).inactive_s = match.inactive(seat, hub.now, hub.config.inactive_turn_s)
        match.start_turn(3 - seat, hub.now)
        if match.may_double(3 - seat):
            hub.send_boards(match)
        else:
            self._roll_for_turn(match)

    def double(self, session: Session) -> None:
        hub = self._hub
        match = self._in_play(session, events.notice(NO_MATCH))
        if match is None:
            return
        seat = match.number_of(session)
        refusal = ""
        if match.turn != seat:
            refusal = _NOT_YOURS
        elif not match.complete:
            refusal = "You may not double until your opponent rejoins the match."
        elif match.offered or match.dice != (0, 0) or not match.may_double(seat):
            refusal = "You may not double at this time."
        if refusal:
            hub.refuse(session, events.notice(refusal), "double before the own roll, the cube one's own")
            return
        match.offered = True
        offer = f"({match.cube * 2} points)."
        other = match.seat(3 - seat).session
        hub.notice(session, f"Double offered to opponent {offer}")
        if other is not None:
            hub.notice(other, f"{session.name} offers a double {offer}")
        hub.send_boards(match)

    def _take(self, match: Match, session: Session) -> None:
        hub, doubler = self._hub, match.turn
        match.cube *= 2
        match.cube_owner, match.offered = 3 - doubler, False
        match.games[-1].double(doubler, match.cube, True)
        hub.notice(session, "Accepted double.")
        other = match.seat(doubler).session
        if other is not None:
            hub.notice(other, f"{session.name} accepted the double.")
        hub.send_boards(match)

    # -- giving up --------------------------------------------------------------------------------

    def resign(self, session: Session) -> None:
        hub = self._hub
        match = self._in_play(session, events.notice(NO_MATCH))
        if match is None:
            return
        seat = match.number_of(session)
        drops = match.offered and match.turn == 3 - seat
        refusal = ""
        if not match.complete:
            refusal = "You may not resign until your opponent rejoins the match."
        elif match.turn != seat and not drops:
            refusal = "You may not resign until it is your turn."
        if refusal:
            hub.refuse(session, events.notice(refusal), "resign on the own turn, or to an open double")
            return
        winner = 3 - seat
        other = match.seat(winner).session
        if drops:
            match.games[-1].double(winner, match.cube * 2, False)
            texts = ("Declined double offer.", f"{session.name} declined the double offer.")
        else:
            match.games[-1].gave_up(seat)
            texts = ("Resigned.", f"{session.name} resigned.")
        hub.notice(session, texts[0])
        if other is not None:
            hub.notice(other, texts[1])
        match.ended = int(hub.now)
        points = match.cube if hub.quirks.drop_scoring == "cube" else match.value_for(winner)
        match.winner = winner
        hub.excuse(match.players)
        self._finish_game(match, winner, points, session.name)

    def _finish_game(self, match: Match, winner: int, points: int, resigned: str) -> None:
        """Score a game whose winner is set, tell the result, and go on with the next game or end."""
        hub = self._hub
        record = match.games[-1]
        if not resigned:
            record.turn(match.turn, match.dice, [made.step for made in match.made])
        record.winner, record.points = winner, points
        match.score(winner, points)
        gain = 0
        if match.over:
            match.ended = int(hub.now)
            gain = self.finish_match(match, winner)
        shown = 0 if match.length == 1 and hub.quirks.zero_points_win else points
        hub.tell(match, events.win(match, shown, gain, resigned))
        if not match.over:
            match.next_game(hub.now)
        elif not hub.quirks.stale_offer_at_end:
            match.offered = False
        hub.send_boards(match)

    def finish_match(self, match: Match, winner: int) -> int:
        """Book the result; the winner's gain in rating."""
        hub = self._hub
        won, lost = match.seat(winner), match.seat(3 - winner)
        hub.results.append(
            Result(
                match.id, int(hub.now), match.length, match.variant, won.owner, lost.owner, tuple(match.games)
            )
        )
        if not match.rated:
            return 0
        key = (match.variant, match.length > 1)
        accounts = [hub.accounts.get(seat.owner.lower()) for seat in (won, lost)]
        first, second = accounts
        if first is None or second is None or first is second:
            return 0
        before, other = first.rating(*key), second.rating(*key)
        first.ratings[key] = after_match(before, other, True)
        second.ratings[key] = after_match(other, before, False)
        won.rating, lost.rating = first.ratings[key].shown, second.ratings[key].shown
        return max(0, won.rating - before.shown)

    # -- after the match --------------------------------------------------------------------------

    def rematch(self, session: Session) -> None:
        hub = self._hub
        match = session.match
        if match is None:
            hub.refuse(session, events.notice(NO_MATCH), "rematch only after a match, still in it")
            return
        seat = match.seat(match.number_of(session))
        other = match.seat(3 - match.number_of(session))
        refusal = ""
        if not match.over:
            refusal = "The match you are in is still in progress."
        elif other.session is None:
            refusal = "Your opponent left the match."
        elif seat.wants_rematch:
            refusal = "You have already requested a rematch."
        elif hub.shutdown_reason is not None:
            refusal = f"The server is shutting down. Reason: {hub.shutdown_reason}"
        if refusal:
            hub.refuse(session, events.notice(refusal), "one rematch after a finished match")
            return
        if other.session is not None and not other.wants_rematch:
            seat.wants_rematch = True
            hub.notice(session, "Rematch offer sent.")
            hub.notice(other.session, "Your opponent would like to play again. Send rematch to accept.")
            return
        match.begin_again(hub.now)
        for player in match.players:
            eyes = events.viewpoint(match, player)
            for number in (eyes.seat, 3 - eyes.seat):
                name = match.seat(number).owner
                hub.send(player, events.joined(match, name, eyes.number(number)))
        hub.send_boards(match)

    def _in_play(self, session: Session, outside: events.Event) -> Match | None:
        """The session's match if its game goes on; else None, and the session has its answer."""
        match = session.match
        if match is None:
            self._hub.refuse(session, outside, "no play command outside a match")
            return None
        return None if self._over(session, match) else match

    def _over(self, session: Session, match: Match) -> bool:
        """After the winner is set, play commands are ignored."""
        if match.winner:
            self._hub.ignore(session, "the match is over", "no play command once Winner is set")
        return bool(match.winner)
