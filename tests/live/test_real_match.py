"""The live board of real matches, over TCP, equals what the journal says after every move."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from botd.config import parse_config
from botd.daemon import happenings as h
from botd.daemon.app import Daemon
from botd.journal.reader import JournalReader, MatchQuery
from botd.journal.records import Side
from botd.journal.turns import Turn, TurnKind
from botd.live.decided import cube_of
from botd.live.documents import Match
from botd.live.match import LiveMatch
from botd_protocols.bgammon.server_net import BgammonNetServer
from botd_protocols.fibs.server_tcp import FibsTcpServer
from tests.daemon.bgammon_world import GUEST, HOST, BgammonWorld, Endpoint
from tests.daemon.conftest import PASSWORDS, account
from tests.daemon.conftest import new_server as new_fibs
from tests.daemon.test_bgammon_end_to_end import new_server as new_bgammon

LENGTH = 5
FRAME = """
[engine]
ply = 0
workers = 1
[metrics]
enabled = false
[status_page]
port = 0
[control]
enabled = false
[daemon]
drain_s = 0
state_directory = "state"
[journal]
path = "journal.sqlite3"
"""
Story = list[h.Happening]


@dataclass
class Played:
    """All that happened to two accounts that played a match, and their journal."""

    story: Story
    journal: Path
    names: tuple[str, str]


@pytest.fixture(scope="module", params=["fibs", "bgammon"])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("played")
    if request.param == "fibs":
        return Played(asyncio.run(_on_fibs(folder)), folder / "journal.sqlite3", ("anna", "bert"))
    return Played(asyncio.run(_on_bgammon(folder)), folder / "journal.sqlite3", (HOST, GUEST))


async def _on_fibs(folder: Path) -> Story:
    for name, password in PASSWORDS.items():
        (folder / f"{name}.password").write_text(password)
        (folder / f"{name}.password").chmod(0o600)
    async with FibsTcpServer(new_fibs(seed=5), port=0) as server:
        invite = f'max_matches = 1\ninvite = {{ opponent = "bert", length = {LENGTH} }}'
        accounts = account("anna", server.port, invite) + account("bert", server.port, "max_matches = 1")
        return await _story(folder, accounts)


async def _on_bgammon(folder: Path) -> Story:
    async with BgammonNetServer(new_bgammon(seed=11), "localhost", 0) as server:
        world = BgammonWorld(folder, folder / "none.sock", Endpoint("tcp", server.port))
        once = "max_matches = 1"
        return await _story(folder, world.host(f"[{LENGTH}]", once) + world.guest(once))


async def _story(folder: Path, accounts: str) -> Story:
    daemon = Daemon(parse_config((FRAME + accounts).encode(), file="test", base=folder, environment={}))
    events = daemon.happenings.subscribe(1_000_000, details=True)
    assert await daemon.run() == 0
    return [happening async for happening in events]


def turns(journal: Path, name: str) -> Iterator[Turn]:
    with JournalReader(journal) as reader:
        (summary,) = reader.matches(MatchQuery(account=name))
        for game in reader.record(summary.key).games:
            yield from game.turns


def followed(story: Story, name: str, *, details: bool) -> Iterator[tuple[h.Happening, Match]]:
    """Each happening of an account's match and how the match was shown after it."""
    match: LiveMatch | None = None
    for happening in story:
        if happening.account != name or (isinstance(happening, h.TableSeen) and not details):
            continue
        if isinstance(happening, h.MatchStarted):
            match = LiveMatch(happening.opponent, happening.length, happening.score, happening.at)
        elif match is not None:
            match.happened(happening)
            yield happening, match.document()


@pytest.mark.parametrize("details", [True, False])
@pytest.mark.parametrize("which", [0, 1])
def test_the_live_board_is_the_journals(played: Played, which: int, details: bool) -> None:
    story, journal, name = played.story, played.journal, played.names[which]
    recorded = [turn for turn in turns(journal, name) if turn.kind is TurnKind.MOVE]
    rolled: list[Match] = []
    moved: list[Match] = []
    for happening, shown in followed(story, name, details=details):
        if isinstance(happening, h.Rolled):
            rolled.append(shown)
        elif isinstance(happening, h.Moved):
            moved.append(shown)
    assert len(recorded) == len(moved) > 20
    for turn, before, after in zip(recorded, rolled, moved, strict=False):
        assert (before.board, before.turn) == (turn.before, turn.side)
        assert before.dice is not None
        assert turn.dice is not None
        assert sorted(before.dice) == sorted(turn.dice)
        assert turn.cube_before is not None
        assert (before.cube.value, before.cube.owner) == (turn.cube_before.value, turn.cube_before.owner)
        assert after.board == turn.after
        assert turn.move is not None
        assert after.last_move is not None
        assert (after.last_move.side, after.last_move.notation) == (turn.side, turn.move.notation)


@pytest.mark.parametrize("which", [0, 1])
def test_every_decision_is_on_the_curve(played: Played, which: int) -> None:
    story, journal, name = played.story, played.journal, played.names[which]
    decisions = [decision for turn in turns(journal, name) for decision in turn.decisions]
    *_, (_, last) = followed(story, name, details=True)
    assert last.curve[-1].n == len(decisions)
    assert [point.game for point in last.curve] == [decision.game for decision in decisions]
    assert [point.cube for point in last.curve] == [cube_of(decision.match_id) for decision in decisions]
    for turn in turns(journal, name):  # what the identifier says is the cube that was on the table
        assert turn.cube_before is not None
        assert {cube_of(decision.match_id) for decision in turn.decisions} <= {turn.cube_before.value}
    newest = last.decisions[0]
    assert (newest.chosen, newest.position_id) == (decisions[-1].chosen, decisions[-1].position_id)


def test_seats_are_mirrored(played: Played) -> None:
    """The two accounts saw the same moves from either side."""
    sides: dict[str, list[Side]] = {name: [] for name in played.names}
    for happening in played.story:
        if isinstance(happening, h.Moved):
            sides[happening.account].append(happening.side)
    one, other = sides.values()
    assert one == [side.other for side in other]
