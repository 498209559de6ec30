"""Whole matches between two players who know nothing but the boards they read."""

from __future__ import annotations

import random
from typing import Any

import pytest

from botd_protocols.bgammon.server_quirks import ServerQuirks
from botd_protocols.server_dice import SeededDice

from .brute_force import first_steps
from .harness import Event, World, check_board, table


class BoardPlayer:
    """Section 7.1: driven by boards alone; checks every event it reads."""

    def __init__(self, world: World, conn: int, rng: random.Random, double_chance: float = 0.05) -> None:
        self.world, self.conn, self.rng, self.double_chance = world, conn, rng, double_chance
        self.boards = 0
        self.wins: list[Event] = []
        self.final: Event | None = None
        self.score = (0, 0)
        self.crawford: list[tuple[int, int]] = []
        """After each game of a match but the last: the higher score and `Crawford` of the next one."""
        self.seen_doubles = False
        self.doubled = False

    def step(self) -> bool:
        events = self.world.read(self.conn)
        board = None
        for event in events:
            assert not event["Type"].startswith("failed"), event
            if event["Type"] == "board":
                check_board(event)
                board = event
                self.boards += 1
            elif event["Type"] == "win":
                self.wins.append(event)
        if board is not None:
            command = self._decide(board)
            if command:
                self.world.now += 1.0
                self.world.send(self.conn, command)
        return bool(events)

    def _decide(self, board: Event) -> str:
        if max(board["Player1"]["Points"], board["Player2"]["Points"]) >= board["Points"]:
            assert board["Winner"]
            self.final = board
            return ""
        if board["Winner"]:
            return ""
        if board["Turn"] == 0 and board["Player1"]["Points"] + board["Player2"]["Points"] != sum(self.score):
            self.score = (board["Player1"]["Points"], board["Player2"]["Points"])
            self.crawford.append((max(self.score), board["Crawford"]))
        if board["DoubleOffered"]:
            self.seen_doubles = True
            return "" if board["Turn"] == 1 else ("ok" if self.rng.random() < 0.7 else "resign")
        if board["Turn"] == 0:
            return "roll" if board["Roll1"] == 0 else ""
        if board["Turn"] == 2:
            return ""
        if board["Roll1"] == 0:
            assert board["Points"] > 1
            assert board["Crawford"] != 1
            if board["DoublePlayer"] == 2:
                assert self.doubled, "only a double just taken leaves a roll without the cube"
                self.doubled = False
                return "roll"
            self.doubled = False
            if self.rng.random() < self.double_chance:
                self.doubled = True
                return "double"
            return "roll"
        return self._move(board)

    def _move(self, board: Event) -> str:
        dice = [board["Roll1"], board["Roll2"]]
        left = dice * 2 if dice[0] == dice[1] else dice
        available = [tuple(step) for step in board["Available"] or []]
        if not board["Moves"]:
            expected = first_steps(tuple(board["Board"]), tuple(left), fresh=True)
            assert available == expected
        if not available:
            return "ok"
        start, end = self.rng.choice(available)
        return f"move {'bar' if start == 26 else start}/{'off' if end == 0 else end}"


def play(world: World, me: int, guest: int, seed: int, double_chance: float = 0.05) -> list[BoardPlayer]:
    rng = random.Random(seed)
    players = [BoardPlayer(world, conn, rng, double_chance) for conn in (me, guest)]
    for _ in range(50_000):
        if all(player.final for player in players):
            return players
        stepped = [player.step() for player in players]
        assert any(stepped), "nobody has anything to say"
    raise AssertionError("the match does not end")


