"""How an account on a bgammon server gets into matches: the real client, its server's lines composed."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace

import pytest
import structlog

from botd.config.schema import AccountConfig, CreateConfig, InviteConfig, PolicyConfig
from botd.config.secret import Secret
from botd.daemon import hosting
from botd.daemon.chat import ANSWER_AT_TABLE, ChatManners
from botd.daemon.encounters import Encounters
from botd.daemon.hosting import Host
from botd.daemon.policy import Situation
from botd.daemon.slots import Slot, Slots
from botd.metrics.registry import Metrics
from botd_protocols.bgammon.client_events import Event
from tests.bgammon.client.harness import (
    HELLO,
    ME,
    OPPONENT,
    WELCOME,
    Line,
    board,
    event,
    joined,
    notice,
    rolled,
    win,
)
from tests.waiting import until

ACCOUNT = AccountConfig(
    host="localhost",
    name=ME,
    protocol="bgammon",
    create=CreateConfig(lengths=(1, 5), name="Test"),
    policy=PolicyConfig(),
)


@dataclass
class Place:
    """A connection, and what its host has done."""

    account: AccountConfig = ACCOUNT
    situation: Situation = field(default_factory=Situation)
    abandoned: int = 0
    line: Line = field(default_factory=Line)
    slot: Slot = field(default_factory=lambda: Slot(Slots(0, time.monotonic)))
    encounters: Encounters = field(default_factory=Encounters)
    password: str = ""

    def __post_init__(self) -> None:
        self.line = Line(own_server=self.account.own_server)
        self.host = Host(
            self.account,
            Secret(self.password),
            self.line.client,
            Metrics().server("localhost"),
            ChatManners(ME),
            lambda: self.situation,
            lambda: self.line.wait(0),
            self._abandon,
            self.slot,
            self.encounters,
            structlog.get_logger(),
        )

    def _abandon(self) -> None:
        self.abandoned += 1

    def hear(self) -> None:
        """Let the host hear what the client has told."""
        events: list[Event] = self.line.events
        self.line.events = []
        for told in events:
            self.host.hear(told)

    def say(self, *lines: str) -> None:
        self.line.say(*lines)
        self.hear()

    def log_in(self) -> None:
        self.say(HELLO, WELCOME)
        self.line.take()
        self.line.wait(2.5)
        self.hear()

    def sit_down(self, opponent: str = OPPONENT) -> None:
        self.say(joined(ME, 1), board(opponent="", points=1), joined(opponent, 2))
        self.say(board(opponent=opponent, points=1), rolled(ME, 4, 0), rolled(opponent, 4, 6))
        self.say(board(opponent=opponent, points=1, turn=2, roll=(4, 6), available=[[1, 5]]))
        self.line.take()

    def win_the_match(self, opponent: str = OPPONENT) -> None:
        self.say(win(ME, 0), board(turn=1, Winner=1, score=(1, 0), points=1, opponent=opponent))
        self.line.wait(0.3)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "LOOK_EVERY", 0.01)


async def test_matches_are_offered_one_length_after_the_other() -> None:
    place = Place()
    place.log_in()
    assert place.line.take() == ["create public 1 0 Test"]
    assert place.abandoned == 1
    place.sit_down()
    place.say(event("left", ME))
    place.line.wait(2)
    assert place.line.take() == ["create public 5 0 Test"]
    place.host.close()


async def test_a_match_we_are_put_back_into_is_not_abandoned() -> None:
    place = Place()
    place.say(HELLO, WELCOME, joined(ME, 1), board(turn=1, roll=(3, 1), available=[[8, 5], [6, 5]]))
    assert place.abandoned == 0
    assert place.line.sent == ["lj botd-0.1/en BOT_acme"]
    place.host.close()


@pytest.mark.parametrize("why", ["stopping", "paused", "can_decide"])
async def test_nothing_is_offered_while_no_match_may_begin(why: str) -> None:
    place = Place()
    place.situation = replace(Situation(), **{why: why != "can_decide"})
    place.log_in()
    place.line.wait(5)
    assert place.line.sent == []
    place.situation = Situation()
    await until(lambda: place.line.sent)
    assert place.line.take() == ["create public 1 0 Test"]
    place.say(joined(ME, 1), board(opponent="", points=1))
    place.situation = replace(Situation(), **{why: why != "can_decide"})
    await until(lambda: place.line.sent)  # nobody has come, so the table is given up
    assert place.line.sent == ["leave"]
    place.host.close()


async def refused_at_the_table(place: Place) -> list[str]:
    place.log_in()
    place.line.take()
    place.line.raw(f"{joined(ME, 1)}\n{board(opponent='', points=1)}\n".encode())
    place.hear()
    # as over a connection: the host hears of it before the client's answer goes out
    place.line.events += place.line.client.receive_data(
        f"{joined(OPPONENT, 2)}\n{board(points=1)}\n".encode(), place.line.now
    )
    place.hear()
    place.line.wait(0)
    place.host.close()
    return place.line.take()


@pytest.mark.parametrize(
    ("policy", "refused"),
    [
        (PolicyConfig(), False),
        (PolicyConfig(block=(OPPONENT,)), True),
        (PolicyConfig(allow=("Guest_carol",)), True),
        (PolicyConfig(allow=(OPPONENT,)), False),
        (PolicyConfig(min_rating=1400), False),  # a guest has none, and whoever is unknown is welcome
    ],
)
async def test_whoever_sits_down_is_judged_before_the_first_roll(policy: PolicyConfig, refused: bool) -> None:
    place = Place(replace(ACCOUNT, policy=policy))
    sent = await refused_at_the_table(place)
    assert [command.split()[0] for command in sent] == (["say", "leave"] if refused else ["roll"])
    if refused:
        place.line.say(event("left", ME))
        place.line.wait(14)
        assert place.line.sent == []
        place.line.wait(2)
        assert place.line.sent == ["create public 1 0 Test"]


async def test_the_same_opponent_again_and_again_is_asked_to_wait() -> None:
    place = Place(replace(ACCOUNT, policy=PolicyConfig(cooldown_s=600)))
    place.encounters.match_ended(OPPONENT, asyncio.get_running_loop().time())
    assert [command.split()[0] for command in await refused_at_the_table(place)] == ["say", "leave"]


async def test_a_match_we_come_back_into_is_played_whoever_it_is() -> None:
    place = Place(replace(ACCOUNT, policy=PolicyConfig(block=(OPPONENT,))))
    place.say(HELLO, WELCOME)
    place.line.take()
    place.say(joined(ME, 1), board(turn=1, roll=(3, 1), available=[[8, 5], [6, 5]]))
    assert place.line.client.in_match
    assert place.line.sent == []
    place.host.close()


async def test_who_accepts_no_matches_offers_none() -> None:
    place = Place(replace(ACCOUNT, policy=PolicyConfig(accept=False)))
    place.log_in()
    place.line.wait(60)
    assert not any(command.startswith("create") for command in place.line.sent)
    place.host.close()


async def test_on_our_own_server_somebody_may_be_joined() -> None:
    policy = PolicyConfig(invite=InviteConfig(opponent="BOT_other"))
    place = Place(replace(ACCOUNT, own_server=True, policy=policy))
    place.log_in()
    assert place.line.sent == ["join BOT_other"]
    place.host.close()


async def test_people_are_answered_now_and_then_and_programs_never() -> None:
    place = Place()
    place.log_in()
    place.sit_down()
    place.say(event("say", OPPONENT, Message="hello"), event("say", OPPONENT, Message="anybody?"))
    place.say(event("say", "Guest_carol", Message="hello"))
    place.line.wait(20)
    assert place.line.take() == [f"say {ANSWER_AT_TABLE}"]
    place.say(event("left", ME))
    place.line.wait(2)
    place.line.take()
    place.sit_down("BOT_other")
    place.say(event("say", "BOT_other", Message="hello"))
    place.line.wait(10)
    assert not any(command.startswith("say") for command in place.line.sent)
    place.host.close()


async def test_a_wake_word_is_not_answered_with_words() -> None:
    place = Place()
    place.log_in()
    place.sit_down()
    place.say(event("say", OPPONENT, Message="move"))
    place.line.wait(10)
    assert place.line.sent == []
    place.host.close()


async def test_nobody_hears_of_us_after_the_end() -> None:
    place = Place()
    place.log_in()
    place.say(joined(ME, 1), board(opponent="", points=1))
    place.host.close()
    place.say(event("left", ME))
    assert place.abandoned == 1  # at the log-in only
    assert place.host.tell("anna", "x") is False


ASKED = notice("Your opponent would like to play again. Send rematch to accept.")


@pytest.mark.parametrize(
    ("policy", "opponent", "before", "after"),
    [
        (PolicyConfig(), OPPONENT, [], ["rematch"]),
        (PolicyConfig(rematch="offer"), OPPONENT, ["rematch"], []),
        (PolicyConfig(rematch="never"), OPPONENT, [], ["leave"]),
        (PolicyConfig(), "BOT_other", [], ["leave"]),  # a program that has not asked within 5 s
        (PolicyConfig(rematch="offer"), "BOT_other", [], ["leave"]),
        (PolicyConfig(cooldown_s=600), OPPONENT, [], ["leave"]),
        (PolicyConfig(max_in_a_row=1), OPPONENT, [], ["leave"]),
        (PolicyConfig(max_in_a_row=2), OPPONENT, [], ["rematch"]),
    ],
)
async def test_a_rematch_is_for_those_whom_the_policy_allows(
    policy: PolicyConfig, opponent: str, before: list[str], after: list[str]
) -> None:
    place = Place(replace(ACCOUNT, policy=policy))
    place.log_in()
    place.sit_down(opponent)
    place.win_the_match(opponent)
    assert place.line.take() == before
    place.line.wait(6)
    place.say(ASKED)
    place.line.wait(0.3)
    assert place.line.take() == after
    place.host.close()


async def test_a_rematch_does_not_change_what_is_offered_next() -> None:
    place = Place()
    place.log_in()
    place.line.take()
    place.sit_down()
    place.win_the_match()
    place.say(ASKED, joined(ME, 1), joined(OPPONENT, 2), board(points=1))
    place.say(rolled(ME, 4, 0), rolled(OPPONENT, 4, 6), board(points=1, turn=2, roll=(4, 6)))
    place.line.take()
    place.win_the_match()
    place.say(event("left", ME))
    place.line.wait(2)
    assert place.line.sent == ["create public 5 0 Test"]
    place.host.close()


@pytest.mark.parametrize("why", ["stopping", "paused", "can_decide", "no room"])
async def test_no_rematch_while_no_match_may_begin(why: str) -> None:
    slots = Slots(1, time.monotonic)
    place = Place(replace(ACCOUNT, policy=PolicyConfig(rematch="offer")), slot=Slot(slots))
    place.log_in()
    place.line.take()
    place.sit_down()
    place.host._look()  # the next one is due in a moment
    if why == "no room":
        place.slot.free()  # as the session does at the end of a match
        Slot(slots).hold()
    else:
        place.situation = replace(Situation(), **{why: why != "can_decide"})
    place.win_the_match()
    assert "rematch" not in place.line.sent
    place.host.close()


async def test_who_is_told_to_pause_waits_for_no_rematch() -> None:
    place = Place(replace(ACCOUNT, policy=PolicyConfig(rematch="offer")))
    place.log_in()
    place.sit_down()
    place.win_the_match()
    assert place.line.take() == ["rematch"]
    place.situation = Situation(paused=True)
    await until(lambda: place.line.sent)
    assert place.line.sent == ["leave"]
    place.host.close()


async def test_private_matches_are_created_and_joined_with_the_password() -> None:
    place = Place(password="open_sesame")
    place.log_in()
    assert place.line.take() == ["create private open_sesame 1 0 Test"]
    place.host.close()
    policy = PolicyConfig(invite=InviteConfig(opponent="BOT_other"))
    place = Place(replace(ACCOUNT, own_server=True, policy=policy), password="open_sesame")
    place.log_in()
    assert place.line.take() == ["join BOT_other open_sesame"]
    place.host.close()


async def test_no_table_is_opened_without_room_for_a_match() -> None:
    slots = Slots(1, time.monotonic)
    other = Slot(slots)
    other.hold()
    place = Place(slot=Slot(slots))
    place.host._look()
    assert not place.host._open
    other.free()
    place.host._look()
    assert place.host._open
    assert slots.used == 1
    place.situation = Situation(paused=True)
    place.host._look()
    assert slots.used == 0
    place.host.close()
