"""Joint histograms of features: from that of a feature the Gram columns of all its stumps can be had.

``joint[code, cell]`` is the sum of weights over the active rows of a cell whose bin of the feature is ``code``. Rows go
through in blocks, sorted by that bin, so that all numbers they are added to lie side by side, in the nearest cache.
"""

from __future__ import annotations

import numpy as np

from . import kernel

_BLOCK = 1 << 16  # rows that are sorted at once: their codes stay in a cache


@kernel
def add_joint(codes, start, margins, weight, reach, features, sums, first, last):
    """Add the active rows of first..last to the joint histogram of each of some features."""
    ends, rows = np.empty(257, dtype=np.int64), np.empty(_BLOCK, dtype=np.int32)
    for block in range(first, last, _BLOCK):
        size = min(_BLOCK, last - block)
        for which in range(features.size):
            sort_active(codes[block : block + size, features[which]], margins, weight, reach, block, ends, rows)
            begin = 0
            for code in range(sums.shape[1]):
                own = sums[which, code]
                for place in range(begin, ends[code]):
                    row = block + np.int64(rows[place])
                    value = weight[row]
                    for other in range(codes.shape[1]):
                        own[np.uint64(start[other]) + np.uint64(codes[row, other])] += value
                begin = ends[code]


@kernel
def sort_active(column, margins, weight, reach, block, ends, rows):
    """List the active rows of a block by their code in ``column``: those of a code end at ``ends[code]``."""
    ends[:] = 0
    for row in range(column.size):
        if weight[block + row] != 0 and abs(margins[block + row]) <= reach:
            ends[np.int64(column[row]) + 1] += 1
    for code in range(256):
        ends[code + 1] += ends[code]
    for row in range(column.size):  # each place moves on from the begin of its code to the end
        if weight[block + row] != 0 and abs(margins[block + row]) <= reach:
            rows[ends[column[row]]] = row
            ends[column[row]] += 1


@kernel
def refresh_joint(crossings, start, joint, first, last, feature):
    """Bring a joint histogram up to date by crossings first..last: see :func:`.conducting.refresh`."""
    for place in range(last - 1, first - 1, -1):
        if crossings.skip[place]:
            crossings.skip[place] = False
            continue
        before = crossings.previous[place]
        if before >= first:
            crossings.skip[before] = True
            continue
        own = crossings.codes[place, feature]
        for other in range(crossings.codes.shape[1]):
            joint[own, start[other] + crossings.codes[place, other]] += crossings.weight[place]


@kernel
def add_column(joint, table, column, first, last):
    """Cells first..last of the Gram column of a stump with these values by bin."""
    column[first:last] = 0
    for code in range(table.size):
        if table[code] != 0:
            for cell in range(first, last):
                column[cell] += np.int64(joint[code, cell]) * table[code]
