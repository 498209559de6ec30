"""The pages that the WebSocket port answers plain requests with (section 1)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .server_replay import replay_content

if TYPE_CHECKING:
    from .server import BgammonServer
    from .server_accounts import Account
    from .server_hub import Result

_JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"
_BOARDS = {
    "/leaderboard-casual-backgammon-single.json": False,
    "/leaderboard-casual-backgammon-multi.json": True,
}


def page(server: BgammonServer, path: str) -> tuple[str, str] | None:
    """Content type and text of a page; None if there is no such page."""
    path = path.partition("?")[0]
    if path == "/matches.json":
        return _JSON, json.dumps(server.public_matches())
    if path == "/stats.json":
        return _JSON, json.dumps({"Clients": len(server.online), "Matches": len(server.results)})
    if path in _BOARDS:
        return _JSON, json.dumps(_leaderboard(server.accounts.values(), several=_BOARDS[path]))
    if path.startswith("/stats/") and path.endswith(".json"):
        return _JSON, json.dumps(_stats(server.results, path[len("/stats/") : -len(".json")]))
    if path == "/dice":
        return _TEXT, _dice(server.results)
    if path.startswith("/match/"):
        wanted = path[len("/match/") :]
        result = next((r for r in reversed(server.results) if str(r.match_id) == wanted), None)
        if result is not None:
            return _TEXT, base64.b64decode(replay_content(result.games)).decode()
    return None


def _stats(results: Iterable[Result], name: str) -> dict[str, object]:
    lower = name.lower()
    won = sum(1 for result in results if result.winner.lower() == lower)
    lost = sum(1 for result in results if result.loser.lower() == lower)
    return {"Username": name, "Wins": won, "Losses": lost}


def _leaderboard(accounts: Iterable[Account], *, several: bool) -> list[dict[str, object]]:
    rated = [
        (account.ratings[0, several].shown, account.name)
        for account in accounts
        if (0, several) in account.ratings
    ]
    return [{"User": name, "Rating": rating} for rating, name in sorted(rated, reverse=True)]


def _dice(results: Iterable[Result]) -> str:
    """How often each number was thrown in the recorded matches."""
    counts = dict.fromkeys("123456", 0)
    for result in results:
        for game in result.games:
            for line in game.lines:
                words = line.split()
                if words[1] == "r":
                    for die in words[2].split("-"):
                        counts[die] += 1
    return "".join(f"{die} {count}\n" for die, count in counts.items())
