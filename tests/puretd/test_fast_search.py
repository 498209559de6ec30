"""The fast search over networks that give cubeful equities directly."""

from __future__ import annotations

from pathlib import Path

import pytest

from botd.engine.fast_engine import FastEngine
from botd.engine.protocol import UnsupportedGame, load_engine
from botd.engine.puretd_engine import PuretdEngine
from botd.engine.settings import SearchSettings
from botd.engine.types import STARTING_BOARD, CubeOwner, EngineMode, GameContext
from tests.puretd.test_engine import CONTEXTS, POSITIONS
from tests.tolerances import PURETD_INTEGER


@pytest.fixture(scope="module", name="fast")
def _fast(network_files: dict[str, Path]) -> FastEngine:
    engine = load_engine(f"fast:puretd:{network_files['cubeful']}")
    assert isinstance(engine, FastEngine)
    return engine


@pytest.fixture(scope="module", name="thorough")
def _thorough(fast: FastEngine) -> FastEngine:
    """Leaves no reply out."""
    return fast.configured(SearchSettings(prune=False))


def test_what_it_is(fast: FastEngine) -> None:
    assert isinstance(fast.base, PuretdEngine)
    assert fast.info.evaluator == "puretd"
    assert fast.info.mode is EngineMode.FAST


def test_plays_without_a_search(fast: FastEngine) -> None:
    for i, (board, dice) in enumerate(POSITIONS[:60]):
        context = CONTEXTS[i % len(CONTEXTS)]
        found = fast.choose_play(board, context, dice, ply=0)
        exact = {e.play.board: e.equity for e in fast.base.choose_play(board, context, dice, ply=0).plays}
        assert len(found.plays) == len(exact)
        for entry in found.plays:
            assert entry.equity == pytest.approx(exact[entry.play.board], abs=PURETD_INTEGER)
            assert entry.probabilities is None
            assert entry.cubeless_equity is None


def test_plays_one_roll_deep_where_the_opponent_may_not_double(thorough: FastEngine) -> None:
    context = GameContext(cube_owner=CubeOwner.PLAYER)
    deep = 0
    for board, dice in POSITIONS[:8]:
        found = thorough.choose_play(board, context, dice, ply=1)
        exact = {e.play.board: e.equity for e in thorough.base.choose_play(board, context, dice, ply=1).plays}
        for entry in found.plays:
            if entry.ply == 1:
                deep += 1
                assert entry.equity == pytest.approx(exact[entry.play.board], abs=PURETD_INTEGER)
    assert deep


def test_cube_decisions(thorough: FastEngine) -> None:
    for i, (board, _) in enumerate(POSITIONS[:12]):
        context = CONTEXTS[i % len(CONTEXTS)]
        for ply in (0, 1):
            found = thorough.cube_action(board, context, ply=ply)
            exact = thorough.base.cube_action(board, context, ply=ply)
            assert found.ply == ply
            assert found.no_double == pytest.approx(exact.no_double, abs=PURETD_INTEGER)
            # Deeper its plays are those of the cube as it is, which are not always the best after a double.
            assert found.double_take <= exact.double_take + PURETD_INTEGER
            if ply == 0:
                assert found.double_take == pytest.approx(exact.double_take, abs=2 * PURETD_INTEGER)
            assert found.probabilities is None
            assert found.double_pass == 1.0


def test_evaluations(fast: FastEngine) -> None:
    for board, _ in POSITIONS[:10]:
        for context in CONTEXTS:
            probabilities, equity = fast.evaluate(board, context, ply=0)
            assert probabilities is None
            assert equity == pytest.approx(fast.base.evaluate(board, context, ply=0)[1], abs=PURETD_INTEGER)


def test_deeper_than_the_exact_search(fast: FastEngine) -> None:
    decision = fast.choose_play(STARTING_BOARD, GameContext(), (3, 1), ply=2)
    assert decision.ply >= 1  # it ends early where one play is left
    assert decision == fast.choose_play(STARTING_BOARD, GameContext(), (3, 1), ply=2)
    assert fast.cube_action(STARTING_BOARD, GameContext(), ply=2).ply == 2


def test_matches(fast: FastEngine) -> None:
    context = GameContext(match_length=5)
    for ask in (
        lambda: fast.choose_play(STARTING_BOARD, context, (3, 1), ply=1),
        lambda: fast.cube_action(STARTING_BOARD, context, ply=0),
        lambda: fast.evaluate(STARTING_BOARD, context, ply=1),
        lambda: fast.judge_resignation(STARTING_BOARD, context, 1, on_roll=True, ply=2),
    ):
        with pytest.raises(UnsupportedGame, match="expected a game for money"):
            ask()


@pytest.mark.parametrize("name", ["cubeless", "prob5", "win"])
def test_networks_without_the_cube(name: str, network_files: dict[str, Path]) -> None:
    with pytest.raises(UnsupportedGame, match="expected a network of kind cubeful_equity"):
        load_engine(f"fast:puretd:{network_files[name]}")
