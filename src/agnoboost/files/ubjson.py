"""Universal Binary JSON, as far as XGBoost writes it; nothing is believed that the bytes do not hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..basics.fact_schema import SchemaError

DEEPEST = 16  # objects and lists within each other
_NUMBERS = {"i": ">i1", "U": ">u1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8"}
_CONSTANTS = {"Z": None, "T": True, "F": False}


def from_ubjson(content: bytes) -> Any:
    """The value; lists of numbers of one type as arrays.

    >>> from_ubjson(b"{i\\x01a[$U#i\\x02\\x05\\x06i\\x01bSi\\x01x}")
    {'a': array([5, 6], dtype=uint8), 'b': 'x'}
    """
    reader = _Reader(content)
    value = reader.value(reader.mark(), 0)
    if reader.place != len(content):
        raise SchemaError("a tree model has bytes after its end")
    return value


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self.place = 0

    def _take(self, count: int) -> bytes:
        if not 0 <= count <= len(self._content) - self.place:
            raise SchemaError("a tree model is cut short")
        self.place += count
        return self._content[self.place - count : self.place]

    def mark(self) -> str:
        return self._take(1).decode("latin-1")

    def _next_is(self, mark: bytes) -> bool:
        found = self._content[self.place : self.place + 1] == mark
        self.place += found
        return found

    def _numbers(self, mark: str, count: int) -> Any:
        if mark not in _NUMBERS:
            raise SchemaError(f"a tree model has a value of an unknown type {mark!r}")
        kind = np.dtype(_NUMBERS[mark])
        return np.frombuffer(self._take(count * kind.itemsize), kind).astype(kind.newbyteorder("="))

    def _count(self) -> int:
        return int(self._numbers(self.mark(), 1)[0])

    def _text(self) -> str:
        return self._take(self._count()).decode("utf-8")

    def value(self, mark: str, depth: int) -> Any:
        """The value that follows its mark."""
        if depth > DEEPEST:
            raise SchemaError("a tree model is nested too deeply")
        if mark in _CONSTANTS:
            return _CONSTANTS[mark]
        if mark == "S":
            return self._text()
        if mark == "{":
            return self._object(depth)
        if mark == "[":
            return self._list(depth)
        return self._numbers(mark, 1)[0].item()

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self._next_is(b"}"):
            name = self._text()
            found[name] = self.value(self.mark(), depth + 1)
        return found

    def _list(self, depth: int) -> Any:
        if self._next_is(b"$"):
            mark = self.mark()
            if not self._next_is(b"#"):
                raise SchemaError("a list of a tree model has a type, and no length")
            return self._numbers(mark, self._count())
        found: list[Any] = []
        if self._next_is(b"#"):
            count = self._count()
            while len(found) < count:  # each takes a byte at least
                found.append(self.value(self.mark(), depth + 1))
            return found
        while not self._next_is(b"]"):
            found.append(self.value(self.mark(), depth + 1))
        return found
