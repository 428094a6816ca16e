"""Words among numbers: a few different ones stand for gaps; more, or such as 3+, leave the column as text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import pandas as pd

from .cells import COMMA, POINT, is_mark, written_number
from .codes import example_of_codes
from .number_columns import FIRST, WrittenNumbers, number_column

MOST = 0.5  # share of cells that are numbers above which the others are likely to be gaps or mistakes
FEW = 5  # different words


@dataclass(frozen=True)
class OddCells:
    """The different cells of a column that are no numbers, the most frequent first, and how many cells are numbers."""

    odd: list[str]
    numbers: int
    different: int

    @property
    def are_gaps(self) -> bool:
        """Whether none can be a value of its own: 3+ or 12-14 can, and so can words if there are as many as numbers."""
        words = [cell for cell in self.odd if not is_mark(cell)]
        return len(words) <= FEW and len(words) < self.different and not any(map(_has_digits, words))


def odd_cells(column: pd.Series) -> OddCells | None:
    """What is no number in a column of texts (or gaps), of which most are; None if most are not."""
    cells = column.dropna()
    if not _mostly_numbers(Counter(cells.iloc[:FIRST].tolist())):
        return None  # most texts show that they are none at once
    counts = Counter(cells.tolist())
    if not _mostly_numbers(counts):
        return None
    odd = [cell for cell, _ in counts.most_common() if not _is_number(cell)]
    return OddCells(odd, sum(n for cell, n in counts.items() if _is_number(cell)), len(counts) - len(odd))


def numbers_among_words(column: pd.Series) -> WrittenNumbers | None:
    """The numbers of a column in which a few words stand for gaps, or None."""
    found = odd_cells(column)
    if found is None or not found.are_gaps:
        return None
    rest = column.where(~column.isin(found.odd))
    numbers = None if example_of_codes(rest) else number_column(rest)
    return None if numbers is None else replace(numbers, gaps=found.odd)


def _mostly_numbers(counts: Counter[str]) -> bool:
    return sum(n for cell, n in counts.items() if _is_number(cell)) > MOST * counts.total()


def _is_number(cell: str) -> bool:
    number = written_number(cell)
    return number is not None and any(number.under(mark) is not None for mark in (POINT, COMMA))


def _has_digits(cell: str) -> bool:
    return any(character.isdecimal() for character in cell)
