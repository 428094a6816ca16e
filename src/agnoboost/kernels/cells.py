"""Cells: all bins of all features in a row, and what stumps need to know of each.

Feature ``j`` has the cells ``start[j]..start[j + 1]``: one for each of its bins, and a last one for missing values. A
*numeric* stump is a position, the number of bins below its cut; a *categorical* one takes each cell on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .._typing import Bools, Floats, Ints, Matrix
from .binning import WIDTH, Bins

Codes = npt.NDArray[np.uint8]

_EXACT = 2**53  # whole numbers up to here are exact in float64
_LEVELS = 2.0**40  # scores that agree to 2**-40 are ties, as in agnoboost.learners.base.level


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

    def examples(self, feature: int) -> Floats:
        """Rows that differ in one feature: one for each of its cells, the last with a missing value."""
        known = int(self.start[feature + 1] - self.start[feature]) - 1
        values = np.arange(known) if self.categorical[feature] else np.append(self.bins.cuts[feature], np.inf)
        rows = np.zeros((known + 1, len(self.bins)))
        rows[:, feature] = np.append(values, np.nan)
        return rows

    def encode(self, tables: Sequence[Matrix], threads: int = 1) -> Codes:
        """The bins of all rows, one table after the other (shape: rows, features); missing values are the last bin."""
        codes = np.empty((sum(map(len, tables)), len(self.bins)), dtype=np.uint8)
        missing = (np.diff(self.start) - 1).astype(np.uint8)
        end = 0
        for table in tables:
            start, end = end, end + len(table)
            self.bins.encode_into(table, codes[start:end], missing, threads)
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


def best_stump(
    sums: Ints, label: Floats, factor: float, start: Ints, categorical: Bools, label_total: float, min_gain: float
) -> Best:
    """The stump of largest absolute edge, where a cell has the edge ``label - factor * sums``.

    Ties go to the lowest feature, then to the lowest position. A split must beat the constant by more than
    ``min_gain``. The conventions are those of :class:`~agnoboost.learners.HistogramStumpLearner`.
    """
    total = sums[start[0] : start[1]].sum()
    best = (-1.0, 0, 0)
    for feature, is_categorical in enumerate(categorical):
        cells = slice(start[feature], start[feature + 1])
        values = _values(sums[cells], label[cells], factor, total, bool(is_categorical))
        sizes = np.abs(values)
        known = np.cumsum(sizes[:-1])[-1:] if is_categorical else sizes[:-1]
        scores = np.rint((known + sizes[-1]) * _LEVELS)
        position = int(np.argmax(scores))
        if scores[position] > best[0]:
            best = (float(scores[position]), feature, position)
    if min_gain > 0:
        constant = label_total - factor * total
        if best[0] <= np.rint((abs(constant) + min_gain) * _LEVELS):
            sign = 1 if np.rint(constant * _LEVELS) >= 0 else -1
            return Best(0, 0, sign, np.ones(WIDTH, dtype=np.int8), sign * constant)
    _, feature, position = best
    cells = slice(start[feature], start[feature + 1])
    values = _values(sums[cells], label[cells], factor, total, bool(categorical[feature]))
    return _described(values, feature, position, bool(categorical[feature]))


def _values(sums: Ints, label: Floats, factor: float, total: int, categorical: bool) -> Floats:
    """Edges of the cuts (or cells) of one feature, and of its missing values at the end."""
    if not categorical:
        known = sums[:-1]
        sums = np.append(total - sums[-1] - 2 * (np.cumsum(known) - known), sums[-1])
    return label - factor * sums


def _described(values: Floats, feature: int, position: int, categorical: bool) -> Best:
    sides = np.sign(np.rint(values * _LEVELS))
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
