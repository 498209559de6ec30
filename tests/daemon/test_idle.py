"""Whom an idle account invites."""

from __future__ import annotations

import pytest

from botd.config import IdleConfig, PolicyConfig
from botd.daemon.chat import ChatManners
from botd.daemon.encounters import REMEMBERED, Encounters
from botd.daemon.idle import IDLE_EVERY, IdleInviter

NEVER = float("-inf")


class Lobby:
    """An idle inviter, the players it may invite, and whom it has invited when."""

    def __init__(
        self, config: IdleConfig, policy: PolicyConfig | None = None, *, name: str = "my_bot_1"
    ) -> None:
        self.encounters = Encounters()
        self.config, self.policy, self.manners = config, policy or PolicyConfig(), ChatManners(name)
        self.refused: set[str] = set()
        self.judged_by: list[PolicyConfig] = []
        self.connect()
        self.last = NEVER

    def connect(self) -> None:
        self.inviter = IdleInviter(self.config, self.policy, self.manners, self.encounters)
        self.inviter.occupied(0)

    def acceptable(self, name: str, length: int, policy: PolicyConfig) -> bool:
        self.judged_by.append(policy)
        return name not in self.refused

    def at(self, now: float, *free: str) -> tuple[str, int] | None:
        wish = self.inviter.whom(free, now, self.last, self.acceptable)
        if wish is not None:
            self.last = now
        return wish


PEOPLE = IdleConfig(after_s=120, humans=True, bots=False)


def test_not_before_it_has_been_idle() -> None:
    lobby = Lobby(PEOPLE)
    assert lobby.at(119, "anna") is None
    lobby.inviter.occupied(119)
    assert lobby.at(120, "anna") is None
    assert lobby.at(239, "anna") == ("anna", 3)


def test_without_a_lobby_there_is_no_idleness() -> None:
    lobby = Lobby(PEOPLE)
    fresh = IdleInviter(PEOPLE, PolicyConfig(), lobby.manners, lobby.encounters)
    assert fresh.whom(["anna"], 1e9, NEVER, lobby.acceptable) is None


def test_one_a_minute_and_nobody_again_too_soon() -> None:
    lobby = Lobby(PEOPLE)
    assert lobby.at(200, "anna") == ("anna", 3)
    assert lobby.at(200 + IDLE_EVERY - 1, "anna", "bert") is None
    assert lobby.at(200 + IDLE_EVERY, "anna", "bert") == ("bert", 3)
    assert lobby.at(200 + PEOPLE.again_s - 1, "anna") is None
    assert lobby.at(200 + PEOPLE.again_s, "anna") == ("anna", 3)


def test_other_invitations_of_ours_count_too() -> None:
    lobby = Lobby(PEOPLE)
    lobby.last = 199.0
    assert lobby.at(200, "anna") is None


def test_a_reconnection_forgets_nobody() -> None:
    lobby = Lobby(PEOPLE)
    assert lobby.at(200, "anna") == ("anna", 3)
    lobby.connect()
    assert lobby.at(400, "anna") is None


def test_the_memory_is_bounded() -> None:
    encounters = Encounters()
    for number in range(REMEMBERED + 1):
        encounters.asked(f"player{number}", number)
    now = REMEMBERED + 1
    assert not encounters.asked_within("player0", now, 1e9)
    assert encounters.asked_within("player1", now, 1e9)


@pytest.mark.parametrize(
    ("bots", "humans", "invited"),
    [
        (True, True, {"anna", "GammonBot_IV", "blunderbot_1"}),
        (True, False, {"GammonBot_IV", "blunderbot_1"}),
        (False, True, {"anna"}),
        (False, False, set()),
    ],
)
def test_people_and_the_programs_that_are_known(bots: bool, humans: bool, invited: set[str]) -> None:
    lobby = Lobby(IdleConfig(bots=bots, humans=humans))
    there = ("anna", "GammonBot_IV", "blunderbot_1", "RepBot", "SomeBot_2", "my_bot_1", "my_bot_2")
    found = {wish[0] for now in range(200, 2000, 60) if (wish := lobby.at(now, *there)) is not None}
    assert found == invited


def test_patterns() -> None:
    lobby = Lobby(IdleConfig(bot_names=("b?t*",)))
    assert lobby.at(200, "anna", "bt", "baat") is None
    assert lobby.at(200, "BOTticelli") == ("BOTticelli", 3)


def test_lengths_come_one_after_the_other() -> None:
    lobby = Lobby(IdleConfig(humans=True, lengths=(1, 5)))
    made = [lobby.at(200 + 60 * number, name) for number, name in enumerate(("anna", "bert", "carl"))]
    assert made == [("anna", 1), ("bert", 5), ("carl", 1)]
    assert lobby.at(1000) is None


def test_whom_we_have_not_played_for_longest_comes_first() -> None:
    lobby = Lobby(PEOPLE)
    for number, name in enumerate(("carl", "anna", "bert")):
        lobby.encounters.match_ended(name, number)
    assert lobby.at(200, "anna", "bert", "carl", "dora") == ("dora", 3)
    order = [lobby.at(now, "anna", "bert", "carl", "dora") for now in (300, 400, 500)]
    assert [wish and wish[0] for wish in order] == ["carl", "anna", "bert"]


def test_the_rules_of_the_account_hold_with_bands_of_their_own() -> None:
    idle = IdleConfig(humans=True, min_rating=1500.0, max_experience=9)
    policy = PolicyConfig(accept=False, max_length=1, max_rating=1400.0, cooldown_s=60, block=("bert",))
    lobby = Lobby(idle, policy)
    lobby.refused = {"anna"}
    assert lobby.at(200, "anna") is None
    (rules,) = lobby.judged_by
    assert rules.accept
    assert (rules.min_length, rules.max_length) == (1, 64)
    assert (rules.min_rating, rules.max_rating, rules.max_experience) == (1500.0, None, 9)
    assert (rules.cooldown_s, rules.block) == (60, ("bert",))
