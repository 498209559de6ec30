"""Every command the client can send, built from checked values only.

Some malformed commands crash or hang a server of this kind, so nothing is ever passed through: the few texts
that come from people (chat, a match name, passwords) are reduced to what cannot be misread.
"""

from __future__ import annotations

import re

from botd_protocols.positions import Step

from .client_board import BAR, OFF

MAX_CHAT = 200
MAX_MATCH_NAME = 60
_NAME = re.compile(r"(?=.*[^0-9])[A-Za-z0-9_]{1,18}\Z", re.ASCII)
_EMAIL = re.compile(r"[!-?A-~]{1,100}@[!-?A-~]{1,100}\.[!-?A-~]{1,100}\Z", re.ASCII)
_CLIENT = re.compile(r"(?!boxcars)[A-Za-z0-9._-]{1,40}\Z", re.ASCII)


def check_name(name: str) -> None:
    """Raise ValueError unless the server would let somebody be called so."""
    if not _NAME.match(name):
        raise ValueError("bgammon name: expected 1 to 18 letters, digits and underscores, not only digits")


def is_bot_name(name: str) -> bool:
    return name.lower().startswith("bot_")


def login(client: str, name: str, password: str | None) -> str:
    """Log in for JSON events and English texts; without a password as a guest. Raises ValueError."""
    if not _CLIENT.match(client):
        raise ValueError("bgammon client name: expected letters, digits, dots and hyphens, not boxcars...")
    check_name(name)
    words = [f"lj {client}/en", name]
    if password is not None:
        words.append(password_word(password))
    return " ".join(words)


def register(client: str, email: str, name: str, password: str) -> str:
    """Make an account and log in to it. Raises ValueError."""
    if not _CLIENT.match(client):
        raise ValueError("bgammon client name: expected letters, digits, dots and hyphens, not boxcars...")
    if not _EMAIL.match(email):
        raise ValueError("bgammon e-mail: expected an address such as bot@example.org, without blanks")
    check_name(name)
    if name.lower().startswith("guest_"):
        raise ValueError("bgammon name: expected one that does not begin with guest_")
    return f"rj {client}/en {email} {name} {password_word(password)}"


def password_word(password: str) -> str:
    """A password as it is sent: blanks become underscores. Raises ValueError."""
    if not password.strip() or not password.isprintable() or len(password) > 200:
        raise ValueError("bgammon password: expected 1 to 200 printable characters")
    return "_".join(password.split())


def create(points: int, name: str, password: str | None = None) -> str:
    """Offer a match of plain backgammon. Raises ValueError."""
    if not 1 <= points <= 127:
        raise ValueError(f"match length: expected 1..127, found {points}")
    access = "public" if password is None else f"private {password_word(password)}"
    return f"create {access} {points} 0 {one_line(name, MAX_MATCH_NAME)}".rstrip()


def join_player(name: str, password: str | None = None) -> str:
    """Join the match that a player sits in; `password` if it is private. Raises ValueError."""
    check_name(name)
    return f"join {name}" if password is None else f"join {name} {password_word(password)}"


def move(step: Step) -> str:
    """One checker by one die. Raises ValueError."""
    source, target = step
    if not OFF <= target < source <= BAR or (source == BAR and target == OFF):
        raise ValueError(f"expected a step from 1..25 to a lower point, found {source}/{target}")
    return f"move {'bar' if source == BAR else source}/{'off' if target == OFF else target}"


def say(text: str) -> str:
    """Empty if nothing of the text can be sent."""
    line = one_line(text, MAX_CHAT)
    return f"say {line}" if line else ""


def pong(message: str) -> str:
    return f"pong {one_line(message, 64)}".rstrip()


def one_line(text: str, limit: int) -> str:
    """Printable, on one line: nothing a person wrote can become a second command."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:limit].strip()
