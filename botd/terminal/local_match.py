"""A match between two seats on this machine: the rules of play, doubling and scoring, without any I/O.

Callers ask `to_act` and `phase` what is to be decided and call the method for it; a method called at the
wrong time, by the wrong seat or for an illegal play raises IllegalActionError and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from botd.engine import notation, rules
from botd.engine.types import STARTING_BOARD, Board, CubeOwner, GameContext, Play

Dice = tuple[int, int]
MAX_LENGTH = 25
MAX_CUBE = 1024


class IllegalActionError(ValueError):
    """The action is against the rules here and now; the text says why, in words for a player."""


class Seat(StrEnum):
    PERSON = "person"
    ENGINE = "engine"

    @property
    def other(self) -> Seat:
        return Seat.ENGINE if self is Seat.PERSON else Seat.PERSON


class Phase(StrEnum):
    BETWEEN_GAMES = "between_games"
    ROLL = "roll"
    """The side to act rolls, or doubles if it may."""
    MOVE = "move"
    DOUBLED = "doubled"
    """The side to act answers a double: take, pass, or beaver if it may."""
    BEAVERED = "beavered"
    """The side to act doubled and was beavered: take or pass."""
    RESIGNING = "resigning"
    """The side to act answers an offer to resign."""
    OVER = "over"
    """The match is over; money play never gets here."""


class GameEnd(StrEnum):
    BORNE_OFF = "borne_off"
    PASSED = "passed"
    RESIGNED = "resigned"


@dataclass(frozen=True, slots=True)
class GameResult:
    winner: Seat
    points: int
    how: GameEnd


@dataclass(frozen=True, slots=True)
class _Resignation:
    seat: Seat
    level: int
    phase: Phase
    """What play goes back to if the offer is refused."""
    to_act: Seat


class LocalMatch:
    """A match to `length` points, or games for money without end where `length` is 0.

    `dice` gives the next two dice, each 1 to 6. Jacoby and beavers count in money play only; the Crawford
    rule is in use in every match.
    """

    def __init__(
        self, length: int, dice: Callable[[], Dice], *, jacoby: bool = False, beavers: bool = False
    ) -> None:
        if not 0 <= length <= MAX_LENGTH:
            raise ValueError(f"match length: expected 0 (money) to {MAX_LENGTH}, got {length}")
        self.length = length
        self.jacoby = jacoby and length == 0
        self.beavers = beavers and length == 0
        self._dice_source = dice
        self.score = dict.fromkeys(Seat, 0)
        self.game = 0
        self.crawford = False
        self._crawford_played = False
        self.phase = Phase.BETWEEN_GAMES
        self.on_roll = Seat.PERSON
        """Whose turn it is; for a double that is open, the doubler."""
        self.dice: Dice | None = None
        self.cube = 1
        self.cube_owner: Seat | None = None
        self.result: GameResult | None = None
        """Of the game that ended last."""
        self._board: Board = STARTING_BOARD
        self._resignation: _Resignation | None = None

    # -- what is the case ------------------------------------------------------------------------------------

    @property
    def to_act(self) -> Seat:
        if self._resignation is not None:
            return self._resignation.seat.other
        return self.on_roll.other if self.phase is Phase.DOUBLED else self.on_roll

    @property
    def resignation_level(self) -> int:
        """Level of the open offer to resign (1, 2, 3), 0 if there is none."""
        return self._resignation.level if self._resignation else 0

    @property
    def winner(self) -> Seat | None:
        """Of the match, once it is over."""
        return self.result.winner if self.phase is Phase.OVER and self.result else None

    def board(self, seat: Seat) -> Board:
        """The position as `seat` sees it."""
        return self._board if seat is Seat.PERSON else rules.mirrored(self._board)

    def context(self, seat: Seat) -> GameContext:
        """Score and cube as `seat` sees them; with a double open, the cube as it was before."""
        if self.cube_owner is None:
            owner = CubeOwner.CENTERED
        else:
            owner = CubeOwner.PLAYER if self.cube_owner is seat else CubeOwner.OPPONENT
        return GameContext(
            match_length=self.length,
            score_player=self.score[seat],
            score_opponent=self.score[seat.other],
            cube_value=self.cube,
            cube_owner=owner,
            crawford=self.crawford,
            jacoby=self.jacoby,
            beavers=self.beavers,
            seat=1 if seat is Seat.PERSON else 0,
        )

    def legal_plays(self) -> list[Play]:
        """Of the side that has to move; empty if it dances."""
        if self.phase is not Phase.MOVE or self.dice is None:
            return []
        return rules.legal_plays(self.board(self.on_roll), self.dice)

    def why_no_double(self, seat: Seat) -> str:
        """Why `seat` may not double now; empty if it may."""
        if self.phase is not Phase.ROLL or self.on_roll is not seat:
            return "you can double only at the beginning of your turn, before you roll"
        if self.crawford:
            return "there is no doubling in the Crawford game"
        if self.length == 1:
            return "there is no doubling in a 1 point match"
        if self.cube_owner is seat.other:
            return "your opponent owns the cube"
        if self.length and self.score[seat] + self.cube >= self.length:
            return "the cube is dead: the game is worth all the points you need"
        if self.cube >= MAX_CUBE:
            return f"the cube goes up to {MAX_CUBE}"
        return ""

    # -- what the seats do -----------------------------------------------------------------------------------

    def start_game(self) -> list[Dice]:
        """Begin the next game; every opening roll as (person's die, engine's die), the last one unequal.

        The higher die's owner plays these dice.
        """
        if self.phase is not Phase.BETWEEN_GAMES:
            raise IllegalActionError(
                "the match is over" if self.phase is Phase.OVER else "a game is being played"
            )
        if self.length:
            one_away = self.length - 1 in self.score.values()
            self.crawford = one_away and not self._crawford_played and self.length > 1
            self._crawford_played |= self.crawford
            if self.crawford and set(self.score.values()) == {self.length - 1}:
                self.crawford = False
        self.game += 1
        self._board = STARTING_BOARD
        self.cube, self.cube_owner = 1, None
        self.result = None
        rolls = [self._dice_source()]
        while rolls[-1][0] == rolls[-1][1]:
            rolls.append(self._dice_source())
        self.dice = rolls[-1]
        self.on_roll = Seat.PERSON if self.dice[0] > self.dice[1] else Seat.ENGINE
        self.phase = Phase.MOVE
        return rolls

    def roll(self, seat: Seat) -> Dice:
        self._require(seat, Phase.ROLL, "roll")
        self.dice = self._dice_source()
        self.phase = Phase.MOVE
        return self.dice

    def move(self, seat: Seat, play: Play | str) -> Play:
        """Play a move given as one of `legal_plays()` or in notation; `""` for a dance."""
        self._require(seat, Phase.MOVE, "move")
        assert self.dice is not None
        board = self.board(seat)
        text = play.notation if isinstance(play, Play) else play
        if isinstance(play, Play) and play in self.legal_plays():
            legal = play
        else:
            try:
                legal = notation.parse_play(text, board, self.dice)
            except ValueError as error:
                raise IllegalActionError(str(error)) from error
        self._board = legal.board if seat is Seat.PERSON else rules.mirrored(legal.board)
        self.dice = None
        won = rules.game_result(legal.board)
        if won > 0:
            # Jacoby: a gammon counts only once the cube was turned.
            level = 1 if self.jacoby and self.cube_owner is None else won
            self._end_game(seat, level * self.cube, GameEnd.BORNE_OFF)
        else:
            self.on_roll = seat.other
            self.phase = Phase.ROLL
        return legal

    def double(self, seat: Seat) -> int:
        """Offer the cube; its value if the offer is taken."""
        why = self.why_no_double(seat)
        if why:
            raise IllegalActionError(why)
        self.phase = Phase.DOUBLED
        return 2 * self.cube

    def take(self, seat: Seat) -> int:
        """Take the cube, or live with a beaver; the cube's value now."""
        if self.phase is Phase.BEAVERED and seat is self.on_roll:
            self.phase = Phase.ROLL
            return self.cube
        self._require(seat, Phase.DOUBLED, "take")
        self.cube *= 2
        self.cube_owner = seat
        self.phase = Phase.ROLL
        return self.cube

    def refuse(self, seat: Seat) -> GameResult:
        """Pass a double (or a beaver) and lose the game at the cube's value before it."""
        if self.phase is Phase.BEAVERED and seat is self.on_roll:
            return self._end_game(seat.other, self.cube // 2, GameEnd.PASSED)
        self._require(seat, Phase.DOUBLED, "pass")
        return self._end_game(seat.other, self.cube, GameEnd.PASSED)

    def beaver(self, seat: Seat) -> int:
        """Take and double at once, keeping the cube; the cube's value now."""
        self._require(seat, Phase.DOUBLED, "beaver")
        if not self.beavers:
            raise IllegalActionError("beavers are not in use here; take or pass")
        if 4 * self.cube > MAX_CUBE:
            raise IllegalActionError(f"the cube goes up to {MAX_CUBE}; take or pass")
        self.cube *= 4
        self.cube_owner = seat
        self.phase = Phase.BEAVERED
        return self.cube

    def resign(self, seat: Seat, level: int) -> None:
        """Offer to lose a single game (1), a gammon (2) or a backgammon (3); in one's own turn."""
        if level not in (1, 2, 3):
            raise IllegalActionError("resign 1 (single game), 2 (gammon) or 3 (backgammon)")
        if self._resignation is not None or self.phase not in (Phase.ROLL, Phase.MOVE, Phase.DOUBLED):
            raise IllegalActionError("there is nothing to resign now")
        if seat is not self.to_act:
            raise IllegalActionError("wait for your turn to resign")
        self._resignation = _Resignation(seat, level, self.phase, self.to_act)
        self.phase = Phase.RESIGNING

    def answer_resignation(self, seat: Seat, accept: bool) -> GameResult | None:
        """Accept (the game is over) or refuse (play goes on where it was)."""
        offer = self._resignation
        if offer is None or seat is not offer.seat.other:
            raise IllegalActionError("nobody wants to resign")
        self._resignation = None
        self.phase = offer.phase
        return self._end_game(seat, offer.level * self.cube, GameEnd.RESIGNED) if accept else None

    # -- inside ----------------------------------------------------------------------------------------------

    def _require(self, seat: Seat, phase: Phase, action: str) -> None:
        if self.phase is phase and self.to_act is seat:
            return
        if self.phase in (Phase.BETWEEN_GAMES, Phase.OVER):
            raise IllegalActionError(f"no game is being played, so you cannot {action}")
        if self.to_act is not seat:
            raise IllegalActionError(f"it is not your turn to {action}")
        wanted = {
            Phase.ROLL: "roll or double",
            Phase.MOVE: "move",
            Phase.DOUBLED: "answer the double: take or pass",
            Phase.BEAVERED: "answer the beaver: take or pass",
            Phase.RESIGNING: "answer the resignation: accept or reject",
        }[self.phase]
        raise IllegalActionError(f"you cannot {action} now; you have to {wanted}")

    def _end_game(self, winner: Seat, points: int, how: GameEnd) -> GameResult:
        self.score[winner] += points
        self.dice = None
        self._resignation = None
        self.result = GameResult(winner, points, how)
        over = self.length and self.score[winner] >= self.length
        self.phase = Phase.OVER if over else Phase.BETWEEN_GAMES
        return self.result
