"""Rows one at a time: what their margins are, and what follows from them.

``rule`` is any named tuple with ``slope``, ``top``, ``reach`` and ``unit``: psi' is ``slope * H`` within reach, else
``+-top``, and margins are whole numbers of ``unit``.
"""

from __future__ import annotations

import numpy as np

from . import kernel
from .histograms import cell_of


@kernel
def touch(codes, start, row, value, sums):
    """Add a value to all cells of one row."""
    for feature in range(codes.shape[1]):
        sums[cell_of(start, codes, row, feature)] += value


@kernel
def moved(codes, row, features, tables, count):
    """By how much the first ``count`` moves of a list move a row's margin."""
    total = np.int64(0)
    for place in range(count):
        total += tables[place, codes[row, features[place]]]
    return total


@kernel
def slope_at(margin, rule):
    """psi'(H) in whole numbers."""
    if abs(margin) <= rule.reach:
        return rule.slope * margin
    return rule.top if margin > 0 else -rule.top


@kernel
def height_at(margin, rule):
    """psi(H)."""
    size = abs(margin) * rule.unit
    return 0.5 * size * size if abs(margin) <= rule.reach else size - 0.5


@kernel
def distance(margin, reach):
    """How far a margin must move for its row to become active or inactive."""
    size = abs(margin)
    return reach - size + 1 if size <= reach else size - reach
