"""Columns that tell rows apart, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...basics.typing import Arrays, Floats
from ..cells import Column
from .base import ColumnReader

FEWEST_ROWS = 20  # with fewer, different values may well be chance
WIDEST = 10  # times as far as row numbers go, which may have gaps where rows are missing
LONG = 30  # characters: longer texts may have something to say
_MACHINE_MADE = re.compile(r"\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?|[0-9a-f]{30,}", re.IGNORECASE)


@dataclass(frozen=True)
class LeftOutColumn(ColumnReader):
    """No numbers at all."""

    kind = "left out"

    @property
    def is_text(self) -> bool:
        return True

    @property
    def parts(self) -> list[str]:
        return []

    def read(self, column: Column) -> Floats:
        return np.empty((len(column.series), 0))

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        return {}, {}

    @classmethod
    def unpack(cls, facts: dict[str, Any], arrays: Arrays) -> Self:
        return cls()


def are_identifiers(counts: Counter[Any]) -> bool:
    """Whether texts are codes of which every row has its own, or UUIDs and the like, most of them different."""
    total = sum(counts.values())
    if total < FEWEST_ROWS:
        return False
    if all(_MACHINE_MADE.fullmatch(text) for text in counts):
        return 2 * len(counts) > total
    one_word = all(len(text.split()) <= 1 for text in counts)
    return len(counts) == total and one_word and sum(map(len, counts)) < LONG * total


def count_up(columns: Sequence[Column]) -> bool:
    """Whether whole numbers go up from row to row, without large gaps, as numbers of rows do.

    Gaps are allowed, since what a table leaves out its parts must leave out, too: such as those of a cross-validation.
    """
    first = columns[0]
    if not first.holds_integers or len(first.series) < FEWEST_ROWS:
        return False
    plain = first.plain()
    if plain.dtype.kind not in "iu" or not (plain[1:] > plain[:-1]).all():
        return False
    return int(plain[-1]) - int(plain[0]) <= WIDEST * len(plain)
