"""Zip archives whose members are bounded, before anything is unpacked, by the size of the archive itself."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from ..basics.fact_schema import SchemaError

MIB = 2**20
FREE, EXPANSION = 64 * MIB, 8  # unpacked, an archive has at most so many bytes, and so many times its own size
FREE_JSON, EXPANSION_JSON = 4 * MIB, 1  # of JSON: as objects it takes much more room than as text
MOST_BRACKETS = 500_000  # lists and objects of a JSON member
_ENCRYPTED = 1  # the bit of a zip header


def zipped(members: dict[str, bytes]) -> bytes:
    """An archive that :class:`Archive` reads: what would expand too much is not compressed. No times: equal members
    make equal archives.
    """
    found = _zipped(members, zipfile.ZIP_DEFLATED)
    total, text = sum(map(len, members.values())), max(len(members[name]) for name in members if _is_json(name))
    if total > _most(found) or text > _most_json(found):
        return stored(members)
    return found


def stored(members: dict[str, bytes]) -> bytes:
    """The same without compression."""
    return _zipped(members, zipfile.ZIP_STORED)


class Archive:
    """Members of an archive, by name. Anything odd raises an exception: of which kind is left to zipfile."""

    def __init__(self, content: bytes) -> None:
        self._archive = zipfile.ZipFile(io.BytesIO(content))
        self._most_json = _most_json(content)
        entries = self._archive.infolist()
        self._entries = {entry.filename: entry for entry in entries}
        if len(self._entries) != len(entries):
            raise SchemaError("two members have the same name")
        for entry in entries:
            if entry.flag_bits & _ENCRYPTED or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise SchemaError(f"{entry.filename[:60]} is encrypted, or compressed in another way than ours")
        total, most = sum(entry.file_size for entry in entries), _most(content)
        if total > most:
            raise SchemaError(f"unpacked it would have {total:,} bytes; for its size {most:,} are allowed")

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def names(self) -> set[str]:
        return set(self._entries)

    def read(self, name: str) -> bytes:
        """A member, never more of it than it declares."""
        entry = self._entries[name]
        if _is_json(name) and entry.file_size > self._most_json:
            raise SchemaError(f"{name} has {entry.file_size:,} bytes; for this file {self._most_json:,} are allowed")
        with self._archive.open(entry) as member:
            return member.read(entry.file_size)


def parsed(content: bytes, name: str) -> Any:
    """JSON as Python objects: no infinities, no more than so many lists and objects, and not too deep."""
    if content.count(b"[") + content.count(b"{") > MOST_BRACKETS:
        raise SchemaError(f"{name} must have at most {MOST_BRACKETS:,} lists and objects")
    try:
        return json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
    except RecursionError:
        raise SchemaError(f"{name} is nested too deeply") from None


def _refuse_constant(name: str) -> Any:
    raise SchemaError(f"numbers must be finite, not {name}")


def _zipped(members: dict[str, bytes], method: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


def _is_json(name: str) -> bool:
    return name.endswith(".json")


def _most(archive: bytes) -> int:
    return FREE + EXPANSION * len(archive)


def _most_json(archive: bytes) -> int:
    return FREE_JSON + EXPANSION_JSON * len(archive)
