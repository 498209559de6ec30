"""Both ends of the guest dialogue: our client makes an account on our server, and can log in to it."""

from __future__ import annotations

import pytest

from botd_protocols.fibs.client_guest import GuestRegistration
from botd_protocols.game_events import Event
from botd_protocols.registration import NotRegistered, Progress, Refusal, Registered
from tests.fibs.server.harness import World
from tests.fibs.server.harness import world as make_world


def register(world: World, name: str = "newbot", password: str = "s3cretpw") -> Event:
    """The outcome, played to its end."""
    client = GuestRegistration(name, password)
    events: list[Event] = client.advance(world.now)
    connection = world.connect()
    while connection not in world.closed and not client.closed:
        data = world.raw(connection)
        assert data, "neither says anything any more"
        events += client.receive_data(data, world.now)
        for line in client.data_to_send().decode().splitlines():
            world.send(connection, line)
    (outcome,) = [event for event in events if not isinstance(event, Progress)]
    return outcome


def test_an_account_is_made_and_can_be_used() -> None:
    world = make_world()
    assert register(world) == Registered("newbot")
    assert world.server.accounts["newbot"].accepts("s3cretpw")
    connection = world.connect()
    world.send(connection, "login test 1008 newbot s3cretpw")
    assert any(line.startswith("1 newbot ") for line in world.read(connection))


def test_a_name_can_be_had_once() -> None:
    world = make_world()
    register(world)
    outcome = register(world)
    assert isinstance(outcome, NotRegistered)
    assert outcome.why is Refusal.NAME_TAKEN


@pytest.mark.parametrize("option", [{"registration": False}, {"max_accounts": 0}])
def test_a_server_that_takes_nobody(option: dict[str, object]) -> None:
    outcome = register(make_world(**option))  # type: ignore[arg-type]
    assert isinstance(outcome, NotRegistered)
    assert outcome.why is Refusal.CLOSED
    assert "not allowed to create" in outcome.text
