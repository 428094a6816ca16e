"""Shallow decision trees, grown greedily by correlation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .._checks import check_count
from .._memo import LastArray
from .._typing import Bools, Floats, Ints, Matrix, Rng
from ..batch import Batch
from .base import Hypothesis, WeakLearner
from .stump import SortedColumns, best_position


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value, -1 or +1."""

    value: int


@dataclass(frozen=True, slots=True)
class Split:
    """Rows with x[feature] > threshold go to ``above``, the others to ``below``."""

    feature: int
    threshold: float
    below: Leaf | Split
    above: Leaf | Split


@dataclass(frozen=True, slots=True)
class Tree(Hypothesis):
    """A decision tree with leaves in {-1, +1}."""

    root: Leaf | Split

    def predict(self, X: Matrix) -> Floats:
        values = np.empty(len(X))
        _fill(self.root, X, np.arange(len(X)), values)
        return values


def _fill(node: Leaf | Split, X: Matrix, rows: Ints, values: Floats) -> None:
    if isinstance(node, Leaf):
        values[rows] = node.value
        return
    above = X[rows, node.feature] > np.float64(node.threshold)
    _fill(node.below, X, rows[~above], values)
    _fill(node.above, X, rows[above], values)


@dataclass(frozen=True)
class TreeLearner(WeakLearner):
    """Greedy tree of depth at most ``max_depth``.

    A leaf takes the sign of its signed mass, so a split's worth is abs(below) + abs(above), the correlation that its
    two leaves would reach; each node takes the best split if it beats the leaf. Ties: lowest feature, then lowest
    threshold. Depth 1 is the best one-split tree exactly; deeper trees are greedy, not optimal (an exclusive or, where
    no single split helps, is missed).
    """

    max_depth: int = 2
    _sorted: LastArray[SortedColumns] = field(default_factory=LastArray, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_count(self.max_depth, "max_depth")

    def fit(self, batch: Batch, rng: Rng) -> Tree:
        columns = self._sorted.get(lambda: SortedColumns(batch.X), batch.X)
        return Tree(_grow(batch, columns, np.ones(len(batch), dtype=bool), self.max_depth))


def _grow(batch: Batch, columns: SortedColumns, members: Bools, depth: int) -> Leaf | Split:
    total = float(batch.signed[members].sum())
    leaf = Leaf(1 if total >= 0 else -1)
    if depth == 0:
        return leaf
    # Rows outside the node carry no mass: cuts among them repeat the score of a neighbour.
    below = columns.left_sums(np.where(members, batch.signed, 0.0))
    score = np.abs(below) + np.abs(total - below)
    feature, position = best_position(score, columns.cut)
    if score[feature, position] <= abs(total):
        return leaf
    threshold = columns.threshold(feature, position)
    above = batch.X[:, feature] > np.float64(threshold)
    return Split(
        feature,
        threshold,
        _grow(batch, columns, members & ~above, depth - 1),
        _grow(batch, columns, members & above, depth - 1),
    )
