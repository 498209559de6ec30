"""Fault switches: deviations that real servers of the family show, each off by default."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Spellings:
    """Texts that differ between server families; the defaults are FIBS's own."""

    congratulations: str = "Congratulations!"
    unlimited: str = "unlimited"
    """In the invitation text; `unlimted` has been seen."""
    final_dot: str = "."
    """After `turn: N`, the join texts and the roll question after a resume."""
    points_for: str = "points for"
    """`points for user` on a clone."""
    unlimited_resumed: str = "unlimited match"
    """`unlimited matchlength` on a clone."""
    resign_point: bool = True
    """False: `You want to resign. N will win 1 .`"""


CLONE_SPELLINGS = Spellings(
    congratulations="Congratulation!",
    unlimited="unlimted",
    final_dot="",
    points_for="points for user",
    unlimited_resumed="unlimited matchlength",
    resign_point=False,
)


@dataclass(frozen=True, slots=True)
class ServerQuirks:
    """Every field is one deviation; all defaults together are a well-behaved FIBS."""

    # Lines and segments
    glue_accept: bool = False
    """`You accept the double. The cube shows 2.anna rolls 3 and 1.` (no line end in between)."""
    glue_board: Literal["", "question", "any"] = ""
    """A board line, one blank, and then the roll question (or any next line of the same burst)."""
    glue_move_list: bool = False
    """`...Congratulations!Score is 0-0 in a 3 point match.` when a move list follows."""
    glue_who: bool = False
    """`anna accepts the double.5 anna mybot ...`: a who record stuck to a text line."""
    segment_bytes: int = 0
    """Cut the output into segments of at most so many bytes; 0 leaves bursts whole."""
    reply_delay_s: float = 0.0
    """Hold every output back for this long (released by `advance`)."""
    drop_replies: tuple[str, ...] = ()
    """Command words; for each entry the sender's reply to one such command is lost, its effect is not."""
    lose_pipelined: bool = False
    """Only the first command of a segment is handled; further ones are lost silently."""
    duplicate_boards: bool = False
    noise: bool = False
    """Who records, shouts and reports between any two lines of a running match."""
    torn_who: bool = False
    """With each group of who records, one more record cut after `5 ` and finished as a line of its own."""
    clip_lookalikes: bool = False
    """The winner reads `2 win the game and get %1 points. Congratulation!` (the number is the points)."""
    prompts: bool = False
    """`> ` before lines even in CLIP mode."""

    # Log-in
    refuse_with_text: bool = False
    """A wrong password is answered `Login incorrect` and the connection is closed."""

    # Start, resume, loss
    start_text_for_joiner: bool = True
    warning_first: bool = False
    """The saved-match warning comes before the invitation's `Type 'join ...` line."""
    loss_text: bool = True
    """False: a lost opponent shows in the who records only."""
    resume_text: bool = True
    resume_board: bool = True
    resume_prompt: bool = True
    swap_colours: bool = True
    experience_limit: bool = False
    """Matches over 9 points need 50 points of experience."""

    # Play
    automatic_roll: bool = True
    """False: neither a question nor a roll where no double is possible."""
    ask_without_cube: bool = False
    """The roll question comes even in 1-point matches."""
    double_inverted: bool = False
    """Toggle `double` YES means that the server rolls by itself."""
    opening_prompt: bool = False
    """`Please move 2 pieces.` after the opening roll too."""
    board_after_opponent_roll: bool = True
    board_command: Literal["answer", "unknown", "silent"] = "answer"
    double_on_board: bool = True
    """False: an open double does not show in the board line."""
    wrong_bars: bool = False
    """board[0] and board[25] hold nonsense; fields 47 and 48 stay right."""
    dance_as_empty_move: bool = False
    """`anna moves  .` instead of `anna can't move.`"""
    announce_drop_twice: bool = False
    prompt_after_rejected_resignation: bool = False
    game_end_board: bool = False
    """A board line with turn 0 after a finished game, and no score line."""
    who_group_end: bool = True
    """False: the rating records after a match lack their closing `6`."""
    spellings: Spellings = field(default_factory=Spellings)


JIBS = ServerQuirks(
    refuse_with_text=True,
    clip_lookalikes=True,
    start_text_for_joiner=False,
    loss_text=False,
    resume_text=False,
    resume_prompt=False,
    swap_colours=False,
    experience_limit=True,
    ask_without_cube=True,
    double_inverted=True,
    double_on_board=False,
    wrong_bars=True,
    announce_drop_twice=True,
    game_end_board=True,
    spellings=CLONE_SPELLINGS,
)
"""What a Java server of the family does differently."""

BALDLIES = ServerQuirks(
    glue_accept=True,
    warning_first=True,
    loss_text=False,
    resume_prompt=False,
    automatic_roll=False,
    board_after_opponent_roll=False,
    board_command="unknown",
    dance_as_empty_move=True,
    spellings=Spellings(final_dot="", points_for="points for user"),
)
"""What a Perl server of the family does differently."""

FAMILIES = {"fibs": ServerQuirks(), "jibs": JIBS, "baldlies": BALDLIES}
"""By the name that `botd serve --like` takes."""
