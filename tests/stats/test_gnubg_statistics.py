"""Luck, error rates and luck-adjusted results of whole matches against GNU Backgammon's own statistics.

The program imports the match file, analyses it at 0-ply and prints its figures; ours come from the journal
and from our engine over its weights.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import sqlite3
import subprocess
from pathlib import Path

import pytest

from botd.engine.engine import SageEngine
from botd.engine.gnubg_engine import GnubgEngine
from botd.engine.met import default_met_path, load_met
from botd.engine.types import Play
from botd.journal import records as r
from botd.journal.history import MatchHistory, load_history
from botd.journal.mat import format_match
from botd.stats.judging import judge_game
from botd.stats.skill import Skill
from botd.terminal.local_match import LocalMatch, Seat
from tests.journal.test_mat import gnubg
from tests.stats.journals import Played, journal_writer
from tests.tolerances import (
    GNUBG_PRINTED_RATE,
    GNUBG_STATISTICS,
    GNUBG_STATISTICS_MATCH,
    GNUBG_STATISTICS_POINTS,
)

_COMMANDS = """\
set analysis chequerplay evaluation plies 0
set analysis cubedecision evaluation plies 0
set analysis luckanalysis plies 0
set jacoby on
set beavers 0
import mat {}
analyse match
show statistics match
"""
_NUMBER = r"([-+]?\d+(?:\.\d+)?)"
_WORTH = _NUMBER + r"%?"


def played(folder: Path, seed: int, length: int) -> MatchHistory:
    """A match with mistakes of every kind: now and then anything is played, doubled, dropped."""
    generator, engine = random.Random(seed), SageEngine.load()

    def choose(match: LocalMatch, seat: Seat, plays: list[Play]) -> Play:
        if generator.random() < 0.25:
            return generator.choice(plays)
        assert match.dice is not None
        return engine.choose_play(match.board(seat), match.context(seat), match.dice, ply=0).best.play

    path = folder / "j.sqlite3"
    with journal_writer(path) as write:
        match = Played(
            write,
            seed,
            length,
            choose=choose,
            double=lambda match, seat: generator.random() < 0.08,
            take=lambda match, seat: generator.random() < 0.7,
            jacoby=True,
        )
        if length:
            match.whole_match()
        else:
            for _ in range(6):
                match.game()
            write(r.MatchSuspended, match.key, r.Suspension.LEFT, match.score)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return load_history(connection, match.key)


def statistics(folder: Path, history: MatchHistory) -> dict[str, list[list[float]]]:
    """What gnubg says: by label the numbers of the left player (ours) and of the right one."""
    file = folder / "match.mat"
    file.write_text(format_match(history), encoding="utf-8")
    done = subprocess.run(
        [gnubg(), "-t", "-q"],
        input=_COMMANDS.format(file),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "HOME": str(folder)},
    )
    part = ""
    found: dict[str, list[list[float]]] = {}
    for line in done.stdout.splitlines():
        if title := re.fullmatch(r"(\w+) statistics\s*", line):
            part = title[1]
        name, _, rest = re.sub(r"  +", "\t", line.strip()).partition("\t")
        name = re.sub(r" \(.*", "", name.replace(" EMG (MWC)", "").replace(" EMG (Points)", ""))
        cells = re.findall(rf"{_NUMBER}%?\s*(?:\(\s*{_WORTH}\))?", rest)
        if len(cells) == 2:
            found[f"{part}: {name}"] = [[float(text) for text in cell if text] for cell in cells]
    assert "Overall: Luck adjusted result" in found, done.stdout + done.stderr
    return found


@pytest.mark.parametrize(("seed", "length"), [(1, 7), (2, 7), (3, 5), (4, 9), (5, 3), (6, 1), (7, 0), (8, 0)])
def test_figures_are_those_of_gnubg(tmp_path: Path, seed: int, length: int) -> None:
    history = played(tmp_path, seed, length)
    theirs = statistics(tmp_path, history)
    engine, table = GnubgEngine.load(profile="A"), load_met(default_met_path()).table()
    skill = Skill.of(j for game in history.games for j in judge_game(engine, history, game, table, ply=0))
    percent = 100.0 if length else 1.0
    for place, side in enumerate((skill.us, skill.opponent)):

        def said(label: str, place: int = place) -> list[float]:
            return theirs[label][place]

        assert [side.moves] == said("Chequerplay: Total moves")
        assert [side.plays] == said("Chequerplay: Unforced moves")
        assert [side.cube_decisions] == said("Cube: Close or actual cube decisions")
        worth = percent * GNUBG_STATISTICS_MATCH if length else GNUBG_STATISTICS_POINTS
        loss = [-side.loss, -percent * side.loss_worth]
        for label, ours in (
            ("Chequerplay: Error total", [-side.play_loss]),
            ("Cube: Error total", [-side.cube_loss]),
            ("Luck: Luck total", [side.luck, percent * side.luck_worth]),
            ("Overall: Error total", loss),
        ):
            values = said(label)
            assert values[0] == pytest.approx(ours[0], abs=GNUBG_STATISTICS), label
            if len(ours) > 1:
                assert values[1] == pytest.approx(ours[1], abs=worth), label
        rate = side.error_rate or 0.0
        assert said("Overall: Error rate mEMG")[0] == pytest.approx(-rate, abs=GNUBG_PRINTED_RATE)
        snowie = skill.snowie_rate(side) or 0.0
        assert said("Overall: Snowie error rate")[0] == pytest.approx(-snowie, abs=GNUBG_PRINTED_RATE)
        sign = 1 if place == 0 else -1
        won = history.winner is r.Side.US
        # gnubg counts a match from its beginning, at 50 %.
        actual = (50.0 if won else -50.0) if length else float(history.score[0] - history.score[1])
        assert said("Overall: Actual result")[0] == pytest.approx(sign * actual)
        adjusted = actual - percent * skill.net_luck_worth
        assert said("Overall: Luck adjusted result")[0] == pytest.approx(sign * adjusted, abs=2 * worth)
