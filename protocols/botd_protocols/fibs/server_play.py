"""Running games: dice, moves, cube, resignations, results, and who reads what in which order."""

from __future__ import annotations

from . import server_board as geometry
from .server_accounts import Session
from .server_hub import Hub
from .server_match import Match, Offer, OfferKind, Phase
from .server_moves import (
    Board26,
    MoveError,
    Steps,
    check_move,
    forced_play,
    greedy_play,
    move_count,
    parse_pairs,
    to_fibs_steps,
)
from .server_rating import calculation_lines, rating_change


def points_text(points: int) -> str:
    return f"{points} point{'' if points == 1 else 's'}"


class Play:
    """The game rules of `Match` put into words."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    # -- helpers ----------------------------------------------------------------------------------

    def _toggle(self, match: Match, side: int, name: str) -> bool:
        return self._hub.accounts[match.players[side]].settings[name]

    def _to_watchers(self, match: Match, *lines: str) -> None:
        for session in self._hub.watchers_of(*match.players):
            self._hub.notify(session.name, *lines)

    def board_for(self, session: Session, match: Match, side: int) -> list[str]:
        """The board as this session's settings want it; `side` is player 1."""
        hub = self._hub
        assert session.account is not None
        redoubles = 0
        if match.unlimited:
            redoubles = min(hub.accounts[p].settings.redoubles for p in match.players)
        state = match.view(
            side,
            you=session.name in match.players,
            redoubles=redoubles,
            show_double=hub.quirks.double_on_board,
        )
        if session.account.settings.boardstyle != 3:
            return geometry.ascii_board(state)
        line = geometry.board_line(state, wrong_bars=hub.quirks.wrong_bars)
        return [line, line] if hub.quirks.duplicate_boards else [line]

    def send_board(self, match: Match, side: int) -> None:
        session = self._hub.online.get(match.players[side])
        if session is not None:
            self._hub.send_session(session, *self.board_for(session, match, side))

    def _refresh(self, match: Match, toggle: str, sides: tuple[int, ...] = (0, 1)) -> None:
        """Send the board to those sides that want it by `toggle`, and to watchers."""
        for side in sides:
            if self._toggle(match, side, toggle):
                self.send_board(match, side)
        for session in self._hub.watchers_of(*match.players):
            assert session.account is not None
            assert session.watching is not None
            if session.account.settings[toggle]:
                self._hub.send_session(
                    session, *self.board_for(session, match, match.side_of(session.watching))
                )

    def legal(self, match: Match, side: int) -> list[tuple[Steps, Board26]]:
        assert match.dice is not None
        view = geometry.to_own_view(match.board, match.colour(side))
        plays = self._hub.legal_plays(view, match.dice)
        return [(tuple(steps), tuple(after)) for steps, after in plays if steps]

    def _count(self, match: Match, plays: list[tuple[Steps, Board26]]) -> int:
        """How many checkers the side on turn has to move; remembered, stale, for its later board lines."""
        count = move_count(plays)
        match.can_move[match.turn] = count
        self._hub.accounts[match.players[match.turn]].can_move = count
        return count

    # -- games ------------------------------------------------------------------------------------

    def begin_game(self, match: Match) -> None:
        """Both are in: start the next game, up to the starter's opening dice."""
        hub = self._hub
        if match.games == 0:
            match.x_side = 0 if hub.dice.host_is_first() else 1
        match.start_game(swap_colours=hub.quirks.swap_colours)
        names = match.players
        for side, name in enumerate(names):
            hub.accounts[name].settings.reset_per_game()
            hub.notify(name, f"Starting a new game with {names[1 - side]}.")
        self._to_watchers(match, f"{names[0]} and {names[1]} start a new game.")
        while True:
            first, second = hub.dice.roll()
            hub.send(names[0], f"You rolled {first}, {names[1]} rolled {second}")
            hub.send(names[1], f"You rolled {second}, {names[0]} rolled {first}")
            if first != second:
                break
            if all(self._toggle(match, side, "autodouble") for side in (0, 1)):
                match.cube *= 2
                for name in names:
                    hub.send(name, f"The number on the doubling cube is now {match.cube}")
        starter = 0 if first > second else 1
        dice = (first, second) if starter == 0 else (second, first)
        match.open_with(starter, dice)
        self._count(match, self.legal(match, starter))
        hub.send(names[starter], "It's your turn to move.")
        hub.send(names[1 - starter], f"{names[starter]} makes the first move.")
        self._refresh(match, "autoboard")
        if hub.quirks.opening_prompt:
            self._ask_for_move(match)

    def _ask_for_move(self, match: Match) -> None:
        count = move_count(self.legal(match, match.turn))
        self._hub.send(match.players[match.turn], f"Please move {count} piece{'' if count == 1 else 's'}.")

    def will_be_asked(self, match: Match, side: int) -> bool:
        """Whether `side`, to roll, gets the roll question (else the server rolls)."""
        quirks = self._hub.quirks
        wants = self._toggle(match, side, "double") != quirks.double_inverted
        return wants and (match.may_double(side) or (quirks.ask_without_cube and match.length == 1))

    def continue_turn(self, match: Match, question: str = "It's your turn. Please roll or double") -> None:
        """Somebody is to roll: ask, or roll for him, again and again while turns pass by themselves."""
        while match.phase is Phase.ROLL and match.offer is None:
            side = match.turn
            if self.will_be_asked(match, side):
                self._hub.send(match.players[side], question)
                return
            if not self._hub.quirks.automatic_roll:
                return
            self._roll_once(match)

    def roll(self, match: Match) -> None:
        """The side on turn rolls, and the game goes on up to the next thing a player has to do."""
        self._roll_once(match)
        self.continue_turn(match)

    def _roll_once(self, match: Match) -> None:
        hub = self._hub
        side, other = match.turn, 1 - match.turn
        mover, waiter = match.players[side], match.players[other]
        match.roll(hub.doubles_cap.roll(hub.dice, match.thrown_doubles, side))
        assert match.dice is not None
        dice_text = f"{match.dice[0]} and {match.dice[1]}"
        plays = self.legal(match, side)
        count = self._count(match, plays)
        hub.send(mover, f"You roll {dice_text}.")
        hub.notify(waiter, f"{mover} rolls {dice_text}.")
        self._to_watchers(match, f"{mover} rolls {dice_text}.")
        sides = (0, 1) if hub.quirks.board_after_opponent_roll else (side,)
        self._refresh(match, "moreboards", sides)
        if count == 0:
            self._dance(match)
            return
        colour = match.colour(side)
        greedy = greedy_play(plays) if self._toggle(match, side, "greedy") else None
        forced = forced_play(plays) if self._toggle(match, side, "automove") else None
        if greedy is not None:
            steps = to_fibs_steps(greedy, colour)
            hub.send(mover, "Bearing off: " + " ".join(f"{a} o" for a, _ in steps))
            self._complete_move(match, steps, self._after(plays, greedy, colour))
        elif forced is not None:
            steps = to_fibs_steps(forced, colour)
            text = " ".join(geometry.step_text(a, b) for a, b in steps)
            hub.send(mover, f"The only possible move is {text} .")
            self._complete_move(match, steps, self._after(plays, forced, colour))
        else:
            self._ask_for_move(match)

    @staticmethod
    def _after(plays: list[tuple[Steps, Board26]], steps: Steps, colour: int) -> Board26:
        """The FIBS board after one of the listed plays (its steps in any order)."""
        after = next(board for known, board in plays if sorted(known) == sorted(steps))
        return geometry.from_own_view(after, colour)

    def _dance(self, match: Match) -> None:
        hub = self._hub
        mover, waiter = match.players[match.turn], match.players[1 - match.turn]
        text = f"{mover} moves  ." if hub.quirks.dance_as_empty_move else f"{mover} can't move."
        hub.send(mover, "You can't move.")
        match.record("can't move")
        match.pass_turn()
        hub.send(waiter, text)
        self._to_watchers(match, text)
        self._refresh(match, "autoboard", (match.turn,))

    def move(self, match: Match, side: int, words: list[str]) -> None:
        """A `move` command whose turn and dice are right; raises `MoveError`."""
        assert match.dice is not None
        colour = match.colour(side)
        pairs = parse_pairs(words, colour)
        after = check_move(match.board, colour, match.dice, pairs, self.legal(match, side))
        self._complete_move(match, pairs, after)
        self.continue_turn(match)

    def _complete_move(self, match: Match, steps: list[tuple[int, int]], after: Board26) -> None:
        hub = self._hub
        side, other = match.turn, 1 - match.turn
        mover, waiter = match.players[side], match.players[other]
        text = " ".join(geometry.step_text(a, b) for a, b in steps)
        match.board = after
        match.record(text)
        hub.send(waiter, f"{mover} moves {text} .")
        self._to_watchers(match, f"{mover} moves {text} .")
        points = match.result_points(side)
        if points:
            self._finish(match, side, points, "play")
            return
        match.pass_turn()
        self._refresh(match, "autoboard")
        if not self._toggle(match, side, "autoboard"):
            hub.send(mover, "Done.")

    # -- cube -------------------------------------------------------------------------------------

    def offer_double(self, match: Match, side: int) -> None:
        hub = self._hub
        mover, other = match.players[side], match.players[1 - side]
        match.offer = Offer(OfferKind.DOUBLE, side)
        hub.send(mover, f"You double. Please wait for {other} to accept or reject.")
        hub.notify(other, f"{mover} doubles. Type 'accept' or 'reject'.")
        self._to_watchers(match, f"{mover} doubles.")

    def redouble(self, match: Match, side: int) -> None:
        """Accept an open double, keep the cube and double again at once (unlimited matches)."""
        match.cube *= 2
        match.cube_owner = side
        match.redoubles_used += 1
        self.offer_double(match, side)

    def accept(self, match: Match, side: int) -> None:
        hub = self._hub
        assert match.offer is not None
        offer, other = match.offer, 1 - side
        name, doubler = match.players[side], match.players[other]
        if offer.kind is OfferKind.RESIGN:
            self._finish(match, side, offer.level * match.cube, "resign")
            return
        match.offer = None
        match.cube *= 2
        # After a beaver the cube stays with the one who redoubled.
        match.cube_owner = offer.by if match.redoubles_used else side
        glue = hub.quirks.glue_accept
        hub.send(name, f"You accept the double. The cube shows {match.cube}.", glue=glue)
        hub.notify(doubler, f"{name} accepts the double. The cube shows {match.cube}.", glue=glue)
        self._to_watchers(match, f"{name} accepts the double.")
        if hub.quirks.glue_who:
            for reader in (name, doubler):
                hub.send(reader, *hub.who_group(list(match.players)))
        self.roll(match)

    def reject(self, match: Match, side: int) -> None:
        hub = self._hub
        assert match.offer is not None
        offer, other = match.offer, 1 - side
        name, maker = match.players[side], match.players[other]
        if offer.kind is OfferKind.DOUBLE:
            self._finish(match, other, match.cube, "drop")
            return
        match.offer = None
        hub.send(name, "You reject. The game continues.")
        hub.notify(maker, f"{name} rejects. The game continues.")
        self._to_watchers(match, f"{name} rejects. The game continues.")
        if hub.quirks.prompt_after_rejected_resignation:
            self.prompt(match)

    # -- resignation ------------------------------------------------------------------------------

    def offer_resignation(self, match: Match, side: int, level: int) -> None:
        hub = self._hub
        name, other = match.players[side], match.players[1 - side]
        match.offer = Offer(OfferKind.RESIGN, side, level)
        points = level * match.cube
        own = points_text(points) + "." if hub.quirks.spellings.resign_point else f"{points} ."
        hub.send(name, f"You want to resign. {other} will win {own}")
        hub.notify(
            other,
            f"{name} wants to resign. You will win {points_text(points)}. Type 'accept' or 'reject'.",
        )
        self._to_watchers(match, f"{name} wants to resign. {other} will win {points_text(points)}.")

    # -- results ----------------------------------------------------------------------------------

    def _finish(self, match: Match, winner: int, points: int, how: str) -> None:
        """End the game; `how` is `play`, `drop` (of a double) or `resign`."""
        hub = self._hub
        loser = 1 - winner
        names = match.players
        list_lines = self._move_list(match, winner)
        over = match.finish_game(winner, points)
        for side, text in enumerate(self._result_texts(match, winner, points, how)):
            name = names[side]
            if (how == "drop" and side == winner) or (how == "resign" and side == loser):
                hub.notify(name)
            extra = ""
            if how == "drop" and hub.quirks.announce_drop_twice:
                extra = self._result_texts(match, winner, points, "play")[side]
            wants_list = self._toggle(match, side, "moves")
            hub.send(name, text, *([extra] if extra else []), glue=wants_list and hub.quirks.glue_move_list)
            if wants_list:
                hub.send(name, *list_lines)
            hub.finished[name] = list_lines
        third = {
            "play": f"{names[winner]} wins the game and gets {points_text(points)}.",
            "drop": f"{names[loser]} gives up. {names[winner]} wins {points_text(points)}.",
            "resign": f"{names[winner]} accepts and wins {points_text(points)}.",
        }[how]
        self._to_watchers(match, third)
        if over:
            self._finish_match(match, winner)
            return
        length = "unlimited" if match.unlimited else f"{match.length} point"
        score = (
            f"score in {length} match: {names[winner]}-{match.scores[winner]} "
            f"{names[loser]}-{match.scores[loser]}"
        )
        self._to_watchers(match, score)
        for side, name in enumerate(names):
            if hub.quirks.game_end_board:
                self.send_board(match, side)
            else:
                hub.send(name, score)
            self._prompt_join(name)

    def _prompt_join(self, name: str) -> None:
        self._hub.send(name, "Type 'join' if you want to play the next game, type 'leave' if you don't.")

    def _result_texts(self, match: Match, winner: int, points: int, how: str) -> tuple[str, str]:
        """The line for each side."""
        quirks = self._hub.quirks
        name, other = match.players[winner], match.players[1 - winner]
        amount = points_text(points)
        if how == "drop":
            texts = (f"{other} gives up. You win {amount}.", f"You give up. {name} wins {amount}.")
        elif how == "resign":
            texts = (f"You accept and win {amount}.", f"{name} accepts and wins {amount}.")
        else:
            won = f"You win the game and get {amount}. {quirks.spellings.congratulations}"
            if quirks.clip_lookalikes:
                won = f"{points} win the game and get %1 points. {quirks.spellings.congratulations}"
            texts = (won, f"{name} wins the game and gets {amount}. Sorry.")
        return texts if winner == 0 else (texts[1], texts[0])

    def _move_list(self, match: Match, winner: int) -> list[str]:
        x, o = match.players[match.x_side], match.players[1 - match.x_side]
        kind = "an unlimited" if match.unlimited else f"a {match.length} point"
        return [
            f"Score is {match.scores[0]}-{match.scores[1]} in {kind} match.",
            f"{x} is X - {o} is O",
            *match.history,
            f"{match.letter(winner)}: wins",
        ]

    def _finish_match(self, match: Match, winner: int) -> None:
        hub = self._hub
        names = match.players
        name, other = names[winner], names[1 - winner]
        score = f"{match.scores[winner]}-{match.scores[1 - winner]}"
        hub.send(name, f"You win the {match.length} point match {score} .")
        hub.send(other, f"{name} wins the {match.length} point match {score} .")
        self._to_watchers(match, f"{name} wins the {match.length} point match {score} .")
        for reader in hub.others(*names):
            if hub.accounts[reader].settings["report"]:
                hub.notify(reader, f"{name} wins a {match.length} point match against {other}  {score} .")
        won, lost = hub.accounts[name], hub.accounts[other]
        change = rating_change(won.rating, won.experience, lost.rating, lost.experience, match.length)
        block = calculation_lines(change, match.length, (name, won.experience), (other, lost.experience))
        won.rating += change.winner_gain
        lost.rating -= change.loser_loss
        for side, reader in enumerate(names):
            hub.accounts[reader].experience += match.length
            if self._toggle(match, side, "ratings"):
                hub.send(reader, *block)
        for player in names:
            hub.matches.pop(player, None)
        hub.publish(*names, end=hub.quirks.who_group_end)

    # -- resuming ---------------------------------------------------------------------------------

    def prompt(self, match: Match) -> None:
        """Say what the match waits for, as far as the server repeats it."""
        if match.offer is not None:
            return
        if match.phase is Phase.MOVE:
            self._ask_for_move(match)
        elif match.phase is Phase.ROLL:
            dot = self._hub.quirks.spellings.final_dot
            self.continue_turn(match, f"It's your turn to roll or double{dot}")
        else:
            for name in match.players:
                self._prompt_join(name)


__all__ = ["MoveError", "Play", "points_text"]
