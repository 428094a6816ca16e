"""Shallow decision trees, grown greedily by correlation.

A leaf takes the sign of its signed mass, so a split's worth is abs(below) + abs(above), the correlation that its
two leaves would reach; each node takes the best split if it beats the leaf. Ties go to the lowest feature, then to
the lowest threshold. Depth 1 is the best one-split tree exactly; deeper trees are greedy, not optimal (an exclusive
or, where no single split helps, is missed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from ...basics.checks import check_count, refuse_missing
from ...basics.conventions import level, sign_of
from ...basics.memo import LastArray
from ...basics.typing import Bools, Floats, Ints, Matrix, Rng
from ...kernels.binning import MISSING
from ...kernels.dispatch import pays
from ..batch import Batch
from .base import Hypothesis, WeakLearner
from .stump import SortedColumns, best_position, category_codes
from .walk import Walk, units_of_walks


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

    def above(self, column: Matrix) -> Bools:
        """Which values of the column pass."""
        above = column > np.float64(self.threshold)
        return np.asarray(above | np.isnan(column)) if self.missing and column.dtype.kind == "f" else above


@dataclass(frozen=True, slots=True)
class CategorySet:
    """x[feature] is one of ``members``; ``missing`` says whether NaN counts as above."""

    feature: int
    members: tuple[int, ...]
    missing: bool = False

    def above(self, column: Matrix) -> Bools:
        """Which values of the column pass."""
        return self.table()[category_codes(column)]

    def table(self) -> Bools:
        """Which categories pass, and at the end whether a missing one does."""
        table = np.zeros(MISSING + 1, dtype=bool)
        table[list(self.members)], table[MISSING] = True, self.missing
        return table


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
    _walk: Walk | None = field(default=None, init=False, repr=False, compare=False)  # made at the first prediction

    def predict(self, X: Matrix) -> Floats:
        return self.walk.values(X, pays(self.walk.seconds(len(X))))

    @property
    def walk(self) -> Walk:
        walk = self._walk
        if walk is None:
            walk = _walk_of(self.root)
            object.__setattr__(self, "_walk", walk)
        return walk

    @classmethod
    def weighted_sum(cls, hypotheses: Sequence[Hypothesis], coefs: Sequence[int], X: Matrix) -> Ints:
        """All trees one way: there may be work enough for compiled code in all of them together."""
        return units_of_walks([tree.walk for tree in cast("Sequence[Tree]", hypotheses)], coefs, X)

    def features(self) -> Sequence[int]:
        return sorted(set(_tested(self.root)))

    def __reduce__(self) -> tuple[type[Tree], tuple[Node]]:
        return (Tree, (self.root,))


def _tested(node: Node) -> Iterator[int]:
    """The feature of every test."""
    if isinstance(node, Split):
        yield node.test.feature
        yield from _tested(node.below)
        yield from _tested(node.above)


def _walk_of(root: Node) -> Walk:
    """The tree as arrays."""
    rows: list[tuple[int, float, bool, tuple[int, int], int, int]] = []
    sets: list[Bools] = []

    def add(node: Node) -> int:
        """Append a node after its children; its number."""
        if isinstance(node, Leaf):
            rows.append((0, np.inf, False, (len(rows), len(rows)), node.value, -1))
            return len(rows) - 1
        below, above = add(node.below), add(node.above)
        test = node.test
        group = -1
        if isinstance(test, CategorySet):
            group = len(sets)
            sets.append(test.table())
        threshold = test.threshold if isinstance(test, Cut) else np.inf
        rows.append((test.feature, threshold, test.missing, (below, above), 0, group))
        return len(rows) - 1

    add(root)
    feature, threshold, missing, child, value, group = (np.array(column) for column in zip(*rows, strict=True))
    tables = np.array(sets, dtype=bool).reshape(-1, MISSING + 1)
    return Walk(feature, threshold.astype(np.float64), missing, child, value.astype(np.float64), group, tables)


# The best test for the rows of a node, given by their numbers, and its worth.
Search = Callable[[Ints], tuple[Cut, float]]


def _grow(batch: Batch, search: Search, rows: Ints, depth: int) -> Node:
    total = float(batch.signed[rows].sum())
    leaf = Leaf(sign_of(total))
    if depth == 0:
        return leaf
    test, worth = search(rows)
    if level(worth) <= level(abs(total)):
        return leaf
    above = test.above(batch.X[rows, test.feature])
    return Split(
        test,
        _grow(batch, search, rows[~above], depth - 1),
        _grow(batch, search, rows[above], depth - 1),
    )


@dataclass(frozen=True)
class TreeLearner(WeakLearner):
    """Greedy tree over all features and thresholds, by sorting.

    Parameters
    ----------
    max_depth : int, default=2
        The most conditions on the way to a leaf.
    """

    max_depth: int = 2
    _sorted: LastArray[SortedColumns] = field(default_factory=LastArray, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_count(self.max_depth, "max_depth")

    def check(self, X: Matrix) -> None:
        refuse_missing(X, "TreeLearner sorts values and takes no missing ones; HistogramTreeLearner does.")

    def fit(self, batch: Batch, rng: Rng) -> Tree:
        columns = self._sorted.get(lambda: SortedColumns(batch.X), batch.X)

        def search(rows: Ints) -> tuple[Cut, float]:
            # Rows outside the node carry no mass: cuts among them repeat the score of a neighbour.
            signed = np.zeros(len(batch))
            signed[rows] = batch.signed[rows]
            below = columns.left_sums(signed)
            score = np.abs(below) + np.abs(signed.sum() - below)
            feature, position = best_position(score, columns.cut)
            return Cut(feature, columns.threshold(feature, position)), float(score[feature, position])

        return Tree(_grow(batch, search, np.arange(len(batch)), self.max_depth))
