"""Archives in the form of PureTD's network files, written without PyTorch."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

ALIGNMENT = 64


@dataclass
class Member:
    name: str
    data: bytes
    crc: int | None = None
    method: int = 0
    flags: int = 0x808
    size: int | None = None
    """What the directory says, if not the truth."""
    header: int | None = None
    """Offset of its local header, if not the truth."""
    local_name: str | None = None


def archive(members: Sequence[Member], *, count: int | None = None, comment: bytes = b"") -> bytes:
    """A ZIP archive of stored members whose contents are aligned by padding in the local headers."""
    content = b""
    directory = b""
    for member in members:
        name = (member.local_name or member.name).encode()
        header = len(content)
        padding = -(header + 30 + len(name)) % ALIGNMENT
        sizes = (member.crc or zlib.crc32(member.data), len(member.data), len(member.data))
        content += struct.pack(
            "<4s5H3L2H", b"PK\x03\x04", 0, member.flags, member.method, 0, 0, *sizes, len(name), padding
        )
        content += name + b"Z" * padding + member.data
        size = len(member.data) if member.size is None else member.size
        crc = zlib.crc32(member.data) if member.crc is None else member.crc
        where = header if member.header is None else member.header
        name = member.name.encode()
        directory += struct.pack(
            "<4s6H3L5H2L",
            b"PK\x01\x02",
            0,
            0,
            member.flags,
            member.method,
            0,
            0,
            crc,
            size,
            size,
            len(name),
            0,
            0,
            0,
            0,
            0,
            where,
        )
        directory += name
    number = len(members) if count is None else count
    end = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, number, number, len(directory), len(content), len(comment)
    )
    return content + directory + end + comment


class Pickle:
    """Writes the instructions of a description."""

    def __init__(self) -> None:
        self.out = b"\x80\x02"
        self._memo = 0
        self._names: dict[str, int] = {}

    def text(self, text: str) -> None:
        raw = text.encode()
        self.out += b"X" + struct.pack("<I", len(raw)) + raw
        self._put()

    def number(self, number: int) -> None:
        if 0 <= number < 256:
            self.out += b"K" + bytes([number])
        elif 0 <= number < 65536:
            self.out += b"M" + struct.pack("<H", number)
        else:
            self.out += b"J" + struct.pack("<i", number)

    def name(self, module: str, thing: str) -> None:
        key = f"{module} {thing}"
        if key in self._names:
            self.out += b"h" + bytes([self._names[key]])
            return
        self.out += b"c" + f"{module}\n{thing}\n".encode()
        self._names[key] = self._memo
        self._put()

    def value(self, value: Any) -> None:
        match value:
            case bool():
                self.out += b"\x88" if value else b"\x89"
            case str():
                self.text(value)
            case int():
                self.number(value)
            case list():
                self.out += b"]"
                self._put()
                self.out += b"("
                for item in value:
                    self.value(item)
                self.out += b"e"
            case Raw():
                self.out += value.code
            case _:
                raise TypeError(type(value))

    def tensor(self, key: str, shape: tuple[int, ...], place: str, count: int | None = None) -> None:
        self.name("torch._utils", "_rebuild_tensor_v2")
        size = 1
        for n in shape:
            size *= n
        self.out += b"(("
        self.text("storage")
        self.name("torch", "FloatStorage")
        self.text(key)
        self.text(place)
        self.number(size if count is None else count)
        self.out += b"tQ"
        self.number(0)
        strides = (1,) if len(shape) == 1 else (shape[1], 1)
        for sizes in (shape, strides):
            for n in sizes:
                self.number(n)
            self.out += b"\x85" if len(sizes) == 1 else b"\x86"
        self.out += b"\x89"
        self.name("collections", "OrderedDict")
        self.out += b")RtR"

    def _put(self) -> None:
        self.out += b"q" + bytes([self._memo])
        self._memo += 1


@dataclass
class Raw:
    """Instructions as they are."""

    code: bytes


@dataclass
class Archive:
    """A network file of one of PureTD's kinds; change what is to be wrong, then ask for its content."""

    fields: dict[str, Any]
    tensors: list[tuple[str, tuple[int, ...], bytes]]
    folder: str = "some_run"
    place: str = "cpu"
    counts: dict[str, int] = field(default_factory=dict)
    extra: list[Member] = field(default_factory=list)

    def description(self) -> bytes:
        pickle = Pickle()
        pickle.out += b"}("
        for key, value in self.fields.items():
            pickle.text(key)
            pickle.value(value)
        pickle.text("state_dict")
        pickle.name("collections", "OrderedDict")
        pickle.out += b")R("
        for number, (name, shape, _) in enumerate(self.tensors):
            pickle.text(name)
            pickle.tensor(str(number), shape, self.place, self.counts.get(name))
        pickle.out += b"u}"
        pickle.text("_metadata")
        pickle.name("collections", "OrderedDict")
        pickle.out += b")R("
        pickle.text("")
        pickle.out += b"}"
        pickle.text("version")
        pickle.out += b"K\x01susbu."
        return pickle.out

    def members(self) -> list[Member]:
        top = self.folder
        return [
            Member(f"{top}/data.pkl", self.description()),
            Member(f"{top}/.format_version", b"1"),
            Member(f"{top}/byteorder", b"little"),
            *(Member(f"{top}/data/{n}", data) for n, (_, _, data) in enumerate(self.tensors)),
            Member(f"{top}/version", b"3\n"),
            *self.extra,
        ]

    def content(self) -> bytes:
        return archive(self.members())


def make(
    hidden: Sequence[int] = (5, 4), *, kind: str = "cubeful", place: str = "cpu", seed: int = 1
) -> Archive:
    """An archive of a kind: cubeful, cubeless, prob5, dmp, or oldest (a DMP file without output_mode)."""
    inputs = 200 if kind == "cubeful" else 196
    encoder = "cubeful_perspective196" if kind == "cubeful" else "perspective196"
    first: dict[str, Any] = {"model_type": "prob5"} if kind == "prob5" else {}
    first["hidden_sizes"] = list(hidden)
    if kind == "oldest":
        first["hidden_size"] = hidden[0]
    first |= {"input_size": inputs, "activation": "relu", "encoder_name": encoder}
    match kind:
        case "prob5":
            first["raw_logits"] = False
        case "cubeful" | "cubeless":
            first["output_mode"] = "equity"
        case "dmp":
            first["output_mode"] = "probability"
    rng = random.Random(seed)
    outputs = 5 if kind == "prob5" else 1
    names = [f"trunk.{2 * k}" if kind == "prob5" else f"hidden_layers.{k}" for k in range(len(hidden))]
    names.append("head" if kind == "prob5" else "fc_output")
    sizes = [inputs, *hidden, outputs]
    tensors: list[tuple[str, tuple[int, ...], bytes]] = []
    for name, n, m in zip(names, sizes, sizes[1:], strict=False):
        weights = [rng.uniform(-1, 1) for _ in range(n * m)]
        tensors.append((f"{name}.weight", (m, n), struct.pack(f"<{n * m}f", *weights)))
        tensors.append((f"{name}.bias", (m,), struct.pack(f"<{m}f", *(rng.uniform(-1, 1) for _ in range(m)))))
    return Archive(first, tensors, place=place)
