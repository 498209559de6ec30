"""Matches at once: never more than the limit, whoever asks when, and no slot is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from botd.daemon.slots import LEASE, Slot, Slots


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_room_is_looked_for_and_taken_in_one_step() -> None:
    slots = Slots(2, Clock())
    first, second, third = (Slot(slots) for _ in range(3))
    assert first.take()
    assert second.take()
    assert not third.take()
    assert first.take(), "it has one already"
    first.free()
    assert third.take()
    assert slots.used == 2


def test_a_lease_ends_by_itself_but_a_match_does_not() -> None:
    clock = Clock()
    slots = Slots(1, clock)
    first, second = Slot(slots), Slot(slots)
    assert first.take()
    clock.now = LEASE - 1
    assert first.take(), "renewed"
    clock.now = LEASE + 1
    assert not second.take()
    clock.now = 2 * LEASE
    assert second.take()
    second.hold()
    second.take()
    clock.now = 1e9
    assert not first.take()
    second.free()
    second.free()
    assert first.take()


def test_a_match_that_has_begun_counts_even_without_room() -> None:
    slots = Slots(1, Clock())
    first, second = Slot(slots), Slot(slots)
    first.hold()
    second.hold()
    assert slots.used == 2
    first.free()
    assert not Slot(slots).take()


def test_the_limit_changes_at_any_time_and_zero_is_none() -> None:
    slots = Slots(0, Clock())
    assert all(Slot(slots).take() for _ in range(50))
    slots.limit = 50
    assert not Slot(slots).take()
    slots.limit = 51
    assert Slot(slots).take()


@given(
    limit=st.integers(1, 4),
    steps=st.lists(
        st.tuples(st.sampled_from(["take", "begin", "end", "wait"]), st.integers(0, 7)), max_size=60
    ),
)
def test_never_more_matches_than_the_limit(limit: int, steps: list[tuple[str, int]]) -> None:
    clock = Clock()
    slots = Slots(limit, clock)
    accounts = [Slot(slots) for _ in range(8)]
    leased: dict[int, float] = {}
    playing: set[int] = set()
    for what, number in steps:
        leased = {who: end for who, end in leased.items() if end > clock.now}
        busy = len(playing | leased.keys())
        if what == "take":
            mine = number in playing or number in leased
            assert accounts[number].take() is (mine or busy < limit)
            if mine or busy < limit:
                leased[number] = clock.now + LEASE
        elif what == "begin" and number in leased:
            accounts[number].hold()
            playing.add(number)
        elif what == "end":
            accounts[number].free()
            playing.discard(number)
            leased.pop(number, None)
        elif what == "wait":
            clock.now += 10.0 * number
        assert len(playing) <= limit
