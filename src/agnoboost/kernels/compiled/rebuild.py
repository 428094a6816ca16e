"""Full-batch rounds that look at all rows: for potentials whose psi' is not piecewise linear, and for wild rounds."""

from __future__ import annotations

import numpy as np

from . import kernel

BLOCK = 1 << 14  # rows whose potential is summed up together, whatever the number of threads


@kernel
def take_step(codes, margins, feature, table, move, start, end):
    """Case A for rows start..end."""
    for row in range(start, end):
        margins[row] += move * table[codes[row, feature]]


@kernel
def shrink(margins, move, start, end):
    """Case B for rows start..end."""
    for row in range(start, end):
        margins[row] += -move if margins[row] >= 0 else move


@kernel
def slopes(margins, weight, label, slope, height, units, values, potential, start, end):
    """weight * psi'(H) of each row, and Phi of blocks start..end; ``slope`` and ``height`` are tables by margin.

    ``units`` are those of weights, labels and margins.
    """
    middle = slope.size // 2
    for block in range(start, end):
        for row in range(block * BLOCK, min((block + 1) * BLOCK, margins.size)):
            values[row] = weight[row] * slope[middle + margins[row]]
        potential[block] = block_potential(margins, weight, label, height, units, block)


@kernel
def rounded_slopes(margins, weight, label, slope, height, units, values, potential, start, end):
    """:func:`slopes` where weights and psi' are floats: each product is rounded."""
    middle = slope.size // 2
    for block in range(start, end):
        for row in range(block * BLOCK, min((block + 1) * BLOCK, margins.size)):
            values[row] = np.int64(np.rint(weight[row] * slope[middle + margins[row]]))
        potential[block] = block_potential(margins, weight, label, height, units, block)


@kernel
def block_potential(margins, weight, label, height, units, block):
    """The part of Phi(H) that a block of rows has."""
    total, middle = 0.0, height.size // 2
    for row in range(block * BLOCK, min((block + 1) * BLOCK, margins.size)):
        margin = margins[row]
        total += units[0] * weight[row] * height[middle + margin] - units[1] * label[row] * (units[2] * margin)
    return total
