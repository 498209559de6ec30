"""Which lines may be the reply to the command sent last, and which come whether or not one was sent.

A server handles one command at a time and loses others that reach it meanwhile. What other people and the
opponent cause is therefore no sign that our command has been handled. Where a reply is not recognised, the
queue's time-out sends the next command all the same.
"""

from __future__ import annotations

from .client_board import BoardLine
from .client_messages import BadBoard, ClipText, Marker, Message, Sentence, WhoRecord

_MATCH_WORDS = frozenset(
    {"roll", "move", "double", "accept", "reject", "resign", "join", "leave", "board", "invite"}
)
_MAY_BEGIN = frozenset({"join", "invite"})
_BEGINNINGS = frozenset({"start", "resume", "resume_detail", "new_game"})
_OF_THE_MATCH = frozenset(
    {
        *("opening", "cube_now", "your_move", "you_roll", "roll_or_double", "please_move", "you_cant_move"),
        *("auto_move", "auto_off", "done", "you_double", "you_take", "you_resign", "you_reject", "you_win"),
        *(
            "you_win_unknown",
            "you_drop",
            "you_accept_resign",
            "score",
            "join_prompt",
            "join_wait",
            "match_end",
        ),
        *("own_leave", "saved"),
    }
)
_UNASKED = frozenset(
    {"saved_warning", "join_hint", "his_start", "shutdown", "idle", "duplicate", "logged_out"}
)
_ECHOES = frozenset({10, 11, 16, 17, 18, 19})
"""CLIP messages that tell us what became of something we said."""
_SPEECH = frozenset({"tell", "say", "kibitz", "whisper", "shout", "message"})
REFUSALS = frozenset({"already_rolled", "not_your_turn", "double_late", "roll_first", "not_your_double"})
"""The server says no to a command of a match, and neither an opponent nor a lost line is to be expected as
the reason. (Refused moves are told apart.)"""
_ERRORS = REFUSALS | {
    *("not_playing", "error", "unknown_command", "no_offer", "resign_waits", "own_resign_waits"),
    *("own_double_waits", "move_rejected", "no_saved_match", "not_ready", "no_leave", "invite_failed"),
    "refused",
}
_LISTS = ("saved_head", "saved_row", "saved_none", "saved_count", "toggle_head", "toggle_row", "variable")


def may_answer(command: str, message: Message | None) -> bool:
    """Whether a line (as read by `parse_line`, blank ones apart) may be the reply to `command`."""
    word, _, rest = command.partition(" ")
    if isinstance(message, ClipText):
        return message.number in _ECHOES and word in _SPEECH
    if isinstance(message, WhoRecord):
        return word in ("who", "rawwho") or (
            word in _MAY_BEGIN and rest != "" and message.opponent is not None
        )
    if message is Marker.WHO_END:
        return word in ("who", "rawwho")
    if isinstance(message, BoardLine | BadBoard):
        return word in _MATCH_WORDS
    if not isinstance(message, Sentence):
        return word == "time"  # in whatever words
    kind = message.kind
    if kind.startswith(("he_", "invitation")) or kind in _UNASKED:
        return False
    if kind == "saved":
        return word == "leave"
    if kind in _BEGINNINGS:
        return word in _MAY_BEGIN
    if kind in _OF_THE_MATCH:
        return word in _MATCH_WORDS
    if kind in _LISTS:
        return kind.partition("_")[0] == (
            "variable" if word == "set" else "saved" if word == "show" else word
        )
    return True


def kind_of(message: Message | None) -> str:
    """Which of `botd_protocols.traffic.RECEIVED` a line is, once we are logged in."""
    if isinstance(message, BoardLine | BadBoard):
        return "board"
    if isinstance(message, WhoRecord | Marker):
        return "lobby"
    if isinstance(message, ClipText):
        return "lobby" if message.number in (7, 8) else "chat"
    if not isinstance(message, Sentence):
        return "unknown" if message is None else "login"
    kind = message.kind
    if kind in _ERRORS:
        return "error"
    if kind.startswith(("invit", "saved_")) or kind in ("join_hint", "away"):
        return "invitation"
    if kind.startswith("toggle") or kind == "variable":
        return "setting"
    if kind == "server_time":
        return "ping"
    return "other" if kind in _UNASKED - {"his_start"} or kind in ("goodbye", "ascii_board") else "match"
