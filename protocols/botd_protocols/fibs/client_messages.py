"""One line to one typed message: CLIP messages 1 to 20, board lines, and the server's sentences.

CLIP numbers count only with fields that fit, because ordinary replies begin with digits too, and a server has
been seen to announce a won game as `2 win the game and get ...`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from .client_board import BoardError, BoardLine, parse_board
from .client_settings import TOGGLE_REPLIES


@dataclass(frozen=True, slots=True)
class Welcome:
    name: str


@dataclass(frozen=True, slots=True)
class OwnInfo:
    """Message 2. `toggles` has those of the toggles it tells, by name."""

    name: str
    rating: float
    experience: int
    toggles: dict[str, bool] = field(hash=False)


class Marker(StrEnum):
    MOTD_BEGIN = "3"
    MOTD_END = "4"
    WHO_END = "6"


@dataclass(frozen=True, slots=True)
class WhoRecord:
    name: str
    opponent: str | None
    watching: str | None
    ready: bool
    away: bool
    rating: float
    experience: int


@dataclass(frozen=True, slots=True)
class ClipText:
    """Messages 7 to 20: `name` is empty in 17, 18, 19."""

    number: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class BadBoard:
    reason: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A line of text: which one, and the values in it by the names of the pattern's groups."""

    kind: str
    values: dict[str, str] = field(hash=False)
    text: str

    def number(self, name: str) -> int:
        return int(self.values[name])


Message = Welcome | OwnInfo | Marker | WhoRecord | ClipText | BoardLine | BadBoard | Sentence

_OWN_FIELDS = [
    "name",
    "allowpip",
    "autoboard",
    "autodouble",
    "automove",
    "away",
    "bell",
    "crawford",
    "double",
    "experience",
    "greedy",
    "moreboards",
    "moves",
    "notify",
    "rating",
    "ratings",
    "ready",
    "redoubles",
    "report",
    "silent",
    "timezone",
]
_NOT_TOGGLES = {"name", "away", "experience", "rating", "redoubles", "timezone"}
_NUMBER = re.compile(r"(1?[0-9]|20)(?: |\Z)")
_INTEGER = re.compile(r"[+-]?[0-9]{1,15}\Z")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,7}(\.[0-9]{1,17})?\Z")


def parse_line(line: str) -> Message | None:
    """The message in a clean line; None for a line that means nothing (noise, unknown text)."""
    clip = parse_clip(line)
    if clip is not None:
        return clip
    if line.startswith("board:"):
        try:
            return parse_board(line)
        except BoardError as error:
            return BadBoard(str(error))
    return _sentence(line)


def parse_clip(line: str) -> Message | None:
    """The CLIP message in a clean line; None if it is not one."""
    if line.startswith("5 "):  # by far the most lines: everybody's comings and goings
        return _who(line)
    match = _NUMBER.match(line)
    return None if match is None else _clip(int(match[1]), line[match.end() :])


def is_clip_chat(line: str) -> bool:
    """Whether people wrote the text of this line (it must not be searched for the server's sentences)."""
    return isinstance(parse_clip(line), ClipText)


def _clip(number: int, rest: str) -> Message | None:
    words = rest.split()
    if number in (3, 4, 6):
        return Marker(str(number)) if not words else None
    if number == 1:
        return Welcome(words[0]) if len(words) >= 2 and _INTEGER.match(words[1]) else None
    if number == 2:
        return _own_info(words)
    if 7 <= number <= 20:
        if number in (17, 18, 19):
            return ClipText(number, "", rest)
        name, _, text = rest.lstrip(" ").partition(" ")
        if not name or (number in (7, 8) and not text.startswith(name)):
            return None
        if number == 9:
            time, _, text = text.partition(" ")
            if not _INTEGER.match(time):
                return None
        return ClipText(number, name, text)
    return None


