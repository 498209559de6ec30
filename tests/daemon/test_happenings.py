"""Subscribers get what happens in order; a slow one loses the oldest and delays nobody."""

import asyncio

from botd.daemon.happenings import Connected, Disconnected, Happening, Happenings, Subscription


def disconnected(number: int) -> Disconnected:
    return Disconnected(account="a", server="s", reason=str(number))


async def collect(subscription: Subscription) -> list[Happening]:
    return [happening async for happening in subscription]


async def test_everyone_gets_everything_in_order() -> None:
    happenings = Happenings()
    readers = [asyncio.create_task(collect(happenings.subscribe())) for _ in range(2)]
    expected: list[Happening] = [Connected(account="a", server="s"), disconnected(1), disconnected(2)]
    for happening in expected:
        happenings.publish(happening)
        await asyncio.sleep(0)
    happenings.close()
    assert [await reader for reader in readers] == [expected, expected]


async def test_a_slow_subscriber_loses_the_oldest_and_it_is_counted() -> None:
    happenings = Happenings()
    slow, patient = happenings.subscribe(limit=3), happenings.subscribe()
    for number in range(10):
        happenings.publish(disconnected(number))
    happenings.close()
    assert await collect(slow) == [disconnected(number) for number in (7, 8, 9)]
    assert (slow.dropped, patient.dropped, happenings.dropped) == (7, 0, 7)
    assert len(await collect(patient)) == 10


async def test_unsubscribing_ends_the_iteration() -> None:
    happenings = Happenings()
    subscription = happenings.subscribe()
    reader = asyncio.create_task(collect(subscription))
    happenings.publish(disconnected(1))
    await asyncio.sleep(0)
    happenings.unsubscribe(subscription)
    happenings.publish(disconnected(2))
    assert await reader == [disconnected(1)]
