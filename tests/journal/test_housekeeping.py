"""Old matches go in small steps; whatever may still be needed stays."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
import structlog.testing

from botd.journal import Journal
from botd.journal import records as r
from botd.journal.housekeeping import EVERY, Housekeeper, Retention
from botd.journal.opening import open_file
from botd.journal.store import Store
from tests.journal.real_files import content, played
from tests.waiting import until

DAY = 86_400.0
EVENTS = ("rolls", "moves", "cube_actions", "resignations", "decisions")


class Clocks:
    """A wall clock and a steady one that go together, unless somebody sets the former."""

    def __init__(self, wall: float) -> None:
        self.wall_now = wall
        self.steady_now = 1000.0

    def wall(self) -> float:
        return self.wall_now

    def steady(self) -> float:
        return self.steady_now

    def pass_time(self, seconds: float) -> None:
        self.wall_now += seconds
        self.steady_now += seconds


def last_played(path: Path) -> float:
    return max(datetime.fromisoformat(str(row["started_at"])).timestamp() for row in content(path)["matches"])


def play_again(path: Path, at: float) -> r.MatchKey:
    """A match that is being played then."""
    match = r.MatchKey("20271130-000000-aaaaaaaa")
    with closing(open_file(path, busy_timeout=1)) as connection:
        Store(connection).apply(r.MatchStarted(match, "fibs", "anna_bot", "carl", 3, at=at))
        Store(connection).apply(r.GameStarted(r.GameKey(match, 1), (0, 0), at=at))
        Store(connection).apply(r.Rolled(r.GameKey(match, 1), None, (2, 2), opening=True, at=at))
    return match


def keep_house(path: Path, rules: Retention, clocks: Clocks) -> Housekeeper:
    """One whole round of it."""
    keeper = Housekeeper(rules, wall=clocks.wall, steady=clocks.steady)
    with closing(open_file(path, busy_timeout=0.05)) as connection:
        go_round(keeper, clocks, connection)
    return keeper


def go_round(keeper: Housekeeper, clocks: Clocks, connection: sqlite3.Connection) -> None:
    while True:
        clocks.pass_time(keeper.wait)
        keeper.step(connection)
        if keeper.wait > EVERY / 2:
            return


def states(path: Path) -> list[object]:
    return sorted(str(row["state"]) for row in content(path)["matches"])


def test_matches_long_over_go_and_all_others_stay(tmp_path: Path) -> None:
    path = played(tmp_path)
    before = content(path)
    now = last_played(path) + 31 * DAY
    running = play_again(path, now)
    keeper = keep_house(path, Retention(30), Clocks(now))
    after = content(path)
    assert keeper.matches_removed == 2
    assert states(path) == ["playing", "suspended", "suspended"]
    gone = {row["match"] for row in before["matches"] if row["state"] == "finished"}
    assert len(gone) == 2
    for table in ("sittings", "games", "scores", *EVENTS):
        stayed = [row for row in after[table] if row["match"] != running]
        assert stayed == [row for row in before[table] if row["match"] not in gone]
    numbers = {row["match"]: row["number"] for row in after["matches"]}
    assert numbers[running] == 5


def test_a_number_is_not_given_again_after_its_match_was_removed(tmp_path: Path) -> None:
    path = played(tmp_path)
    at = last_played(path)
    match = play_again(path, at)
    with closing(open_file(path, busy_timeout=1)) as connection:
        Store(connection).apply(r.MatchEnded(match, r.Side.US, (3, 0), at=at))
        Store(connection).apply(r.MatchStarted(r.MatchKey("b"), "fibs", "b", "o", 3, at=at + 40 * DAY))
        keeper = Housekeeper(Retention(30), wall=(clocks := Clocks(at + 40 * DAY)).wall, steady=clocks.steady)
        go_round(keeper, clocks, connection)
        Store(connection).apply(r.MatchStarted(r.MatchKey("c"), "fibs", "c", "o", 3, at=at + 40 * DAY))
    assert {row["match"]: row["number"] for row in content(path)["matches"]}["c"] == 7


@pytest.mark.parametrize("rules", [Retention(), Retention(40), Retention(0, 40)], ids=str)
def test_nothing_goes_before_its_time(tmp_path: Path, rules: Retention) -> None:
    path = played(tmp_path)
    now = last_played(path) + 39 * DAY
    play_again(path, now)
    before = content(path)
    keeper = keep_house(path, rules, Clocks(now))
    after = content(path)
    assert (keeper.matches_removed, keeper.decisions_thinned) == (0, 0)
    del before["meta"], after["meta"]
    assert after == before


def test_age_counts_from_the_newest_match(tmp_path: Path) -> None:
    path = played(tmp_path)
    keeper = keep_house(path, Retention(30, 30), Clocks(last_played(path) + 1000 * DAY))
    assert (keeper.matches_removed, keeper.decisions_thinned) == (0, 0)


def test_of_old_decisions_only_what_was_considered_goes(tmp_path: Path) -> None:
    path = played(tmp_path)
    before = content(path)
    now = last_played(path) + 31 * DAY
    play_again(path, now)
    keeper = keep_house(path, Retention(0, 30), Clocks(now))
    after = content(path)
    over = {row["match"] for row in before["matches"] if row["state"] == "finished"}
    assert keeper.matches_removed == 0
    assert keeper.decisions_thinned == sum(row["match"] in over for row in before["decisions"]) > 100
    for old, new in zip(before["decisions"], after["decisions"], strict=True):
        assert new == (old | {"candidates": "{}"} if old["match"] in over else old)
    assert after["moves"] == before["moves"]


def test_a_suspended_match_that_is_given_up_later_is_thinned_later(tmp_path: Path) -> None:
    path = played(tmp_path)
    now = last_played(path) + 31 * DAY
    play_again(path, now)
    clocks = Clocks(now)
    first = keep_house(path, Retention(0, 30), clocks).decisions_thinned
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE matches SET state = 'discarded' WHERE state = 'suspended'")
        connection.commit()
    second = keep_house(path, Retention(0, 30), clocks).decisions_thinned
    third = keep_house(path, Retention(0, 30), clocks).decisions_thinned
    assert first > 0
    assert first + second == len(content(path)["decisions"])
    assert third == 0


def test_a_clock_that_jumps_ahead_makes_nothing_old(tmp_path: Path) -> None:
    path = played(tmp_path)
    clocks = Clocks(last_played(path))
    keeper = Housekeeper(Retention(30), wall=clocks.wall, steady=clocks.steady)
    clocks.wall_now += 31 * DAY
    play_again(path, clocks.wall_now)
    with structlog.testing.capture_logs() as logs, closing(open_file(path, busy_timeout=1)) as connection:
        go_round(keeper, clocks, connection)
        go_round(keeper, clocks, connection)
        assert keeper.matches_removed == 0
        clocks.wall_now -= 31 * DAY  # set right again
        go_round(keeper, clocks, connection)
    assert keeper.matches_removed == 0
    assert [entry["event"] for entry in logs].count("journal_keeps_everything") == 1


def test_room_that_became_free_is_given_back(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    at = 1_800_000_000.0
    with closing(open_file(path, busy_timeout=1)) as connection:
        store = Store(connection)
        connection.execute("BEGIN")
        for number in range(200):
            match = r.MatchKey(f"m{number}")
            store.apply(r.MatchStarted(match, "fibs", "a", f"o{number}", 3, at=at + number))
            store.apply(r.GameStarted(game := r.GameKey(match, 1), (0, 0), at=at))
            store.apply(r.GameGap(game, "x" * 20_000, at=at))
            store.apply(r.MatchEnded(match, r.Side.US, (3, 0), at=at + number))
        store.apply(r.MatchStarted(r.MatchKey("now"), "fibs", "a", "o", 3, at=at + 50 * DAY))
        connection.execute("COMMIT")
    size = path.stat().st_size
    keep_house(path, Retention(30, vacuum=False), Clocks(at + 50 * DAY))
    assert path.stat().st_size >= size
    with structlog.testing.capture_logs() as logs:
        keep_house(path, Retention(30), Clocks(at + 50 * DAY))
    assert path.stat().st_size < size / 2
    assert [entry["event"] for entry in logs] == ["journal_pruned"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_trouble_puts_it_off_and_nothing_is_half_removed(tmp_path: Path) -> None:
    path = played(tmp_path)
    now = last_played(path) + 31 * DAY
    play_again(path, now)
    before = content(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with structlog.testing.capture_logs() as logs:
            keeper = keep_house(path, Retention(30), Clocks(now))
    assert keeper.matches_removed == 0
    assert [entry["event"] for entry in logs] == ["journal_housekeeping_failed"]
    assert content(path) == before


async def test_the_journal_keeps_house_while_it_writes(tmp_path: Path) -> None:
    path = played(tmp_path)
    now = last_played(path) + 31 * DAY
    play_again(path, now)
    keeper = Housekeeper(Retention(30), wall=lambda: now, first_after=0)
    async with Journal(path, clock=lambda: now, housekeeper=keeper) as journal:
        match = journal.match_started(server="fibs", account="a", opponent="o", length=3)
        game = journal.game_started(match, 1, (0, 0))
        while journal.status().matches_removed < 2:
            journal.rolled(game, r.Side.US, (1, 2))
            await asyncio.sleep(0.001)
        await journal.flush()
        status = journal.status()
    assert (status.matches_removed, status.dropped, status.failing) == (2, 0, False)
    rolls = [row["seq"] for row in content(path)["rolls"] if row["match"] == match]
    assert rolls == list(range(1, status.written - 1))


async def test_a_question_is_answered_in_the_midst_of_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    at = 1_800_000_000.0
    with closing(open_file(path, busy_timeout=1)) as connection:
        connection.execute("BEGIN")
        for number in range(1000):
            match = r.MatchKey(f"m{number}")
            Store(connection).apply(r.MatchStarted(match, "fibs", "a", f"o{number}", 3, at=at))
            Store(connection).apply(r.MatchEnded(match, r.Side.US, (3, 0), at=at))
        Store(connection).apply(r.MatchStarted(r.MatchKey("now"), "fibs", "a", "o", 3, at=at + 50 * DAY))
        connection.execute("COMMIT")
    keeper = Housekeeper(Retention(30), wall=lambda: at + 50 * DAY, first_after=0)
    async with Journal(path, housekeeper=keeper) as journal:
        await until(lambda: journal.status().matches_removed > 1)
        for _ in range(5):
            await journal.flush()
        assert journal.status().matches_removed < 1000
