"""Messages between the daemon and its workers: MessagePack in frames with a length in front.

Between the daemon and the process that forks the workers they are packets, which need no length.

The two sides are the same program, yet a damaged worker may write anything. So messages are decoded against
their types, nothing in them is executed, and a frame has a limit.
"""

from __future__ import annotations

import struct
from typing import Annotated, TypeVar

import msgspec

from botd.decisions.requests import Request
from botd.engine.ranked_plays import unpacked
from botd.engine.types import (
    Board,
    CubeDecision,
    EngineInfo,
    Play,
    PlayDecision,
    Probabilities,
    RankedPlay,
    ResignationDecision,
    Step,
)

M = TypeVar("M")

HEADER = struct.Struct(">I")
MAX_FRAME = 4 * 1024 * 1024
"""Bytes. The roll with the most plays has some hundred of them, well below 1 MiB."""


class WireError(ValueError):
    """A frame or message that no healthy counterpart writes."""


class Decide(msgspec.Struct, frozen=True, tag=True):
    id: int
    request: Request
    time_s: float
    """Seconds from the receipt in which to answer."""


class Ping(msgspec.Struct, frozen=True, tag=True):
    id: int


class Ready(msgspec.Struct, frozen=True, tag=True):
    """First message of a worker and of the fork server: the engine is loaded."""

    info: EngineInfo


class NotReady(msgspec.Struct, frozen=True, tag=True):
    """First and last message of a fork server whose engine cannot be loaded."""

    error: str


class Pong(msgspec.Struct, frozen=True, tag=True):
    id: int


class _Decided(msgspec.Struct, frozen=True, tag=True):
    id: int
    seconds: float
    timed_out: tuple[int, ...]
    """Plies given up for lack of time, deepest first."""
    engine: EngineInfo | None
    """What decided, where it is not what the worker was started with."""


class SentPlay(msgspec.Struct, frozen=True, array_like=True):
    """A ranked play."""

    steps: tuple[Step, ...]
    board: Board
    notation: str
    equity: float
    cubeless_equity: float | None
    probabilities: tuple[float, float, float, float, float] | None
    ply: int

    @classmethod
    def of(cls, ranked: RankedPlay) -> SentPlay:
        play, p = ranked.play, ranked.probabilities
        return cls(
            play.steps,
            play.board,
            play.notation,
            ranked.equity,
            ranked.cubeless_equity,
            None if p is None else (p.win, p.win_gammon, p.win_backgammon, p.lose_gammon, p.lose_backgammon),
            ranked.ply,
        )

    def received(self) -> RankedPlay:
        play = Play(self.steps, self.board, self.notation)
        probabilities = None if self.probabilities is None else Probabilities(*self.probabilities)
        return RankedPlay(play, self.equity, self.cubeless_equity, probabilities, self.ply)


class PlayDecided(_Decided, frozen=True, tag=True):
    plays: Annotated[tuple[SentPlay, ...], msgspec.Meta(min_length=1)]
    legal_count: int
    ply: int
    source: str

    @classmethod
    def of(
        cls,
        id_: int,
        seconds: float,
        timed_out: tuple[int, ...],
        engine: EngineInfo | None,
        decision: PlayDecision,
    ) -> PlayDecided:
        plays = tuple(SentPlay.of(ranked) for ranked in decision.plays)
        return cls(
            id_, seconds, timed_out, engine, plays, decision.legal_count, decision.ply, decision.source
        )

    @property
    def decision(self) -> PlayDecision:
        plays = tuple(sent.received() for sent in self.plays)
        return PlayDecision(plays, self.legal_count, self.ply, self.source)


class RankingDecided(_Decided, frozen=True, tag=True):
    """The same as the engine's core has ranked the plays: a fraction of the work for both sides."""

    ranking: bytes

    def __post_init__(self) -> None:
        unpacked(self.ranking)  # what cannot be right is no message

    @property
    def decision(self) -> PlayDecision:
        return unpacked(self.ranking)


class CubeDecided(_Decided, frozen=True, tag=True):
    decision: CubeDecision


class ResignationDecided(_Decided, frozen=True, tag=True):
    decision: ResignationDecision


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The question is impossible; asking again will not help."""

    id: int
    error: str


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The engine raised what it should not."""

    id: int
    error: str


class OutOfTime(msgspec.Struct, frozen=True, tag=True):
    """Not even the shallowest search was done in time."""

    id: int
    seconds: float
    timed_out: tuple[int, ...]


class Spawn(msgspec.Struct, frozen=True, tag=True):
    """To the fork server, with a descriptor: start a worker that answers there."""

    id: int


class Signal(msgspec.Struct, frozen=True, tag=True):
    """To the fork server: send a signal to one of its workers."""

    pid: int
    number: int


class Spawned(msgspec.Struct, frozen=True, tag=True):
    id: int
    pid: int


class NotSpawned(msgspec.Struct, frozen=True, tag=True):
    """The operating system refused; the fork server and its other workers go on."""

    id: int
    error: str


class Ended(msgspec.Struct, frozen=True, tag=True):
    """A worker has ended with this status, or by a signal if it is negative."""

    pid: int
    status: int


Order = Spawn | Signal
Report = Ready | NotReady | Spawned | NotSpawned | Ended
Question = Decide | Ping
Decided = PlayDecided | RankingDecided | CubeDecided | ResignationDecided
Reply = Ready | Pong | Decided | Refused | Failed | OutOfTime

_encoder = msgspec.msgpack.Encoder()
_questions: msgspec.msgpack.Decoder[Question] = msgspec.msgpack.Decoder(Question)
_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)
_orders: msgspec.msgpack.Decoder[Order] = msgspec.msgpack.Decoder(Order)
_reports: msgspec.msgpack.Decoder[Report] = msgspec.msgpack.Decoder(Report)


def frame(message: Question | Reply) -> bytes:
    """The message as it goes over the wire. Raises WireError if it is too long."""
    body = _encoder.encode(message)
    if len(body) > MAX_FRAME:
        raise WireError(f"message of {len(body)} bytes, at most {MAX_FRAME} are allowed")
    return HEADER.pack(len(body)) + body


def body_length(header: bytes) -> int:
    """Length of the message after this header. Raises WireError for one that cannot be right."""
    length = int(HEADER.unpack(header)[0])
    if not 0 < length <= MAX_FRAME:
        raise WireError(f"frame: expected a length of 1 to {MAX_FRAME}, got {length}")
    return length


def packet(message: Order | Report) -> bytes:
    """The message as it goes to or from the fork server."""
    return _encoder.encode(message)


def decode_question(body: bytes) -> Question:
    """Raises WireError for anything but a question."""
    return _decoded(_questions, "question", body)


def decode_reply(body: bytes) -> Reply:
    """Raises WireError for anything but a reply."""
    return _decoded(_replies, "reply", body)


def decode_order(body: bytes) -> Order:
    """Raises WireError for anything but an order to the fork server."""
    return _decoded(_orders, "order", body)


def decode_report(body: bytes) -> Report:
    """Raises WireError for anything but a report of the fork server."""
    return _decoded(_reports, "report", body)


def _decoded(decoder: msgspec.msgpack.Decoder[M], what: str, body: bytes) -> M:
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise WireError(f"{what}: {error}") from error
