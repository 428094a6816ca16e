"""Columns whose cells are all numbers, under one decimal mark or under either."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ...basics.typing import Floats, Ints
from .cells import COMMA, POINT, is_mark, written_number
from .shapes import Shapes

FIRST = 100  # cells that are looked at before all others


@dataclass(frozen=True)
class NumberColumn:
    """A column whose cells are all numbers, under one decimal mark or under either.

    ``cells`` are its different texts, ``values`` what they are under each mark that all of them allow; ``codes`` say
    which text each row has, -1 for a gap; ``oddness`` how many characters of each text are no digits.
    """

    cells: list[str]
    values: dict[str, Floats]
    codes: Any
    currencies: list[str]
    percents: int
    gaps: list[str]
    oddness: Ints

    @property
    def is_ambiguous(self) -> bool:
        """Whether both marks are possible, and make a difference."""
        return len(self.values) == 2 and not np.array_equal(self.values[POINT], self.values[COMMA])

    @property
    def evidence(self) -> str | None:
        """The decimal mark that this column shows, if it shows one."""
        return next(iter(self.values)) if len(self.values) == 1 else None

    def read(self, decimal: str) -> Floats:
        """The column as numbers."""
        return np.asarray(np.append(self.values[decimal], np.nan)[self.codes])

    def is_plain(self, decimal: str) -> bool:
        """Whether a computer would write and read all cells that are no gaps like this."""
        try:
            return bool(np.array_equal([float(cell) for cell in self.cells], self.values[decimal]))
        except ValueError:
            return False

    def example(self, decimal: str) -> tuple[str, float]:
        """The cell that is furthest from what a computer would write, and what it is read as."""
        place = int(np.argmax(self.oddness))
        return self.cells[place], float(self.values[decimal][place])


def number_column(column: pd.Series) -> NumberColumn | None:
    """A column of bare texts (or gaps) as numbers, or None if some cell is none."""
    codes, different = pd.factorize(column)
    cells = [str(cell) for cell in different.tolist()]
    if not all(map(_is_number_or_mark, cells[:FIRST])):  # most texts show that they are none at once
        return None
    shapes = Shapes(cells)
    is_number = shapes.spread([number is not None for number in shapes.numbers])
    gaps = [cells[place] for place in np.flatnonzero(~is_number)]
    if not is_number.any() or not all(map(is_mark, gaps)):
        return None
    shapes = shapes.only(is_number) if gaps else shapes
    possible = {mark: shapes.under(mark) for mark in (POINT, COMMA) if shapes.allow(mark)}
    if not possible:
        return None
    place = np.append(np.where(is_number, np.cumsum(is_number) - 1, -1), -1)
    return NumberColumn(
        cells=shapes.cells,
        values=possible,
        codes=place[codes],
        currencies=sorted({number.currency for number in shapes.numbers if number.currency}),
        percents=int(shapes.spread([number.percent for number in shapes.numbers]).sum()),
        gaps=gaps,
        oddness=shapes.spread([sum(not c.isdecimal() for c in shape) for shape in shapes.shapes]),
    )


def _is_number_or_mark(cell: str) -> bool:
    return written_number(cell) is not None or is_mark(cell)
