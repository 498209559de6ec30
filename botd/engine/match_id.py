"""GNU Backgammon's Match ID, such as `cAkAAAAAAAAA`: score, cube, dice and whose turn it is.

The identifier knows two seats, 0 and 1. Here everything that has a side is turned to the view of the player
on roll (`MatchState.on_roll` says which seat that is), and turned back for writing.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from enum import IntEnum

from botd.engine.types import CubeOwner, GameContext

__all__ = [
    "MAX_CUBE_LOG",
    "MAX_MATCH_LENGTH",
    "GameState",
    "MatchState",
    "check_context",
    "check_dice",
    "decode",
    "encode",
]

MAX_MATCH_LENGTH = 64
"""Points of the longest match that match equity tables, and so engines, know."""
MAX_CUBE_LOG = 15
"""The largest cube is 2 to this power."""

_TEXT = re.compile(r"[A-Za-z0-9+/]{12}")
_CENTERED = 3


class GameState(IntEnum):
    """How far the game is, in gnubg's numbers."""

    NO_GAME = 0
    PLAYING = 1
    OVER = 2
    RESIGNED = 3
    DROPPED = 4


@dataclass(frozen=True, slots=True)
class MatchState:
    """What a Match ID holds."""

    context: GameContext = field(default_factory=GameContext)
    """Seen by the player on roll. In a match `jacoby` and `beavers` are False; `seat` is `on_roll`."""
    dice: tuple[int, int] | None = None
    """None before the roll."""
    on_roll: int = 1
    """Seat, 0 or 1, of the player on roll, whose board is the second side of the Position ID."""
    to_act: int = 1
    """Seat that must decide now; the other one than `on_roll` when a double or resignation is answered."""
    double_offered: bool = False
    resignation_offered: int = 0
    """0 none, 1 single game, 2 gammon, 3 backgammon."""
    game_state: GameState = GameState.PLAYING


def check_context(context: GameContext) -> None:
    """Raise ValueError unless the score and the cube are possible."""
    length = context.match_length
    if not 0 <= length <= MAX_MATCH_LENGTH:
        raise ValueError(f"match length: expected 0 (money) to {MAX_MATCH_LENGTH}, got {length}")
    for name, score in (("player", context.score_player), ("opponent", context.score_opponent)):
        if not 0 <= score < 2**15:
            raise ValueError(f"score of the {name}: expected 0 to {2**15 - 1}, got {score}")
        if length and score > length:
            raise ValueError(f"score of the {name}: expected at most the match length {length}, got {score}")
    cube = context.cube_value
    if not 1 <= cube <= 2**MAX_CUBE_LOG or cube & (cube - 1):
        raise ValueError(f"cube value: expected a power of two up to {2**MAX_CUBE_LOG}, got {cube}")
    if context.crawford and context.is_money:
        raise ValueError("Crawford game: expected a match, got money play")


def decode(text: str, *, beavers: bool = True) -> MatchState:
    """Read a Match ID; ValueError, saying what is wrong, if `text` holds none.

    The identifier does not say whether beavers are allowed: `beavers` fills that in for money play.
    """
    if not _TEXT.fullmatch(text):
        raise ValueError(f"match ID {text[:40]!r}: expected 12 characters of A-Z a-z 0-9 + /")
    key = int.from_bytes(base64.b64decode(text), "little")

    def bits(first: int, width: int) -> int:
        return key >> first & (1 << width) - 1

    def fail(why: str) -> ValueError:
        return ValueError(f"match ID {text!r}: {why}")

    state = bits(8, 3)
    if state > GameState.DROPPED:
        raise fail(f"expected a game state from 0 to {GameState.DROPPED:d}, got {state}")
    first, second = bits(15, 3), bits(18, 3)
    if first > 6 or second > 6 or (first == 0) != (second == 0):
        raise fail(f"expected two dice from 1 to 6 or none (0 0), got {first} {second}")
    if bits(67, 5):
        raise fail("expected zero in the last five bits")

    on_roll = bits(6, 1)
    owner_bits = bits(4, 2)
    if owner_bits not in (0, 1):
        owner = CubeOwner.CENTERED
    else:
        owner = CubeOwner.PLAYER if owner_bits == on_roll else CubeOwner.OPPONENT
    scores = (bits(36, 15), bits(51, 15))
    length = bits(21, 15)
    context = GameContext(
        match_length=length,
        score_player=scores[on_roll],
        score_opponent=scores[1 - on_roll],
        cube_value=1 << bits(0, 4),
        cube_owner=owner,
        crawford=bool(bits(7, 1)),
        jacoby=length == 0 and not bits(66, 1),
        beavers=length == 0 and beavers,
        seat=on_roll,
    )
    try:
        check_context(context)
    except ValueError as error:
        raise fail(str(error)) from None
    return MatchState(
        context=context,
        dice=(first, second) if first else None,
        on_roll=on_roll,
        to_act=bits(11, 1),
        double_offered=bool(bits(12, 1)),
        resignation_offered=bits(13, 2),
        game_state=GameState(state),
    )


def encode(state: MatchState) -> str:
    """Write a Match ID; ValueError if the state is impossible. Dice are stored with the larger one first.

    In a match the bit of the session's Jacoby setting, which has no meaning there, is written as "in use",
    the program's default.
    """
    context = state.context
    check_context(context)
    for name, seat in (("player on roll", state.on_roll), ("player to act", state.to_act)):
        if seat not in (0, 1):
            raise ValueError(f"{name}: expected seat 0 or 1, got {seat}")
    if not 0 <= state.resignation_offered <= 3:
        raise ValueError(f"resignation: expected 0 to 3, got {state.resignation_offered}")
    dice = (0, 0)
    if state.dice is not None:
        check_dice(state.dice)
        dice = (max(state.dice), min(state.dice))

    owner = {
        CubeOwner.CENTERED: _CENTERED,
        CubeOwner.PLAYER: state.on_roll,
        CubeOwner.OPPONENT: 1 - state.on_roll,
    }[context.cube_owner]
    scores = (context.score_player, context.score_opponent)
    if state.on_roll == 1:
        scores = scores[::-1]
    key = 0
    for first, value in (
        (0, context.cube_value.bit_length() - 1),
        (4, owner),
        (6, state.on_roll),
        (7, int(context.crawford)),
        (8, int(state.game_state)),
        (11, state.to_act),
        (12, int(state.double_offered)),
        (13, state.resignation_offered),
        (15, dice[0]),
        (18, dice[1]),
        (21, context.match_length),
        (36, scores[0]),
        (51, scores[1]),
        (66, int(context.is_money and not context.jacoby)),
    ):
        key |= value << first
    return base64.b64encode(key.to_bytes(9, "little")).decode("ascii")


def check_dice(dice: tuple[int, int]) -> None:
    """Raise ValueError unless `dice` are two integers from 1 to 6."""
    if not all(1 <= die <= 6 for die in dice):
        raise ValueError(f"dice: expected two numbers from 1 to 6, got {dice!r}")
