"""How much a model depends on each column: how far log-odds move when its cells come from another row.

A column appears in few of a model's parts, and in each of them as one factor of products. So nothing has to be
predicted again: curves and straight lines move by a difference, similarities by a ratio, and a leaf is reached or lost
by its own condition on the column alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from ...basics.content_luck import scrambled
from ...basics.typing import Floats, Ints, Matrix
from ...kernels.forest import Forest
from ...kernels.leaf_paths import leaf_paths
from .kernel_ridge import KernelSum, LinearSum
from .model import Blend, TableModel
from .terms import Terms

ROWS = 64


def some_rows(terms: Terms) -> Matrix:
    """Rows of the fit that say enough; which ones is a matter of their content."""
    return terms.X[np.argsort(scrambled(terms.keys), kind="stable")[:ROWS]]


def importances(model: TableModel, rows: Matrix, groups: Ints, columns: int) -> Floats:
    """Mean moves over some rows of the fit and all problems, as shares; all 0 for a constant.

    ``groups`` are the columns of the table that those of the matrix come from.
    """
    moved = sum(np.abs(one.slope * _moves(model, one, rows, groups, columns)).mean(axis=1) for one in model.blends)
    return np.asarray(moved / max(np.sum(moved), 1e-300))


def _moves(model: TableModel, blend: Blend, rows: Matrix, groups: Ints, columns: int) -> Floats:
    """What is added to margins when the cells of a column come from the row before (shape: columns, rows)."""
    codes = model.coder.encode(rows).astype(np.int64)
    curves = np.take_along_axis(blend.curves, codes, axis=1)
    total = np.zeros((columns, len(rows)))
    np.add.at(total, groups, np.roll(curves, 1, axis=1) - curves)
    total += _tree_moves(blend.forest, codes.astype(np.uint8), groups, columns)
    if blend.sums:
        scores, owners = model.scores.transform(rows), np.append(groups, columns)[model.scores.columns]
        for part in blend.sums:
            if isinstance(part, LinearSum):
                total += _line_moves(part, scores, owners, columns)
            else:
                total += _kernel_moves(part, scores, owners, columns)
    return total


def _line_moves(part: LinearSum, scores: Floats, owners: Ints, columns: int) -> Floats:
    moved = np.zeros((columns + 1, len(scores)))
    np.add.at(moved, owners, part.coefficients[:, None] * (np.roll(scores, 1, axis=0) - scores).T)
    return moved[:-1]


def _kernel_moves(part: KernelSum, scores: Floats, owners: Ints, columns: int) -> Floats:
    width = part.width / part.rows.shape[1]
    near = part.coefficients * np.exp(-width * _distances(part.kernel, scores, part.rows))
    moved = np.zeros((columns, len(scores)))
    for column in range(columns):
        own = owners == column
        if own.any():
            distance = _distances(part.kernel, scores[:, own], part.rows[:, own])
            moved[column] = (near * np.expm1(width * (distance - np.roll(distance, 1, axis=0)))).sum(axis=1)
    return moved


def _distances(kernel: str, scores: Floats, landmarks: Floats) -> Floats:
    return np.asarray(cdist(scores, landmarks, "sqeuclidean" if kernel == "gaussian" else "cityblock"))


def _tree_moves(forest: Forest, codes: npt.NDArray[np.uint8], groups: Ints, columns: int) -> Floats:
    """A leaf is lost if it is reached and the new cell fails, and won if the old cell was all that failed."""
    rows = codes.shape[1]
    total = np.zeros(columns * rows)
    for paths in leaf_paths(forest, groups):
        failed = paths.failed(codes)
        leaf, row = np.nonzero((failed & (failed - 1)) == 0)  # others stay out of reach
        word, other = failed[leaf, row], failed[leaf, row - 1]
        for slot in range(paths.groups.shape[1]):
            bit = 1 << slot
            change = np.where(word == 0, -((other & bit) > 0).astype(float), (word == bit) & ((other & bit) == 0))
            moved = np.flatnonzero(change)
            at = leaf[moved]
            place = paths.groups[at, slot] * rows + row[moved]
            total += np.bincount(place, change[moved] * paths.value[at], len(total))
    return total.reshape(columns, rows)
