"""Start-up normalisation: variables set, toggles inverted only where they differ, then checked once more."""

from __future__ import annotations

VARIABLES = ("set boardstyle 3", "set linelength 0", "set pagelength 0", "set redoubles none")
WANTED = {
    "autoboard": True,
    "moreboards": True,
    "autodouble": False,
    "automove": False,
    "bell": False,
    "crawford": True,
    "double": True,
    "greedy": False,
    "moves": False,
    "notify": True,
    "ratings": False,
    "report": False,
    "silent": True,
    "wrap": False,
}
# What `toggle NAME` is answered with, whichever way it went: servers disagree about the way.
TOGGLE_REPLIES = {
    "allowpip": r"You (?:don't )?allow the use (?:of )?the server's 'pip' command",
    "autoboard": r"The board (?:will|won't) be refreshed after every move",
    "autodouble": r"You (?:don't )?agree that doublets",
    "automove": r"Forced moves (?:will|won't) be done automatically",
    "bell": r"Your terminal (?:will|won't) ring the bell",
    "crawford": r"You insist on playing with the Crawford|You would like to play without using the Crawford",
    "double": r"You (?:will|won't) be asked if you want to double",
    "greedy": r"(?:Will|Won't) use automatic greedy bearoffs",
    "moreboards": r"(?:Will|Won't) send rawboards after rolling",
    "moves": r"You (?:want|won't see) a list of moves after this game",
    "notify": r"You(?:'ll| won't) be notified when new users log in",
    "ratings": r"You(?:'ll| won't) see how the rating changes are calculated",
    "ready": r"You're now (?:ready to invite or join|refusing to play with) someone",
    "report": r"You (?:will|won't) be informed about starting and ending matches",
    "silent": r"You (?:will|won't) hear what other players shout",
    "telnet": r"You use telnet and don't need extra|You use a client program and will receive extra",
    "wrap": r"The server will wrap long lines|Your terminal knows how to wrap long lines",
}
MAX_ROUNDS = 3
MAX_LISTS = 6


class SettingsPlan:
    """Which command comes next. Ask `next_command` when the last one has been answered, or given up."""

    def __init__(self, known: dict[str, bool], *, ready: bool) -> None:
        """`known`: the toggles message 2 told. `ready`: whether to end with the toggle `ready` on."""
        self._known = dict(known)
        self._ready = ready
        self._rounds = 0
        self._lists_sent = self._lists_seen = 0
        self._commands = [*VARIABLES, "toggle"]
        self._command = ""
        self._answered = False
        self.done = False

    @property
    def known(self) -> dict[str, bool]:
        """The toggles as last told."""
        return dict(self._known)

    def row(self, name: str, value: bool) -> None:
        """A row of the answer to `toggle`."""
        self._known[name] = value

    def take(self, kind: str) -> bool:
        """A sentence came, by its kind: whether it belongs to the answer to the last command.

        A list that answers an earlier `toggle`, one we no longer waited for, does not count: what it tells
        may be older than the inversions sent since.
        """
        if kind == "toggle_head":
            self._lists_seen += 1
        word, _, name = self._command.partition(" ")
        if kind in ("error", "unknown_command"):
            fits = True
        elif word == "toggle" and not name:
            fits = kind in ("toggle_head", "toggle_row") and self._lists_seen >= self._lists_sent
        elif word == "toggle":
            fits = kind == f"toggled_{name}"
        elif word == "set":
            fits = kind == "variable"
        else:
            fits = kind in ("saved_head", "saved_none", "saved_row")
        self._answered = self._answered or fits
        return fits

    def next_command(self) -> str | None:
        """The next command; None when everything is done."""
        if self._command == "toggle":
            if self._answered or self._lists_sent >= MAX_LISTS:
                self._after_list()
            else:
                self._commands.insert(0, "toggle")
        elif self._command.startswith("toggle ") and not self._answered and self._commands:
            # Did it happen? Inverting once more could be the fault: look at the list first.
            self._commands = ["toggle"]
        if not self._commands:
            self.done = True
            return None
        self._command = self._commands.pop(0)
        self._answered = False
        self._lists_sent += self._command == "toggle"
        return self._command

    def _after_list(self) -> None:
        wrong = [name for name, wanted in WANTED.items() if self._known.get(name, wanted) != wanted]
        self._rounds += 1
        if wrong and self._answered and self._rounds <= MAX_ROUNDS:
            self._commands = [*(f"toggle {name}" for name in wrong), "toggle"]
            return
        self._commands = ["show saved"]
        if self._ready and not self._known.get("ready", False):
            self._commands.append("toggle ready")
