"""A keeper's passes over its rows, a part of them at a time: twin of :mod:`agnoboost.rounds.stumps.keepers.plain`.

``codes`` has the bins of a row one after the other; ``features`` and ``tables`` are a list of moves
(:class:`agnoboost.rounds.stumps.keepers.base.Moves`). Each pass does rows first..last.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from . import ZERO, kernel
from .margins import distance, height_at, slope_at, touch

Psi = namedtuple("Psi", "shrink slope top reach unit weight_unit label_unit grains")
"""Huber's psi in whole numbers, and the units of what it is multiplied by; ``grains`` are those of a potential of 1."""

Tables = namedtuple("Tables", "shrink slope height unit weight_unit label_unit grains")
"""Any other psi: psi' and psi by margin."""

BLOCK = 1 << 16  # rows of a zone that are gathered at once
_FEW = 1024  # rows that go through all stages together, so that they stay in the nearest cache


@kernel
def move(codes, margins, features, tables, begin, end, first, last):
    """Take the moves begin..end, four at a time."""
    fours = begin + (end - begin) // 4 * 4
    for place in range(begin, fours, 4):
        a, b, c, d = features[place], features[place + 1], features[place + 2], features[place + 3]
        for row in range(first, last):
            left = tables[place, codes[row, a]] + tables[place + 1, codes[row, b]]
            margins[row] += left + tables[place + 2, codes[row, c]] + tables[place + 3, codes[row, d]]
    for place in range(fours, end):
        feature = features[place]
        for row in range(first, last):
            margins[row] += tables[place, codes[row, feature]]


@kernel
def shrink(margins, by, first, last):
    """Case B."""
    for row in range(first, last):
        margins[row] += -by if margins[row] >= 0 else by


@kernel
def catch_up(codes, margins, weight, features, tables, reach, shift, counts, first, last):
    """Take all moves, and count how many rows are how many grains of ``2**shift`` from |H| = 1."""
    beyond = (np.int64(1) << shift) - 1
    places = np.empty(_FEW + 1, dtype=np.int64)
    for block in range(first, last, _FEW):
        end = min(block + _FEW, last)
        move(codes, margins, features, tables, ZERO, features.size, block, end)
        near = 0
        for row in range(block, end):  # most are far away: they are left out without asking
            places[near] = (distance(np.int64(margins[row]), reach) + beyond) >> shift
            near += (places[near] < counts.size) & (weight[row] != 0)
        for place in places[:near]:
            counts[place] += 1


@kernel
def count_near(margins, weight, reach, most, counts, first, last):
    """How many rows of blocks first..last are at most so far from |H| = 1."""
    for block in range(first, last):
        near = 0
        for row in range(block * BLOCK, min((block + 1) * BLOCK, margins.size)):
            near += (weight[row] != 0) & (distance(np.int64(margins[row]), reach) <= most)
        counts[block] = near


@kernel
def copy_near(codes, margins, weight, reach, most, places, near_margins, near_weights, near_codes, first, last):
    """Copy these rows, those of each block to its place."""
    for block in range(first, last):
        place = places[block]
        for row in range(block * BLOCK, min((block + 1) * BLOCK, margins.size)):
            if weight[row] != 0 and distance(np.int64(margins[row]), reach) <= most:
                near_margins[place], near_weights[place] = margins[row], weight[row]
                for feature in range(codes.shape[1]):
                    near_codes[place, feature] = codes[row, feature]
                place += 1


@kernel
def replay(codes, margins, features, tables, ends, by, first, last):
    """Margins from the beginning: moves up to each of ``ends``, and a case-B step between two of these segments."""
    for block in range(first, last, _FEW):
        end, done = min(block + _FEW, last), 0
        margins[block:end] = 0
        for segment in range(ends.size):
            if segment > 0:
                shrink(margins, by, block, end)
            move(codes, margins, features, tables, done, ends[segment], block, end)
            done = ends[segment]


