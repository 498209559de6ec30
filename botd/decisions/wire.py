"""Messages between the daemon and its workers: MessagePack in frames with a length in front.

The two sides are the same program, yet a damaged worker may write anything. So messages are decoded against
their types, nothing in them is executed, and a frame has a limit.
"""

from __future__ import annotations

import struct

import msgspec

from botd.decisions.requests import Request
from botd.engine.types import CubeDecision, EngineInfo, PlayDecision, ResignationDecision

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
    """First message of a worker: the engine is loaded."""

    info: EngineInfo


class NotReady(msgspec.Struct, frozen=True, tag=True):
    """First and last message of a worker whose engine cannot be loaded."""

    error: str


class Pong(msgspec.Struct, frozen=True, tag=True):
    id: int


class _Decided(msgspec.Struct, frozen=True, tag=True):
    id: int
    seconds: float
    timed_out: tuple[int, ...]
    """Plies given up for lack of time, deepest first."""


class PlayDecided(_Decided, frozen=True, tag=True):
    decision: PlayDecision


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


Question = Decide | Ping
Decided = PlayDecided | CubeDecided | ResignationDecided
Reply = (
    Ready | NotReady | Pong | PlayDecided | CubeDecided | ResignationDecided | Refused | Failed | OutOfTime
)

_encoder = msgspec.msgpack.Encoder()
_questions: msgspec.msgpack.Decoder[Question] = msgspec.msgpack.Decoder(Question)
_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


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


def decode_question(body: bytes) -> Question:
    """Raises WireError for anything but a question."""
    try:
        return _questions.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise WireError(f"question: {error}") from error


def decode_reply(body: bytes) -> Reply:
    """Raises WireError for anything but a reply."""
    try:
        return _replies.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise WireError(f"reply: {error}") from error
