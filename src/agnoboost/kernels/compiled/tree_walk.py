"""Rows down trees whose tests are on the values themselves: twin of :mod:`agnoboost.core.learners.walk`."""

from __future__ import annotations

import numpy as np

from ..binning import MISSING
from . import kernel

AT_ONCE = 256  # rows that go down one tree before the next, so that both stay in the cache


@kernel
def leaf_of(X, row, feature, threshold, missing, child, group, sets, first, root, first_set):
    """The leaf that a row reaches from ``root``, where a tree's nodes start at ``first``; -1 if it has no category."""
    node = root
    while child[node, 0] != node - first:
        x = X[row, feature[node]]
        if group[node] >= 0:
            if x < 0 or x >= MISSING:
                return -1
            above = sets[first_set + group[node], MISSING if x != x else np.int64(x)]
        elif x != x:
            above = missing[node]
        else:
            above = x > threshold[node]
        node = first + child[node, 1 if above else 0]
    return node


@kernel
def walk(X, feature, threshold, missing, child, value, group, sets, out):
    """The value of the leaf that each row reaches; the root stands last. False if a row holds no possible category."""
    for row in range(X.shape[0]):
        node = leaf_of(X, row, feature, threshold, missing, child, group, sets, 0, feature.size - 1, 0)
        if node < 0:
            return False
        out[row] = value[node]
    return True


@kernel
def add_walks(X, feature, threshold, missing, child, units, group, sets, ends, set_ends, fits, out, start, end):
    """Add the leaves of many trees, in whole units, for rows start..end; ``fits`` is cleared by a row without leaf."""
    for block in range(start, end, AT_ONCE):
        first, first_set = 0, 0
        for tree in range(ends.size):
            for row in range(block, min(block + AT_ONCE, end)):
                node = leaf_of(
                    X, row, feature, threshold, missing, child, group, sets, first, ends[tree] - 1, first_set
                )
                if node < 0:
                    fits[0] = False
                    return
                out[row] += units[node]
            first, first_set = ends[tree], set_ends[tree]
