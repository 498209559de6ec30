"""How many matches run at once over all accounts: one place where room is looked for and taken in one step.

A slot is leased while a match is being arranged and held while it runs. A lease that leads to no match ends
by itself, so an invitation that nobody answers blocks nothing for long.
"""

from __future__ import annotations

from collections.abc import Callable

LEASE = 60.0
"""Seconds an invitation or an open table may take to become a match, unless the lease is renewed."""


class Slots:
    """For all accounts of a daemon. `limit` 0 is no limit; it may change at any time."""

    def __init__(self, limit: int, clock: Callable[[], float]) -> None:
        self.limit = limit
        self._clock = clock
        self._leases: dict[Slot, float] = {}
        """When each ends; infinity while a match runs."""

    @property
    def used(self) -> int:
        """Leased or held now."""
        now = self._clock()
        self._leases = {slot: end for slot, end in self._leases.items() if end > now}
        return len(self._leases)

    def take(self, slot: Slot) -> bool:
        """Lease it (anew), if there is room."""
        used = self.used
        mine = slot in self._leases
        if not mine and self.limit and used >= self.limit:
            return False
        self._leases[slot] = max(self._leases.get(slot, 0.0), self._clock() + LEASE)
        return True

    def hold(self, slot: Slot) -> None:
        """A match runs. It has begun, so there is no refusing it, even if there was no room."""
        self._leases[slot] = float("inf")

    def free(self, slot: Slot) -> None:
        self._leases.pop(slot, None)


class Slot:
    """One account's share: it plays one match at a time."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots

    def take(self) -> bool:
        """For a match about to be arranged; False if there is no room. Taking twice is taking once."""
        return self._slots.take(self)

    def hold(self) -> None:
        """The match has begun."""
        self._slots.hold(self)

    def free(self) -> None:
        """The match is over, or will not begin."""
        self._slots.free(self)
