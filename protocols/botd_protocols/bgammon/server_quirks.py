"""Switches for what the public server does in its own way; each default is what it does (section 13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ServerQuirks:
    """All defaults together are the public server; the number is that of the specification's list."""

    # Events
    empty_lists: Literal["mixed", "null", "empty"] = "mixed"
    """7: an empty list is `null` or `[]`; `mixed` depends on seat and history."""
    first_opening_board: bool = False
    """8: whether a `board` follows the first of the two opening rolls."""
    seat_order_dice: bool = True
    """9: after the opening the `board` shows seat 1's die first, for everybody."""
    lying_moved: bool = True
    """6: a step that became impossible within its command is dropped, yet `moved` lists it."""
    stale_offer_at_end: bool = True
    """11: the final `board` after a drop still says `DoubleOffered`."""
    zero_points_win: bool = True
    """21: `win` says 0 points in a 1-point match."""
    board_after_left: bool = False
    """28: whether the others get a `board` when somebody leaves."""
    double_refusal: bool = True
    """31: `failedcreate` comes with a notice of the same text."""
    escaped_notices: bool = True
    """36: names and texts of users are HTML-escaped within notices."""
    noise: bool = False
    """A broadcast, an unknown event and a repeated `board` between the events of a running match."""

    # Play
    insist_on_both_dice: bool = True
    """20: also for the very last checker."""
    roll_while_doubled: bool = True
    """13: the doubler may roll before his offer is answered."""
    drop_scoring: Literal["position", "cube"] = "position"
    """14: what a drop or a resignation costs; `cube` charges one cube for it, as other servers do."""
    autoplay_incomplete: bool = True
    """17: no automatic play where a checker is borne off with a larger die."""
    autoplay_repeats_board: bool = True
    """16: a game that an automatic play ends brings its last `board` twice."""

    # Matches
    rematch_rejoin: bool = False
    """23: whether a rematch game can be rejoined after a loss of connection."""
    spectator_spoils_rejoin: bool = True
    """24: a spectator who leaves takes seat 1's right to rejoin along."""
    queries_leave_match: bool = True
    """27: `history` and `replay` take the sender out of his match."""
    rejoin_delay_s: float = 0.0
    """25: how long after `welcome` a match is rejoined."""
    lose_both: bool = False
    """38: when a player's connection is lost, his opponent's ends with `Server error`."""
    held_reversed: bool = False
    """Commands sent before the log-in are carried out in the wrong order afterwards (section 3.5)."""
