"""ZIP archives whose members are stored, not compressed: what is read is never larger than the file."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

MAX_MEMBERS = 1000
_END = struct.Struct("<4s4H2LH")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_ENCRYPTED = 0x1
_MAX_COMMENT = 65535


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    crc: int
    header: int
    """Offset of its local header."""
    start: int
    end: int


def stored_members(content: bytes, source: str) -> dict[str, memoryview]:
    """The members of an archive by name, as views into `content`.

    Raises ValueError, naming `source`, the member and what was expected, for anything but an undamaged
    archive of at most 1000 uncompressed, unencrypted members that lie side by side under plain names.
    """
    found: dict[str, memoryview] = {}
    view = memoryview(content)
    last: _Member | None = None
    for member in sorted(_directory(content, source), key=lambda one: one.header):
        if last is not None and member.header < last.end:
            raise ValueError(
                f"{source}: members {shown(last.name)} and {shown(member.name)} overlap, "
                "expected them side by side"
            )
        if member.name in found:
            raise ValueError(f"{source}: expected one member {shown(member.name)}, got two")
        data = view[member.start : member.end]
        if zlib.crc32(data) != member.crc:
            raise ValueError(
                f"{source}: member {shown(member.name)}: the checksum (CRC-32) is not that of its content, "
                "expected an undamaged file"
            )
        found[member.name] = data
        last = member
    return found


def shown(name: str) -> str:
    """A name from a file, short enough for an error."""
    return repr(name[:80])


def _directory(content: bytes, source: str) -> Iterator[_Member]:
    end = content.rfind(b"PK\x05\x06", max(0, len(content) - _END.size - _MAX_COMMENT))
    if end < 0 or len(content) - end < _END.size:
        raise ValueError(f"{source}: expected a ZIP archive, got {_kind(content)}")
    _, disk, first_disk, here, count, size, offset, comment = _END.unpack_from(content, end)
    if disk or first_disk or here != count:
        raise ValueError(f"{source}: offset {end}: expected an archive in one part")
    if count > MAX_MEMBERS:
        raise ValueError(f"{source}: {count} members, expected at most {MAX_MEMBERS}")
    if end + _END.size + comment != len(content) or offset + size > end:
        raise ValueError(f"{source}: offset {end}: expected the end of the archive to fit the file")
    place, limit = offset, offset + size
    for _ in range(count):
        if limit - place < _CENTRAL.size or content[place : place + 4] != b"PK\x01\x02":
            raise ValueError(f"{source}: offset {place}: expected a directory of {count} members")
        fields = _CENTRAL.unpack_from(content, place)
        flags, method, crc, packed, unpacked = fields[3], fields[4], fields[7], fields[8], fields[9]
        lengths, header = fields[10:13], fields[16]
        name_end = place + _CENTRAL.size + lengths[0]
        raw_name = content[place + _CENTRAL.size : name_end]
        if name_end > limit:
            raise ValueError(f"{source}: offset {place}: expected a directory of {count} members")
        name = _plain_name(raw_name, source)
        if flags & _ENCRYPTED or method or packed != unpacked:
            raise ValueError(
                f"{source}: member {shown(name)}: expected it stored, not compressed or encrypted"
            )
        start = _data_start(content, header, raw_name, source)
        if start + unpacked > offset:
            raise ValueError(
                f"{source}: member {shown(name)}: {unpacked} bytes, expected its end in the file"
            )
        yield _Member(name, crc, header, start, start + unpacked)
        place = name_end + lengths[1] + lengths[2]
    if place != limit:
        raise ValueError(f"{source}: offset {place}: expected the end of the directory of {count} members")


def _data_start(content: bytes, header: int, raw_name: bytes, source: str) -> int:
    """Where a member's content begins; its two headers must agree on the name."""
    if content[header : header + 4] != b"PK\x03\x04" or len(content) - header < _LOCAL.size:
        raise ValueError(f"{source}: offset {header}: expected the header of a member")
    fields = _LOCAL.unpack_from(content, header)
    name_start = header + _LOCAL.size
    if content[name_start : name_start + fields[9]] != raw_name:
        raise ValueError(f"{source}: offset {header}: expected the member's name as in the directory")
    return name_start + int(fields[9]) + int(fields[10])


def _plain_name(raw: bytes, source: str) -> str:
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        name = ""
    parts = name.split("/")
    if not name.isprintable() or "\\" in name or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{source}: member {raw[:80]!r}: expected a plain name")
    return name


def _kind(content: bytes) -> str:
    return "an empty file" if not content else f"a file that begins with {content[:8]!r}"
