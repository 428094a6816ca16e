"""Shapley values of leaves: games in which a leaf counts if every column on its way agrees with it.

A column comes from the explained row x if it is in the coalition, else from a background row b. Let F_x and F_b be the
columns that fail for x and for b. The leaf counts for nobody if they overlap. Otherwise it needs all of F_b from x and
all of F_x from b, and with f = |F_b|, g = |F_x| the Shapley values are (f-1)! g! / (f+g)! for each column of F_b and
-f! (g-1)! / (f+g)! for each of F_x: the Beta functions B(f, g+1) and -B(f+1, g).
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.special import beta

from ..basics.typing import Floats, Ints
from ..kernels.leaf_paths import LeafPaths

MOST_SUMMED = 10  # columns of a leaf up to which sums over all sets of columns are quicker than pairs of rows
CELLS_AT_A_TIME = 2_000_000


def leaf_values(paths: LeafPaths, failed: Ints, background: Ints, players: int) -> Floats:
    """Shapley values of the sum of all leaves, as means over the background (shape: rows, players)."""
    total = np.zeros((players, failed.shape[1]))
    slots = paths.slots
    for count in np.unique(slots[slots > 0]).tolist():
        own = np.flatnonzero(slots == count)
        by_sets = count <= MOST_SUMMED
        rows = failed.shape[1]
        each = (count + 1) * 2**count + count * rows if by_sets else rows * background.shape[1]
        for start in range(0, len(own), max(1, CELLS_AT_A_TIME // each)):
            some = own[start : start + max(1, CELLS_AT_A_TIME // each)]
            game = by_sums_over_sets if by_sets else by_pairs
            values = (
                game(failed[some].astype(np.int64), background[some].astype(np.int64), count)
                * paths.value[some, None, None]
            )
            columns = paths.groups[some, :count].ravel()
            places = (np.ones(len(columns)), (columns, np.arange(len(columns))))
            total += csr_array(places, shape=(players, len(columns))) @ values.reshape(len(columns), rows)
    return total.T


def by_pairs(failed: Ints, background: Ints, slots: int) -> Floats:
    """For every pair of rows (shape: leaves, slots, rows)."""
    f, g = np.bitwise_count(background)[:, None, :], np.bitwise_count(failed)[:, :, None]
    counts = (failed[:, :, None] & background[:, None, :]) == 0
    gain = counts * _beta(slots, 0, 1)[f, g]
    loss = (counts * _beta(slots, 1, 0)[f, g]).sum(axis=2)
    parts = []
    for slot in range(slots):
        fails, helps = (failed >> slot) & 1, (background >> slot) & 1
        parts.append(np.einsum("lxb,lb->lx", gain, helps) - fails * loss)
    return np.asarray(np.stack(parts, axis=1) / background.shape[1])


def by_sums_over_sets(failed: Ints, background: Ints, slots: int) -> Floats:
    """The same: background rows are counted by F_b, and counts summed over all F_b that do not overlap with F_x."""
    leaves, size = len(failed), 2**slots
    layer = np.arange(leaves)[:, None] * (slots + 1) + np.bitwise_count(background)
    counts = np.bincount((layer * size + background).ravel(), minlength=leaves * (slots + 1) * size).astype(float)
    for bit in range(slots):
        halves = counts.reshape(-1, 2, 2**bit)
        halves[:, 1] += halves[:, 0]
    counts = counts.reshape(leaves, slots + 1, size)  # of each size, how many F_b are within a set
    g = slots - np.bitwise_count(np.arange(size))
    here, without, loss = (
        np.einsum("lfs,fs->ls", counts, weights)
        for weights in (_beta(slots, 0, 1)[:, g], _beta(slots, 0, 0)[:, g], _beta(slots, 1, 0)[:, g])
    )
    free = (size - 1) ^ failed
    lost, gained = (np.take_along_axis(table, free, axis=1) for table in (loss, here))
    parts = []
    for slot in range(slots):
        rest = np.take_along_axis(without, free & ~np.int64(1 << slot), axis=1)
        parts.append(np.where((failed >> slot) & 1, -lost, gained - rest))
    return np.asarray(np.stack(parts, axis=1) / background.shape[1])


def _beta(slots: int, more_f: int, more_g: int) -> Floats:
    """B(f + more_f, g + more_g) for f, g = 0, ..., slots; 0 where there is no column to give it to."""
    f, g = np.arange(slots + 1)[:, None] + more_f, np.arange(slots + 1)[None, :] + more_g
    return np.where((f > 0) & (g > 0), beta(np.maximum(f, 1), np.maximum(g, 1)), 0.0)