@pytest.mark.parametrize(("length", "seed"), [(1, 1), (1, 2), (3, 3), (3, 4), (7, 5), (7, 6)])
def test_random_match_is_sound_event_by_event(length: int, seed: int) -> None:
    world, me, guest = table(length, dice=SeededDice(seed), strict=True)
    first, second = play(world, me, guest, seed)
    assert first.final is not None
    assert second.final is not None
    score = [first.final[name]["Points"] for name in ("Player1", "Player2")]
    assert [second.final[name]["Points"] for name in ("Player2", "Player1")] == score
    assert max(score) >= length
    assert [win["Player"] for win in first.wins] == [win["Player"] for win in second.wins]
    if length == 1:
        assert [win["Points"] for win in first.wins] == [0]
        assert not first.seen_doubles
    else:
        by_name = {"BOT_acme": 0, "Guest_alice": 0}
        for win in first.wins:
            by_name[win["Player"]] += win["Points"]
        assert list(by_name.values()) == score
    assert world.server.violations == ()
    (result,) = world.server.results
    assert result.winner == first.wins[-1]["Player"]
    assert first.boards > (60 if length == 1 else 10)


def test_crawford_game_is_the_first_one_a_point_from_the_end_only() -> None:
    quirks = ServerQuirks(drop_scoring="cube")
    past = 0
    for seed in range(40):
        world, me, guest = table(3, dice=SeededDice(seed), strict=True, quirks=quirks)
        first, second = play(world, me, guest, seed, double_chance=0.9)
        assert world.server.violations == ()
        assert first.crawford == second.crawford
        games = [flag for score, flag in first.crawford if score == 2]
        assert games == [1, 2, 2][: len(games)]
        assert all(flag == 0 for score, flag in first.crawford if score < 2)
        past += len(games) > 1
        if past > 2:
            return
    raise AssertionError("too few matches go past their Crawford game")


DEVIATIONS: tuple[dict[str, Any], ...] = (
    {"empty_lists": "null"},
    {"empty_lists": "empty"},
    {"first_opening_board": True},
    {"seat_order_dice": False},
    {"lying_moved": False},
    {"stale_offer_at_end": False},
    {"zero_points_win": False},
    {"noise": True},
    {"insist_on_both_dice": False},
    {"drop_scoring": "cube"},
    {"autoplay_incomplete": False},
    {"autoplay_repeats_board": False},
)


@pytest.mark.parametrize("automatic", [False, True])
@pytest.mark.parametrize("deviation", DEVIATIONS, ids="-".join)
def test_a_client_of_boards_copes_with_every_switch(deviation: dict[str, Any], automatic: bool) -> None:
    world, me, guest = table(3, dice=SeededDice(8), strict=True, quirks=ServerQuirks(**deviation))
    for conn in (me, guest):
        world.send(conn, f"set autoplay {int(automatic)}")
    first, second = play(world, me, guest, 8, double_chance=0.01)
    assert first.final is not None
    assert second.final is not None
    assert first.boards > 80
    assert world.server.violations == ()


@pytest.mark.nightly
@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 15])
def test_many_random_matches(length: int) -> None:
    for seed in range(40):
        world, me, guest = table(length, dice=SeededDice(seed), strict=True, first=seed % 2 == 0)
        for conn in (me, guest):
            world.send(conn, f"set autoplay {seed // 2 % 2}")
        first, _ = play(world, me, guest, seed, double_chance=0.1)
        assert first.final is not None
        assert world.server.violations == ()
        assert len(world.server.results) == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_match_survives_any_number_of_lost_connections(seed: int) -> None:
    world, me, guest = table(3, dice=SeededDice(seed), strict=True)
    rng = random.Random(seed)
    players = [BoardPlayer(world, conn, rng) for conn in (me, guest)]
    lost = 0
    for _ in range(20_000):
        if all(player.final for player in players):
            break
        for player, name in zip(players, ("BOT_acme", "alice"), strict=True):
            player.step()
            (match,) = world.server.matches
            # Only a running match waits; a board that was sent and not read is lost with the connection.
            if match.has_started and not match.over and rng.random() < 0.1:
                world.drop(player.conn)
                player.conn = world.connect()
                world.raw(player.conn)
                world.send(player.conn, f"lj test-1.0/en {name}")
                assert b'"joined"' in b"".join(world.unread[player.conn])
                lost += 1
    assert all(player.final for player in players)
    assert lost > 5
    assert world.server.violations == ()
    assert len(world.server.results) == 1
