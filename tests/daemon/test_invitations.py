"""Whom an account on FIBS invites by itself: the real client, its server's lines composed."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace

import pytest
import structlog

from botd.config import IdleConfig, InviteConfig, PolicyConfig
from botd.daemon import idle, invitations
from botd.daemon.chat import ChatManners
from botd.daemon.encounters import Encounters
from botd.daemon.invitations import Matchmaker
from botd.daemon.policy import Situation
from botd.daemon.slots import Slot, Slots
from botd.metrics.registry import Metrics
from botd_protocols.fibs import client_events as ev
from tests.fibs.client.spoken_line import Line
from tests.waiting import until

ME = "mybot"
IDLE = PolicyConfig(idle=IdleConfig(after_s=0.02, humans=True))
OFFER = PolicyConfig(rematch="offer")
LOOKS = 20
"""So many looks for somebody to invite are enough to see that nobody is."""


@dataclass
class Place:
    """A connection in the lobby, and what its matchmaker does."""

    policy: PolicyConfig
    situation: Situation = field(default_factory=Situation)
    line: Line = field(default_factory=lambda: Line(start=""))
    encounters: Encounters = field(default_factory=Encounters)
    looks: int = 0

    def __post_init__(self) -> None:
        self.matchmaker = Matchmaker(
            ME,
            self.line.client,
            self.policy,
            Metrics().server("localhost"),
            ChatManners(ME),
            self._look,
            lambda: self.line.wait(5),
            lambda *_, **__: None,
            Slot(Slots(0, time.monotonic)),
            self.encounters,
            structlog.get_logger(),
        )
        self.hear(ev.SavedMatches(()), ev.LobbyReady())

    def _look(self) -> Situation:
        self.looks += 1
        return self.situation

    def hear(self, *events: ev.Event) -> None:
        for event in events:
            self.matchmaker.hear(event)

    def see(self, *names: str, ready: bool = True, away: bool = False, rating: float = 1500.0) -> None:
        for name in names:
            self.hear(ev.PlayerSeen(name, None, ready, away, rating, 50))

    def end_match(self, opponent: str, length: int = 3) -> None:
        self.hear(ev.MatchStarted(opponent, length), ev.MatchEnded(opponent, False, length, 0, length))

    @property
    def invited(self) -> list[str]:
        return [command for command in self.line.sent if command.startswith("invite")]

    async def looked(self) -> list[str]:
        """Whom it has invited after so many looks."""
        before = self.looks
        await until(lambda: self.looks > before + LOOKS)
        self.matchmaker.close()
        return self.invited


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "INVITE_EVERY", 0.005)
    monkeypatch.setattr(idle, "IDLE_EVERY", 0.05)


async def test_idle_it_invites_one_free_player_after_another() -> None:
    place = Place(IDLE)
    place.see("anna", "bert", ME)
    place.see("carl", ready=False)
    place.see("dora", away=True)
    place.hear(ev.PlayerSeen("emil", "fred", True, False, 1500.0, 50))
    await until(lambda: len(place.invited) == 2)
    assert sorted(await place.looked()) == ["invite anna 3", "invite bert 3"]


async def test_there_is_no_such_thing_without_the_table() -> None:
    place = Place(PolicyConfig(invite=InviteConfig("nobody")))
    place.see("anna")
    assert await place.looked() == []


@pytest.mark.parametrize("why", ["stopping", "server_closing", "paused", "playing", "can_decide"])
async def test_nobody_is_invited_while_no_match_may_begin(why: str) -> None:
    place = Place(IDLE)
    place.situation = replace(Situation(), **{why: why != "can_decide"})
    place.see("anna")
    before = place.looks
    await until(lambda: place.looks > before + LOOKS)
    assert place.invited == []
    place.situation = Situation()
    await until(lambda: place.invited)
    place.matchmaker.close()


@pytest.mark.parametrize(
    "policy",
    [
        replace(IDLE, block=("anna",)),
        replace(IDLE, allow=("bert",)),
        replace(IDLE, idle=IdleConfig(after_s=0.02, humans=True, min_rating=1501.0)),
        replace(IDLE, idle=IdleConfig(after_s=0.02, humans=True, max_experience=49)),
        replace(IDLE, idle=IdleConfig(after_s=0.02)),
        replace(IDLE, idle=IdleConfig(after_s=9.0, humans=True)),
    ],
)
async def test_who_is_not_wanted_is_not_invited(policy: PolicyConfig) -> None:
    place = Place(policy)
    place.see("anna")
    seen = asyncio.get_running_loop().time()
    await until(lambda: asyncio.get_running_loop().time() > seen + 0.1)
    assert await place.looked() == []


async def test_a_saved_match_comes_first_and_is_not_destroyed() -> None:
    place = Place(IDLE)
    place.hear(ev.SavedMatches((ev.SavedMatch("bert", 5, 1, 2, True, False),)))
    place.see("bert")
    await until(lambda: place.invited)
    assert place.invited == ["invite bert"]
    assert await place.looked() == ["invite bert"]


async def test_too_many_saved_matches_are_too_many() -> None:
    place = Place(replace(IDLE, max_saved=1))
    place.hear(ev.SavedMatches((ev.SavedMatch("bert", 5, 1, 2, False, False),)))
    place.see("anna")
    assert await place.looked() == []


async def test_a_rematch_is_offered_once_as_soon_as_the_person_is_free() -> None:
    place = Place(OFFER)
    place.end_match("anna", 5)
    await asyncio.sleep(1.1)  # how long a match that has ended is left alone
    assert place.invited == []
    place.see("anna")
    await until(lambda: place.invited)
    place.see("anna")
    await asyncio.sleep(0.1)
    assert place.invited == ["invite anna 5"]
    place.matchmaker.close()


@pytest.mark.parametrize(
    ("policy", "opponent", "length"),
    [
        (PolicyConfig(), "anna", 3),
        (PolicyConfig(rematch="never"), "anna", 3),
        (OFFER, "GammonBot_IV", 3),
        (OFFER, "anna", 0),
        (OFFER, "anna", 26),
        (replace(OFFER, block=("anna",)), "anna", 3),
        (replace(OFFER, cooldown_s=60.0), "anna", 3),
        (replace(OFFER, max_in_a_row=1), "anna", 3),
        (replace(OFFER, max_rating=1400.0), "anna", 3),
    ],
)
async def test_no_rematch_against_the_rules(policy: PolicyConfig, opponent: str, length: int) -> None:
    place = Place(replace(policy, invite=InviteConfig("nobody")))
    place.see(opponent)
    place.end_match(opponent, length)
    place.see(opponent)
    await asyncio.sleep(1.1)
    assert await place.looked() == []


@pytest.mark.parametrize(
    "event",
    [ev.MatchStarted("bert", 3), ev.MatchResumed("bert", 3), ev.PlayerGone("anna")],
)
async def test_a_rematch_is_forgotten_when_it_is_too_late(event: ev.Event) -> None:
    place = Place(replace(OFFER, invite=InviteConfig("nobody")))
    place.end_match("anna")
    place.hear(event)
    place.see("anna")
    await asyncio.sleep(1.1)
    assert await place.looked() == []


async def test_a_rematch_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "REMATCH_WITHIN", 0.5)
    place = Place(replace(OFFER, invite=InviteConfig("nobody")))
    place.end_match("anna")
    await asyncio.sleep(1.1)
    place.see("anna")
    assert await place.looked() == []
