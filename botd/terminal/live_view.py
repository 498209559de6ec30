"""The live document as a screen: accounts, boards with what the bot thinks, latencies.

Pure: a document and a size in, lines out. Texts of other people are escaped, lines never longer than the
screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from botd.engine.types import CubeOwner, GameContext
from botd.live.documents import Account, Candidate, Decided, Live, Match, Seat
from botd.printable import printable
from botd.terminal.board import Scene, Style, draw
from botd.terminal.columns import columns
from botd.terminal.match_words import duration, length
from botd.terminal.sparkline import sparkline
from botd.terminal.text_width import clip, fill

BOARD_WIDTH = 76
TILE_HEIGHT = 19
"""Lines of a board with all that belongs to it."""
SIDE_WIDTH = 44
"""What the decisions need beside a board."""
_NAME = 24
_TROUBLES = 5
_LEVELS = {1: "a single game", 2: "a gammon", 3: "a backgammon"}
KEYS = "q quit   arrows or 1-9 another account   t one board or many"


@dataclass(frozen=True, slots=True)
class Choice:
    """What the viewer wants to see."""

    account: int = 0
    """Index of the selected one."""
    tiled: bool = True
    """As many boards as fit; else only the selected one, with its decisions."""


def screen(
    live: Live,
    choice: Choice,
    style: Style,
    *,
    size: tuple[int, int],
    now: float,
    note: str = "",
    keys: bool = True,
) -> list[str]:
    """Lines for a screen of so many columns and rows. `note` tells what is wrong with the connection; `keys`
    are named at the bottom."""
    return _View(live, choice, style, size, now).lines(note, keys)


class _View:
    def __init__(self, live: Live, choice: Choice, style: Style, size: tuple[int, int], now: float) -> None:
        self._live = live
        self._chosen = min(max(0, choice.account), max(0, len(live.accounts) - 1))
        self._tiled = choice.tiled
        self._style = style
        self._width, self._height = size
        self._now = now

    def lines(self, note: str, keys: bool) -> list[str]:
        lines = [self._title(note), *self._accounts()]
        foot = [self._dim(KEYS)] if keys and self._height >= 10 else []
        lines += self._matches(self._height - len(lines) - len(foot))
        room = self._height - len(lines) - len(foot)
        for block in (self._latency(), self._troubles()):
            if 0 < len(block) < room:
                lines += ["", *block]
                room -= len(block) + 1
        lines += [""] * room
        return [clip(line, self._width) for line in (lines + foot)[: self._height]]

    # -- parts -----------------------------------------------------------------------------------------------

    def _title(self, note: str) -> str:
        live, engine = self._live, self._live.engine
        failing = f", {live.workers.failing} failing" if live.workers.failing else ""
        words = [
            note,
            f"botd {live.version[:20]}",
            live.state,
            f"up {duration(live.uptime_s)}",
            f"{engine.evaluator[:30]} {engine.mode} {engine.cpu_path}",
            f"{live.workers.total} workers{failing}",
            "" if live.journal == "ok" else f"journal: {live.journal[:80]}",
        ]
        text = fill(printable(f" {'  |  '.join(filter(None, words))}"), self._width)
        return f"\x1b[7m{text}\x1b[0m" if self._style.colour else text

    def _accounts(self) -> list[str]:
        """A table with the selected account in view."""
        heads = (
            "",
            "Account",
            "Server",
            "State",
            "For",
            "Heard",
            "Plays",
            "Opponent",
            "Length",
            "Score",
            "Win %",
        )
        rows = [self._row(number, account) for number, account in enumerate(self._live.accounts)]
        table = columns(heads, rows, right="For Heard Length Score")
        if not rows:
            return [*table, "  no accounts"]
        # A board has the first claim to what room there is.
        most = max(1, min(len(rows), self._height // 5, self._height - TILE_HEIGHT - 3))
        first = min(max(0, self._chosen - most + 1), len(rows) - most)
        shown = table[1 + first : 1 + first + most]
        if most < len(rows):
            shown.append(self._dim(f"  {len(rows) - most} more"))
        return [self._dim(table[0]), *shown, ""]

    def _row(self, number: int, account: Account) -> tuple[object, ...]:
        match = account.match
        heard = (
            "" if account.last_message_at is None else duration(max(0, self._now - account.last_message_at))
        )
        state = account.state + (" paused" if account.paused else "")
        plays = account.level or f"{account.ply}-ply"
        age = duration(max(0.0, self._now - account.since))
        mark = ">" if number == self._chosen else ""
        known = (mark, account.account, account.server, state, age, heard, plays)
        if match is None:
            last = account.last_match
            if last is None:
                return (*known, "", "", "", "")
            result = "won" if last.winner == "us" else "lost"
            return (*known, last.opponent, "", f"{result} {_score(last.score)}", "")
        win = match.curve[-1].win if match.curve else None
        chance = "" if win is None else f"{100 * win:.1f}"
        return (*known, match.opponent, length(match.length), _score(match.score), chance)

    def _matches(self, room: int) -> list[str]:
        playing = [account for account in self._live.accounts if account.match is not None]
        if not playing or room < 3:
            return [] if playing else ["No match is being played."][:room]
        chosen = self._live.accounts[self._chosen]
        if chosen.match is None:
            chosen = playing[0]
        across, down = max(1, self._width // BOARD_WIDTH), max(1, room // TILE_HEIGHT)
        if not self._tiled or len(playing) == 1 or across * down == 1:
            return self._single(chosen, room)
        start = playing.index(chosen) // (across * down) * (across * down)
        shown = playing[start : start + across * down]
        lines: list[str] = []
        for row in range(0, len(shown), across):
            lines += self._beside([self._tile(account) for account in shown[row : row + across]], BOARD_WIDTH)
        return lines[:room]

    def _single(self, account: Account, room: int) -> list[str]:
        tile = self._tile(account)
        match = account.match
        assert match is not None
        if self._width >= BOARD_WIDTH + SIDE_WIDTH:
            side = self._decisions(match, max(room, len(tile)), self._width - BOARD_WIDTH)
            return self._beside([tile, side], BOARD_WIDTH)[:room]
        return [*tile, *self._decisions(match, room - len(tile), self._width)][:room]

    def _tile(self, account: Account) -> list[str]:
        """TILE_HEIGHT lines of one match."""
        match = account.match
        assert match is not None
        goal = f"{match.length} points" if match.length else "unlimited"
        crawford = ", Crawford game" if match.crawford else ""
        names = f"{printable(account.account, _NAME)} - {printable(match.opponent, _NAME)}"
        lines = [self._bold(f" {names}") + f"  {goal}, game {match.game or '?'}{crawford}"]
        scene = scene_of(account)
        board = [" the board has not been seen yet"] if scene is None else draw(scene, self._style)
        lines += board + [""] * (15 - len(board))
        lines += [f" {self._chances(match)}", f" {self._last(match)}", ""]
        return lines

    def _chances(self, match: Match) -> str:
        if not match.curve:
            return ""
        last = match.curve[-1]
        win = "" if last.win is None else f"win {100 * last.win:.1f} %  "
        equity = "" if last.equity is None else f"equity {last.equity:+.3f}  "
        points = [point.win for point in match.curve if point.game == last.game and point.win is not None]
        return f"{win}{equity}{sparkline(points, 36, unicode=self._style.unicode)}"

    def _last(self, match: Match) -> str:
        if match.resignation is not None:
            who = self._who(match, match.resignation.side)
            return f"{who} to resign {_LEVELS.get(match.resignation.level, 'the game')}"
        move = match.last_move
        if move is None:
            return ""
        who = "we" if move.side == "us" else "opponent"
        return f"{who} {move.dice[0]}-{move.dice[1]}: {printable(move.notation, 60) or 'no move'}"

    def _who(self, match: Match, side: Seat) -> str:
        return "we offer" if side == "us" else f"{printable(match.opponent, _NAME)} offers"

    def _decisions(self, match: Match, room: int, width: int) -> list[str]:
        """The newest with its candidates, older ones in a line each."""
        if room < 2 or not match.decisions:
            return []
        newest, *older = match.decisions
        lines = [self._bold(_heading(newest))]
        lines += [self._candidate(newest, number, each) for number, each in enumerate(newest.candidates)]
        lines.append("")
        lines += [_summary(decision) for decision in older]
        return [clip(line, width) for line in lines[:room]]

    def _candidate(self, decision: Decided, number: int, candidate: Candidate) -> str:
        chosen = number == decision.chosen_index
        win = "" if candidate.win is None else f" {100 * candidate.win:5.1f} %"
        loss = "" if not candidate.loss else f" ({-candidate.loss:+.3f})"
        mark, move = "*" if chosen else " ", printable(candidate.move, 60) or "no move"
        line = f" {mark} {move:<24} {candidate.equity:+.3f}{win}{loss}"
        return self._bold(line) if chosen else line

    def _latency(self) -> list[str]:
        if not self._live.latency:
            return []
        rows = [
            (
                each.kind,
                "more" if each.ply is None else each.ply,
                each.count,
                *map(_time, (each.p50, each.p95, each.p99)),
            )
            for each in self._live.latency
        ]
        heads = ("Decisions", "Ply", "Number", "median", "95 %", "99 %")
        return [self._dim(line) for line in columns(heads, rows, right="Ply Number median")]

    def _troubles(self) -> list[str]:
        return [
            f"! {duration(max(0.0, self._now - each.at))} ago  {printable(each.account, _NAME)}  "
            f"{printable(each.what, 60)}  {printable(each.detail, 300)}"
            for each in self._live.troubles[: -_TROUBLES - 1 : -1]
        ]

    def _beside(self, blocks: Sequence[list[str]], width: int) -> list[str]:
        *left, last = blocks
        rows = zip_longest(*left, last, fillvalue="")
        return ["".join(fill(cell, width) for cell in row[:-1]) + row[-1] for row in rows]

    def _bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self._style.colour else text

    def _dim(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self._style.colour else text


def scene_of(account: Account) -> Scene | None:
    """What `draw` shows of an account's match; None while the board is unknown."""
    match = account.match
    if match is None or match.board is None or len(match.board) != 26:
        return None
    owner = {"us": CubeOwner.PLAYER, "opponent": CubeOwner.OPPONENT, None: CubeOwner.CENTERED}[
        match.cube.owner
    ]
    context = GameContext(
        match_length=match.length,
        score_player=match.score[0],
        score_opponent=match.score[1],
        cube_value=match.cube.value,
        cube_owner=owner,
        crawford=match.crawford,
    )
    offered = match.cube.offered_by
    scene = Scene(match.board, context, account.account, match.opponent, player_on_roll=match.turn == "us")
    if offered is not None:
        return replace(scene, doubling=True, player_on_roll=offered == "us")
    known = match.dice is not None and all(1 <= die <= 6 for die in match.dice)
    return replace(scene, dice=match.dice if known else None)


def _heading(decision: Decided) -> str:
    dice = "" if decision.dice is None else f" {decision.dice[0]}-{decision.dice[1]}"
    source = "" if decision.source == "search" else f", {printable(decision.source, 20)}"
    kind = printable(decision.kind, 20).replace("_", " ")
    chosen = printable(decision.chosen, 60) or "no move"
    return f" {kind}{dice}: {chosen}  ({decision.ply}-ply{source}, {_time(decision.duration_s)})"


def _summary(decision: Decided) -> str:
    dice = "" if decision.dice is None else f"{decision.dice[0]}-{decision.dice[1]}"
    equity = "" if decision.equity is None else f"{decision.equity:+.3f}"
    return f"   {dice:<4}{printable(decision.chosen, 60) or 'no move':<24} {equity}"


def _score(score: tuple[int, int]) -> str:
    return f"{score[0]}-{score[1]}"


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
