"""Columns of categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from ...basics.fact_schema import FactSchema, ListOf, PlainValue, Record, Sizes, refuse
from ...basics.typing import Arrays, Floats
from ...basics.user_warnings import tell
from ...kernels.binning import MAX_BINS
from ..cells import Column
from .base import ColumnReader


@dataclass(frozen=True)
class Categories(ListOf):
    """In files: different values, all of them texts or none (see :func:`counted`)."""

    item: FactSchema = field(default_factory=lambda: PlainValue(gap=False))
    distinct: bool = True

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        super().check(value, where, sizes)
        if len({isinstance(one, str) for one in value}) > 1:
            refuse(where, "a list of texts, or one without texts", value)


@dataclass(frozen=True)
class CategoryColumn(ColumnReader):
    """One number for each category, in sorted order; what training has not seen counts as missing."""

    values: list[Any]
    kind = "category"
    fact_schema: ClassVar[Record] = Record({"values": Categories(most=MAX_BINS)})

    @classmethod
    def of(cls, counts: Counter[Any]) -> Self:
        return cls(in_order(counts))

    @property
    def categories(self) -> dict[int, list[Any]]:
        return {0: self.values}

    @property
    def is_text(self) -> bool:
        return any(isinstance(value, str) for value in self.values)

    def read(self, column: Column) -> Floats:
        codes = {value: code for code, value in enumerate(self.values)}
        cells = self._comparable(column)
        found = np.array([np.nan if cell is None else codes.get(cell, np.nan) for cell in cells])
        if len(cells) and np.isnan(found).all() and any(cell is not None for cell in cells):
            tell_of_nothing_known(column, next(cell for cell in cells if cell is not None))
        return found[:, None]

    def unknown(self, column: Column) -> list[Any]:
        return sorted(set(self._comparable(column)) - {None, *self.values}, key=str)

    def _comparable(self, column: Column) -> list[Any]:
        return comparable(column.cells, self.is_text)

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        return {"values": self.values}, {}

    @classmethod
    def unpack(cls, facts: dict[str, Any], arrays: Arrays) -> Self:
        return cls(list(facts["values"]))


def counted(columns: Iterable[Column]) -> Counter[Any]:
    """How often each value occurs; all of them as text if some are, since 7 in one file is "7" in another."""
    found: Counter[Any] = Counter()
    for column in columns:
        found.update(column.cells)
    del found[None]
    if not any(isinstance(value, str) for value in found):
        return found
    as_text: Counter[Any] = Counter()
    for value, count in found.items():
        as_text[_text(value)] += count
    return as_text


def comparable(cells: list[Any], as_text: bool) -> list[Any]:
    """Cells as they are compared with known values; None where empty."""
    if not as_text:
        return cells
    return [cell if cell is None or isinstance(cell, str) else _text(cell) for cell in cells]


def in_order(values: Iterable[Any]) -> list[Any]:
    """Sorted, whatever their types."""
    return sorted(values, key=lambda value: (type(value).__name__, value))


def tell_of_nothing_known(column: Column, example: Any) -> None:
    tell(
        f"No value of column {column.name!r} was seen in training (for example {example!r}): all of "
        "them count as missing. Is the column of the same kind as in training?"
    )


def _text(value: Any) -> str:
    """A category as text: a whole number that was read as 7.0 is "7"."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
