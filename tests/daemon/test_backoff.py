"""Waits grow, vary, stay below the cap and start over after a healthy connection."""

import random

from hypothesis import given
from hypothesis import strategies as st

from botd.daemon.backoff import HEALTHY_AFTER, Backoff


@given(st.integers(), st.floats(0.01, 100), st.floats(0.01, 1000))
def test_waits_stay_in_bounds(seed: int, first: float, most: float) -> None:
    backoff = Backoff(first, most, random.Random(seed))
    last = first
    for _ in range(50):
        wait = backoff.next_wait()
        assert min(first, most) <= wait <= max(first, most)
        assert wait <= max(3 * last, first)
        last = wait


def test_waits_grow_to_the_cap_and_differ() -> None:
    backoff = Backoff(1, 100, random.Random(1))
    waits = [backoff.next_wait() for _ in range(200)]
    assert max(waits) == 100
    assert len(set(waits)) > 50


def test_a_healthy_connection_forgets_failures() -> None:
    backoff = Backoff(1, 1e9, random.Random(1))
    for _ in range(50):
        backoff.next_wait()
    backoff.connection_lived(HEALTHY_AFTER - 1)
    assert backoff.next_wait() > 3
    backoff.connection_lived(HEALTHY_AFTER)
    assert backoff.next_wait() <= 3