def _own_info(words: list[str]) -> OwnInfo | None:
    if len(words) < 20:
        return None
    toggles: dict[str, bool] = {}
    for name, value in zip(_OWN_FIELDS, words, strict=False):
        if name == "experience" and not _INTEGER.match(value):
            return None
        if name == "rating" and not _DECIMAL.match(value):
            return None
        if name not in _NOT_TOGGLES:
            if value not in ("0", "1"):
                return None
            toggles[name] = value == "1"
    told = dict(zip(_OWN_FIELDS, words, strict=False))
    return OwnInfo(words[0], float(told["rating"]), int(told["experience"]), toggles)


_WHO = re.compile(
    r"5 \s*(\S+)\s+(\S+)\s+(\S+)\s+([01])\s+([01])\s+([+-]?[0-9]{1,7}(?:\.[0-9]{1,17})?)"
    r"\s+([+-]?[0-9]{1,15})\s+[+-]?[0-9]{1,15}\s+[+-]?[0-9]{1,15}(?:\s|\Z)"
)


def _who(line: str) -> WhoRecord | None:
    match = _WHO.match(line)
    if match is None:
        return None
    name, opponent, watching, ready, away, rating, experience = match.groups()
    return WhoRecord(
        name,
        None if opponent == "-" else opponent,
        None if watching == "-" else watching,
        ready == "1",
        away == "1",
        float(rating),
        int(experience),
    )


