"""Cells: all bins of all features in a row, and what stumps need to know of each.

Feature ``j`` has the cells ``start[j]..start[j + 1]``: one for each of its bins, and a last one for missing values. A
*numeric* stump is a position, the number of bins below its cut; a *categorical* one takes each cell on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..basics.conventions import LEVELS
from ..basics.typing import Bools, Floats, Ints, Matrix
from .binning import WIDTH, Bins

Codes = npt.NDArray[np.uint8]

_EXACT = 2**53  # whole numbers up to here are exact in float64


@dataclass(frozen=True)
class Layout:
    """Where each feature's cells are."""

    bins: Bins
    start: Ints
    categorical: Bools

    @classmethod
    def of(cls, bins: Bins, tables: Sequence[Matrix]) -> Layout:
        """Cells for all bins, and for the categories that the tables have."""
        known = [len(cuts) + 1 for cuts in bins.cuts]
        for feature in bins.categorical:
            columns = [table[:, feature] for table in tables]
            seen = [column[~np.isnan(column)] if column.dtype.kind == "f" else column for column in columns]
            known[feature] = max([int(column.max()) + 1 for column in seen if len(column)], default=1)
        return cls(bins, np.concatenate([[0], np.cumsum(np.array(known) + 1)]), bins.is_categorical)

    @property
    def size(self) -> int:
        """The number of cells."""
        return int(self.start[-1])

    @cached_property
    def feature(self) -> Ints:
        """The feature of each cell."""
        return np.repeat(np.arange(len(self.categorical)), np.diff(self.start))

    @cached_property
    def takes_cells(self) -> Bools:
        """Whether stumps take a cell on its own: those of categories and of missing values."""
        alone = self.categorical[self.feature]
        alone[self.start[1:] - 1] = True
        return np.asarray(alone)

    def examples(self, feature: int) -> Floats:
        """Rows that differ in one feature: one for each of its cells, the last with a missing value."""
        known = int(self.start[feature + 1] - self.start[feature]) - 1
        values = np.arange(known) if self.categorical[feature] else np.append(self.bins.cuts[feature], np.inf)
        rows = np.zeros((known + 1, len(self.bins)))
        rows[:, feature] = np.append(values, np.nan)
        return rows

    def encode(self, tables: Sequence[Matrix], threads: int = 1, compiled: bool = False) -> Codes:
        """The bins of all rows, one table after the other (shape: rows, features); missing values are the last bin."""
        codes = np.empty((sum(map(len, tables)), len(self.bins)), dtype=np.uint8)
        missing = (np.diff(self.start) - 1).astype(np.uint8)
        end = 0
        for table in tables:
            start, end = end, end + len(table)
            self.bins.encode_into(table, codes[start:end], missing, threads, compiled)
        return codes


def cell_sums(codes: Codes, start: Ints, values: Ints) -> Ints:
    """The sum of ``values`` over the rows of each cell, exactly."""
    if int(np.abs(values).sum()) >= _EXACT:  # numpy's bincount adds floats: low and high bits apart
        high, low = values >> 24, values & (2**24 - 1)
        return (cell_sums(codes, start, high) << 24) + cell_sums(codes, start, low)
    sums = np.empty(start[-1], dtype=np.int64)
    for feature, column in enumerate(codes.T):
        first, last = start[feature], start[feature + 1]
        sums[first:last] = np.bincount(column, weights=values, minlength=last - first)
    return sums


def label_edges(sums: Ints, start: Ints, categorical: Bools, unit: float) -> Floats:
    """Label mass in the form that stumps are judged by: edges of cuts for numeric features, else sums of cells."""
    edges = sums.copy()
    for feature in np.flatnonzero(~categorical):
        known = sums[start[feature] : start[feature + 1] - 1]
        edges[start[feature] : start[feature + 1] - 1] = known.sum() - 2 * (np.cumsum(known) - known)
    return np.multiply(unit, edges, dtype=np.float64)


@dataclass(frozen=True)
class Best:
    """The best stump: ``sign * table`` by bin of its feature, where opposite stumps have the same table."""

    feature: int
    position: int
    sign: int
    table: npt.NDArray[np.int8]
    edge: float


def best_stump(layout: Layout, sums: Ints, label: Floats, factor: float, label_total: float, min_gain: float) -> Best:
    """The stump of largest absolute edge, where a cell has the edge ``label - factor * sums``.

    Ties go to the lowest feature, then to the lowest position. A split must beat the constant by more than
    ``min_gain``. The conventions are those of :class:`~agnoboost.core.learners.HistogramStumpLearner`.
    """
    start, missing = layout.start[:-1], layout.start[1:] - 1
    total = sums[: layout.start[1]].sum()
    # Sums below each cell within its feature; whole numbers may wrap around on the way, the differences are right.
    below = np.cumsum(sums) - sums
    edges = total - sums[missing][layout.feature] - 2 * (below - below[start][layout.feature])
    values = label - factor * np.where(layout.takes_cells, sums, edges)
    sizes = np.abs(values)
    scores = sizes + sizes[missing][layout.feature]
    scores[missing] = -1.0
    for feature in np.flatnonzero(layout.categorical).tolist():
        cells = slice(start[feature], missing[feature])
        scores[start[feature]] = np.cumsum(sizes[cells])[-1] + sizes[missing[feature]]
        scores[start[feature] + 1 : missing[feature]] = -1.0
    levels = np.rint(scores * LEVELS)
    cell = int(np.argmax(levels))
    if min_gain > 0:
        constant = label_total - factor * total
        if levels[cell] <= np.rint((abs(constant) + min_gain) * LEVELS):
            sign = 1 if np.rint(constant * LEVELS) >= 0 else -1
            return Best(0, 0, sign, np.ones(WIDTH, dtype=np.int8), sign * constant)
    feature = int(layout.feature[cell])
    own = values[start[feature] : missing[feature] + 1]
    return _described(own, feature, cell - int(start[feature]), bool(layout.categorical[feature]))


def _described(values: Floats, feature: int, position: int, categorical: bool) -> Best:
    sides = np.sign(np.rint(values * LEVELS))
    table = np.zeros(WIDTH, dtype=np.int8)
    if categorical:
        sign = int(next((side for side in sides if side), 1.0))
        table[: len(sides)] = sign * sides
        return Best(feature, position, sign, table, float(np.cumsum(sides * values)[-1]))
    edge = float(values[position])
    sign = 1 if sides[position] >= 0 else -1
    table[: len(values) - 1] = np.where(np.arange(len(values) - 1) >= position, 1, -1)
    table[len(values) - 1] = sign * sides[-1]
    return Best(feature, position, sign, table, sign * edge + float(sides[-1]) * float(values[-1]))
