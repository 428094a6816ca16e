"""Rows down trees, many at a time: twin of the walk of :mod:`agnoboost.kernels.forest`."""

from __future__ import annotations

import numpy as np

from . import kernel
from .histograms import is_set

LANES = 16  # rows that walk in step, so that none waits for the memory alone


SET = 2**31  # added to the child of a node that sends a set of categories left: its step is negative


@kernel
def write_steps(feature, low, width, child, group, steps):
    """One number for each node of a tree: child, feature, low and width. Leaves send all rows back to themselves."""
    for node in range(child.size):
        if child[node] == 0:
            steps[node] = (np.int64(node) << 32) | 255
        else:
            to = np.int64(child[node]) - (SET if group[node] > 0 else 0)
            word = (to << 32) | (np.int64(feature[node]) << 16)
            steps[node] = word | (np.int64(low[node]) << 8) | np.int64(width[node])


@kernel
def write_all_steps(feature, low, width, child, group, nodes, steps):
    """The same for every tree of a forest."""
    for tree in range(nodes.size - 1):
        own = slice(nodes[tree], nodes[tree + 1])
        write_steps(feature[own], low[own], width[own], child[own], group[own], steps[own])


@kernel
def add_tree(steps, value, group, sets, codes, rows, first, last, margin):
    """Add the leaf of one tree to the margins of rows[first:last]; codes have the shape (rows, features)."""
    nodes = np.zeros(LANES, dtype=np.uint64)
    for block in range(first, last, LANES):
        size = min(LANES, last - block)
        nodes[:] = np.uint64(0)
        moving = True
        while moving:
            moved = np.uint64(0)
            for lane in range(size):
                node = nodes[lane]
                step = steps[node]
                code = np.int64(codes[rows[block + lane], np.uint64((step >> 16) & 65535)])
                to = step >> 32
                if to < 0:
                    to += SET + (not is_set(sets[group[node] - 1], code))
                else:
                    to += ((code - (step >> 8)) & 255) > (step & 255)
                moved |= np.uint64(to) ^ node
                nodes[lane] = np.uint64(to)
            moving = moved != 0
        for lane in range(size):
            margin[rows[block + lane]] += value[nodes[lane]]
