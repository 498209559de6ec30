"""What a server must remember over a restart, as bytes: its accounts and every match that is not over.

JSON of one object. What is read is checked as strictly as what comes over the network: the file may be cut,
edited or another program's.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from . import server_board as geometry
from .server_accounts import MAX_NAME, RESERVED_NAMES, Account
from .server_match import Match, OfferKind, Phase
from .server_settings import Settings, complaint_about

FORMAT = "botd FIBS server state"
VERSION = 1
MAX_BYTES = 64 << 20
MAX_GAMES = 1_000_000
_MAX_LENGTH = 9999
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HASH = re.compile(r"[0-9a-f]{64}")


class StateError(ValueError):
    """The bytes are no state of a server; the text says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class State:
    accounts: dict[str, Account]
    matches: list[Match]
    starts: int
    """How many servers have begun with this state before."""


class _Account(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    password_hash: str
    rating: float
    experience: int
    last_login: int
    last_host: str
    email: str
    away: str | None
    can_move: int
    toggles: dict[str, bool]
    variables: dict[str, str]
    stored: list[tuple[str, int, str]]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: str
    version: int
    starts: int
    accounts: list[_Account]
    matches: list[dict[str, Any]]


def encode(accounts: Iterable[Account], matches: Iterable[Match], starts: int) -> bytes:
    """The state; of passwords only their hashes."""
    file = _File(
        FORMAT,
        VERSION,
        starts,
        [
            _Account(
                account.name,
                account.hashed(),
                account.rating,
                account.experience,
                account.last_login,
                account.last_host,
                account.email,
                account.away,
                account.can_move,
                account.settings.toggles,
                account.settings.variables,
                list(account.stored),
            )
            for account in accounts
        ],
        [msgspec.to_builtins(match) for match in matches],
    )
    return msgspec.json.encode(file) + b"\n"


def decode(data: bytes) -> State:
    """The inverse of `encode`. Raises StateError."""
    if len(data) > MAX_BYTES:
        raise StateError(f"expected at most {MAX_BYTES} bytes, found {len(data)}")
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise StateError(f"not the state of a server, or not all of it: {error}") from None
    if file.format != FORMAT or file.version != VERSION:
        found = f"{file.format[:60]!r}, version {file.version}"
        raise StateError(f"expected {FORMAT!r}, version {VERSION}, found {found}")
    if not 0 <= file.starts <= MAX_GAMES:
        raise StateError(f"starts: expected 0 to {MAX_GAMES}, found {file.starts}")
    accounts: dict[str, Account] = {}
    for stored in file.accounts:
        _report(f"account {stored.name[:40]!r}", _faults_of_account(stored))
        if stored.name in accounts:
            raise StateError(f"account {stored.name!r}: found twice")
        accounts[stored.name] = _account(stored)
    matches: list[Match] = []
    pairs: set[frozenset[str]] = set()
    for number, raw in enumerate(file.matches, start=1):
        match = _match(number, raw)
        _report(f"match {number}", _faults_of_match(match, accounts))
        pair = frozenset(match.players)
        if pair in pairs:
            raise StateError(f"match {number}: a second one of {match.players[0]} and {match.players[1]}")
        pairs.add(pair)
        matches.append(match)
    return State(accounts, matches, file.starts)


def _report(where: str, faults: Iterator[str]) -> None:
    if (fault := next(faults, None)) is not None:
        raise StateError(f"{where}: {fault}")


def _account(stored: _Account) -> Account:
    return Account(
        stored.name,
        "",
        stored.password_hash,
        stored.rating,
        stored.experience,
        stored.last_login,
        stored.last_host,
        stored.email,
        stored.away,
        stored.can_move,
        Settings(stored.toggles, stored.variables),
        deque(stored.stored, maxlen=20),
    )


def _faults_of_account(stored: _Account) -> Iterator[str]:
    if not _NAME.fullmatch(stored.name) or len(stored.name) > MAX_NAME or stored.name in RESERVED_NAMES:
        yield f"name: expected letters, digits and '_', not a digit first, at most {MAX_NAME} in all"
    if not _HASH.fullmatch(stored.password_hash):
        yield "password_hash: expected 64 hexadecimal digits"
    if not (math.isfinite(stored.rating) and 0 <= stored.rating < 10_000):
        yield f"rating: expected 0 to 9999, found {stored.rating}"
    for what, number, most in (
        ("experience", stored.experience, 10**9),
        ("last_login", stored.last_login, 10**11),
        ("can_move", stored.can_move, 4),
    ):
        if not 0 <= number <= most:
            yield f"{what}: expected 0 to {most}, found {number}"
    for what, text in (("last_host", stored.last_host), ("email", stored.email)):
        if not _is_word(text):
            yield f"{what}: expected printable characters without blanks"
    if not _is_text(stored.away or ""):
        yield "away: expected printable characters"
    if fault := complaint_about(stored.toggles, stored.variables):
        yield fault
    for sender, when, text in stored.stored:
        if not (_is_word(sender) and 0 <= when <= 10**11 and _is_text(text)):
            yield "stored: expected sender, Unix time and text, printable"


def _match(number: int, raw: dict[str, Any]) -> Match:
    try:
        match = msgspec.convert(raw, type=Match)
    except msgspec.ValidationError as error:
        raise StateError(f"match {number}: {error}") from None
    names = set(asdict(match))
    if set(raw) != names:
        wrong = ", ".join(sorted(name[:40] for name in set(raw) ^ names))
        raise StateError(f"match {number}: missing or unknown: {wrong}")
    return match


def _faults_of_match(match: Match, accounts: dict[str, Account]) -> Iterator[str]:
    if match.players[0] == match.players[1] or not all(name in accounts for name in match.players):
        yield "players: expected the names of two accounts"
    if not 1 <= match.length <= _MAX_LENGTH:
        yield f"length: expected 1 to {_MAX_LENGTH}, found {match.length}"
    for what, pair, most in (
        ("scores", match.scores, MAX_GAMES if match.unlimited else match.length - 1),
        ("can_move", match.can_move, 4),
        ("thrown_doubles", match.thrown_doubles, MAX_GAMES),
        ("joined", match.joined, 1),
    ):
        if len(pair) != 2 or not all(0 <= number <= most for number in pair):
            yield f"{what}: expected two numbers from 0 to {most}"
    for what, number, most in (
        ("x_side", match.x_side, 1),
        ("turn", match.turn, 1),
        ("games", match.games, MAX_GAMES),
        ("redoubles_used", match.redoubles_used, MAX_GAMES),
        ("cube_owner", match.cube_owner or 0, 1),
    ):
        if not 0 <= number <= most:
            yield f"{what}: expected 0 to {most}, found {number}"
    if not (1 <= match.cube <= 1 << 30 and match.cube & (match.cube - 1) == 0):
        yield f"cube: expected a power of two, found {match.cube}"
    if not _is_position(match.board):
        yield "board: expected 26 numbers with at most 15 checkers of each side, both still playing"
    if match.phase is Phase.OVER:
        yield "phase: the match is over"
    if match.dice is None:
        if match.phase is Phase.MOVE:
            yield "dice: expected two, somebody is to move"
    elif match.phase is not Phase.MOVE or not all(1 <= die <= 6 for die in match.dice):
        yield "dice: expected two numbers from 1 to 6, and only where somebody is to move"
    offer = match.offer
    if offer is not None:
        levels = (0,) if offer.kind is OfferKind.DOUBLE else (1, 2, 3)
        if not match.in_game or offer.by not in (0, 1) or offer.level not in levels:
            yield "offer: expected one of a side that plays, with a level it can have"
    if not all(_is_text(line) for line in match.history):
        yield "history: expected lines of printable characters"


def _is_text(text: str) -> bool:
    """Nothing in it can end a line or steer a terminal; a line of the network was no longer either."""
    return len(text) <= 64 * 1024 and text.replace("\t", " ").isprintable()


def _is_word(text: str) -> bool:
    return bool(text) and _is_text(text) and not re.search(r"\s", text)


def _is_position(board: tuple[int, ...]) -> bool:
    if len(board) != 26 or board[0] > 0 or board[25] < 0:
        return False
    o_checkers = sum(count for count in board if count > 0)
    x_checkers = -sum(count for count in board if count < 0)
    return 0 < o_checkers <= geometry.CHECKERS and 0 < x_checkers <= geometry.CHECKERS
