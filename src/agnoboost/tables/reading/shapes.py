"""Many cells at once: what cells mean depends on their shape, so that the rules are asked once for each shape.

The shape of a cell has ones for its digits, but for zeros that no digit stands before: 0,05 EUR and 0,07 EUR are both
0,01 EUR. No rule looks at more of the digits than that; the numbers themselves are read from digits and decimal marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...basics.typing import Floats
from .arrow_cells import floats
from .cells import COMMA, POINT, WrittenNumber, written_number

BETWEEN = "\0"  # cells; no number has it
ONES = bytes.maketrans(b"23456789", b"11111111")
BESIDE = {  # characters that are no part of a number under each mark
    mark: bytes(set(range(256)) - set(f"0123456789{BETWEEN}{mark}".encode())) for mark in (POINT, COMMA)
}


class Shapes:
    """The shapes of cells, and what numbers they show.

    Parameters
    ----------
    cells : list of str
        Texts.
    """

    def __init__(self, cells: list[str]):
        self.cells = cells
        self._joined = BETWEEN.join(cells).encode(errors="surrogatepass")
        of_cells = self._of_cells()
        # As pandas.factorize does; but that of pandas 2 takes texts for equal that differ in zero bytes at their ends.
        codes = {shape: code for code, shape in enumerate(dict.fromkeys(of_cells))}
        self._codes = np.fromiter(map(codes.__getitem__, of_cells), np.int64, len(of_cells))
        self.shapes: list[str] = list(codes)
        self.numbers: list[Any] = [written_number(shape) for shape in self.shapes]

    def _of_cells(self) -> list[str]:
        joined = _zeros_as_ones(self._joined.translate(ONES))
        found = joined.decode(errors="surrogatepass").split(BETWEEN)
        return found if len(found) == len(self.cells) else self.cells  # a cell with the mark is its own shape

    def spread(self, by_shape: Sequence[Any]) -> Any:
        """What is known of shapes, for each cell."""
        return np.array(by_shape)[self._codes]

    def allow(self, decimal: str) -> bool:
        """Whether this can be the decimal mark of all cells, which must be numbers."""
        return all(number.under(decimal) is not None for number in self.numbers)

    def under(self, decimal: str) -> Floats:
        """The numbers, if this is the decimal mark; same as asking each cell."""
        simple = self.spread([_is_simple(number) for number in self.numbers])
        values = floats(self._joined.translate(None, BESIDE[decimal]).replace(decimal.encode(), b"."), simple)
        values *= self.spread([number.factor for number in self.numbers])
        values[self.spread([number.percent for number in self.numbers])] /= 100
        for place in np.flatnonzero(~simple):
            number = written_number(self.cells[place])
            assert number is not None
            values[place] = number.under(decimal)
        return values


def _zeros_as_ones(digits: bytes) -> bytes:
    """Ones for all zeros right behind a one; by halves, since a cell may have a million zeros.

    >>> _zeros_as_ones(b"001000.0100")
    b'001111.0111'
    """
    zeros = 1
    while b"1" + b"0" * (2 * zeros) in digits:
        zeros *= 2
    while zeros:
        digits = digits.replace(b"1" + b"0" * zeros, b"1" * (zeros + 1))
        zeros //= 2
    return digits


def _is_simple(number: WrittenNumber) -> bool:
    """Whether its digits are the usual ones, and all there is to it."""
    return number.body.isascii() and not number.power
