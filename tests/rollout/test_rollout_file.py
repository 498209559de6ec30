"""Rollouts in files: cut anywhere and gone on with they are the same, and nothing else is gone on with."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botd import _core
from botd.engine.core_arguments import other_side
from botd.engine.engine import SageEngine
from botd.engine.rollout import ROLLOUT_LEVELS, Kept, Roller, missing_games
from botd.engine.rollout_file import Question, RolloutFileError, read_rollout, write_rollout
from botd.engine.types import STARTING_BOARD, GameContext

MONEY = GameContext(jacoby=True, beavers=True)
QUICK = dataclasses.replace(ROLLOUT_LEVELS["1T"], games=72, truncate=3)
QUESTION = Question("4HPwATDgc/ABMA:cAkAAAAAAAAA", (3, 1), 3, "1T")


class Cut:
    """Progress that is interrupted the n-th time it is told."""

    def __init__(self, after: int) -> None:
        self._left = after

    def __call__(self, done: float) -> None:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt


def rolled(engine, how, kept: Kept, *, dice, threads=1, progress=lambda done: None):
    roller = Roller(engine, how, threads=threads)
    if dice is None:
        return roller.cube(STARTING_BOARD, MONEY, kept=kept, progress=progress)
    return roller.plays(STARTING_BOARD, MONEY, dice, at_least=3, kept=kept, progress=progress)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    dice=st.sampled_from([None, (3, 1), (6, 4)]),
    seed=st.integers(0, 2**32 - 1),
    cuts=st.lists(st.integers(0, 9), max_size=3),
    threads=st.lists(st.integers(1, 3), min_size=5, max_size=5),
    first=st.sampled_from([36, 72, 108]),
)
def test_cut_saved_resumed_and_extended_it_is_as_if_done_at_once(
    engine, tmp_path, dice, seed, cuts, threads, first
):
    path = tmp_path / "rollout.json"
    how = dataclasses.replace(QUICK, games=first, seed=seed)
    context = MONEY if dice is None else other_side(MONEY)
    question = dataclasses.replace(QUESTION, dice=dice)
    kept: Kept = {}
    for number, cut in enumerate([*cuts, None]):
        progress = (lambda done: None) if cut is None else Cut(cut)
        with contextlib.suppress(KeyboardInterrupt):
            rolled(engine, how, kept, dice=dice, threads=threads[number], progress=progress)
        write_rollout(path, question, how, engine.info, kept)
        saved = read_rollout(path)
        assert (saved.question, saved.settings) == (question, how)
        assert saved.games(engine.info, context) == kept
        kept = saved.games(engine.info, context)
    longer = read_rollout(path).extended(144)
    whole = rolled(engine, dataclasses.replace(how, games=144), {}, dice=dice)
    assert rolled(engine, longer, kept, dice=dice, threads=threads[4]) == whole


def test_what_is_missing_is_played_in_strata():
    assert missing_games(_core.RolloutSums(), 80) == [(0, 36), (36, 36), (72, 8)]
    assert missing_games(_core.RolloutSums(), 1) == [(0, 1)]


def test_gaps_are_filled(engine):
    from botd.engine.core_arguments import cube_state

    kept: Kept = {}
    rollout = engine.rollout(STARTING_BOARD, cube_state(MONEY), QUICK.core(), threads=1)
    kept[STARTING_BOARD] = rollout.run(10, 7)
    kept[STARTING_BOARD].add(rollout.run(40, 1))
    assert missing_games(kept[STARTING_BOARD], 72) == [(0, 10), (17, 19), (36, 4), (41, 31)]
    assert rolled(engine, QUICK, kept, dice=None) == rolled(engine, QUICK, {}, dice=None)


@pytest.fixture
def file(engine, tmp_path) -> Path:
    path = tmp_path / "rollout.json"
    kept: Kept = {}
    rolled(engine, QUICK, kept, dice=(3, 1))
    write_rollout(path, QUESTION, QUICK, engine.info, kept)
    return path


def changed(path: Path, change) -> None:
    """The file with other content and the digest that this has."""
    document = json.loads(path.read_text())
    change(document["rollout"])
    inner = json.dumps(document["rollout"])
    digest = hashlib.sha256(inner.encode()).hexdigest()
    path.write_text(f'{{"format": "botd rollout", "version": 1, "sha256": "{digest}", "rollout": {inner}}}')


def refused(engine, path: Path) -> str:
    with pytest.raises(RolloutFileError) as raised:
        read_rollout(path).games(engine.info, other_side(MONEY))
    message = str(raised.value)
    assert message.startswith(f"{path}: expected ") or f"{path}: " in message
    assert message.isprintable()
    assert len(message) < len(str(path)) + 400
    return message


def test_only_the_same_engine_goes_on(engine, file):
    for field, other in (
        ("version", "9.9"),
        ("evaluator", "gnubg"),
        ("mode", "fast"),
        ("weights_sha256", "0" * 64),
        ("met", "Woolsey"),
        ("cpu_path", "\x1b[31m"),
    ):
        content = file.read_bytes()
        changed(file, lambda rollout, field=field, other=other: rollout["engine"].update({field: other}))
        assert f"expected {field} " in refused(engine, file)
        file.write_bytes(content)


@pytest.mark.parametrize("cpu_path", _core.cpu_paths())
def test_another_cpu_path_does_not_go_on(engine, file, cpu_path):
    other = SageEngine.load(cpu_path=cpu_path)
    if cpu_path == engine.info.cpu_path:
        assert read_rollout(file).games(other.info, other_side(MONEY))
    else:
        assert f"expected cpu_path '{cpu_path}', as of this engine" in refused(other, file)


def test_games_of_another_score_do_not_go_on(engine, file):
    kept = read_rollout(file).games(engine.info, GameContext(match_length=7))
    with pytest.raises(ValueError, match="expected games of one position"):
        rolled(engine, QUICK, kept, dice=(3, 1))


def test_fewer_games_or_others_are_refused(file):
    saved = read_rollout(file)
    assert saved.extended(None) == saved.extended(72) == QUICK
    with pytest.raises(RolloutFileError, match="expected 72 games or more, got 36"):
        saved.extended(36)
    with pytest.raises(RolloutFileError, match="expected a multiple of 36 games, as the 72 that are in it"):
        saved.extended(100)
    with pytest.raises(ValueError, match="games: expected 1 to"):
        saved.extended(10**9)


def test_files_cut_short_or_changed_anywhere_are_one_line(engine, file):
    content = file.read_bytes()
    for length in [*range(0, 200, 7), *range(200, len(content) - 2, 211), len(content) - 2]:
        file.write_bytes(content[:length])
        refused(engine, file)
    for place in range(0, len(content) - 2, 97):
        file.write_bytes(content[:place] + bytes([content[place] ^ 0x15]) + content[place + 1 :])
        refused(engine, file)


HUGE = 10**30


def _first(rollout):
    return rollout["positions"][0]


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.update(position=7),
        lambda r: r.update(position="x" * 300),
        lambda r: r.update(dice="31"),
        lambda r: r.update(dice=[3]),
        lambda r: r.update(at_least=-1),
        lambda r: r.update(level="\x1b[2J"),
        lambda r: r.update({"\x1b[2J": 1}),
        lambda r: r.pop("engine"),
        lambda r: r["settings"].update(games=0),
        lambda r: r["settings"].update(games=HUGE),
        lambda r: r["settings"].update(games=71),
        lambda r: r["settings"].update(seed=-1),
        lambda r: r["settings"].update(late_from=HUGE),
        lambda r: r["settings"].update(play_ply=9),
        lambda r: r["settings"].update(truncate=1001),
        lambda r: r["settings"].update(truncate=1.5),
        lambda r: r["engine"].update(met=None),
        lambda r: r.update(positions={}),
        lambda r: r.update(positions=[*r["positions"], r["positions"][0]]),
        lambda r: _first(r).update(board=[0] * 26),
        lambda r: _first(r).update(board=[HUGE] * 26),
        lambda r: _first(r).update(board=[]),
        lambda r: _first(r).update(ranges=[[0, HUGE]]),
        lambda r: _first(r).update(ranges=[[0, 2**63]]),
        lambda r: _first(r).update(ranges=[[0, 71]]),
        lambda r: _first(r).update(ranges=[[0, 36], [35, 36]]),
        lambda r: _first(r).update(ranges=[[1, 72]]),
        lambda r: _first(r).update(ranges=[[2**64 - 10, 72]]),
        lambda r: _first(r).update(ranges=[[0, 73]]),
        lambda r: _first(r).update(ranges=[[-1, 72]]),
        lambda r: _first(r).update(ranges=[]),
        lambda r: _first(r).update(values="AAAA"),
        lambda r: _first(r).update(values="?"),
        lambda r: _first(r).update(passed=73),
        lambda r: _first(r).update(passed=-1),
        lambda r: _first(r).update(chances=_first(r)["chances"][1:]),
        lambda r: _first(r).update(chances=[[HUGE, 0]] * 12),
        lambda r: _first(r).update(chances=[[0, -1]] * 12),
        lambda r: _first(r).update(chances=None),
    ],
)
def test_impossible_content_is_one_line(engine, file, change):
    changed(file, change)
    refused(engine, file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"format": "botd rollout", "ver', "expected a saved rollout: Input data was truncated"),
        (b"", "expected a saved rollout"),
        (b"\x00\xff\xfe", "expected a saved rollout"),
        (b"[" * 100_000, "expected a saved rollout"),
        (b'{"format": "botd rollout", "version": 2, "sha256": 5}', "expected version 1, got 2"),
        (b'{"format": "botd rollout", "version": 1' + b"0" * 5000 + b"}", "expected "),
        (b'{"format": "\\u001b[31m", "version": 1}', "expected format 'botd rollout', got '\\x1b[31m'"),
        (b'{"format": "botd rollout", "version": 1}', "missing required field `sha256`"),
    ],
)
def test_other_files_are_one_line(engine, file, content, message):
    file.write_bytes(content)
    assert message in refused(engine, file)


def test_what_is_no_file_is_not_waited_for(engine, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path):
        assert "expected a file" in refused(engine, path)
    with pytest.raises(FileNotFoundError):
        read_rollout(tmp_path / "none")


def test_a_file_is_replaced_whole_or_not_at_all(engine, file, monkeypatch):
    content = file.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_rollout(file, QUESTION, QUICK, engine.info, {})
    assert file.read_bytes() == content
    assert [each.name for each in file.parent.iterdir()] == ["rollout.json"]
