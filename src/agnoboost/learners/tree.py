"""Shallow decision trees, grown greedily by correlation.

A leaf takes the sign of its signed mass, so a split's worth is abs(below) + abs(above), the correlation that its
two leaves would reach; each node takes the best split if it beats the leaf. Ties go to the lowest feature, then to
the lowest threshold. Depth 1 is the best one-split tree exactly; deeper trees are greedy, not optimal (an exclusive
or, where no single split helps, is missed).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .._checks import check_count, refuse_missing
from .._memo import LastArray
from .._typing import Bools, Floats, Ints, Matrix, Rng
from ..batch import Batch
from ..kernels.binning import MAX_BINS, MISSING, Bins, histograms
from .base import Hypothesis, WeakLearner, level, sign_of
from .stump import SortedColumns, best_position, category_codes


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value, -1 or +1."""

    value: int


@dataclass(frozen=True, slots=True)
class Cut:
    """x[feature] > threshold; ``missing`` says whether NaN counts as above."""

    feature: int
    threshold: float
    missing: bool = False

    def above(self, X: Matrix) -> Bools:
        column = X[:, self.feature]
        above = column > np.float64(self.threshold)
        return np.asarray(above | np.isnan(column)) if self.missing and column.dtype.kind == "f" else above


@dataclass(frozen=True, slots=True)
class CategorySet:
    """x[feature] is one of ``members``; ``missing`` says whether NaN counts as above."""

    feature: int
    members: tuple[int, ...]
    missing: bool = False

    def above(self, X: Matrix) -> Bools:
        table = np.zeros(MISSING + 1, dtype=bool)
        table[list(self.members)], table[MISSING] = True, self.missing
        return table[category_codes(X[:, self.feature])]


@dataclass(frozen=True, slots=True)
class Split:
    """Rows that pass the test go to ``above``, the others to ``below``."""

    test: Cut | CategorySet
    below: Leaf | Split
    above: Leaf | Split


Node = Leaf | Split


@dataclass(frozen=True, slots=True)
class Tree(Hypothesis):
    """A decision tree with leaves in {-1, +1}."""

    root: Node

    def predict(self, X: Matrix) -> Floats:
        values = np.empty(len(X))
        _fill(self.root, X, np.arange(len(X)), values)
        return values


def _fill(node: Node, X: Matrix, rows: Ints, values: Floats) -> None:
    if isinstance(node, Leaf):
        values[rows] = node.value
        return
    above = node.test.above(X[rows])
    _fill(node.below, X, rows[~above], values)
    _fill(node.above, X, rows[above], values)


# The best test for the rows of a node, and its worth.
Search = Callable[[Bools], tuple[Cut | CategorySet, float]]


def grow(batch: Batch, search: Search, members: Bools, depth: int, min_gain: float = 0.0) -> Node:
    """The greedy tree of at most this depth on the member rows; a split must add more than ``min_gain``."""
    total = float(batch.signed[members].sum())
    leaf = Leaf(sign_of(total))
    if depth == 0:
        return leaf
    test, worth = search(members)
    if level(worth) <= level(abs(total) + min_gain):
        return leaf
    above = test.above(batch.X)
    return Split(
        test,
        grow(batch, search, members & ~above, depth - 1, min_gain),
        grow(batch, search, members & above, depth - 1, min_gain),
    )


@dataclass(frozen=True)
class TreeLearner(WeakLearner):
    """Greedy tree of depth at most ``max_depth`` over all features and thresholds, by sorting."""

    max_depth: int = 2
    _sorted: LastArray[SortedColumns] = field(default_factory=LastArray, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_count(self.max_depth, "max_depth")

    def check(self, X: Matrix) -> None:
        refuse_missing(X, "TreeLearner sorts values and takes no missing ones; HistogramTreeLearner does.")

    def fit(self, batch: Batch, rng: Rng) -> Tree:
        columns = self._sorted.get(lambda: SortedColumns(batch.X), batch.X)

        def search(members: Bools) -> tuple[Cut, float]:
            # Rows outside the node carry no mass: cuts among them repeat the score of a neighbour.
            signed = np.where(members, batch.signed, 0.0)
            below = columns.left_sums(signed)
            score = np.abs(below) + np.abs(signed.sum() - below)
            feature, position = best_position(score, columns.cut)
            return Cut(feature, columns.threshold(feature, position)), float(score[feature, position])

        return Tree(grow(batch, search, np.ones(len(batch), dtype=bool), self.max_depth))


@dataclass(frozen=True)
class HistogramTreeLearner(WeakLearner):
    """Greedy tree over binned features, with missing values and categories; make it with :meth:`from_data`.

    Missing values go to the side where they add more (below, if it makes no difference); the categories of a feature
    are split into those whose signed mass is positive and the others. With ``max_features`` each node looks at that
    many features only, drawn at random, as in a random forest; a split must add more than ``min_gain`` correlation.
    """

    bins: Bins
    max_depth: int = 2
    max_features: int | None = None
    min_gain: float = 0.0
    _codes: LastArray[npt.NDArray[np.uint8]] = field(default_factory=LastArray, repr=False, compare=False)

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

    def check(self, X: Matrix) -> None:
        self.bins.encode(X[:1])

    def fit(self, batch: Batch, rng: Rng) -> Tree:
        codes = self._codes.get(lambda: self.bins.encode(batch.X), batch.X)

        def search(members: Bools) -> tuple[Cut | CategorySet, float]:
            features = self._candidates(rng)
            rows = np.flatnonzero(members)
            return self._best_test(features, histograms(codes[features[:, None], rows], batch.signed[rows]))

        return Tree(grow(batch, search, np.ones(len(batch), dtype=bool), self.max_depth, self.min_gain))

    def _candidates(self, rng: Rng) -> Ints:
        count = len(self.bins)
        if self.max_features is None or self.max_features >= count:
            return np.arange(count)
        return np.sort(rng.choice(count, self.max_features, replace=False))

    def _best_test(self, features: Ints, sums: Floats) -> tuple[Cut | CategorySet, float]:
        known, missing = sums[:, :MISSING], sums[:, MISSING, None]
        below = np.cumsum(known, axis=1) - known
        above = known.sum(axis=1)[:, None] - below
        missing_below = np.abs(below + missing) + np.abs(above)
        missing_above = np.abs(below) + np.abs(above + missing)
        score = np.maximum(missing_below, missing_above)
        for place, feature in enumerate(features):
            if feature in self.bins.categorical:
                score[place, 0] = np.abs(sums[place]).sum()
        place, position = best_position(score, self.bins.cut_mask[features])
        feature, worth = int(features[place]), float(score[place, position])
        if feature in self.bins.categorical:
            members = tuple(np.flatnonzero(level(known[place]) > 0).tolist())
            return CategorySet(feature, members, bool(level(missing[place, 0]) > 0)), worth
        threshold = self.bins.cuts[feature][position - 1] if position else float("-inf")
        upwards = bool(level(missing_above[place, position]) > level(missing_below[place, position]))
        return Cut(feature, threshold, upwards), worth
