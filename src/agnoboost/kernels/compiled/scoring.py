"""Rows down trees, those of up to 64 leaves without walking: twin of :meth:`agnoboost.kernels.forest.Forest.margins`.

Leaves are bits of a word, from left to right. Every node is asked, whether a row comes by or not: a row that it sends
right cannot end in a leaf below its left child, so these bits are cleared. The lowest bit that is left over is the leaf
(Lucchese et al., "QuickScorer", 2015). Nodes are asked for many rows at a time, which processors do in parallel. Down
larger trees rows walk.
"""

from __future__ import annotations

import numpy as np

from . import kernel
from .forest import add_tree
from .histograms import is_set

BLOCK = 256  # rows that are worked on together: their codes stay in the cache
ALL = np.uint64(2**64 - 1)
NARROW, WIDE = 63, 127  # nodes of a tree whose leaves are bits of 32, of 64

# The place of a lone bit, by its remainder: those of the powers of 2 by 67 are all different.
BY = np.uint64(67)
PLACES = np.zeros(67, dtype=np.uint8)
PLACES[(np.uint64(1) << np.arange(64, dtype=np.uint64)) % BY] = np.arange(64)


@kernel
def write_masks(nodes, child, value, masks, leaves):
    """The leaves that each node takes from rows it sends right, as bits; values of leaves from left to right."""
    for tree in range(nodes.size - 1):
        first, size = nodes[tree], nodes[tree + 1] - nodes[tree]
        if size > WIDE:
            continue
        below, start = np.ones(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        for node in range(size - 1, -1, -1):  # children come after their parents
            left = child[first + node]
            if left > 0:
                below[node] = below[left] + below[left + 1]
        for node in range(size):
            left = child[first + node]
            if left > 0:
                start[left], start[left + 1] = start[node], start[node] + below[left]
                lowest = (np.uint64(1) << np.uint64(below[left])) - np.uint64(1)
                masks[first + node] = lowest << np.uint64(start[node])
            else:
                leaves[first + start[node]] = value[first + node]


@kernel
def clear_right(column, low, width, kept, bits):
    """Keep only some bits of rows whose code is not one of low, low + 1, ..., low + width (around the circle)."""
    for lane in range(column.size):
        if ((np.int64(column[lane]) - low) & 255) > width:
            bits[lane] &= kept


@kernel
def clear_outside(column, members, kept, bits):
    """Keep only some bits of rows whose code is not in a set."""
    for lane in range(column.size):
        if not is_set(members, np.int64(column[lane])):
            bits[lane] &= kept


@kernel
def add_leaves(bits, leaves, margin):
    for lane in range(bits.size):
        word = np.uint64(bits[lane])
        lowest = word & (~word + np.uint64(1))
        margin[lane] += leaves[PLACES[lowest % BY]]


@kernel
def score_tree(codes, feature, low, width, child, group, sets, masks, leaves, bits, margin):
    """Add the leaf of one tree to the margins of some rows."""
    bits[:] = ALL
    for node in range(child.size):
        if child[node] == 0:
            continue
        kept = ~masks[node]
        if group[node] > 0:
            clear_outside(codes[feature[node]], sets[group[node] - 1], kept, bits)
        else:
            clear_right(codes[feature[node]], low[node], width[node], kept, bits)
    add_leaves(bits, leaves, margin)


@kernel
def score(codes, base, trees, nodes, feature, low, width, child, group, sets, value, steps, margins, start, end):
    """Margins of rows start..end by the trees of every run; codes have the shape (features, rows)."""
    masks, leaves = np.zeros(value.size, dtype=np.uint64), np.zeros(value.size)
    write_masks(nodes, child, value, masks, leaves)
    narrow_masks = masks.astype(np.uint32)
    wide_bits, narrow_bits = np.zeros(BLOCK, dtype=np.uint64), np.zeros(BLOCK, dtype=np.uint32)
    order = np.arange(BLOCK).astype(np.uint32)
    for first in range(start, end, BLOCK):
        last = min(first + BLOCK, end)
        some, wide, narrow = codes[:, first:last], wide_bits[: last - first], narrow_bits[: last - first]
        for run in range(base.size):
            margin = margins[run, first:last]
            margin[:] = base[run]
            for tree in range(trees[run], trees[run + 1]):
                own = slice(nodes[tree], nodes[tree + 1])
                size = nodes[tree + 1] - nodes[tree]
                tests = (feature[own], low[own], width[own], child[own], group[own], sets)
                if size <= NARROW:
                    score_tree(some, *tests, narrow_masks[own], leaves[own], narrow, margin)
                elif size <= WIDE:
                    score_tree(some, *tests, masks[own], leaves[own], wide, margin)
                else:
                    add_tree(steps[own], value[own], group[own], sets, some.T, order, 0, last - first, margin)
