"""What the arrays of a file may be, said once: their numbers, shapes and ranges. See :mod:`.fact_schema` for sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .fact_schema import SchemaError, Sizes, same_size
from .typing import Arrays

KINDS = {"whole": "iu", "number": "f", "flag": "b", "byte": "u", "bits": "u"}  # letters of numpy's types
MOST = 2**63 - 1  # of whole numbers: beyond it they would become negative


@dataclass(frozen=True)
class Array:
    """An array: ``shape`` in numbers and names of sizes (None is any), entries from ``low`` to ``high``.

    They are below ``high`` if that is the name of a size. Numbers are finite, unless ``infinite`` ones are allowed, or
    ``gaps`` (NaN).
    """

    kind: str
    shape: tuple[int | str | None, ...]
    meaning: str
    low: float | None = None
    high: float | str | None = None
    infinite: bool = False
    gaps: bool = False
    nonzero: bool = False
    optional: bool = False
    count: str | None = None  # the size that says how many such arrays there are, if there are several

    @property
    def words(self) -> str:
        """The numbers and the shape, for the documentation."""
        shape = ", ".join("any" if one is None else str(one) for one in self.shape)
        low = "" if self.low is None else f" >= {self.low:g}"
        high = "" if self.high is None else f" < {self.high}" if isinstance(self.high, str) else f" <= {self.high:g}"
        zero = ", not 0" if self.nonzero else ""
        return f"{self.kind}{low}{high}{zero} ({shape})" if self.shape else f"one {self.kind}{low}{high}{zero}"

    def check(self, array: npt.NDArray[Any], where: str, sizes: Sizes) -> None:
        """Raise :class:`SchemaError` for any other array; names of sizes that are new get their values."""
        if array.dtype.kind not in KINDS[self.kind] or (self.kind == "byte" and array.dtype.itemsize != 1):
            raise SchemaError(f"{where} must hold entries of the kind {self.kind!r}, not {array.dtype}")
        if array.ndim != len(self.shape):
            raise SchemaError(f"{where} must have {len(self.shape)} dimensions, not {array.ndim}")
        for name, found in zip(self.shape, array.shape, strict=True):
            same_size(name, found, where, sizes)
        if array.size and self.kind != "flag":
            self._check_range(array, where, sizes)

    def _check_range(self, array: npt.NDArray[Any], where: str, sizes: Sizes) -> None:
        least, most = array.min(), array.max()
        if self.gaps and np.isnan(least):
            least, most = np.fmin.reduce(array, axis=None), np.fmax.reduce(array, axis=None)  # NaN if all are
            if np.isnan(least):
                return
        if self.nonzero and not array.all():
            raise SchemaError(f"{where} must hold {self.words}, not 0")
        if array.dtype.kind == "f" and (np.isnan(least) or not (self.infinite or np.isfinite([least, most]).all())):
            odd = least if not np.isfinite(least) else most
            raise SchemaError(f"{where} must hold {'numbers' if self.infinite else 'finite numbers'}, not {odd}")
        if self.low is not None and least < self.low:
            raise SchemaError(f"{where} must hold {self.words}, not {least}")
        if self.kind == "whole" and most > MOST:
            raise SchemaError(f"{where} must hold whole numbers of 64 bits with a sign, not {most}")
        if self.high is None:
            return
        if most >= sizes[self.high] if isinstance(self.high, str) else most > self.high:
            raise SchemaError(f"{where} must hold {self.words}, not {most}")


@dataclass(frozen=True)
class Ends(Array):
    """Where the parts of a row of ``total`` entries end, each of at least ``least`` entries.

    With ``parts`` it is where they begin: 0 comes first, and ``parts`` is the size that says how many there are.
    """

    total: str = ""
    least: int = 0
    parts: str | None = None

    def check(self, array: npt.NDArray[Any], where: str, sizes: Sizes) -> None:
        super().check(array, where, sizes)
        total = sizes[self.total]
        if self.parts is not None:
            same_size(self.parts, len(array) - 1, where, sizes)
        fits = not array.size or (array.min() >= 0 and array.max() <= total)
        if fits:
            ends = np.concatenate([[0] if self.parts is None else [], array]).astype(np.int64)
            fits = len(ends) > 0 and ends[0] == 0 and ends[-1] == total and (np.diff(ends) >= self.least).all()
        if not fits:
            raise SchemaError(f"{where} must go up to {total}, the number of {self.total}, by {self.least} or more")


Rule = Callable[[Arrays, Sizes], None]


@dataclass(frozen=True)
class ArrayGroup:
    """Arrays under a common name. ``rule`` refuses, with a ValueError, what single arrays cannot show.

    Names in ``fields`` have a ``{}`` where there are several; then ``count`` is the size that says how many. Sizes that
    are met in a part for the first time are known in that part only.
    """

    fields: Mapping[str, Array | ArrayGroup]
    rule: Rule | None = None
    optional: bool = False
    count: str | None = None

    def check(self, arrays: Arrays, where: str = "", sizes: Sizes | None = None) -> None:
        """Raise :class:`SchemaError` for anything that is missing, or other than it should be, or too much."""
        known: Sizes = dict(sizes or {})
        found = grouped(arrays)
        for key, field in self.fields.items():
            for name in _names(key, field, known):
                own = found.pop(name, None)
                if own is None and not field.optional:
                    raise SchemaError(f"{where}{name} is missing")
                if own is not None:
                    _check_field(field, own, where + name, known)
        if found:
            raise SchemaError(f"it has {where}{min(found)[:60]}, which no such file has")
        if self.rule is not None:
            self.rule(arrays, known)


def _names(key: str, field: Array | ArrayGroup, sizes: Sizes) -> list[str]:
    return [key] if field.count is None else [key.format(number) for number in range(sizes[field.count])]


def _check_field(field: Array | ArrayGroup, own: Arrays | npt.NDArray[Any], where: str, sizes: Sizes) -> None:
    if isinstance(field, Array) != isinstance(own, np.ndarray):
        raise SchemaError(f"{where} must be {'an array' if isinstance(field, Array) else 'several arrays'}")
    if isinstance(field, ArrayGroup):
        field.check(own, f"{where}/", sizes)  # type: ignore[arg-type]
    else:
        field.check(own, where, sizes)  # type: ignore[arg-type]


def grouped(arrays: Arrays) -> dict[str, Arrays | npt.NDArray[Any]]:
    """By what is before the first slash; what has none stays an array."""
    found: dict[str, Any] = {}
    for name, array in arrays.items():
        first, slash, rest = name.partition("/")
        own = found.setdefault(first, {} if slash else array)
        if slash and isinstance(own, dict):
            own[rest] = array
        elif slash or isinstance(own, dict):
            raise SchemaError(f"{first} is both an array and a group of arrays")
    return found
