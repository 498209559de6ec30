"""Our `.mat` files against the program everybody reads them with: GNU Backgammon itself."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from botd.journal import Journal
from botd.journal import records as r
from botd.journal.export import MatWriter, file_stem, json_lines
from botd.journal.history import load_history
from botd.journal.mat import format_match, player_name
from botd.terminal.local_match import LocalMatch, Phase, Seat

Game = tuple[tuple[str, ...], list[tuple[int, str]], str]
SIDES = {Seat.ENGINE: r.Side.US, Seat.PERSON: r.Side.OPPONENT}


def gnubg() -> str:
    """Debian keeps games out of root's PATH."""
    found = shutil.which("gnubg", path=f"{os.environ['PATH']}:/usr/games")
    assert found, "these tests need the Debian package gnubg (ops/install-test-packages)"
    return found


def through_gnubg(path: Path) -> tuple[str, str]:
    """Import a file, export it again; the new text and what gnubg said meanwhile."""
    again = path.parent.parent / "again.mat"
    again.unlink(missing_ok=True)
    commands = f"import mat {path}\nexport match mat {again}\n"
    done = subprocess.run(
        [gnubg(), "-t", "-q"],
        input=commands,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "HOME": str(path.parent.parent)},
    )
    assert again.exists(), done.stdout + done.stderr
    return again.read_text(), done.stdout + done.stderr


ENTRY = re.compile(r"(\d\d):((?: +[0-9/*]+)*)|(?:Doubles|Beavers) => \d+|Takes|Drops")


def parse(text: str) -> tuple[int, list[Game]]:
    """Match length; for each game the heading, all entries as (column, entry), and the result.

    Of a move the order of its steps, and which of two checkers on one point hit, are left out.
    """
    length = re.search(r"^ (\d+) point match$", text, re.M)
    assert length is not None
    games: list[Game] = []
    for part in re.split(r"^ Game \d+$", text, flags=re.M)[1:]:
        heading, _, body = part.strip("\n").partition("\n")
        # gnubg leaves out the line end after a dance in the right column.
        body = re.sub(r"(\d\d:) +(?=\d+\) )", r"\1\n", body.replace("Cannot Move", ""))
        entries: list[tuple[int, str]] = []
        result = ""
        for line in body.splitlines():
            for found in ENTRY.finditer(line):
                entries.append(
                    (int(found.start() > 10), found[0] if found[1] is None else move(*found.groups()))
                )
            if won := re.search(r"Wins \d+ points?", line):
                result = f"{'left' if won.start() < 20 else 'right'} {won[0]}"
        games.append((tuple(heading.split()), entries, result))
    return int(length[1]), games


def move(dice: str, steps: str) -> str:
    plain = sorted(steps.replace("*", "").split())
    hits = sorted({step[step.index("/") : -1] for step in steps.split() if step.endswith("*")})
    return f"{dice}: {' '.join(plain)} hits {' '.join(hits)}"


class RandomPlayers:
    """Two seats that know the rules and nothing else, writing all they do into a journal."""

    def __init__(self, journal: Journal, seed: int, match: LocalMatch) -> None:
        self.journal, self.match = journal, match
        self.random = random.Random(seed)
        self.key = journal.match_started(
            server="local", account="botd", opponent="anna", length=match.length, jacoby=match.jacoby
        )

    def score(self) -> tuple[int, int]:
        return self.match.score[Seat.ENGINE], self.match.score[Seat.PERSON]

    def play_game(self) -> None:
        match, journal = self.match, self.journal
        before = self.score()
        openings = match.start_game()
        game = journal.game_started(self.key, match.game, before, crawford=match.crawford)
        for person, engine in openings:
            journal.opening_rolled(game, engine, person)
        while match.phase not in (Phase.BETWEEN_GAMES, Phase.OVER):
            self.act(game)
        result = match.result
        assert result is not None
        how = r.GameEnd(result.how.value)
        journal.game_ended(game, SIDES[result.winner], result.points, how, self.score())

    def act(self, game: r.GameKey) -> None:
        match, journal, seat = self.match, self.journal, self.match.to_act
        side = SIDES[seat]
        match match.phase:
            case Phase.ROLL if not match.why_no_double(seat) and self.random.random() < 0.03:
                journal.cube_action(game, side, r.CubeActionKind.DOUBLE, match.double(seat))
            case Phase.ROLL:
                journal.rolled(game, side, match.roll(seat))
            case Phase.MOVE if self.random.random() < 0.002:
                level = self.random.randint(1, 3)
                match.resign(seat, level)
                journal.resignation(game, side, r.ResignationAction.OFFER, level)
            case Phase.MOVE:
                dice = match.dice
                assert dice is not None
                plays = match.legal_plays()
                play = match.move(seat, self.random.choice(plays) if plays else "")
                journal.moved(game, side, dice, play.steps, play.notation)
            case Phase.DOUBLED if self.random.random() < 0.2:
                cube = 2 * match.cube
                match.refuse(seat)
                journal.cube_action(game, side, r.CubeActionKind.PASS, cube)
            case Phase.DOUBLED if match.beavers and self.random.random() < 0.5:
                journal.cube_action(game, side, r.CubeActionKind.BEAVER, match.beaver(seat))
            case Phase.DOUBLED | Phase.BEAVERED:
                journal.cube_action(game, side, r.CubeActionKind.TAKE, match.take(seat))
            case Phase.RESIGNING:
                accept = self.random.random() < 0.5
                level = match.resignation_level
                match.answer_resignation(seat, accept)
                action = r.ResignationAction.ACCEPT if accept else r.ResignationAction.REJECT
                journal.resignation(game, side, action, level)


