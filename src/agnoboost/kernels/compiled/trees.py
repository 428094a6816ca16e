"""Trees over binned features, level by level.

Twins of :class:`agnoboost.core.learners.histogram_tree.NumpyNodes` and
:meth:`agnoboost.core.learners.tree.Walk.values`.
"""

from __future__ import annotations

import numpy as np

from ..binning import MISSING
from . import kernel
from .best_stump import level

FEW = 48  # up to so many different bins they are sorted, beyond that all bins are gone through


@kernel
def gather(column, signed, rows, start, end, sums, seen, bins):
    """Add up the signed mass of some rows in each bin of a feature; the bins that occur, and how many."""
    count = 0
    for place in range(start, end):
        row = rows[place]
        code = column[row]
        if not seen[code]:
            seen[code] = True
            bins[count] = code
            count += 1
        sums[code] += signed[row]
    return count


@kernel
def in_order(seen, bins, count):
    """Sort the bins that occur."""
    if count > FEW:
        count = 0
        for code in range(MISSING + 1):
            if seen[code]:
                bins[count] = code
                count += 1
        return
    for place in range(1, count):
        code = bins[place]
        other = place
        while other > 0 and bins[other - 1] > code:
            bins[other] = bins[other - 1]
            other -= 1
        bins[other] = code


@kernel
def worth_of_cut(below, above, missing):
    """The score of a cut, and whether missing values are better off above."""
    missing_below = abs(below + missing) + abs(above)
    missing_above = abs(below) + abs(above + missing)
    return level(max(missing_below, missing_above)), level(missing_above) > level(missing_below)


@kernel
def best_cut(sums, bins, count, most):
    """Score, position and side of missing values of the best cut of a numeric feature.

    Only cuts right above a bin that occurs are looked at: those between have the score of the first of them.
    """
    missing = sums[MISSING]
    known = 0.0
    for place in range(count):
        if bins[place] != MISSING:
            known += sums[bins[place]]
    score, side = worth_of_cut(0.0, known, missing)
    position = 0
    below = 0.0
    for place in range(count):
        code = bins[place]
        if code >= most:  # no cut above it, or the missing bin
            break
        below += sums[code]
        here, here_side = worth_of_cut(below, known - below, missing)
        if here > score:
            score, position, side = here, code + 1, here_side
    return score, position, side


@kernel
def best_splits(
    codes, signed, rows, starts, features, cuts, categorical, totals, min_gain, feature, position, table, splits
):
    """The best test of each node of a level; node i holds rows[starts[i]:starts[i + 1]]."""
    sums = np.zeros(MISSING + 1)
    seen = np.zeros(MISSING + 1, dtype=np.bool_)
    bins = np.zeros(MISSING + 1, dtype=np.int64)
    for node in range(totals.size):
        start, end = starts[node], starts[node + 1]
        best, side = -1.0, False
        for place in range(features.shape[1]):
            which = features[node, place]
            count = gather(codes[which], signed, rows, start, end, sums, seen, bins)
            if categorical[which]:
                size = 0.0
                for other in range(count):
                    size += abs(sums[bins[other]])
                score, where, here_side = level(size), 0, False
            else:
                in_order(seen, bins, count)
                score, where, here_side = best_cut(sums, bins, count, cuts[which])
            if score > best:
                best, side = score, here_side
                feature[node], position[node] = which, where
            for other in range(count):
                sums[bins[other]] = 0.0
                seen[bins[other]] = False
        which = feature[node]
        if categorical[which]:
            count = gather(codes[which], signed, rows, start, end, sums, seen, bins)
            for other in range(count):
                table[node, bins[other]] = level(sums[bins[other]]) > 0
                sums[bins[other]] = 0.0
                seen[bins[other]] = False
        else:
            table[node, position[node] : MISSING] = True
            table[node, MISSING] = side
        splits[node] = best > level(abs(totals[node]) + min_gain)


@kernel
def descend(codes, signed, rows, starts, feature, table, splits, new_rows, new_starts, totals):
    """Sort the rows of nodes that split into their children; signed masses of these in ``totals``."""
    filled = 0
    child = 0
    for node in range(splits.size):
        if not splits[node]:
            continue
        column = codes[feature[node]]
        for above in (False, True):
            total = 0.0
            for place in range(starts[node], starts[node + 1]):
                row = rows[place]
                if table[node, column[row]] == above:
                    new_rows[filled] = row
                    filled += 1
                    total += signed[row]
            totals[child] = total
            child += 1
            new_starts[child] = filled


@kernel
def walk(X, feature, threshold, missing, child, value, set_number, sets, out):
    """The value of the leaf that each row reaches; the root stands last. False if a row holds no possible category."""
    for row in range(X.shape[0]):
        node = feature.size - 1
        while child[node, 0] != node:
            x = X[row, feature[node]]
            if set_number[node] >= 0:
                if x < 0 or x >= MISSING:
                    return False
                above = sets[set_number[node], MISSING if x != x else np.int64(x)]
            elif x != x:
                above = missing[node]
            else:
                above = x > threshold[node]
            node = child[node, 1 if above else 0]
        out[row] = value[node]
    return True
