"""The random player is legal, seeded and naive."""

from __future__ import annotations

import random

import pytest

from botd.engine import rules
from botd.engine.engine import SageEngine
from botd.engine.protocol import Engine, load_engine
from botd.engine.random_player import RandomPlayer
from botd.engine.types import STARTING_BOARD, GameContext, TakeAction

MONEY = GameContext()


def test_both_players_are_engines() -> None:
    assert isinstance(RandomPlayer(), Engine)
    assert isinstance(load_engine("random:7"), RandomPlayer)
    assert isinstance(load_engine("sage:plain"), SageEngine)
    assert isinstance(load_engine("sage"), Engine)
    assert load_engine("sage:plain").info.cpu_path == "plain"


def test_it_plays_whole_games_legally() -> None:
    dice = random.Random(5)
    player = RandomPlayer(seed=5)
    for _ in range(20):
        board = STARTING_BOARD
        while rules.game_result(board) == 0:
            roll = dice.randint(1, 6), dice.randint(1, 6)
            decision = player.choose_play(board, MONEY, roll, ply=0)
            legal = rules.legal_plays(board, roll)
            assert sorted(entry.play.board for entry in decision.plays) == sorted(
                play.board for play in legal or [rules.no_play(board)]
            )
            assert decision.legal_count == len(legal)
            assert decision.source == ("search" if len(legal) > 1 else "forced")
            assert rules.apply_steps(board, decision.best.play.steps) == decision.best.play.board
            board = decision.best.play.board
            if rules.game_result(board) == 0:
                board = rules.mirrored(board)


def test_a_seed_decides_whatever_was_asked_before() -> None:
    def best(player: RandomPlayer, roll: tuple[int, int]) -> str:
        return player.choose_play(STARTING_BOARD, MONEY, roll, ply=0).best.play.notation

    first, second = RandomPlayer(3), RandomPlayer(3)
    best(second, (6, 4))
    assert best(first, (3, 1)) == best(second, (1, 3))
    assert len({best(RandomPlayer(seed), (3, 1)) for seed in range(50)}) > 5


def test_cube_and_resignations() -> None:
    player = RandomPlayer()
    assert not player.cube_action(STARTING_BOARD, MONEY, ply=3).double
    assert player.take_action(STARTING_BOARD, MONEY, ply=3).response is TakeAction.TAKE
    assert player.offer_resignation(STARTING_BOARD, MONEY, ply=3).level == 0
    assert player.judge_resignation(STARTING_BOARD, MONEY, 2, on_roll=True, ply=3).accept
    with pytest.raises(ValueError, match="level"):
        player.judge_resignation(STARTING_BOARD, MONEY, 0, on_roll=True, ply=3)