@kernel
def take_step(codes, start, margins, weight, label, psi, features, tables, split, sums, first, last):
    """Take the first ``split`` moves, then the rest as one step; or a case-B step, if there is no rest.

    Adds what the last step changes to ``sums``, and the potential after it to the place after the last cell.
    """
    values = np.empty(_FEW, dtype=np.int64)
    for block in range(first, last, _FEW):
        end = min(block + _FEW, last)
        move(codes, margins, features, tables, ZERO, split, block, end)
        for row in range(block, end):
            values[row - block] = -np.int64(weight[row]) * slope_at(np.int64(margins[row]), psi)
        step(codes, margins, features, tables, split, psi.shrink, block, end)
        potential = np.int64(0)
        for row in range(block, end):
            margin = np.int64(margins[row])
            values[row - block] += np.int64(weight[row]) * slope_at(margin, psi)
            potential += grains(psi, weight[row], height_at(margin, psi), label[row], margin)
        add_values(codes, start, values, sums, block, end)
        sums[sums.size - 1] += potential


@kernel
def step(codes, margins, features, tables, split, by, first, last):
    """The moves from ``split`` on; or a case-B step, if there are none."""
    if split == features.size:
        shrink(margins, by, first, last)
    else:
        move(codes, margins, features, tables, split, features.size, first, last)


@kernel
def grains(psi, weight, height, label, margin):
    """The potential of a row."""
    real = psi.weight_unit * weight * height - psi.label_unit * label * (margin * psi.unit)
    return np.int64(np.rint(real * psi.grains))


@kernel
def add_values(codes, start, values, sums, first, last):
    """Add the value of each row to all of its cells."""
    for row in range(first, last):
        if values[row - first] != 0:
            touch(codes, start, row, values[row - first], sums)


@kernel
def take_smooth_step(codes, start, margins, weight, label, psi, features, tables, split, sums, first, last):
    """:func:`take_step` with a psi in tables: each weight * psi' is rounded."""
    values, middle = np.empty(_FEW, dtype=np.int64), psi.slope.size // 2
    for block in range(first, last, _FEW):
        end = min(block + _FEW, last)
        move(codes, margins, features, tables, ZERO, split, block, end)
        for row in range(block, end):
            values[row - block] = -np.int64(np.rint(weight[row] * psi.slope[middle + margins[row]]))
        step(codes, margins, features, tables, split, psi.shrink, block, end)
        potential = np.int64(0)
        for row in range(block, end):
            place = middle + np.int64(margins[row])
            values[row - block] += np.int64(np.rint(weight[row] * psi.slope[place]))
            potential += grains(psi, weight[row], psi.height[place], label[row], np.int64(margins[row]))
        add_values(codes, start, values, sums, block, end)
        sums[sums.size - 1] += potential


@kernel
def take_shrink(codes, start, margins, weight, label, psi, features, tables, signs, sums, first, last):
    """Take all moves, then a case-B step, without touching every active row.

    ``signs`` has the sign of every row that was active before the last case-B step, and 0 for the others. What has
    changed of it goes to ``sums[0]``, which is to be added to the column of sign(H); rows that this column moves too
    far are corrected in ``sums[1]``, after whose last cell is the potential.
    """
    values, errors = np.empty(_FEW, dtype=np.int64), np.empty(_FEW, dtype=np.int64)
    for block in range(first, last, _FEW):
        end = min(block + _FEW, last)
        move(codes, margins, features, tables, ZERO, features.size, block, end)
        potential = np.int64(0)
        for row in range(block, end):
            old = np.int64(margins[row])
            sign = 1 if old >= 0 else -1
            new = old - psi.shrink * sign
            margins[row] = new
            potential += grains(psi, weight[row], height_at(new, psi), label[row], new)
            active_sign = sign if abs(old) <= psi.reach else 0
            values[row - block] = np.int64(weight[row]) * (active_sign - np.int64(signs[row]))
            signs[row] = active_sign
            error = slope_at(new, psi) - slope_at(old, psi) + psi.slope * psi.shrink * active_sign
            errors[row - block] = np.int64(weight[row]) * error
        add_values(codes, start, values, sums[0], block, end)
        add_values(codes, start, errors, sums[1], block, end)
        sums[1, sums.shape[1] - 1] += potential
