"""Similarities of many rows to some: twin of :func:`agnoboost.kernels.similarity.expansion`."""

from __future__ import annotations

import numpy as np
from numba import njit

from .. import tree_arithmetic
from . import kernel

BLOCK = 64  # rows that are worked on together, so that the processor takes several at a time

decay = njit(nogil=True, cache=True, inline="always")(tree_arithmetic.decay)


@kernel
def add_squares(column, value, distance):
    for lane in range(column.size):
        difference = column[lane] - value
        distance[lane] += difference * difference


@kernel
def add_sizes(column, value, distance):
    for lane in range(column.size):
        distance[lane] += np.abs(column[lane] - value)


@kernel
def add_decays(distance, width, coefficient, total):
    for lane in range(distance.size):
        total[lane] += coefficient * decay(width * distance[lane])


@kernel
def add_similar(squared, columns, rows, coefficients, width, total, start, end):
    """Add the sums for rows start..end; columns have the shape (columns, rows)."""
    # Lanes past the last row are worked on as well, and thrown away: they begin as zeros.
    block, distance = np.zeros((len(columns), BLOCK)), np.empty(BLOCK)
    for first in range(start, end, BLOCK):
        last = min(first + BLOCK, end)
        for column in range(len(columns)):
            block[column, : last - first] = columns[column, first:last]
        for row in range(len(rows)):
            distance[:] = 0.0
            for column in range(len(columns)):
                if squared:
                    add_squares(block[column], rows[row, column], distance)
                else:
                    add_sizes(block[column], rows[row, column], distance)
            add_decays(distance[: last - first], width, coefficients[row], total[first:last])
