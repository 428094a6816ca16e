"""Full-batch rounds that look at all rows: for potentials whose psi' is not piecewise linear, and for wild rounds."""

from __future__ import annotations

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
        total = 0.0
        for row in range(block * BLOCK, min((block + 1) * BLOCK, margins.size)):
            margin = margins[row]
            values[row] = weight[row] * slope[middle + margin]
            total += units[0] * weight[row] * height[middle + margin]
            total -= units[1] * label[row] * (units[2] * margin)
        potential[block] = total