# Names: letters and _ on FIBS, anything without blanks elsewhere. P: a number of bounded size.
_N = r"(?P<name>\S{1,40})"
_P = r"(?P<points>[0-9]{1,9})"
_PT = r"points?"
_RAW: tuple[tuple[str, str], ...] = (
    ("invitation", rf"{_N} wants to play an? (?P<length>[0-9]{{1,9}}) point match with you\.?\Z"),
    ("invitation_unlimited", rf"{_N} wants to play an unlim\w+ match with you\.?\Z"),
    ("invitation_resume", rf"{_N} wants to resume a saved match with you\.?\Z"),
    ("invitation_variant", rf"{_N} wants to play a.* match.* with you"),
    ("join_hint", r"Type 'join \S+' to accept"),
    (
        "saved_warning",
        r"(?:\*\* )?WARNING: Don't accept if you want to continue the saved "
        r"(?:(?P<length>[0-9]{1,9}) point|unlim\w+) match",
    ),
    ("invited", rf"\*\* You invited {_N} to "),
    (
        "start",
        rf"(?:\*\* )?Player {_N} has joined you for an? (?:(?P<length>[0-9]{{1,9}}) point|unlim\w+) match",
    ),
    ("start", rf"\*\* You are now playing an? (?:(?P<length>[0-9]{{1,9}}) point|unlim\w+) match with {_N}\Z"),
    ("resume", rf"{_N} has joined you\. Your running match was loaded"),
    ("resume", rf"You are now playing with {_N}\. Your running match was loaded"),
    (
        "resume_detail",
        r"(?:turn: \S+|match length: [0-9]+|unlimited match(?:length)?|"
        r"points for (?:user )?\S+\s*: [0-9]+)\Z",
    ),
    ("new_game", rf"Starting a new game with {_N}\Z"),
    ("opening", rf"You rolled (?P<own>[1-6]), {_N} rolled (?P<his>[1-6])\Z"),
    ("cube_now", r"The number on the doubling cube is now (?P<cube>[0-9]{1,9})\Z"),
    ("your_move", r"It's your turn to move\Z"),
    ("his_start", rf"{_N} makes the first move\Z"),
    ("you_roll", r"You roll (?P<a>[1-6]) and (?P<b>[1-6])\Z"),
    ("he_rolls", rf"{_N} rolls (?P<a>[1-6]) and (?P<b>[1-6])\Z"),
    ("roll_or_double", r"It's your turn(?:\. Please|) (?:to )?roll or double\Z"),
    ("please_move", r"Please move (?P<count>[1-4]) pieces?\Z"),
    ("you_cant_move", r"You can't move\Z"),
    ("he_cant_move", rf"{_N} can't move\Z"),
    ("auto_move", r"The only possible move is (?P<steps>[\w -]*?)\s*\.?\Z"),
    ("auto_off", r"Bearing off:(?P<steps>(?: [0-9]{1,2} o)+)\Z"),
    ("he_moves", rf"{_N} moves(?P<steps>(?:\s+(?:bar|[0-9]{{1,2}})-(?:off|[0-9]{{1,2}}))*)\s*\.?\Z"),
    ("done", r"Done\Z"),
    ("you_double", r"You double\. Please wait for"),
    ("he_doubles", rf"{_N} doubles\. Type 'accept' or 'reject'"),
    ("you_take", r"You accept the double\. *The cube shows (?P<cube>[0-9]{1,9})\Z"),
    ("he_takes", rf"{_N} accepts the double\.? *(?:The cube shows (?P<cube>[0-9]{{1,9}}))?\Z"),
    (
        "he_resigns",
        rf"{_N} wants to resign\. You will win {_P} ?(?:{_PT})?\s*\. *Type 'accept' or 'reject'",
    ),
    ("you_resign", rf"You want to resign\. \S+ will win {_P} ?(?:{_PT})?\s*\Z"),
    ("you_reject", r"You reject\. The game continues\Z"),
    ("he_rejects", rf"{_N} rejects\. The game continues\Z"),
    # The second form is a broken template of one server: the points are in front.
    ("you_win", rf"You win the game and gets? {_P} {_PT}\. Congratulation"),
    ("you_win", rf"{_P} win the game and get %1 points?\. Congratulation"),
    ("you_win_unknown", r"[0-9]{1,2} win the game and get \S+ points?\. Congratulation"),
    ("he_wins", rf"{_N} wins the game and gets {_P} {_PT}"),
    ("he_drops", rf"{_N} gives up\. You win {_P} {_PT}"),
    ("you_drop", rf"You give up\. {_N} wins {_P} {_PT}"),
    ("you_accept_resign", rf"You accept and win {_P} {_PT}"),
    ("he_accepts_resign", rf"{_N} accepts and wins {_P} {_PT}"),
    (
        "score",
        r"score in (?:(?P<length>[0-9]{1,9}) point|unlim\w+) match: "
        r"(?P<name>\S{1,40})-(?P<a>[0-9]{1,9}) (?P<other>\S{1,40})-(?P<b>[0-9]{1,9})\Z",
    ),
    ("join_prompt", r"Type 'join' if you want to play the next game"),
    ("join_wait", r"\*\* Please wait for \S+ to join too"),
    (
        "match_end",
        rf"{_N} wins? the (?P<length>[0-9]{{1,9}}) point match (?P<a>[0-9]{{1,9}})-(?P<b>[0-9]{{1,9}}) ?\Z",
    ),
    ("logged_out", r"\*\* You just logged in a second time from"),
    ("duplicate", r"Closed old connection with user (?P<name>[^\s.]{1,40})\Z"),
    ("already", r"\*\* Warning: You are already logged in"),
    ("own_leave", r"\*\* You terminated the game"),
    ("saved", r"(?:\*\* )?(?:Player |Connection with |Network error with )?.{1,80}The game was saved\Z"),
    ("saved", r"Your game with \S+ was saved\Z"),
    ("idle", r"Connection timed out\Z"),
    (
        "shutdown",
        r"\*\*\* ATTENTION !|\*\* System administrator causes shutdown|\*\* It will be back when|"
        r"\*\* All running games will be saved|\w+ will shutdown ",
    ),
    ("goodbye", r"\s+Goodbye\Z"),
    ("refused", r"(?i:login incorrect|(?:\*\* )?access denied)"),
    ("saved_head", r"\s*opponent\s+matchlength\s+score"),
    ("saved_none", r"no saved games\Z"),
    ("saved_count", rf"{_N} has (?P<count>no|[0-9]{{1,5}}) saved games?\Z"),
    (
        "saved_row",
        r"\s?(?P<mark>\*\*|\s\*|\s\s?|\*|)(?P<name>[^\s*]{1,40})\s+(?P<length>[0-9]{1,5}|unlim\w+)"
        r"\s+(?P<a>[0-9]{1,9})\s+-\s+(?P<b>[0-9]{1,9})\Z",
    ),
    ("toggle_head", r"The current settings are:"),
    ("toggle_row", r"(?P<name>[a-z]{2,20})\s+(?P<value>YES|NO)\Z"),
    ("variable", r"Value of '(?P<variable>\w{1,20})' (?:set to|is) |Settings of variables:"),
    *((f"toggled_{name}", rf"\*\* (?:{text})") for name, text in TOGGLE_REPLIES.items()),
    ("server_time", r"[A-Z][a-z]{2,8}day, [A-Z][a-z]{2,8} [0-9 ][0-9]? [0-9:]{5,8}"),
    ("ascii_board", r"\s*\+(?:13-14-|-1-|12-11-|24-23-)"),
    ("away", rf"{_N} is away:"),
    # Errors, with the reaction as the kind.
    ("unknown_command", r"\*\* (?:Unknown command: |Not yet implemented: )'(?P<command>[^']{0,200})'"),
    ("unknown_command", r"The command [`'](?P<command>[^']{0,200})' is not yet implemented"),
    ("not_playing", r"(?:\*\* )?You(?:'re| are) not (?:playing|watching)"),
    ("already_rolled", r"\*\* You did already roll the dice"),
    ("not_your_double", r"\*\* It's not your turn to double"),
    ("double_late", r"\*\* You can only double before you roll|\*\* You cannot double in the first move"),
    ("roll_first", r"\*\* You have to roll the dice"),
    ("not_your_turn", r"\*\* It's not your turn|\*\* Please wait until \S+ has moved"),
    ("no_offer", rf"\*\* {_N} didn't double or resign"),
    ("resign_waits", rf"\*\* {_N} wanted to resign"),
    (
        "own_resign_waits",
        r"\*\* Wait until \S+ accepted or rejected your resign|"
        r"\*\* \S+ hasn't accepted or rejected your resign|"
        r"\*\* You already did that|\*\* You can't double now\. You want to resign",
    ),
    ("own_double_waits", r"\*\* \S+ hasn't responded to your double"),
    (
        "move_rejected",
        r"\*\* (?:You must give [0-9]+ moves?|Please don't give more than|You can't move|"
        r"You can't remove this piece|"
        r"You have to remove pieces|first move:|second move:|third move:|fourth move:)",
    ),
    ("no_saved_match", rf"\*\* There's no saved match with {_N}\. "),
    ("not_ready", r"\*\* Use 'toggle ready' first"),
    ("no_leave", r"\*\* Error: No one to leave"),
    (
        "invite_failed",
        rf"\*\* (?:Error: )?(?:can't find player {_N}|"
        r"(?P<name2>\S{1,40}) (?:didn't invite you|is refusing games|"
        r"is already playing with)|There is no (?:one|user) called (?P<name3>\S{1,40})|"
        r"You are already playing|"
        r"You can't (?:play two games|invite yourself|play a)|Join who|invite who|Please wait for your last|"
        r"You're not experienced|You are not allowed to create new games|ERROR: Saved match is corrupt|"
        r"The second argument to 'invite')",
    ),
    ("error", r"\*\* "),
)
_SENTENCES = tuple((kind, re.compile(pattern)) for kind, pattern in _RAW)
# Sentences whose final dot the patterns leave out.
_DOTTED = re.compile(r"\s*\.\Z")


def _sentence(line: str) -> Sentence | None:
    if not line.strip() or len(line) > 2000:
        return None
    text = _DOTTED.sub("", line)
    for kind, pattern in _SENTENCES:
        if match := pattern.match(text):
            values = {name: value for name, value in match.groupdict().items() if value is not None}
            return Sentence(kind, values, line)
    return None
