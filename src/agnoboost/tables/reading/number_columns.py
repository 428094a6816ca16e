"""Columns whose cells are all numbers, under one decimal mark or under either."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...basics.typing import Floats, Ints
from .cells import COMMA, POINT, is_mark, written_number
from .shapes import Shapes

FIRST = 100  # cells that are looked at before all others


@dataclass(frozen=True)
class WrittenNumbers:
    """A column whose cells are all numbers, under one decimal mark or under either.

    ``cells`` are those that are no gaps, ``places`` their rows of ``rows``, ``values`` what they are under each mark
    that all of them allow, ``gaps`` the different marks of gaps, and ``odd`` the place of the cell that is furthest
    from what a computer would write.
    """

    cells: pd.Series
    places: Ints
    rows: int
    values: dict[str, Floats]
    currencies: list[str]
    percents: int
    gaps: list[str]
    odd: int

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
        found = np.full(self.rows, np.nan)
        found[self.places] = self.values[decimal]
        return found

    def is_plain(self, decimal: str) -> bool:
        """Whether a computer would write and read all cells that are no gaps like this."""
        try:
            for some in (slice(FIRST), slice(None)):  # most show it at once
                if not np.array_equal([float(cell) for cell in self.cells.iloc[some]], self.values[decimal][some]):
                    return False
        except ValueError:
            return False
        return True

    def example(self, decimal: str) -> tuple[str, float]:
        """The oddest cell, and what it is read as."""
        return str(self.cells.iloc[self.odd]), float(self.values[decimal][self.odd])


def number_column(column: pd.Series) -> WrittenNumbers | None:
    """A column of bare texts (or gaps) as numbers, or None if some cell is none."""
    places = np.flatnonzero(column.notna())
    cells = column.iloc[places] if len(places) < len(column) else column
    if not len(cells) or not all(map(_is_number_or_mark, cells.iloc[:FIRST].unique())):
        return None  # most texts show that they are none at once
    shapes = Shapes(cells.tolist())
    is_number = shapes.spread([number is not None for number in shapes.numbers])
    gaps = list(dict.fromkeys(cells[~is_number].tolist()))
    if not is_number.any() or not all(map(is_mark, gaps)):
        return None
    if gaps:
        cells, places = cells[is_number], places[is_number]
        shapes = Shapes(cells.tolist())
    possible = {mark: shapes.under(mark) for mark in (POINT, COMMA) if shapes.allow(mark)}
    if not possible:
        return None
    return WrittenNumbers(
        cells=cells,
        places=places,
        rows=len(column),
        values=possible,
        currencies=sorted({number.currency for number in shapes.numbers if number.currency}),
        percents=int(shapes.spread([number.percent for number in shapes.numbers]).sum()),
        gaps=gaps,
        odd=int(shapes.spread([sum(not c.isdecimal() for c in shape) for shape in shapes.shapes]).argmax()),
    )


def _is_number_or_mark(cell: str) -> bool:
    return written_number(cell) is not None or is_mark(cell)
