"""Daemons that play on a bgammon server of this machine, ours or the real one."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.daemon.daemon_process import DaemonProcess

HOST, GUEST = "BOT_anna", "BOT_bert"
"""Who creates the matches, and who joins them."""
PASSWORD = "s3cret-pw"
HURRY = "think_time_s = 0\ncommand_gap_s = 0\n"


@dataclass
class Endpoint:
    transport: str
    port: int
    ca_file: Path | None = None


@dataclass
class BgammonWorld:
    """A folder, an endpoint of a server, and daemons that play there."""

    folder: Path
    socket: Path
    endpoint: Endpoint
    daemons: list[DaemonProcess] = field(default_factory=list)

    def account(self, name: str, more: str, *, guest: bool = False) -> str:
        """A table of the configuration."""
        where = self.endpoint
        lines = [
            "[[accounts]]",
            'protocol = "bgammon"',
            'host = "localhost"',
            f"port = {where.port}",
            f'transport = "{where.transport}"',
            f'name = "{name}"',
            "own_server = true",
            "reconnect_s = 0.2",
        ]
        if where.ca_file is not None:
            lines.append(f'tls_ca_file = "{where.ca_file}"')
        if not guest:
            path = self.folder / f"{name}.password"
            path.write_text(PASSWORD)
            path.chmod(0o600)
            lines.append(f'password_file = "{path}"')
        return "\n".join([*lines, more, ""])

    def two_accounts(
        self, lengths: str, policy: str, *, guests: bool = False, engine: str = "ply = 0\nworkers = 1"
    ) -> Path:
        """A configuration in which the one creates matches and the other joins them."""
        return self.config(
            self.host(lengths, policy, guest=guests) + self.guest(policy, guest=guests), engine
        )

    def host(self, lengths: str, policy: str, *, guest: bool = False) -> str:
        """The account that creates matches."""
        return self.account(
            HOST, f"create.lengths = {lengths}\n[accounts.policy]\n{HURRY}{policy}", guest=guest
        )

    def guest(self, policy: str, *, guest: bool = False) -> str:
        """The account that joins them."""
        invite = f'invite = {{ opponent = "{HOST}" }}'
        return self.account(GUEST, f"[accounts.policy]\n{HURRY}{policy}\n{invite}", guest=guest)

    def config(self, accounts: str, engine: str = "ply = 0\nworkers = 1") -> Path:
        path = self.folder / "botd.toml"
        path.write_text(
            f"[engine]\n{engine}\n"
            "[metrics]\nport = 0\n[status_page]\nport = 0\n"
            '[journal]\npath = "journal.sqlite3"\nmat_directory = "matches"\n'
            f'[daemon]\nstate_directory = "state"\ndrain_s = 0\n[control]\npath = "{self.socket}"\n'
            '[log]\nlevel = "debug"\nformat = "json"\n'
            f"{accounts}"
        )
        return path

    async def start(self, config: Path) -> DaemonProcess:
        daemon = await DaemonProcess.start(config)
        self.daemons.append(daemon)
        return daemon

    async def end(self) -> None:
        for daemon in self.daemons:
            await daemon.kill()

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the journal."""
        with contextlib.closing(sqlite3.connect(self.folder / "journal.sqlite3")) as connection:
            return [tuple(row) for row in connection.execute(sql)]

    def check_finished_matches(self, daemon: DaemonProcess, lengths: set[int]) -> None:
        """Both accounts have recorded the same matches, every game of them in full, and nobody a password."""
        of = "FROM matches WHERE account = '{}' ORDER BY started_at, match"
        theirs_won = "iif(winner = 'us', 'opponent', 'us')"
        matches = self.query(f"SELECT length, score_us, score_opponent, winner, state {of.format(HOST)}")
        mirrored = self.query(
            f"SELECT length, score_opponent, score_us, {theirs_won}, state {of.format(GUEST)}"
        )
        assert matches == mirrored
        assert {row[0] for row in matches} == lengths
        assert {row[4] for row in matches} == {"finished"}
        assert all(max(ours, theirs) >= length for length, ours, theirs, *_ in matches)
        games = {
            account: self.query(
                "SELECT complete, how, points, gap FROM games JOIN matches USING (match)"
                f" WHERE account = '{account}' ORDER BY matches.started_at, match, game"
            )
            for account in (HOST, GUEST)
        }
        assert games[HOST] == games[GUEST]
        assert {row[0] for row in games[HOST]} == {1}, games[HOST]
        moves = {
            row[:2]: row[2:]
            for row in self.query(
                "SELECT account, side, count(*), sum(moves.position_id = '')"
                " FROM moves JOIN matches USING (match) GROUP BY 1, 2"
            )
        }
        assert moves[HOST, "us"] == moves[GUEST, "opponent"]
        assert moves[HOST, "opponent"] == moves[GUEST, "us"]
        assert {row[1] for row in moves.values()} == {0}  # every play fits its board
        rules = "json_extract(settings, '$.scoring'), json_extract(settings, '$.max_cube')"
        assert self.query(f"SELECT DISTINCT {rules} FROM decisions") == [("bgammon", 64)]
        assert len(list((self.folder / "matches").glob("*.mat"))) == 2 * len(matches)
        text = daemon.raw + "".join(
            path.read_bytes().decode("latin-1")
            for path in (*self.folder.glob("journal*"), *self.folder.glob("matches/*"))
        )
        assert PASSWORD not in text
        for event in ("decision_failed", "answer_failed", "move_rejected", "stuck", "session_failed"):
            assert f'"event": "{event}"' not in daemon.raw, event
