"""Sums over the rows of each cell: twin of :func:`agnoboost.kernels.cells.cell_sums`.

Rows lie one after the other (``codes[row, feature]``), so that touching a few of them touches few cache lines. Every
kernel adds rows start..end into ``sums``; threads take different rows and sums of their own.
"""

from __future__ import annotations

import numpy as np

from . import kernel


@kernel
def cell_of(start, codes, row, feature):
    """The cell that a row is in. It is unsigned: of signed places numba asks whether they are negative."""
    return np.uint64(start[feature]) + np.uint64(codes[row, feature])


@kernel
def add_rows(codes, start, values, sums, first, last):
    """Add ``values[row]`` to all cells of every row."""
    for row in range(first, last):
        value = values[row]
        if value != 0:
            for feature in range(codes.shape[1]):
                sums[cell_of(start, codes, row, feature)] += value


@kernel
def is_set(bits, row):
    """Whether a row's bit is 1."""
    return (bits[row >> 6] >> np.uint64(row & 63)) & np.uint64(1) != 0
