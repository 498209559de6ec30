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
    "silent": True,
    "wrap": False,
}
MAX_ROUNDS = 3


class SettingsPlan:
    """Which command comes next. Ask `next_command` whenever the last one has been answered."""

    def __init__(self, known: dict[str, bool], *, ready: bool) -> None:
        """`known`: the toggles message 2 told. `ready`: whether to end with the toggle `ready` on."""
        self._known = dict(known)
        self._ready = ready
        self._listing = False
        self._rounds = 0
        self._commands = [*VARIABLES, "toggle"]
        self.done = False

    @property
    def known(self) -> dict[str, bool]:
        """The toggles as last told."""
        return dict(self._known)

    def row(self, name: str, value: bool) -> None:
        """A row of the answer to `toggle`."""
        self._known[name] = value

    def next_command(self) -> str | None:
        """The next command; None when everything is done."""
        if not self._commands and not self.done and self._listing:
            self._after_list()
        if not self._commands:
            self.done = True
            return None
        command = self._commands.pop(0)
        if command.startswith("toggle "):
            # The effect, unless a list says otherwise.
            name = command.split()[1]
            self._known[name] = not self._known.get(name, False)
        self._listing = self._listing or command == "toggle"
        return command

    def _after_list(self) -> None:
        wrong = [name for name, wanted in WANTED.items() if self._known.get(name, wanted) != wanted]
        self._rounds += 1
        if wrong and self._rounds <= MAX_ROUNDS:
            self._commands = [*(f"toggle {name}" for name in wrong), "toggle"]
            return
        self._listing = False
        self._commands = ["show saved"]
        if self._ready and not self._known.get("ready", False):
            self._commands.append("toggle ready")
