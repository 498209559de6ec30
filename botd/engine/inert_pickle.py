"""Reads the descriptions in PyTorch's archives, which are pickles, without running anything.

A machine for the few instructions of values and containers. The three names that such a file may refer to
become inert marks, and a tensor becomes a record of where its numbers are.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

MAX_BYTES = 1 << 20
MAX_MEMO = 10_000
_MAX_NAME = 100


class Known(StrEnum):
    """The only names that may be referred to."""

    ORDERED_DICT = "collections OrderedDict"
    REBUILD_TENSOR = "torch._utils _rebuild_tensor_v2"
    FLOAT_STORAGE = "torch FloatStorage"


@dataclass(frozen=True, slots=True)
class Storage:
    """Float32 numbers in a member of the archive."""

    key: str
    """The last part of the member's name."""
    count: int


@dataclass(frozen=True, slots=True)
class Tensor:
    """A whole storage seen in this shape, row by row."""

    storage: Storage
    shape: tuple[int, ...]


def load(content: bytes, source: str) -> object:
    """The value that the pickle describes: texts, numbers, lists, tuples, dictionaries by text, tensors.

    Raises ValueError, naming `source`, the offset and what was expected, for anything else.
    """
    if len(content) > MAX_BYTES:
        raise ValueError(f"{source}: {len(content)} bytes, expected at most {MAX_BYTES}")
    return _Machine(content, source).run()


class _Mark:
    """Where a container's items begin on the stack."""


_MARK = _Mark()


class _Machine:
    def __init__(self, content: bytes, source: str) -> None:
        self._content = content
        self._source = source
        self._at = 0
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def run(self) -> object:
        while True:
            start = self._at
            code = self._take(1)
            if code == b".":
                break
            try:
                self._step(code)
            except _Unexpected as error:
                raise ValueError(f"{self._source}: offset {start}: {error}") from None
        if len(self._stack) != 1:
            raise ValueError(f"{self._source}: offset {self._at - 1}: expected one value at the end")
        if self._at != len(self._content):
            raise ValueError(f"{self._source}: offset {self._at}: expected nothing behind the end")
        return self._stack[0]

    def _step(self, code: bytes) -> None:
        match code:
            case b"\x80":
                if self._number("<B") != 2:
                    raise _Unexpected("expected protocol 2")
            case b"(":
                self._stack.append(_MARK)
            case b"}":
                self._stack.append({})
            case b"]":
                self._stack.append([])
            case b")":
                self._stack.append(())
            case b"N":
                self._stack.append(None)
            case b"\x88" | b"\x89":
                self._stack.append(code == b"\x88")
            case b"J":
                self._stack.append(self._number("<i"))
            case b"K":
                self._stack.append(self._number("<B"))
            case b"M":
                self._stack.append(self._number("<H"))
            case b"G":
                self._stack.append(self._number(">d"))
            case b"X":
                self._stack.append(self._text())
            case b"q":
                self._put(self._number("<B"))
            case b"r":
                self._put(self._number("<I"))
            case b"h":
                self._get(self._number("<B"))
            case b"j":
                self._get(self._number("<I"))
            case b"c":
                self._stack.append(self._name())
            case b"t":
                self._stack.append(tuple(self._items()))
            case b"\x85" | b"\x86" | b"\x87":
                self._stack.append(tuple(self._pop_many(code[0] - 0x84)))
            case b"a":
                item = self._pop()
                self._top(list).append(item)
            case b"e":
                items = self._items()
                self._top(list).extend(items)
            case b"s":
                pair = self._pop_many(2)
                self._set(pair)
            case b"u":
                self._set(self._items())
            case b"b":
                self._pop()  # attributes of the dictionary below, which mean nothing to us
                self._top(dict)
            case b"R":
                arguments = self._pop()
                self._stack.append(_call(self._pop(), arguments))
            case b"Q":
                self._stack.append(_storage(self._pop()))
            case _:
                raise _Unexpected(f"instruction {code!r}, expected one of values and containers")

    def _take(self, count: int) -> bytes:
        taken = self._content[self._at : self._at + count]
        if len(taken) != count:
            raise ValueError(f"{self._source}: {len(self._content)} bytes, expected more")
        self._at += count
        return taken

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _text(self) -> str:
        try:
            return self._take(self._number("<I")).decode()
        except UnicodeDecodeError:
            raise _Unexpected("expected a text in UTF-8") from None

    def _name(self) -> Known:
        lines = []
        for _ in range(2):
            end = self._content.find(b"\n", self._at, self._at + _MAX_NAME)
            if end < 0:
                raise _Unexpected("expected the name of a module and of a thing in it")
            lines.append(self._take(end - self._at))
            self._take(1)
        name = b" ".join(lines).decode("ascii", "backslashreplace")
        if name not in list(Known):
            raise _Unexpected(f"refers to {name!r}, expected one of {', '.join(Known)}")
        return Known(name)

    def _put(self, key: int) -> None:
        if not self._stack or self._stack[-1] is _MARK:
            raise _Unexpected("expected a value to remember")
        if len(self._memo) == MAX_MEMO and key not in self._memo:
            raise _Unexpected(f"expected at most {MAX_MEMO} values to remember")
        self._memo[key] = self._stack[-1]

    def _get(self, key: int) -> None:
        if key not in self._memo:
            raise _Unexpected(f"expected a value remembered as {key}")
        self._stack.append(self._memo[key])

    def _pop(self) -> Any:
        if not self._stack or self._stack[-1] is _MARK:
            raise _Unexpected("expected a value")
        return self._stack.pop()

    def _pop_many(self, count: int) -> list[Any]:
        return [self._pop() for _ in range(count)][::-1]

    def _items(self) -> list[Any]:
        """Everything above the latest mark, which goes, too."""
        items: list[Any] = []
        while self._stack:
            item = self._stack.pop()
            if item is _MARK:
                return items[::-1]
            items.append(item)
        raise _Unexpected("expected a mark")

    def _top(self, kind: type) -> Any:
        if not self._stack or type(self._stack[-1]) is not kind:
            raise _Unexpected(f"expected a {kind.__name__}")
        return self._stack[-1]

    def _set(self, items: list[Any]) -> None:
        target = self._top(dict)
        keys, values = items[::2], items[1::2]
        if len(keys) != len(values) or not all(type(key) is str for key in keys):
            raise _Unexpected("expected pairs of a text and a value")
        target.update(zip(keys, values, strict=True))


