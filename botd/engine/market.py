"""Market windows: from which chances on a double is right at a score, and from which it is dropped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from botd import _core
from botd.engine.core_arguments import cube_state
from botd.engine.met import default_met_path, load_met
from botd.engine.types import GameContext, Scoring

__all__ = ["MarketWindow", "MarketWindows", "market_window"]

_MONEY_DEAD = (0.5, 0.75)
_MONEY_LIVE = (0.5, 0.8)
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class MarketWindow:
    """Winning chances of the doubler."""

    double_point: float
    """From here on doubling gains, if this is the last decision about the cube."""
    cash_point: float
    """From here on the opponent drops."""


@dataclass(frozen=True, slots=True)
class MarketWindows:
    """The window under the assumptions that make sense at a score; none where the cube decides nothing."""

    dead: MarketWindow | None
    """After the double nobody turns the cube again."""
    dead_redoubled: MarketWindow | None
    """The taker, who alone can still gain from the cube, redoubles at once."""
    live: MarketWindow | None
    """The taker redoubles as late as he can without losing his market, and so on; both can still gain."""


def market_window(context: GameContext, table: _core.MatchEquityTable | None = None) -> MarketWindows:
    """The windows of the player on roll in a position without gammons, such as a long race.

    Who owns the cube is not looked at, nor is whether this is the Crawford game but for the table's row: the
    windows are those of whoever may turn it. `table` is by default Kazaross-XG2. Raises ValueError for an
    impossible context, and for scoring by position, where a drop has no price of its own.
    """
    cube_state(context)
    if context.scoring is not Scoring.STANDARD:
        raise ValueError("market window: expected standard scoring, where a drop has one price")
    if context.is_money:
        return MarketWindows(MarketWindow(*_MONEY_DEAD), None, MarketWindow(*_MONEY_LIVE))
    score = _Score.of(context, table if table is not None else _default_table())
    cube = context.cube_value
    dead = score.dead_window(cube, 2 * cube)
    if dead is None:
        return MarketWindows(None, None, None)
    own_open, other_open = (away > 2 * cube for away in score.away)
    return MarketWindows(
        dead=dead,
        dead_redoubled=score.dead_window(cube, 4 * cube) if other_open and not own_open else None,
        live=MarketWindow(dead.double_point, score.cash_point(cube, 0)) if own_open and other_open else None,
    )


@dataclass(frozen=True, slots=True)
class _Score:
    """Needs of the doubler (0) and of his opponent (1), and chances after one game."""

    away: tuple[int, int]
    seat: int
    post_crawford: bool
    table: _core.MatchEquityTable

    @classmethod
    def of(cls, context: GameContext, table: _core.MatchEquityTable) -> _Score:
        length = context.match_length
        away = (length - context.score_player, length - context.score_opponent)
        return cls(away, context.seat, context.crawford or 1 in away, table)

    def after(self, points: int, doubler: int) -> tuple[float, float]:
        """Chances of `doubler` after he has won, and lost, this many points."""
        own, other = self.away[doubler], self.away[1 - doubler]
        seat = self.seat if doubler == 0 else 1 - self.seat
        return (
            self.table.chances(own - points, other, self.post_crawford, seat),
            self.table.chances(own, other - points, self.post_crawford, seat),
        )

    def dead_window(self, cube: int, stake: int) -> MarketWindow | None:
        won, lost = self.after(cube, 0)
        doubled_won, doubled_lost = self.after(stake, 0)
        risk, gain = lost - doubled_lost, doubled_won - won
        if risk + gain < _NOTHING:
            return None
        return MarketWindow(risk / (risk + gain), 1.0 - gain / (doubled_won - doubled_lost))

    def cash_point(self, cube: int, doubler: int) -> float:
        """With a live cube, worked down from the last level at which both can gain."""
        own, other = self.away[doubler], self.away[1 - doubler]
        dropped, _ = self.after(cube, doubler)
        if min(own, other) > 2 * cube:
            won, lost = self.after(2 * cube, doubler)
            return 1.0 - self.cash_point(2 * cube, 1 - doubler) * (won - dropped) / (won - lost)
        redoubled = own <= 2 * cube < other
        won, lost = self.after(4 * cube if redoubled else 2 * cube, doubler)
        return (dropped - lost) / (won - lost) if won - lost > _NOTHING else 0.5


@lru_cache(maxsize=1)
def _default_table() -> _core.MatchEquityTable:
    return load_met(default_met_path()).table()
