"""Whatever happens to a worker, every question is answered, and what happened is counted."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest
from prometheus_client.parser import text_string_to_metric_families

from botd.config.schema import EngineConfig, PliesConfig
from botd.decisions.pool import PoolStartError, PoolStoppedError, PoolUnavailableError, WorkerState
from botd.decisions.service import DecisionService, ServiceConfig
from botd.engine import rules
from botd.engine.engine import SageEngine
from botd.engine.random_player import RandomPlayer
from botd.engine.types import STARTING_BOARD, GameContext, PlayDecision
from botd.metrics.registry import Metrics
from tests.decisions.conftest import Start
from tests.decisions.processes import alive
from tests.decisions.unruly_engines import SPEC
from tests.waiting import until

MONEY = GameContext()
POISON = (6, 6)
QUICK = {"deadline_s": 0.3, "grace_s": 0.3}


def value(metrics: Metrics, name: str, **labels: str) -> float:
    for family in text_string_to_metric_families(metrics.render().decode()):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return sample.value
    raise AssertionError(f"no series {name} {labels}")


def lost(metrics: Metrics, reason: str) -> float:
    return value(metrics, "botd_worker_restarts_total", reason=reason)


def is_legal(decision: PlayDecision, dice: tuple[int, int]) -> bool:
    return decision.best.play in rules.legal_plays(STARTING_BOARD, dice)


async def until_up(service: DecisionService, workers: int) -> list[int]:
    await until(lambda: len(service.worker_pids) >= workers)
    return service.worker_pids


async def test_the_engines_own_decisions_come_back_unchanged(start: Start) -> None:
    service = await start("sage", workers=1)
    engine = SageEngine.load()
    match = GameContext(match_length=5, score_player=2, score_opponent=1)
    asked = STARTING_BOARD, match
    play = await service.choose_play(*asked, (3, 1), ply=1)
    assert play.decision == engine.choose_play(*asked, (3, 1), ply=1)
    assert (play.ply, play.source, play.engine) == (1, "search", engine.info)
    assert 0 < play.worker_s < play.total_s
    assert (await service.cube_action(*asked, ply=0)).decision == engine.cube_action(*asked, ply=0)
    assert (await service.take_action(*asked, ply=0)).decision == engine.take_action(*asked, ply=0)
    offer = await service.offer_resignation(*asked, ply=0)
    assert offer.decision == engine.offer_resignation(*asked, ply=0)
    for on_roll in (False, True):
        judged = await service.judge_resignation(*asked, 2, on_roll=on_roll, ply=0)
        assert judged.decision == engine.judge_resignation(*asked, 2, on_roll=on_roll, ply=0)


async def test_a_search_out_of_time_is_answered_at_a_lower_ply(start: Start, metrics: Metrics) -> None:
    service = await start("sage", workers=1)
    answer = await service.choose_play(STARTING_BOARD, MONEY, (2, 1), ply=3, deadline_s=0.02)
    assert answer.ply < 3
    assert answer.source == "fallback"
    assert answer.decision == SageEngine.load().choose_play(STARTING_BOARD, MONEY, (2, 1), ply=answer.ply)
    assert value(metrics, "botd_decision_timeouts_total", kind="play", ply="3") == 1
    assert service.status().restarts == 0


async def test_plies_are_given_up_one_after_the_other(start: Start, metrics: Metrics) -> None:
    service = await start(SPEC + "out_of_time_in_depth", workers=1)
    answer = await service.choose_play(STARTING_BOARD, MONEY, POISON, ply=3)
    assert (answer.ply, answer.source) == (0, "fallback")
    timeouts = [value(metrics, "botd_decision_timeouts_total", kind="play", ply=str(ply)) for ply in range(4)]
    assert timeouts == [0, 1, 1, 1]
    ply_0 = value(metrics, "botd_decisions_total", kind="play", ply="0", source="fallback")
    assert ply_0 == 1


async def test_many_questions_at_once(start: Start, metrics: Metrics) -> None:
    service = await start("random", workers=2)
    rolls = [(die1, die2) for die1 in range(1, 7) for die2 in range(1, 7)] * 5
    answers = await asyncio.gather(
        *(service.choose_play(STARTING_BOARD, MONEY, roll, ply=0) for roll in rolls)
    )
    player = RandomPlayer()
    assert [answer.decision for answer in answers] == [
        player.choose_play(STARTING_BOARD, MONEY, roll, ply=0) for roll in rolls
    ]
    assert value(metrics, "botd_decision_queue_seconds_count") == len(rolls)


@pytest.mark.parametrize("engine", ["sage", "random"])
async def test_a_worker_killed_at_work_is_replaced_and_asked_again(
    start: Start, metrics: Metrics, engine: str
) -> None:
    service = await start(engine, workers=1)
    (victim,) = await until_up(service, 1)
    os.kill(victim, signal.SIGSTOP)  # so that it is certainly at work when it is killed
    asking = asyncio.create_task(service.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=1))
    await until(lambda: service.status().states[WorkerState.BUSY] > 0)
    os.kill(victim, signal.SIGKILL)
    answer = await asking
    assert is_legal(answer.decision, (3, 1))
    assert answer.source == "search"
    assert lost(metrics, "crashed") == 1
    assert victim not in service.worker_pids
    assert not alive(victim)


async def test_an_idle_worker_that_dies_is_replaced(start: Start, metrics: Metrics) -> None:
    service = await start("random", workers=2)
    victim, other = await until_up(service, 2)
    os.kill(victim, signal.SIGKILL)
    await until(lambda: service.status().restarts > 0)
    pids = await until_up(service, 2)
    assert victim not in pids
    assert other in pids
    assert lost(metrics, "crashed") == 1


async def test_a_stopped_worker_is_killed_after_the_deadline(start: Start, metrics: Metrics) -> None:
    service = await start(SPEC + "stopping_once", workers=1, **QUICK)
    (victim,) = service.worker_pids
    answer = await service.choose_play(STARTING_BOARD, MONEY, POISON, ply=2)
    assert is_legal(answer.decision, POISON)
    assert (answer.ply, answer.source) == (0, "fallback")
    assert lost(metrics, "hung") == 1
    assert not alive(victim)
    assert service.quarantined == 0


async def test_an_engine_that_ignores_deadlines_costs_no_answer(start: Start, metrics: Metrics) -> None:
    service = await start(SPEC + "slow", workers=1, fallback_s=1.0, **QUICK)
    answer = await service.choose_play(STARTING_BOARD, MONEY, POISON, ply=2)
    assert answer.source == "rules"
    assert is_legal(answer.decision, POISON)
    assert lost(metrics, "hung") >= 1
    assert value(metrics, "botd_decisions_total", kind="play", ply="0", source="rules") == 1


async def test_a_poisonous_position_is_quarantined(start: Start, metrics: Metrics) -> None:
    service = await start(SPEC + "crashing_in_depth", workers=1)
    answer = await service.choose_play(STARTING_BOARD, MONEY, POISON, ply=2)
    assert (answer.ply, answer.source) == (0, "fallback")
    assert service.quarantined == 1
    assert lost(metrics, "crashed") == 2
    again = await service.choose_play(STARTING_BOARD, MONEY, POISON, ply=3)
    assert again.source == "fallback"
    assert lost(metrics, "crashed") == 2, "the second time it is not searched in depth"
    healthy = await service.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=2)
    assert healthy.source == "search"


async def test_a_position_that_no_worker_survives_is_answered_by_the_rules(
    start: Start, metrics: Metrics
) -> None:
    service = await start(SPEC + "crashing_always", workers=2)
    answer = await service.choose_play(STARTING_BOARD, MONEY, POISON, ply=2)
    assert answer.source == "rules"
    assert is_legal(answer.decision, POISON)
    assert lost(metrics, "crashed") == 3


async def test_an_engine_error_and_garbage_are_losses(start: Start, metrics: Metrics) -> None:
    raising = await start(SPEC + "raising", workers=1)
    answer = await raising.choose_play(STARTING_BOARD, MONEY, POISON, ply=1)
    assert answer.source == "rules"
    assert lost(metrics, "failed") == 3
    assert "lost my head" in raising.status().last_error
    garbage = await start(SPEC + "writing_garbage_once", workers=1)
    answer = await garbage.choose_play(STARTING_BOARD, MONEY, POISON, ply=1)
    assert answer.source == "search"
    assert lost(metrics, "garbage") == 1


async def test_impossible_questions_are_refused_and_cost_no_worker(start: Start) -> None:
    service = await start("sage", workers=1)
    empty = (0,) * 26
    with pytest.raises(ValueError, match="board"):
        await service.choose_play((1, 2, 3), MONEY, (3, 1), ply=0)
    with pytest.raises(ValueError, match=r"board|game"):
        await service.cube_action(empty, MONEY, ply=0)
    with pytest.raises(ValueError, match="dice"):
        await service.choose_play(STARTING_BOARD, MONEY, (7, 0), ply=0)
    with pytest.raises(ValueError, match="ply"):
        await service.cube_action(STARTING_BOARD, MONEY, ply=5)
    with pytest.raises(ValueError, match="level"):
        await service.judge_resignation(STARTING_BOARD, MONEY, 4, on_roll=True, ply=0)
    with pytest.raises(ValueError, match="deadline"):
        await service.cube_action(STARTING_BOARD, MONEY, ply=0, deadline_s=0)
    with pytest.raises(ValueError, match="cube"):
        await service.cube_action(STARTING_BOARD, GameContext(cube_value=3), ply=0)
    assert service.status().restarts == 0


async def test_an_overloaded_pool_answers_at_0_ply_when_a_worker_gets_free(start: Start) -> None:
    service = await start("sage", workers=1)
    long = asyncio.create_task(service.choose_play(STARTING_BOARD, MONEY, (2, 1), ply=3, deadline_s=1.0))
    await until(lambda: service.status().states[WorkerState.BUSY] > 0)
    answer = await service.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=2, deadline_s=0.01)
    assert (answer.ply, answer.source) == (0, "fallback")
    await long


async def test_stop_while_working(start: Start) -> None:
    service = await start(SPEC + "slow", workers=2)
    pids = await until_up(service, 2)
    asking = [
        asyncio.create_task(service.choose_play(STARTING_BOARD, MONEY, POISON, ply=1)) for _ in range(5)
    ]
    await until(lambda: service.status().states[WorkerState.BUSY] >= 2)
    await service.stop()
    for result in await asyncio.gather(*asking, return_exceptions=True):
        assert isinstance(result, PoolStoppedError)
    assert not any(alive(pid) for pid in pids)
    with pytest.raises(PoolStoppedError):
        await service.cube_action(STARTING_BOARD, MONEY, ply=0)
    with pytest.raises(PoolUnavailableError):
        await service.ping()
    await service.stop()


async def test_a_cancelled_question_leaves_the_pool_working(start: Start) -> None:
    service = await start("sage", workers=1)
    asking = asyncio.create_task(service.choose_play(STARTING_BOARD, MONEY, (2, 1), ply=3, deadline_s=0.3))
    waiting = asyncio.create_task(service.choose_play(STARTING_BOARD, MONEY, (2, 1), ply=0))
    await until(lambda: service.status().states[WorkerState.BUSY] > 0)
    for task in (asking, waiting):
        task.cancel()
    await asyncio.gather(asking, waiting, return_exceptions=True)
    answer = await service.choose_play(STARTING_BOARD, MONEY, (3, 1), ply=0)
    assert answer.decision.best.play.notation == "8/5 6/5"
    assert service.status().restarts == 0


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (SPEC + "missing_weights", "weights.bin: not found"),
        (SPEC + "dying_at_start", "status 3"),
        ("nonsense", "nonsense"),
        ("random:x", "whole number"),
        ("no.such.module:engine", "cannot be imported"),
        ("builtins:dict", "expected an engine"),
    ],
)
async def test_no_start_says_why(engine: str, reason: str) -> None:
    metrics = Metrics()
    service = DecisionService(ServiceConfig(engine=engine, workers=2), metrics)
    with pytest.raises(PoolStartError, match=reason):
        await service.start()
    assert service.worker_pids == []
    assert lost(metrics, "start_failed") >= 2


async def test_ping_tells_whether_workers_answer(start: Start) -> None:
    service = await start("random", workers=1, grace_s=0.1)
    assert await service.ping() > 0
    (pid,) = service.worker_pids
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(PoolUnavailableError, match="no worker answers"):
        await service.ping(0.1)
    await until(lambda: service.worker_pids not in ([], [pid]))
    assert not alive(pid)
    assert await service.ping() > 0


async def test_worker_states_are_counted(start: Start, metrics: Metrics) -> None:
    service = await start("random", workers=2)
    await until_up(service, 2)
    assert value(metrics, "botd_workers", state="idle") == 2
    await service.stop()
    assert value(metrics, "botd_workers", state="idle") == 0
    assert value(metrics, "botd_workers", state="dead") == 2


async def test_depth_comes_from_the_configuration_where_a_question_names_none(start: Start) -> None:
    config = ServiceConfig.of(EngineConfig(ply=2, plies=PliesConfig(double=0), workers=3, deadline_s=4.0))
    assert (config.engine, config.workers, config.deadline_s) == ("fast:sage", 3, 4.0)
    assert [config.ply_of(kind) for kind in ("play", "cube", "take", "resign")] == [2, 0, 2, 2]
    service = await start("sage", workers=1, ply=1, plies={"cube": 0})
    assert (await service.choose_play(STARTING_BOARD, MONEY, (3, 1))).ply == 1
    assert (await service.cube_action(STARTING_BOARD, MONEY)).ply == 0