def new_match(seed: int, length: int, *, beavers: bool = False) -> LocalMatch:
    generator = random.Random(seed)
    return LocalMatch(length, lambda: (generator.randint(1, 6), generator.randint(1, 6)), beavers=beavers)


@pytest.mark.parametrize(("seed", "length"), [(1, 1), (2, 3), (3, 7), (4, 15), (5, 25), (6, 5)])
async def test_gnubg_reads_what_was_played(tmp_path: Path, seed: int, length: int) -> None:
    async with Journal(tmp_path / "j.sqlite3", after_match=MatWriter(tmp_path / "mat")) as journal:
        match = new_match(seed, length)
        players = RandomPlayers(journal, seed, match)
        while match.phase is not Phase.OVER:
            players.play_game()
        assert match.winner is not None
        journal.match_ended(players.key, SIDES[match.winner], players.score())
        await journal.flush()
        history = await journal.ask(lambda connection: load_history(connection, players.key))
        assert not journal.status().errors
    assert all(not game.gap for game in history.games)
    [path] = (tmp_path / "mat").iterdir()
    ours = parse(path.read_text())
    text, said = through_gnubg(path)
    for mine, theirs in zip(ours[1], parse(text)[1], strict=True):
        assert mine == theirs
    assert not re.search("warning|error|invalid|illegal|unrecogni", said, re.I), said
    assert ours[0] == length
    assert len(ours[1]) == match.game
    assert all(result for _, _, result in ours[1])


async def test_gnubg_reads_money_games_with_beavers(tmp_path: Path) -> None:
    async with Journal(tmp_path / "j.sqlite3", after_match=MatWriter(tmp_path / "mat")) as journal:
        players = RandomPlayers(journal, 11, new_match(11, 0, beavers=True))
        for _ in range(25):
            players.play_game()
        journal.match_suspended(players.key, r.Suspension.LEFT, players.score())
    [path] = (tmp_path / "mat").iterdir()
    ours = parse(path.read_text())
    assert "Beavers" in path.read_text()
    assert "Drops" in path.read_text()
    assert "Wins 3 points" in path.read_text()
    text, _ = through_gnubg(path)
    assert parse(text) == ours
    assert len(ours[1]) == 25


async def test_a_resumed_match_rewrites_its_file(tmp_path: Path) -> None:
    directory = tmp_path / "mat"
    path = tmp_path / "j.sqlite3"
    match = new_match(21, 9)
    async with Journal(path, after_match=MatWriter(directory)) as journal:
        players = RandomPlayers(journal, 21, match)
        players.play_game()
        match.start_game()
        game = journal.game_started(players.key, 2, players.score())
        journal.opening_rolled(game, 4, 4)
        assert match.dice is not None
        journal.opening_rolled(game, match.dice[1], match.dice[0])
        while match.phase is not Phase.DOUBLED:
            players.act(game)
        journal.match_suspended(players.key, r.Suspension.OPPONENT_LEFT, players.score())
    [file] = directory.iterdir()
    first = parse(file.read_text())
    assert parse(through_gnubg(file)[0]) == first
    assert len(first[1]) == 2
    assert first[1][1][2] == ""
    async with Journal(path, after_match=MatWriter(directory)) as journal:
        journal.match_resumed(players.key, players.score())
        players.journal = journal
        while match.phase not in (Phase.BETWEEN_GAMES, Phase.OVER):
            players.act(game)
        assert match.result is not None
        journal.game_ended(
            game, SIDES[match.result.winner], match.result.points, r.GameEnd.UNKNOWN, players.score()
        )
        while match.phase is not Phase.OVER:
            players.play_game()
        journal.match_ended(players.key, r.Side.US, players.score())
    [again] = directory.iterdir()
    assert again == file
    second = parse(file.read_text())
    assert second[1][0] == first[1][0]
    assert second[1][1][1][: len(first[1][1][1])] == first[1][1][1]
    assert parse(through_gnubg(file)[0]) == second