class _Unexpected(Exception):
    """What is wrong with an instruction."""


def _call(called: object, arguments: object) -> object:
    if called is Known.ORDERED_DICT and arguments == ():
        return {}
    if called is Known.REBUILD_TENSOR and isinstance(arguments, tuple):
        return _tensor(arguments)
    raise _Unexpected("a call, expected an empty OrderedDict or the rebuilding of a tensor")


def _tensor(arguments: tuple[Any, ...]) -> Tensor:
    """From storage, offset, shape, strides, requires_grad and hooks."""
    if len(arguments) != 6 or not isinstance(arguments[0], Storage):
        raise _Unexpected("expected a tensor of a storage and five values")
    storage, offset, shape, strides, _, hooks = arguments
    if type(offset) is not int or offset != 0 or hooks != {}:
        raise _Unexpected("expected a tensor that begins with its storage and has no hooks")
    sizes = isinstance(shape, tuple) and 1 <= len(shape) <= 2 and all(type(n) is int and n > 0 for n in shape)
    if not sizes:
        raise _Unexpected("expected a tensor of one or two sizes")
    if strides != ((1,) if len(shape) == 1 else (shape[1], 1)):
        raise _Unexpected("expected a tensor whose rows stand one after the other")
    count = shape[0] if len(shape) == 1 else shape[0] * shape[1]
    if count != storage.count:
        raise _Unexpected(f"a storage of {storage.count} numbers for a tensor, expected {count}")
    return Tensor(storage, shape)


def _storage(identifier: object) -> Storage:
    """From the word `storage`, the storage's type, key, place (which is of no interest) and count."""
    match identifier:
        case ("storage", Known.FLOAT_STORAGE, str(key), str(), int(count)) if key.isascii() and key.isdigit():
            return Storage(key, count)
        case _:
            raise _Unexpected("expected a storage of float32 numbers with a numbered member")
