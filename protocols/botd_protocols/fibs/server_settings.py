"""Toggles and variables of an account: names, defaults, texts, validation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Toggle:
    name: str
    default: bool
    yes_text: str
    no_text: str
    per_game: bool = False
    """Back at its default whenever a game starts."""


TOGGLES: dict[str, Toggle] = {
    t.name: t
    for t in (
        Toggle(
            "allowpip",
            True,
            "** You allow the use the server's 'pip' command.",
            "** You don't allow the use of the server's 'pip' command.",
        ),
        Toggle(
            "autoboard",
            True,
            "** The board will be refreshed after every move.",
            "** The board won't be refreshed after every move.",
        ),
        Toggle(
            "autodouble",
            False,
            "** You agree that doublets during opening double the cube.",
            "** You don't agree that doublets during opening double the cube.",
        ),
        Toggle(
            "automove",
            False,
            "** Forced moves will be done automatically.",
            "** Forced moves won't be done automatically.",
        ),
        Toggle(
            "bell",
            False,
            "** Your terminal will ring the bell if someone talks to you or invites you",
            "** Your terminal won't ring the bell if someone talks to you or invites you",
        ),
        Toggle(
            "crawford",
            True,
            "** You insist on playing with the Crawford rule.",
            "** You would like to play without using the Crawford rule.",
        ),
        Toggle(
            "double",
            True,
            "** You will be asked if you want to double.",
            "** You won't be asked if you want to double.",
            True,
        ),
        Toggle(
            "greedy",
            False,
            "** Will use automatic greedy bearoffs.",
            "** Won't use automatic greedy bearoffs.",
            True,
        ),
        Toggle(
            "moreboards",
            False,
            "** Will send rawboards after rolling.",
            "** Won't send rawboards after rolling.",
        ),
        Toggle(
            "moves",
            False,
            "** You want a list of moves after this game.",
            "** You won't see a list of moves after this game.",
            True,
        ),
        Toggle(
            "notify",
            True,
            "** You'll be notified when new users log in.",
            "** You won't be notified when new users log in.",
        ),
        Toggle(
            "ratings",
            False,
            "** You'll see how the rating changes are calculated.",
            "** You won't see how the rating changes are calculated.",
        ),
        Toggle(
            "ready",
            False,
            "** You're now ready to invite or join someone.",
            "** You're now refusing to play with someone.",
        ),
        Toggle(
            "report",
            True,
            "** You will be informed about starting and ending matches.",
            "** You won't be informed about starting and ending matches.",
        ),
        Toggle(
            "silent",
            False,
            "** You won't hear what other players shout.",
            "** You will hear what other players shout.",
        ),
        Toggle(
            "telnet",
            True,
            "** You use telnet and don't need extra 'newlines'.",
            "** You use a client program and will receive extra 'newlines'.",
        ),
        Toggle(
            "wrap",
            False,
            "** The server will wrap long lines.",
            "** Your terminal knows how to wrap long lines.",
        ),
    )
}

_SORTWHO = ("login", "name", "rating", "rrating")
_DEFAULT_VARIABLES = {
    "boardstyle": "1",
    "linelength": "0",
    "pagelength": "0",
    "redoubles": "none",
    "sortwho": "login",
    "timezone": "UTC",
}
UNLIMITED_REDOUBLES = 9999
"""How `unlimited` shows in the board line: just a large number."""


@dataclass
class Settings:
    toggles: dict[str, bool] = field(default_factory=lambda: {t.name: t.default for t in TOGGLES.values()})
    variables: dict[str, str] = field(default_factory=lambda: dict(_DEFAULT_VARIABLES))

    def __getitem__(self, toggle: str) -> bool:
        return self.toggles[toggle]

    def flip(self, typed: str) -> str | None:
        """Invert the toggle that `typed` names or begins uniquely; the reply text, or None if unknown."""
        name = resolve(typed, TOGGLES)
        if name is None:
            return None
        self.toggles[name] = not self.toggles[name]
        toggle = TOGGLES[name]
        return toggle.yes_text if self.toggles[name] else toggle.no_text

    def toggle_list(self) -> list[str]:
        return [
            "The current settings are:",
            *(f"{name:<16}{'YES' if value else 'NO'}" for name, value in self.toggles.items()),
        ]

    def reset_per_game(self) -> None:
        for toggle in TOGGLES.values():
            if toggle.per_game:
                self.toggles[toggle.name] = toggle.default

    def variable_list(self) -> list[str]:
        return ["Settings of variables:", *(f"{name}: {value}" for name, value in self.variables.items())]

    def set_variable(self, typed: str, value: str | None) -> str:
        """Answer `set <typed> [<value>]`; an answer that begins with `**` changed nothing."""
        name = resolve(typed, self.variables)
        if name is None:
            return "** Invalid argument. Type 'help set'."
        if value is None:
            return f"Value of '{name}' is {self.variables[name]}."
        complaint = _variable_error(name, value)
        if complaint:
            return complaint
        self.variables[name] = value
        return f"Value of '{name}' set to {value}."

    @property
    def boardstyle(self) -> int:
        return int(self.variables["boardstyle"])

    @property
    def redoubles(self) -> int:
        value = self.variables["redoubles"]
        return {"none": 0, "unlimited": UNLIMITED_REDOUBLES}.get(value) or (
            int(value) if value.isdigit() else 0
        )


def complaint_about(toggles: dict[str, bool], variables: dict[str, str]) -> str:
    """What is wrong with the settings of an account; empty if nothing is."""
    for what, found, known in (
        ("toggles", set(toggles), set(TOGGLES)),
        ("variables", set(variables), set(_DEFAULT_VARIABLES)),
    ):
        if found != known:
            return f"{what}: missing or unknown: {', '.join(sorted(name[:40] for name in found ^ known))}"
    wrong = [name for name, value in variables.items() if _variable_error(name, value)]
    return f"variables: {wrong[0]}: not a value it can have" if wrong else ""


def resolve(typed: str, names: dict[str, Toggle] | dict[str, str]) -> str | None:
    """The name that `typed` is or is a prefix of (the first in order, as the server does it)."""
    if typed in names:
        return typed
    return next((name for name in names if typed and name.startswith(typed)), None)


def _in_range(value: str, low: int, high: int) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= 4 and low <= int(value) <= high


def _variable_error(name: str, value: str) -> str:
    if name == "boardstyle" and not _in_range(value, 1, 3):
        return "** Valid arguments are the numbers 1 to 3."
    if name in {"linelength", "pagelength"} and not _in_range(value, 0, 999):
        return f"** Valid arguments are the numbers 0 to 999. Use 0 for no {name}."
    if name == "redoubles" and value not in {"none", "unlimited"} and not _in_range(value, 0, 99):
        return "** Valid arguments are 'none', 'unlimited' and the numbers 0 to 99."
    if name == "sortwho" and value not in _SORTWHO:
        return "** Valid arguments are 'login', 'name', 'rating' and 'rrating'."
    if name == "timezone" and not re.fullmatch(r"[A-Za-z0-9_+\-/]{1,40}", value):
        return "** Invalid argument. Type 'help set'."
    return ""
