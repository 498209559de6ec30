"""The real daemon as a process on our bgammon server, over TCP and WebSocket with TLS."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme

from botd_protocols.bgammon.server import BgammonServer
from botd_protocols.bgammon.server_accounts import ServerConfig
from botd_protocols.bgammon.server_net import BgammonNetServer, server_tls
from botd_protocols.server_dice import SeededDice
from tests.daemon.bgammon_world import GUEST, HOST, HURRY, PASSWORD, BgammonWorld, Endpoint

ONE_MATCH = "max_matches = 1"


def new_server(seed: int) -> BgammonServer:
    config = ServerConfig(accounts={HOST: PASSWORD, GUEST: PASSWORD}, strict=True, bots_may_join=True)
    return BgammonServer(config, SeededDice(seed))


def wrong_commands(server: BgammonServer) -> list[object]:
    """What we should not have sent.

    These tests are in more of a hurry than the public server likes, and the guest looks for the host's table
    before there is one.
    """
    return [
        found
        for found in server.violations
        if "commands a second" not in found.reason and found.command != f"join {HOST}"
    ]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost that no authority has signed, with its key."""
    path = tmp_path_factory.mktemp("tls") / "localhost.pem"
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    issued.private_key_and_cert_chain_pem.write_to_path(path)
    authority.cert_pem.write_to_path(path.with_name("ca.pem"))
    return path


@pytest.fixture
def server() -> BgammonServer:
    return new_server(seed=11)


@pytest.fixture
async def shell(server: BgammonServer, certificate: Path) -> AsyncIterator[BgammonNetServer]:
    tls = server_tls(str(certificate), str(certificate))
    async with BgammonNetServer(server, "localhost", 0, ws_port=0, tls=tls) as shell:
        yield shell


@pytest.fixture(params=["tcp", "websocket"])
async def world(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    socket_folder: Path,
    shell: BgammonNetServer,
    certificate: Path,
) -> AsyncIterator[BgammonWorld]:
    if request.param == "tcp":
        endpoint = Endpoint("tcp", shell.port)
    else:
        assert shell.ws_port is not None
        endpoint = Endpoint("websocket", shell.ws_port, certificate.with_name("ca.pem"))
    world = BgammonWorld(tmp_path, socket_folder / "botd.sock", endpoint)
    try:
        yield world
    finally:
        await world.end()


async def test_two_accounts_play_whole_matches(world: BgammonWorld, server: BgammonServer) -> None:
    daemon = await world.start(world.two_accounts("[1, 3]", "max_matches = 2"))
    assert await daemon.finish() == 0, daemon.raw
    world.check_finished_matches(daemon, lengths={1, 3})
    assert wrong_commands(server) == []
    results = server.results
    assert len(results) == 2


@pytest.mark.parametrize("world", ["tcp"], indirect=True)
async def test_a_person_hears_good_bye_at_the_table(world: BgammonWorld) -> None:
    """The guest has a person's name here."""
    invite = f'[accounts.policy]\n{HURRY}invite = {{ opponent = "{HOST}" }}'
    # After a greeting the next line waits some seconds, longer than this match takes.
    lines = 'greeting = ""\ngoodbye = "Thank you!"'
    accounts = world.host("[1]", lines) + world.account("carl", invite, guest=True)
    daemon = await world.start(world.config(accounts))
    await daemon.wait_for("match_ended", account="carl")
    await daemon.wait_for("chat", account="carl", player=HOST, text="Thank you!")
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0, daemon.raw


async def test_a_stopped_daemon_comes_back_into_its_match(
    world: BgammonWorld, server: BgammonServer, tmp_path: Path
) -> None:
    other = BgammonWorld(tmp_path / "other", world.socket.with_name("other.sock"), world.endpoint)
    other.folder.mkdir()
    try:
        first = await world.start(world.config(world.host("[15]", ONE_MATCH)))
        opponent = await other.start(other.config(other.guest(ONE_MATCH)))
        for number, how in enumerate((signal.SIGTERM, signal.SIGKILL)):
            if number:
                await first.wait_for("match_resumed")
            for _ in range(4):
                await first.wait_for("decided", kind="play")
            first.process.send_signal(how)
            await first.finish()
            first = await world.start(world.folder / "botd.toml")
        await first.wait_for("match_resumed")
        assert await first.finish() == 0, first.raw
        assert await opponent.finish() == 0, opponent.raw
    finally:
        await other.end()
    assert world.query("SELECT length, state FROM matches") == [(15, "finished")]
    (row,) = world.query("SELECT score_us, score_opponent FROM matches")
    assert other.query("SELECT score_opponent, score_us FROM matches") == [row]
    # the killed process may have lost the record of its sitting, never that of the match
    assert world.query("SELECT count(*) FROM sittings")[0][0] >= 2
    # whoever was killed between a play and its confirmation has a gap there, and says so
    assert world.query("SELECT count(*) FROM games WHERE complete = 0 AND gap IS NULL") == [(0,)]
    assert wrong_commands(server) == []


async def test_a_wrong_password_is_final(world: BgammonWorld) -> None:
    config = world.config(world.host("[1]", ""))
    (world.folder / f"{HOST}.password").write_text("wrong-s3cret-pw")
    daemon = await world.start(config)
    assert await daemon.finish() == 1
    assert daemon.raw.count('"event": "login_refused"') == 1
    assert "s3cret" not in daemon.raw


async def test_a_match_the_server_has_forgotten_is_discarded(
    world: BgammonWorld, server: BgammonServer
) -> None:
    config = world.two_accounts("[5]", "").read_text()
    daemon = await world.start(world.folder / "botd.toml")
    for _ in range(5):
        await daemon.wait_for("decided", kind="play")
    daemon.process.send_signal(signal.SIGTERM)  # both leave, so the server drops the match
    assert await daemon.finish() == 0
    assert world.query("SELECT DISTINCT state FROM matches") == [("suspended",)]
    (world.folder / "botd.toml").write_text(
        config.replace("[5]", "[1]").replace("think", "max_matches = 1\nthink")
    )
    daemon = await world.start(world.folder / "botd.toml")
    assert await daemon.finish() == 0
    states = world.query("SELECT length, state, count(*) FROM matches GROUP BY 1, 2 ORDER BY 1")
    assert states == [(1, "finished", 2), (5, "discarded", 2)]


@pytest.mark.parametrize("world", ["websocket"], indirect=True)
async def test_a_certificate_nobody_vouches_for_gets_no_password(
    world: BgammonWorld, server: BgammonServer
) -> None:
    world.endpoint.ca_file = None
    daemon = await world.start(world.config(world.host("[1]", "")))
    reason = (await daemon.wait_for("reconnecting"))["reason"]
    assert "certificate verify failed" in reason
    daemon.process.send_signal(signal.SIGTERM)
    assert await daemon.finish() == 0
    assert server.online == []