async def test_what_was_not_seen_is_not_invented(tmp_path: Path) -> None:
    """Games joined in the middle or with a hole: scores survive, only true moves are written."""
    async with Journal(tmp_path / "j.sqlite3", after_match=MatWriter(tmp_path / "mat")) as journal:
        match = journal.match_started(server="s", account="botd", opponent="anna", length=9, score=(1, 2))
        joined = journal.game_started(match, 1, (1, 2), complete=False)
        journal.rolled(joined, r.Side.US, (2, 1))
        journal.moved(joined, r.Side.US, (2, 1), ((3, 1), (2, 1)), "3/1 2/1")
        journal.game_ended(joined, r.Side.US, 2, r.GameEnd.BORNE_OFF, (3, 2))
        holed = journal.game_started(match, 2, (3, 2))
        journal.opening_rolled(holed, 3, 1)
        journal.moved(holed, r.Side.US, (3, 1), ((8, 5), (6, 5)), "8/5 6/5")
        journal.gap(holed, "the connection was lost")
        journal.rolled(holed, r.Side.OPPONENT, (6, 5))
        journal.moved(holed, r.Side.OPPONENT, (6, 5), ((24, 18), (18, 13)), "24/13")
        journal.game_ended(holed, r.Side.OPPONENT, 1, r.GameEnd.UNKNOWN, (3, 3))
        dropped = journal.game_started(match, 3, (3, 3))
        journal.opening_rolled(dropped, 1, 6)
        journal.moved(dropped, r.Side.OPPONENT, (1, 6), ((13, 7), (8, 7)), "13/7 8/7")
        journal.rolled(dropped, r.Side.OPPONENT, (6, 5))  # our roll and move never reached the journal
        journal.moved(dropped, r.Side.OPPONENT, (6, 5), ((24, 18), (18, 13)), "24/13")
        journal.game_ended(dropped, r.Side.US, 3, r.GameEnd.RESIGNED, (6, 3))
        whole = journal.game_started(match, 4, (6, 3))
        journal.opening_rolled(whole, 6, 5)
        journal.moved(whole, r.Side.US, (6, 5), ((24, 18), (18, 13)), "24/13")
        journal.match_suspended(match, r.Suspension.LEFT, (6, 3))
        await journal.flush()
        assert journal.status().errors == 0
    [path] = (tmp_path / "mat").iterdir()
    text = path.read_text()
    assert '; [Game 1 incomplete "the beginning of the game was not seen"]' in text
    assert '; [Game 2 incomplete "the connection was lost"]' in text
    assert '; [Game 3 incomplete "some events were not recorded"]' in text
    length, games = parse(text)
    assert length == 9
    assert games == [
        (("botd", ":", "1", "anna", ":", "2"), [], "left Wins 2 points"),
        (("botd", ":", "3", "anna", ":", "2"), [(0, "31: 6/5 8/5 hits ")], "right Wins 1 point"),
        (("botd", ":", "3", "anna", ":", "3"), [(1, "61: 13/7 8/7 hits ")], "left Wins 3 points"),
        (("botd", ":", "6", "anna", ":", "3"), [(0, "65: 18/13 24/18 hits ")], ""),
    ]
    exported, _ = through_gnubg(path)
    again = parse(exported)
    # gnubg keeps no result of a game without moves, but the score of the game after it.
    assert again == (9, [(games[0][0], [], ""), *games[1:]])


async def test_json_lines_hold_the_whole_match(tmp_path: Path) -> None:
    files = MatWriter(tmp_path / "files", json_lines=True)
    async with Journal(tmp_path / "j.sqlite3", after_match=files) as journal:
        match = new_match(31, 3)
        players = RandomPlayers(journal, 31, match)
        while match.phase is not Phase.OVER:
            players.play_game()
        journal.match_ended(players.key, r.Side.US, players.score())
        await journal.flush()
        with pytest.raises(KeyError):
            await journal.ask(lambda connection: list(json_lines(connection, r.MatchKey("nothing"))))
    [path] = (tmp_path / "files").glob("*.jsonl")
    lines = [msgspec.json.decode(line) for line in path.read_text().splitlines()]
    kinds = [line["type"] for line in lines]
    assert kinds[:3] == ["match", "sitting", "game"]
    assert kinds.count("game") == match.game
    assert lines[0]["opponent"] == "anna"
    rolls = [line for line in lines if line["type"] == "roll"]
    moves = [line for line in lines if line["type"] == "move"]
    assert len(rolls) >= len(moves) > 0
    assert kinds[-1] == "score"


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", 'a "b"', "x : 7", "\x1b[31m", "", "名前", "a\nGame 2", "-rf"]
)
async def test_hostile_names_do_no_harm(tmp_path: Path, name: str) -> None:
    directory = tmp_path / "mat"
    async with Journal(tmp_path / "j.sqlite3", after_match=MatWriter(directory)) as journal:
        match = journal.match_started(server=name, account=name, opponent=name, length=3)
        game = journal.game_started(match, 1, (0, 0))
        journal.opening_rolled(game, 3, 1)
        journal.moved(game, r.Side.US, (3, 1), ((8, 5), (6, 5)), "8/5 6/5")
        journal.match_suspended(match, r.Suspension.LEFT, (0, 0))
        await journal.flush()
        assert journal.status().errors == 0
        history = await journal.ask(lambda connection: load_history(connection, match))
    [path] = directory.iterdir()
    assert re.fullmatch(r"[A-Za-z0-9_+.-]+\.mat", path.name)
    assert path.read_text() == format_match(history)
    assert parse(through_gnubg(path)[0])[1][0][1] == [(0, "31: 6/5 8/5 hits ")]
    assert re.fullmatch(r"[^\s:]+", player_name(name))
    assert "/" not in file_stem(name, name, name, name)
