"""Damage to archives of facts and arrays (model files, policies, checkpoints), at three depths.

*Raw* damage hits the bytes of the file. *Corrected* damage hits the bytes of a member, and the checksums are made to
fit. *Structural* damage changes what members say, as a hostile or faulty writer would; the checksums fit, too.
*Sealed* is structural damage to a checkpoint whose seal was made again as well.

A change is a pair: the way, and a number that settles all choices. So recipes are short, and can be shortened.
"""

import hashlib
import io
import json
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

import numpy as np

from agnoboost.rounds.checkpoint_checks import seal

from .array_damage import changed as changed_array
from .byte_damage import damaged
from .fact_damage import as_text
from .fact_damage import changed as changed_facts

FACTS, MANIFEST = "model.json", "manifest.json"
STRUCTURAL = ("facts", "facts", "facts", "array", "array", "array", "members", "manifest", "zip")
DEPTHS = {
    "raw": ("bytes",),
    "corrected": ("member bytes",),
    "structural": STRUCTURAL,
    "sealed": ("facts", "array", "array", "members"),
}
ENTRIES = (  # how the two kinds of entries of a zip archive begin, and where their fields are
    (b"PK\x01\x02", (6, 8, 10, 16, 20, 24, 28, 30, 32, 34, 42)),
    (b"PK\x03\x04", (4, 6, 8, 14, 18, 22, 26, 28)),
)

Change = tuple[str, int]


@dataclass
class Damage:
    """An archive while it is being changed."""

    members: dict[str, bytes]
    manifest: dict[str, object]
    words: list[str] = field(default_factory=list)
    nonsense: bool = False  # whether something was written that no valid file could hold

    def apply(self, way: str, dice: Random) -> None:
        getattr(self, "_" + way.replace(" ", "_"))(dice)

    def _facts(self, dice: Random) -> None:
        try:
            facts = json.loads(self.members[FACTS])
        except (ValueError, KeyError, RecursionError):
            return  # an earlier change has made it unreadable
        facts, words, nonsense = changed_facts(facts, dice)
        self.members[FACTS] = as_text(facts).encode()
        self._note(f"{FACTS}: {words}", nonsense)

    def _array(self, dice: Random) -> None:
        names = [name for name in self.members if name.endswith(".npy")]
        if names:
            name = dice.choice(names)
            try:
                self.members[name], words, nonsense = changed_array(self.members[name], name, dice)
            except Exception:  # an earlier change has made it unreadable
                return
            self._note(f"{name}: {words}", nonsense)

    def _member_bytes(self, dice: Random) -> None:
        name = dice.choice(list(self.members))
        self.members[name] = damaged(self.members[name], dice)
        self._note(f"{name}: bytes changed", False)

    def _members(self, dice: Random) -> None:
        name, other = dice.choice(list(self.members)), dice.choice(list(self.members))
        way = dice.choice(("removed", "emptied", "that of", "added", "grown"))
        if way == "removed":
            del self.members[name]
        elif way == "emptied":
            self.members[name] = b""
        elif way == "that of":
            self.members[name] = self.members[other]
            way = f"that of {other}"
        elif way == "added":
            name = dice.choice(("more.npy", "../out.npy", "/etc/agnoboost.npy", "a" * 300 + ".npy", "code.py"))
            self.members[name] = self.members[other]
        else:  # some megabytes of nothing, which pack to nearly nothing
            self.members[name] += bytes(dice.choice((10**6, 10**6, 10**7)))
        self._note(f"{name} {way}", False)

    def _manifest(self, dice: Random) -> None:
        self.manifest, words, nonsense = changed_facts(self.manifest, dice)
        self._note(f"manifest: {words}", nonsense)

    def _note(self, words: str, nonsense: bool) -> None:
        self.words.append(words)
        self.nonsense |= nonsense


def recipe_of_changes(dice: Random, depth: str) -> list[Change]:
    """One to three changes."""
    return [(dice.choice(DEPTHS[depth]), dice.getrandbits(32)) for _ in range(dice.choice((1, 1, 2, 3)))]


def fewer(changes: list[Change]) -> Iterator[list[Change]]:
    """The same with one change less."""
    if len(changes) > 1:
        for place in range(len(changes)):
            yield [*changes[:place], *changes[place + 1 :]]


def apply(
    content: bytes,
    changes: list[Change],
    sealed: bool = False,
    by_hand: Callable[[dict[str, bytes]], None] | None = None,
) -> tuple[bytes, str, bool]:
    """The damaged file, what was done in words, and whether it is nonsense. ``by_hand`` is a change to the members."""
    members = dict(_members(content))
    damage = Damage(members, json.loads(members.pop(MANIFEST)))
    inner = [(way, number) for way, number in changes if way not in ("bytes", "zip", "manifest")]
    for way, number in inner:
        damage.apply(way, Random(number))
    if by_hand is not None:
        by_hand(damage.members)
        damage.words.append("changed by hand")
    if inner or by_hand is not None:
        if sealed:
            _seal(damage.members)
        damage.manifest["sha256"] = {name: _sum(member) for name, member in damage.members.items()}
    for way, number in changes:
        if way == "manifest":
            damage.apply(way, Random(number))
    if len(damage.words):
        content = _zipped({MANIFEST: as_text(damage.manifest).encode(), **damage.members})
    for way, number in changes:
        if way == "zip":
            content = _other_directory(content, Random(number))
            damage.words.append("entries of the archive changed")
        elif way == "bytes":
            content = damaged(content, Random(number))
            damage.words.append("bytes of the file changed")
    return content, "; ".join(damage.words), damage.nonsense


@lru_cache(maxsize=100)
def _members(content: bytes) -> dict[str, bytes]:
    archive = zipfile.ZipFile(io.BytesIO(content))
    return {name: archive.read(name) for name in archive.namelist()}


def _sum(member: bytes) -> str:
    return hashlib.sha256(member).hexdigest()


def _zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, member in members.items():
            way = zipfile.ZIP_DEFLATED if len(member) > 10**5 else zipfile.ZIP_STORED
            archive.writestr(name, member, way, compresslevel=1)
    return buffer.getvalue()


def _other_directory(content: bytes, dice: Random) -> bytes:
    """One field of an entry of the archive's directory, or of the header before a member, gets an odd value."""
    data = bytearray(content)
    mark, fields = dice.choice(ENTRIES)
    places = [found.start() for found in re.finditer(re.escape(mark), content[:-42])]
    if places:
        at = dice.choice(places) + dice.choice(fields)
        size = dice.choice((2, 2, 4))
        value = dice.choice((0, 1, 8, 9, 12, 14, 0xFF, 2 ** (8 * size) - 1, dice.getrandbits(8 * size)))
        data[at : at + size] = struct.pack("<H" if size == 2 else "<I", value)
    return bytes(data)


def _seal(members: dict[str, bytes]) -> None:
    """A checkpoint's seal, made for what it says now; left alone where nothing can be read."""
    try:
        facts = json.loads(members[FACTS])
        arrays = {name.removesuffix(".npy"): np.load(io.BytesIO(one)) for name, one in members.items() if name != FACTS}
        facts.pop("seal")
        members[FACTS] = json.dumps({**facts, "seal": seal(facts, arrays)}).encode()
    except Exception:
        return
