"""Joint histograms of features: from that of a feature the Gram columns of all its stumps can be had.

``joint[cell, code]`` is the sum of weights over the active rows of a cell whose bin of the feature is ``code``. A pass
for one feature adds a single number to each of a row's cells, where a panel of columns adds a line of 64 bytes.
"""

from __future__ import annotations

import numpy as np

from . import kernel

_BLOCK = 1 << 16  # rows that are gone through for one feature after the other


@kernel
def add_joint(codes, start, margins, weight, reach, features, sums, first, last):
    """Add the active rows of first..last to the joint histogram of each of some features."""
    width = np.uint64(sums.shape[2])
    for block in range(first, last, _BLOCK):
        for which in range(features.size):
            flat = sums[which].reshape(-1)
            for row in range(block, min(block + _BLOCK, last)):
                if weight[row] == 0 or abs(margins[row]) > reach:
                    continue
                own, value = np.uint64(codes[row, features[which]]), weight[row]
                for other in range(codes.shape[1]):
                    cell = np.uint64(start[other]) + np.uint64(codes[row, other])
                    flat[cell * width + own] += value


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
            joint[start[other] + crossings.codes[place, other], own] += crossings.weight[place]


@kernel
def add_column(joint, table, column, first, last):
    """Cells first..last of the Gram column of a stump with these values by bin."""
    for cell in range(first, last):
        total = np.int64(0)
        for code in range(table.size):
            total += joint[cell, code] * table[code]
        column[cell] = total
