"""Zip archives whose members are bounded, before anything is unpacked, by the size of the archive itself."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Container
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.fact_schema import SchemaError

MIB = 2**20
MOST_BRACKETS = 500_000  # lists and objects of a JSON member
AT_ONCE = MIB  # bytes that are unpacked at a time
_ENCRYPTED = 1  # the bit of a zip header
_ENTRY = b"PK\x01\x02"  # how the entry of a member begins

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Bound:
    """So many are ``free``, and one more for every so many ``bytes`` of the file."""

    free: int
    bytes: float

    def most(self, size: int) -> int:
        return self.free + int(size / self.bytes)

    def least_size(self, count: int) -> int:
        """Of a file that may have so many."""
        return 0 if count <= self.free else ceil((count - self.free) * self.bytes)


ROOM = Bound(48 * MIB, 1 / 6)  # bytes that all members take, as they are and as arrays and objects in memory
TEXT = Bound(4 * MIB, 1)  # bytes of a JSON member: as objects it takes much more room than as text
VALUES = Bound(500_000, 16)  # of a JSON member
MEMBERS = Bound(50_000, 400)  # zipfile makes large objects of them


def zipped(members: dict[str, bytes], room: int) -> bytes:
    """An archive that :class:`Archive` reads. No times: equal members make equal archives.

    ``room`` is what the members take in memory. If the archive would be too small for that, some are not compressed.
    """
    texts = [content for name, content in members.items() if _is_json(name)]
    least = max(
        ROOM.least_size(max(room, sum(map(len, members.values())))),
        MEMBERS.least_size(len(members)),
        *(max(TEXT.least_size(len(text)), VALUES.least_size(_values(text))) for text in texts),
    )
    found = _zipped(members)
    if len(found) < least:
        found = _zipped(members, _to_store(found, least))
    if len(found) < least or any(_brackets(text) > MOST_BRACKETS for text in texts):
        raise ValueError(
            "Model files are bounded, so that those of strangers can be read safely. This model is too large for that: "
            "it has too many columns, classes or categories. Save it with skops (skops.io.dump), or fit a smaller one."
        )
    return found


def _to_store(archive: bytes, least: int) -> set[str]:
    """Members to leave as they are, those that gain the least by compression, for an archive of this size."""
    missing, chosen = least - len(archive), set()
    entries = zipfile.ZipFile(io.BytesIO(archive)).infolist()
    for entry in sorted(entries, key=lambda entry: entry.file_size - entry.compress_size):
        if missing > 0:
            chosen.add(entry.filename)
            missing -= entry.file_size - entry.compress_size
    return chosen


class Archive:
    """Members of an archive, by name. Anything odd raises an exception: of which kind is left to zipfile."""

    def __init__(self, content: bytes) -> None:
        self._size = len(content)
        _refuse_more("members", content.count(_ENTRY), MEMBERS, self._size)
        self._archive = zipfile.ZipFile(io.BytesIO(content))
        entries = self._archive.infolist()
        self._entries = {entry.filename: entry for entry in entries}
        if len(self._entries) != len(entries):
            raise SchemaError("two members have the same name")
        for entry in entries:
            if entry.flag_bits & _ENCRYPTED or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise SchemaError(f"{entry.filename[:60]} is encrypted, or compressed in another way than ours")
        self.check_room(sum(entry.file_size for entry in entries))

    def check_room(self, room: int) -> None:
        """Refuse what takes more bytes in memory than a file of this size may."""
        _refuse_more("bytes when it is unpacked", room, ROOM, self._size)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def names(self) -> set[str]:
        return set(self._entries)

    def read(self, name: str) -> Bytes:
        """A member, never more of it than it declares; of arrays there is only one copy at any time."""
        entry = self._entries[name]
        if _is_json(name):
            _refuse_more(f"bytes of {name}", entry.file_size, TEXT, self._size)
        room, filled = np.empty(entry.file_size, np.uint8), 0
        with self._archive.open(entry) as member:
            while part := member.read(min(AT_ONCE, entry.file_size - filled)):
                room[filled : filled + len(part)] = np.frombuffer(part, np.uint8)
                filled += len(part)
        return room[:filled]

    def parsed(self, name: str, member: Bytes) -> Any:
        """JSON as Python objects: no infinities, no more than so many values, and not too deep."""
        content = member.tobytes()
        if _brackets(content) > MOST_BRACKETS:
            raise SchemaError(f"{name} must have at most {MOST_BRACKETS:,} lists and objects")
        _refuse_more(f"values in {name}", _values(content), VALUES, self._size)
        return _parsed(content, name)


def _refuse_more(what: str, count: int, bound: Bound, size: int) -> None:
    if count > bound.most(size):
        raise SchemaError(f"it has {count:,} {what}; for its size {bound.most(size):,} are allowed")


def _brackets(text: bytes) -> int:
    return text.count(b"[") + text.count(b"{")


def _values(text: bytes) -> int:
    """About how many values a text of JSON has, and never fewer."""
    return _brackets(text) + text.count(b",") + text.count(b":") + 1


def _parsed(content: bytes, name: str) -> Any:
    try:
        return json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
    except RecursionError:
        raise SchemaError(f"{name} is nested too deeply") from None


def _refuse_constant(name: str) -> Any:
    raise SchemaError(f"numbers must be finite, not {name}")


def _zipped(members: dict[str, bytes], stored: Container[str] = ()) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            way = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name), content, way)
    return buffer.getvalue()


def _is_json(name: str) -> bool:
    return name.endswith(".json")
