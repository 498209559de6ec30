"""Lobby texts: invitations and the list of saved matches."""

from __future__ import annotations

from . import client_events as ev
from .client_messages import Sentence

MAX_SAVED = 200


def invitation(sentence: Sentence) -> ev.InvitationReceived:
    """The event of one of the `invitation...` sentences."""
    name = sentence.values["name"]
    if sentence.kind == "invitation":
        return ev.InvitationReceived(name, ev.InvitationKind.NEW, sentence.number("length"))
    kinds = {
        "invitation_unlimited": ev.InvitationKind.UNLIMITED,
        "invitation_resume": ev.InvitationKind.RESUME,
    }
    return ev.InvitationReceived(name, kinds.get(sentence.kind, ev.InvitationKind.VARIANT), None)


class SavedList:
    """Collects the answer to `show saved`, which has no end mark."""

    def __init__(self) -> None:
        self.invited: str | None = None
        """Who sent the newest invitation; a warning about a saved match belongs to it."""
        self._rows: list[ev.SavedMatch] = []

    def take(self, sentence: Sentence) -> ev.Event | None:
        """Add a line; an event if the line alone makes one."""
        if sentence.kind == "saved_head":
            self._rows.clear()
        elif sentence.kind == "saved_none":
            self._rows.clear()
            return ev.SavedMatches(())
        elif sentence.kind == "saved_count":
            count = sentence.values["count"]
            return ev.SavedCount(sentence.values["name"], 0 if count == "no" else int(count))
        elif len(self._rows) < MAX_SAVED:
            length = sentence.values["length"]
            mark = sentence.values["mark"].strip()
            self._rows.append(
                ev.SavedMatch(
                    sentence.values["name"],
                    int(length) if length.isdigit() and int(length) < 9999 else 0,
                    sentence.number("a"),
                    sentence.number("b"),
                    online=bool(mark),
                    ready=mark == "**",
                )
            )
        return None

    def finish(self) -> ev.SavedMatches:
        """The rows so far, when no more came for a while."""
        rows, self._rows = tuple(self._rows), []
        return ev.SavedMatches(rows)
