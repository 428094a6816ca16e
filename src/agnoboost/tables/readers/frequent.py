"""Columns of more categories than a model can tell apart, such as postal codes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ...basics.fact_schema import Record
from ...basics.typing import Arrays, Floats
from ...kernels.binning import MAX_BINS
from ..cells import Column
from .base import ColumnReader
from .category import Categories, comparable, in_order

RARE = "(rare)"


@dataclass(frozen=True)
class FrequentColumn(ColumnReader):
    """The most frequent values, among all rows with and without labels, are categories; all others are one more.

    Means of labels by value, left out in turn, were tried beside it and did not help with few labels (docs/columns.md).
    """

    values: list[Any]
    kind = "frequent categories"
    fact_schema: ClassVar[Record] = Record({"values": Categories(most=MAX_BINS - 1)})

    @classmethod
    def of(cls, counts: Counter[Any]) -> Self:
        known = in_order(counts)
        known.sort(key=counts.__getitem__, reverse=True)  # ties stay in order
        return cls(known[: MAX_BINS - 1])

    @property
    def categories(self) -> dict[int, list[Any]]:
        return {0: [*self.values, RARE]}

    @property
    def is_text(self) -> bool:
        return any(isinstance(value, str) for value in self.values)

    def read(self, column: Column) -> Floats:
        codes = {None: np.nan, **{value: code for code, value in enumerate(self.values)}}
        cells = comparable(column.cells, self.is_text)
        return np.array([codes.get(cell, len(self.values)) for cell in cells], dtype=np.float64)[:, None]

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        return {"values": self.values}, {}

    @classmethod
    def unpack(cls, facts: dict[str, Any], arrays: Arrays) -> Self:
        return cls(list(facts["values"]))
