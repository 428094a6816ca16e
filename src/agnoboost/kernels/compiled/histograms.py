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


@kernel
def add_column(codes, start, weight, active, feature, table, sums, first, last):
    """The Gram column of a stump: sums of weight * W(x) over the active rows of each cell.

    ``table`` has the stump's value for each bin of its feature.
    """
    for row in range(first, last):
        if is_set(active, row):
            value = weight[row] * table[codes[row, feature]]
            if value != 0:
                for other in range(codes.shape[1]):
                    sums[cell_of(start, codes, row, other)] += value


@kernel
def shift_column(codes, start, weight, active, feature, low, high, factor, sums, first, last):
    """What a stump's column must change by to become that of a neighbour: only rows in bins low..high differ."""
    for row in range(first, last):
        code = codes[row, feature]
        if low <= code < high and is_set(active, row):
            value = factor * weight[row]
            for other in range(codes.shape[1]):
                sums[cell_of(start, codes, row, other)] += value


LANES = 8
_FLUSH = 32_000  # rows after which a 16-bit lane, which grows by up to 2 a row, is emptied


@kernel
def add_panel(codes, start, active, features, tables, sums, first, last):
    """The columns of 7 stumps and, last, the count of active rows, in one pass (rows of equal weight).

    Each row adds W(x) + 1, which is 0, 1 or 2, for all stumps at once: two words of four 16-bit lanes a cell.
    """
    # What each bin adds to its stump's word.
    share = np.zeros((LANES, 256), dtype=np.uint64)
    for lane in range(LANES):
        for code in range(256):
            share[lane, code] = np.uint64(tables[lane, code] + 1) << np.uint64(16 * (lane % 4))
    words = np.zeros((sums.shape[1], 2), dtype=np.uint64)
    for block in range(first, last, _FLUSH):
        for row in range(block, min(block + _FLUSH, last)):
            if not is_set(active, row):
                continue
            low, high = np.uint64(0), np.uint64(0)
            for lane in range(4):
                low += share[lane, codes[row, features[lane]]]
                high += share[4 + lane, codes[row, features[4 + lane]]]
            for feature in range(codes.shape[1]):
                cell = cell_of(start, codes, row, feature)
                words[cell, 0] += low
                words[cell, 1] += high
        for cell in range(sums.shape[1]):
            for lane in range(LANES):
                sums[lane, cell] += np.int64((words[cell, lane // 4] >> np.uint64(16 * (lane % 4))) & np.uint64(65535))
            words[cell, 0] = 0
            words[cell, 1] = 0
