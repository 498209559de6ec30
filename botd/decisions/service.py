"""Decisions for the rest of the daemon: asynchronous, each within a hard limit, whatever happens to a worker.

What is tried for a question, in this order:

1. A worker searches as deep as asked; if the deadline comes too near it takes the best shallower search.
2. The worker is lost: the same question goes to another worker, once.
3. Lost again: the question is *quarantined* (never again searched in depth) and answered at 0-ply.
4. Lost a third time: a legal answer by the rules alone.

A question for which no worker was free in time goes to the first free one at 0-ply, then to the rules.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import msgspec
import structlog

from botd.config.schema import EngineConfig
from botd.decisions import wire
from botd.decisions.ladder import ask_engine
from botd.decisions.pool import (
    PoolReply,
    PoolStatus,
    PoolStoppedError,
    PoolUnavailableError,
    WorkerPool,
    WorkerState,
)
from botd.decisions.process import Loss, WorkerLostError
from botd.decisions.requests import (
    Answer,
    CubeRequest,
    Decision,
    JudgeResignationRequest,
    Kind,
    OfferResignationRequest,
    PlayRequest,
    Request,
    Style,
    TakeRequest,
    kind_of,
)
from botd.engine import position_id, rules
from botd.engine.modes import in_mode
from botd.engine.random_player import RandomPlayer
from botd.engine.types import (
    Board,
    CubeDecision,
    EngineInfo,
    GameContext,
    PlayDecision,
    ResignationDecision,
)
from botd.metrics.registry import Metrics

log = structlog.get_logger("botd.decisions")

MAX_PLY = 4
MAX_QUARANTINED = 1000
_LEAST_RETRY_SHARE = 0.1
"""A second attempt with less than this part of the deadline left is made at 0-ply."""


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    engine: str = "sage"
    """See `botd.engine.protocol.load_engine`."""
    workers: int = 2
    ply: int = 1
    """Depth where a question names none, as gnubg counts."""
    plies: Mapping[Kind, int] = field(default_factory=dict)
    """Depth by kind of decision, where it differs from `ply`."""
    deadline_s: float = 10.0
    """For searching; an answer in time is the rule."""
    grace_s: float = 2.0
    """A worker silent for so long after the deadline is killed."""
    fallback_s: float = 5.0
    """For the 0-ply answer after lost workers, which may have to wait for a new worker to start."""
    start_timeout_s: float = 60.0

    @classmethod
    def of(cls, engine: EngineConfig) -> ServiceConfig:
        """As the table `[engine]` of the configuration says."""
        wished: dict[Kind, int | None] = {
            "play": engine.plies.play,
            "cube": engine.plies.double,
            "take": engine.plies.take,
            "resign": engine.plies.resign,
        }
        return cls(
            engine=in_mode(engine.evaluator, engine.mode),
            workers=engine.workers,
            ply=engine.ply,
            plies={kind: ply for kind, ply in wished.items() if ply is not None},
            deadline_s=engine.deadline_s,
        )

    def ply_of(self, kind: Kind) -> int:
        return self.plies.get(kind, self.ply)

    @property
    def limit_s(self) -> float:
        """An answer never takes longer than this."""
        return self.deadline_s + self.grace_s + 2 * (self.fallback_s + self.grace_s)


class DecisionService:
    """Answers questions with a pool of worker processes.

    Every method that decides takes board and context as the engine's method of the same name does
    (`botd.engine.protocol.Engine`). `ply` (0 to 4) and deadline_s override what is configured, and a `style`
    the depth as well. They raise
    ValueError for impossible input and PoolStoppedError before `start` and after `stop`; nothing else.
    """

    def __init__(self, config: ServiceConfig | None = None, metrics: Metrics | None = None) -> None:
        self.config = config or ServiceConfig()
        self._metrics = metrics or Metrics()
        self._pool = WorkerPool(
            self.config.engine,
            self.config.workers,
            grace_s=self.config.grace_s,
            start_timeout_s=self.config.start_timeout_s,
            on_state=self._show_states,
            on_loss=self._count_loss,
        )
        self._quarantine: OrderedDict[Request, None] = OrderedDict()
        self._rules_only = RandomPlayer()
        self._info: EngineInfo | None = None
        self._used: list[EngineInfo] = []

    @property
    def info(self) -> EngineInfo:
        """What decides. Only after `start`."""
        if self._info is None:
            raise PoolStoppedError("the decision service was not started")
        return self._info

    async def start(self) -> EngineInfo:
        """Start the workers; returns once one has loaded its engine. Raises PoolStartError if none can."""
        self._info = await self._pool.start()
        self._used = [self._info]
        self._metrics.set_build_info(self._info)
        return self._info

    async def stop(self) -> None:
        """End all workers. Open questions raise PoolStoppedError. May be called twice."""
        await self._pool.stop()

    async def ping(self, timeout_s: float = 2.0) -> float:
        """Seconds of a round trip through a worker; raises PoolUnavailableError. For readiness checks."""
        return await self._pool.ping(timeout_s)

    async def readiness(self) -> str | None:
        """None if decisions can be made, else why not; for `MetricsServer.add_check`."""
        try:
            await self.ping()
        except PoolUnavailableError as error:
            return str(error)
        return None

    def status(self) -> PoolStatus:
        return self._pool.status()

    @property
    def worker_pids(self) -> list[int]:
        return self._pool.pids

    @property
    def quarantined(self) -> int:
        """Number of questions that are answered at 0-ply because they cost two workers."""
        return len(self._quarantine)

    async def choose_play(
        self,
        board: Board,
        context: GameContext,
        dice: tuple[int, int],
        *,
        ply: int | None = None,
        deadline_s: float | None = None,
        style: Style | None = None,
    ) -> Answer[PlayDecision]:
        request = PlayRequest(tuple(board), context, self._ply("play", ply, style), (dice[0], dice[1]), style)
        return cast(Answer[PlayDecision], await self._decide(request, deadline_s))

    async def cube_action(
        self,
        board: Board,
        context: GameContext,
        *,
        ply: int | None = None,
        deadline_s: float | None = None,
        style: Style | None = None,
    ) -> Answer[CubeDecision]:
        return cast(
            Answer[CubeDecision],
            await self._decide(
                CubeRequest(tuple(board), context, self._ply("cube", ply, style), style), deadline_s
            ),
        )

    async def take_action(
        self,
        board: Board,
        context: GameContext,
        *,
        ply: int | None = None,
        deadline_s: float | None = None,
        style: Style | None = None,
    ) -> Answer[CubeDecision]:
        return cast(
            Answer[CubeDecision],
            await self._decide(
                TakeRequest(tuple(board), context, self._ply("take", ply, style), style), deadline_s
            ),
        )

    async def offer_resignation(
        self,
        board: Board,
        context: GameContext,
        *,
        ply: int | None = None,
        deadline_s: float | None = None,
        style: Style | None = None,
    ) -> Answer[ResignationDecision]:
        request = OfferResignationRequest(tuple(board), context, self._ply("resign", ply, style), style)
        return cast(Answer[ResignationDecision], await self._decide(request, deadline_s))

    async def judge_resignation(
        self,
        board: Board,
        context: GameContext,
        level: int,
        *,
        on_roll: bool,
        ply: int | None = None,
        deadline_s: float | None = None,
        style: Style | None = None,
    ) -> Answer[ResignationDecision]:
        request = JudgeResignationRequest(
            tuple(board), context, self._ply("resign", ply, style), level, on_roll, style
        )
        return cast(Answer[ResignationDecision], await self._decide(request, deadline_s))

    def _ply(self, kind: Kind, wished: int | None, style: Style | None) -> int:
        if style is not None and style.level is not None:
            return style.level.plies
        return self.config.ply_of(kind) if wished is None else wished

    async def _decide(self, request: Request, deadline_s: float | None) -> Answer[Decision]:
        _check(request)
        limit_s = self.config.deadline_s if deadline_s is None else deadline_s
        if limit_s <= 0:
            raise ValueError(f"deadline: expected more than 0 seconds, got {limit_s}")
        began = asyncio.get_running_loop().time()
        answer = await self._attempts(request, limit_s, began)
        self._metrics.decision(kind_of(request), answer.ply, answer.source, answer.worker_s, answer.queue_s)
        return answer

    async def _attempts(self, request: Request, limit_s: float, began: float) -> Answer[Decision]:
        loop = asyncio.get_running_loop()
        static = msgspec.structs.replace(request, ply=0, style=None)
        question, time_s, losses, last = request, limit_s, 0, False
        if static in self._quarantine:
            question, time_s, last = static, self.config.fallback_s, True
        while True:
            try:
                reply = await self._pool.ask(question, time_s, urgent=last or losses > 0)
                degraded = last or question.ply < request.ply
                answer = self._answer(request, reply, degraded, loop.time() - began)
                if answer is not None:
                    return answer
            except TimeoutError:  # no worker was free
                self._metrics.decision_timed_out(kind_of(request), question.ply)
            except WorkerLostError as lost:
                losses += 1
                if lost.loss is Loss.HUNG:
                    self._metrics.decision_timed_out(kind_of(request), question.ply)
                log.warning("decision lost its worker", **_describe(question), losses=losses, error=str(lost))
                left = limit_s - (loop.time() - began)
                if not last and losses == 1:
                    enough = left >= limit_s * _LEAST_RETRY_SHARE
                    question, time_s = (request, left) if enough else (static, self.config.fallback_s)
                    continue
                if losses == 2:
                    self._put_in_quarantine(request, static)
            if last:
                return self._by_the_rules(static, loop.time() - began)
            question, time_s, last = static, self.config.fallback_s, True

    def _answer(
        self, request: Request, reply: PoolReply, degraded: bool, total_s: float
    ) -> Answer[Decision] | None:
        """The answer in a worker's reply; None if it ran out of time. Raises ValueError if it refused."""
        message = reply.reply
        if isinstance(message, wire.Refused):
            raise ValueError(message.error)
        assert isinstance(message, wire.Decided | wire.OutOfTime)
        for ply in message.timed_out:
            self._metrics.decision_timed_out(kind_of(request), ply)
        if isinstance(message, wire.OutOfTime):
            return None
        decision = message.decision
        source = decision.source if isinstance(decision, PlayDecision) else "search"
        if source == "search" and (degraded or message.timed_out):
            source = "fallback"
        engine = reply.info if message.engine is None else message.engine
        if engine not in self._used:
            self._used.append(engine)
            self._metrics.engine_used(engine)
        return Answer(decision, decision.ply, source, reply.queue_s, message.seconds, total_s, engine)

    def _by_the_rules(self, static: Request, total_s: float) -> Answer[Decision]:
        """A legal answer without any evaluation. Raises ValueError for an impossible question."""
        log.error("no worker could decide, answering by the rules alone", **_describe(static))
        decision = ask_engine(self._rules_only, static, 0, None)
        return Answer(decision, 0, "rules", 0.0, 0.0, total_s, self._rules_only.info)

    def _put_in_quarantine(self, request: Request, static: Request) -> None:
        log.error("position cost two workers, from now on answered at 0-ply", **_describe(request))
        self._quarantine[static] = None
        if len(self._quarantine) > MAX_QUARANTINED:
            self._quarantine.popitem(last=False)

    def _show_states(self, states: dict[WorkerState, int]) -> None:
        self._metrics.set_workers({state.value: count for state, count in states.items()})

    def _count_loss(self, loss: Loss) -> None:
        self._metrics.worker_restarted(loss.value)


