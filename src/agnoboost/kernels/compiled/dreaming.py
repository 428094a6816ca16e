"""Which stumps come next? A conductor that needs a column dreams of the rounds ahead, and asks for all that it met.

In a dream the sums move as in :mod:`.conducting`, but nobody crosses |H| = 1, and a column that is not kept is replaced
by what is known of it: its own feature's cells follow from the weights of the active rows, and between two positions of
a feature columns are taken to change evenly. Whatever a dream shows, rounds come out the same: it only steers.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from . import NONE, kernel
from .best_stump import level
from .conducting import choose, find, stump_key

Dream = namedtuple("Dream", "feature position key table")
"""The stumps that came up and whose columns are not kept or old, in order."""


@kernel
def dream(cells, rule, columns, active, found, known, stale, stride, rounds):
    """Up to so many rounds ahead, or until ``found`` is full, whose first ``known`` stumps are there already.

    ``cells`` are the conductor's, with sums of their own, which are spent; ``active`` has the weight of the active rows
    of each cell; ``stride`` steps of the rule are taken as one. Columns that have not seen crossing ``stale`` are to be
    made again. Returns how many stumps are in ``found``.
    """
    for _ in range(rounds):
        feature, position, sign, edge = choose(cells, rule)
        if level(edge) <= level(rule.threshold):
            break
        missing = cells.table[cells.start[feature + 1] - cells.start[feature] - 1]
        key = stump_key(cells.categorical[feature], position, missing, cells.table)
        taken = rule.slope * sign * rule.step * stride
        slot = find(columns, feature, key, cells.table)
        is_old = slot < 0 or columns.seen[slot] < stale
        if is_old and not is_among(found, known, feature, key, cells.table):
            if known == found.feature.size:
                break
            found.feature[known], found.position[known], found.key[known] = feature, position, key
            for code in range(cells.table.size):
                found.table[known, code] = cells.table[code]
            known += 1
        if slot >= 0:
            for cell in range(cells.sums.size):
                cells.sums[cell] += taken * np.int64(columns.sums[slot, cell])
        else:
            add_imagined(cells, columns, active, feature, position, taken)
    return known


@kernel
def is_among(found, known, feature, key, table):
    """Whether a stump is one of those found."""
    for place in range(known):
        if found.feature[place] == feature and found.key[place] == key:
            same = True
            for code in range(table.size):
                same &= found.table[place, code] == table[code]
            if same:
                return True
    return False


@kernel
def add_imagined(cells, columns, active, feature, position, taken):
    """Add ``taken`` times what is known of a column, that of the stump in ``cells.table``."""
    first, last = cells.start[feature], cells.start[feature + 1]
    total, side_total = 0.0, 0.0
    for cell in range(first, last):
        total += active[cell]
        side_total += cells.table[cell - first] * active[cell]
    # Constant stumps lie at both ends: all rows above the cut, or all below.
    low, high, at_low, at_high = NONE, NONE, total, -total
    if not cells.categorical[feature]:
        low_position, high_position = -1, np.int64(2**62)
        for slot in range(columns.feature.size):
            if columns.feature[slot] == feature:
                other = columns.key[slot] // 4
                if low_position < other <= position:
                    low, low_position = slot, other
                if position <= other < high_position:
                    high, high_position = slot, other
        at_low = side_sum(columns, low, active, first, last) if low >= 0 else at_low
        at_high = side_sum(columns, high, active, first, last) if high >= 0 else at_high
    share = (side_total - at_high) / (at_low - at_high) if at_low > at_high else 0.5
    for cell in range(cells.sums.size):
        if first <= cell < last:
            value = np.float64(cells.table[cell - first]) * active[cell]
        else:
            below = np.float64(columns.sums[low, cell]) if low >= 0 else np.float64(active[cell])
            above = np.float64(columns.sums[high, cell]) if high >= 0 else -np.float64(active[cell])
            value = share * below + (1.0 - share) * above
        cells.sums[cell] += taken * np.int64(value)


@kernel
def side_sum(columns, slot, active, first, last):
    """The weight of active rows on the upper side of a kept stump, less that on the lower."""
    total = 0.0
    for cell in range(first, last):
        total += columns.table[slot, cell - first] * active[cell]
    return total
