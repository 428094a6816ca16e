"""Greedy trees over binned features, with missing values and categories.

On bins every test is a set of bins: x goes above if its bin is in the set. A cut is a set of high bins, a split of
categories is a set of categories, and the missing bin is in the set or not. So one table of bins for each node says it
all, and the nodes of a level are worked on together: their histograms in one pass over the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...basics.checks import check_count
from ...basics.conventions import level
from ...basics.typing import Bools, Floats, Ints, Matrix, Rng
from ...kernels.binning import MAX_BINS, MISSING, WIDTH, Bins
from ...kernels.dispatch import pays
from ..batch import Batch
from .binned import BinnedLearner
from .tree import CategorySet, Cut, Leaf, Node, Split, Tree

_LEVEL, _CELL = 2e-4, 2e-8  # seconds that numpy takes for a level, and for a feature of a row in it


@dataclass(frozen=True, repr=False)
class HistogramTreeLearner(BinnedLearner):
    """Greedy tree of depth at most ``max_depth``; :meth:`from_data` places bins and takes categorical features.

    Missing values go to the side where they add more (below, if it makes no difference); the categories of a feature
    are split into those whose signed mass is positive and the others. With ``max_features`` each node looks at that
    many features only, drawn at random, as in a random forest; a split must add more than ``min_gain`` correlation.
    """

    max_depth: int = 2
    max_features: int | None = None
    min_gain: float = 0.0
    _compiled: bool = field(default=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_count(self.max_depth, "max_depth")
        if self.max_features is not None:
            check_count(self.max_features, "max_features")

    @classmethod
    def from_data(
        cls,
        X: Matrix,
        max_depth: int = 2,
        max_bins: int = MAX_BINS,
        categorical: Sequence[int] = (),
        max_features: int | None = None,
    ) -> HistogramTreeLearner:
        """Cut the features of ``X``, which should hold all rows that will be seen, labeled or not."""
        return cls(Bins.from_data(X, max_bins, categorical), max_depth, max_features)

    def with_gain_scaled(self, factor: float) -> HistogramTreeLearner:
        return replace(self, min_gain=factor * self.min_gain)

    def fit(self, batch: Batch, rng: Rng) -> Tree:
        bins, codes = self.encoded(batch.X)
        compiled = self._compiled or pays(self._seconds(len(batch), len(bins)))
        nodes = (CompiledNodes if compiled else NumpyNodes)(bins, codes, batch.signed, self.min_gain)
        levels: list[Level] = []
        for _ in range(self.max_depth):
            levels.append(nodes.split(self._candidates(len(nodes.totals), len(bins), rng)))
            if not levels[-1].splits.any():
                break
            nodes.descend(levels[-1])
        return Tree(_assemble(levels, nodes.totals), compiled)

    def prepared(self, rows: int, rounds: int) -> HistogramTreeLearner:
        features = 0 if self.bins is None else len(self.bins)
        return replace(self, _compiled=True) if pays(rounds * self._seconds(rows, features)) else self

    def _seconds(self, rows: int, features: int) -> float:
        """About how much longer numpy takes for a tree."""
        width = features if self.max_features is None else min(self.max_features, features)
        return self.max_depth * (_LEVEL + _CELL * rows * width)

    def _candidates(self, nodes: int, features: int, rng: Rng) -> Ints:
        """The features that each node looks at, in increasing order."""
        if self.max_features is None or self.max_features >= features:
            return np.tile(np.arange(features), (nodes, 1))
        return np.sort(np.argsort(rng.random((nodes, features)), axis=1)[:, : self.max_features], axis=1)


@dataclass(frozen=True)
class Level:
    """The nodes of one depth: the best test of each, and whether it is worth taking.

    ``table[i]`` says which bins of ``feature[i]`` go above at node i.
    """

    bins: Bins
    totals: Floats
    feature: Ints
    position: Ints
    table: Bools
    splits: Bools

    def tests(self) -> list[Cut | CategorySet | None]:
        """The test of each node that splits, None for the others."""
        found: list[Cut | CategorySet | None] = []
        columns = (self.splits, self.feature, self.position, self.table[:, MISSING])
        for node, (splits, feature, position, missing) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
            if not splits:
                found.append(None)
            elif feature in self.bins.categorical:
                found.append(CategorySet(feature, tuple(np.flatnonzero(self.table[node, :MISSING]).tolist()), missing))
            else:
                threshold = self.bins.cuts[feature][position - 1] if position else float("-inf")
                found.append(Cut(feature, threshold, missing))
        return found


class NumpyNodes:
    """The nodes of the current depth, by the rows that they hold; all of them worked on together."""

    def __init__(self, bins: Bins, codes: npt.NDArray[np.uint8], signed: Floats, min_gain: float):
        self._bins, self._codes, self._signed, self._min_gain = bins, codes, signed, min_gain
        self._rows, self._node = np.arange(len(signed)), np.zeros(len(signed), dtype=np.int64)
        self.totals: Floats = np.array([signed.sum()])  # signed mass of each node

    def split(self, features: Ints) -> Level:
        """The best test of every node, among these features of each (shape: nodes, looked at)."""
        bins, rows, node, totals = self._bins, self._rows, self._node, self.totals
        width = features.shape[1]
        places = node[:, None] * width + np.arange(width)
        flat = places * WIDTH + self._codes[features[node], rows[:, None]]
        cells = np.bincount(flat.ravel(), np.repeat(self._signed[rows], width), len(totals) * width * WIDTH)
        sums = cells.reshape(len(totals), width, WIDTH).astype(np.float64, copy=False)
        used = int(bins.sizes[features].max())  # no position beyond can be chosen
        known, missing = sums[:, :, :used], sums[:, :, MISSING, None]
        below = np.cumsum(known, axis=2) - known
        above = known.sum(axis=2, keepdims=True) - below
        missing_below = np.abs(below + missing) + np.abs(above)
        missing_above = np.abs(below) + np.abs(above + missing)
        score = level(np.maximum(missing_below, missing_above))
        categorical = bins.is_categorical[features]
        if categorical.any():
            score[categorical, 0] = level(np.abs(sums[categorical]).sum(axis=1))
        score[~bins.cut_mask[features, :used]] = -1.0
        which, position = np.divmod(score.reshape(len(totals), -1).argmax(axis=1), used)
        nodes = np.arange(len(totals))
        table = np.arange(WIDTH) >= position[:, None]
        table[:, MISSING] = level(missing_above[nodes, which, position]) > level(missing_below[nodes, which, position])
        sets = categorical[nodes, which]
        table[sets] = level(sums[nodes, which][sets]) > 0
        splits = score[nodes, which, position] > level(np.abs(totals) + self._min_gain)
        return Level(bins, totals, features[nodes, which], position, table, splits)

    def descend(self, found: Level) -> None:
        """Go on with the children of the nodes that split."""
        inside = found.splits[self._node]
        rows, node = self._rows[inside], self._node[inside]
        above = found.table[node, self._codes[found.feature[node], rows]]
        first = np.cumsum(found.splits, dtype=np.int64) - found.splits  # place among the nodes that split
        self._rows, self._node = rows, np.asarray(2 * first[node] + above, dtype=np.int64)
        masses = np.bincount(self._node, self._signed[rows], 2 * int(found.splits.sum()))
        self.totals = masses.astype(np.float64, copy=False)


class CompiledNodes:
    """The same by compiled code, one node after the other."""

    def __init__(self, bins: Bins, codes: npt.NDArray[np.uint8], signed: Floats, min_gain: float):
        from ...kernels.compiled import trees

        self._kernels: Any = trees
        self._bins, self._codes, self._signed, self._min_gain = bins, codes, signed, min_gain
        self._rows, self._starts = np.arange(len(signed)), np.array([0, len(signed)])
        self.totals: Floats = np.array([signed.sum()])

    def split(self, features: Ints) -> Level:
        count = len(self.totals)
        feature, position = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        table, splits = np.zeros((count, WIDTH), dtype=bool), np.zeros(count, dtype=bool)
        self._kernels.best_splits(
            self._codes,
            self._signed,
            self._rows,
            self._starts,
            features,
            self._bins.cut_counts,
            self._bins.is_categorical,
            self.totals,
            self._min_gain,
            feature,
            position,
            table,
            splits,
        )
        return Level(self._bins, self.totals, feature, position, table, splits)

    def descend(self, found: Level) -> None:
        children = 2 * int(found.splits.sum())
        starts, totals = np.zeros(children + 1, dtype=np.int64), np.zeros(children)
        rows = np.empty_like(self._rows)
        self._kernels.descend(
            self._codes,
            self._signed,
            self._rows,
            self._starts,
            found.feature,
            found.table,
            found.splits,
            rows,
            starts,
            totals,
        )
        self._rows, self._starts, self.totals = rows, starts, totals


_LEAVES = {True: Leaf(1), False: Leaf(-1)}  # leaves are values: two of them serve all trees


def _assemble(levels: list[Level], totals: Floats) -> Node:
    """The tree, from its lowest level up; ``totals`` are the masses below the last level."""
    below = _leaves(totals) if levels[-1].splits.any() else []
    for found in reversed(levels):
        children = iter(below)
        below = [
            leaf if test is None else Split(test, next(children), next(children))
            for leaf, test in zip(_leaves(found.totals), found.tests(), strict=True)
        ]
    return below[0]


def _leaves(totals: Floats) -> list[Node]:
    """The sign of each mass, +1 at zero."""
    return [_LEAVES[positive] for positive in (level(totals) >= 0).tolist()]