def _check(request: Request) -> None:
    """Raise ValueError for what no engine could answer, before a worker is bothered."""
    if type(request.ply) is not int or not 0 <= request.ply <= MAX_PLY:
        raise ValueError(f"ply: expected 0 to {MAX_PLY}, got {request.ply!r}")
    try:
        rules.check_board(request.board)
    except TypeError as error:
        raise ValueError(f"board: expected 26 integers, got {request.board!r:.200}") from error
    if rules.game_result(request.board) != 0:
        raise ValueError("board: expected a game in progress, one side has borne off all checkers")
    if isinstance(request, PlayRequest) and not all(
        type(die) is int and 1 <= die <= 6 for die in request.dice
    ):
        raise ValueError(f"dice: expected two integers from 1 to 6, got {request.dice!r:.80}")
    if isinstance(request, JudgeResignationRequest) and request.level not in (1, 2, 3):
        raise ValueError(f"resignation: expected level 1, 2 or 3, got {request.level!r:.80}")


def _describe(request: Request) -> dict[str, object]:
    """What the log needs for looking into a question later."""
    context = request.context
    described: dict[str, object] = {
        "kind": kind_of(request),
        "position": position_id.encode(request.board),
        "ply": request.ply,
        "level": None if request.style is None or request.style.level is None else request.style.level.name,
        "match_length": context.match_length,
        "score": f"{context.score_player}-{context.score_opponent}",
        "cube": f"{context.cube_value} {context.cube_owner}",
    }
    if isinstance(request, PlayRequest):
        described["dice"] = f"{request.dice[0]}{request.dice[1]}"
    return described
