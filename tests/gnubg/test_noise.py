"""Noise: gnubg's own, drawn from the position with MD5, and seeded normal noise."""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Sequence
from typing import Any

import pytest

from botd import _core
from botd.engine.types import STARTING_BOARD
from tests.gnubg.data_files import ONE_SIDED, TWO_SIDED, WEIGHTS_100, WEIGHTS_101
from tests.gnubg.records import load
from tests.tolerances import GNUBG_OTHER_RECIPROCAL, GNUBG_PROBABILITY

SHARES = (1.0, 0.25, 0.01, 0.25, 0.01)


@pytest.fixture(scope="module")
def evaluator() -> _core.GnubgEvaluator:
    return _core.GnubgEvaluator.load(WEIGHTS_101, ONE_SIDED, TWO_SIDED)


def boards_of(name: str) -> list[tuple[int, ...]]:
    return [_core.board_from_position_id(r["id"]) for r in load("gnubg-zero-ply.jsonl") if r["class"] == name]


def digest_noise(board: Sequence[int], output: int, signed: bool) -> float:
    """The definition, with Python's MD5."""
    own = [max(0, n) for n in board[1:25]] + [board[25]]
    opponent = [max(0, -n) for n in reversed(board[1:25])] + [board[0]]
    key = bytearray(n for pair in zip(opponent, own, strict=True) for n in pair)
    key[0] += output
    digest = hashlib.md5(key, usedforsecurity=False).digest()
    return (sum(b - 256 if signed and b > 127 else b for b in digest) - 2040) / 295.6


@pytest.mark.parametrize(
    "record", load("gnubg-noise.jsonl"), ids=lambda r: f"{'signed' if r['signed'] else 'unsigned'}-{r['id']}"
)
def test_recorded_noise(record: dict[str, Any], evaluator: _core.GnubgEvaluator) -> None:
    """Unsigned bytes as a build of gnubg 1.08 has them, signed ones as Debian's gnubg 1.07."""
    if record["signed"]:
        evaluator = _core.GnubgEvaluator.load(WEIGHTS_100, ONE_SIDED, TWO_SIDED, division="reciprocal")
    board = _core.board_from_position_id(record["id"])
    values = evaluator.noisy(board, record["noise"], signed_bytes=record["signed"])
    tolerance = GNUBG_OTHER_RECIPROCAL if record["signed"] else GNUBG_PROBABILITY
    assert values == pytest.approx(record["outputs"], abs=tolerance)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("name", ["contact", "crashed"])
def test_noise_drawn_from_the_position(name: str, signed: bool, evaluator: _core.GnubgEvaluator) -> None:
    seen = 0
    for board in boards_of(name)[:200]:
        plain = evaluator.network_outputs(board)
        win = plain[0] + 0.01 * digest_noise(board, 0, signed)
        noisy = evaluator.noisy(board, 0.01, signed_bytes=signed)
        assert noisy[0] == pytest.approx(min(1.0, max(0.0, win)), abs=2e-7)
        for k in range(1, 5):
            value = plain[k] + 0.01 * SHARES[k] * digest_noise(board, k, signed)
            limit = noisy[0] if k < 3 else 1 - noisy[0]
            if (
                (_core.borne_off(board)[1 if k < 3 else 0]) == 0
                and 1e-3 < value < limit - 1e-3
                and k in (1, 3)
            ):
                assert noisy[k] == pytest.approx(value, abs=2e-7)
                seen += 1
    assert seen > 50


def test_the_digest_is_about_normal(evaluator: _core.GnubgEvaluator) -> None:
    boards = [_core.board_from_position_id(r["id"]) for r in load("gnubg-zero-ply.jsonl")]
    values = [digest_noise(board, 0, False) for board in boards]
    assert abs(statistics.mean(values)) < 0.1
    assert 0.95 < statistics.stdev(values) < 1.05
    assert statistics.mean(digest_noise(board, 0, True) for board in boards) == pytest.approx(-6.93, abs=0.3)


def test_seeded_noise_is_normal_and_repeatable(evaluator: _core.GnubgEvaluator) -> None:
    plain = evaluator.evaluate([STARTING_BOARD])[0]
    deviation = 0.02
    drawn = [evaluator.noisy(STARTING_BOARD, deviation, seed=seed) for seed in range(4000)]
    assert drawn == [evaluator.noisy(STARTING_BOARD, deviation, seed=seed) for seed in range(4000)]
    for k in (0, 1, 3):
        errors = [(p[k] - plain[k]) / (deviation * SHARES[k]) for p in drawn]
        assert abs(statistics.mean(errors)) < 0.06
        assert 0.95 < statistics.stdev(errors) < 1.05
        within = sum(abs(e) < 1 for e in errors) / len(errors)
        assert 0.66 < within < 0.71  # 0.683 in a normal distribution
    wins, gammons = ([p[k] for p in drawn] for k in (0, 1))
    assert abs(statistics.correlation(wins, gammons)) < 0.06


def test_no_noise_and_finished_games(evaluator: _core.GnubgEvaluator) -> None:
    for board in [*boards_of("over"), *boards_of("contact")[:50], *boards_of("race")[:50]]:
        for seed in (None, 3):
            assert evaluator.noisy(board, 0.0, seed=seed) == evaluator.evaluate([board])[0]
    for board in boards_of("over"):
        assert evaluator.noisy(board, 0.5) == evaluator.evaluate([board])[0]


def test_databases_get_noise(evaluator: _core.GnubgEvaluator) -> None:
    boards = boards_of("one_sided")
    changed = sum(
        evaluator.noisy(b, 0.05) != v for b, v in zip(boards, evaluator.evaluate(boards), strict=True)
    )
    assert changed > len(boards) / 2


@pytest.mark.parametrize("noise", [-0.1, 1.1, float("nan"), float("inf")])
def test_absurd_noise_is_refused(noise: float, evaluator: _core.GnubgEvaluator) -> None:
    with pytest.raises(ValueError, match="noise: expected a number from 0 to 1"):
        evaluator.noisy(STARTING_BOARD, noise)
