"""Shallow decision trees, grown greedily by correlation.

A leaf takes the sign of its signed mass, so a split's worth is abs(below) + abs(above), the correlation that its
two leaves would reach; each node takes the best split if it beats the leaf. Ties go to the lowest feature, then to
the lowest threshold. Depth 1 is the best one-split tree exactly; deeper trees are greedy, not optimal (an exclusive
or, where no single split helps, is missed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
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

STEP_DOWN = 2e-8  # seconds that numpy takes to bring a row one level down


@dataclass(frozen=True, slots=True)
class Tree(Hypothesis):
    """A decision tree with leaves in {-1, +1}."""

    root: Node
    _compiled: bool = field(default=False, repr=False, compare=False)  # whether kernels are loaded anyway
    _walk: Walk | None = field(default=None, init=False, repr=False, compare=False)  # made at the first prediction

    def predict(self, X: Matrix) -> Floats:
        return self.walk.values(X, self._compiled or pays(STEP_DOWN * len(X) * self.walk.depth))

    @property
    def walk(self) -> Walk:
        walk = self._walk
        if walk is None:
            walk = Walk.of(self.root)
            object.__setattr__(self, "_walk", walk)
        return walk

    @classmethod
    def weighted_sum(cls, hypotheses: Sequence[Hypothesis], coefs: Sequence[int], X: Matrix) -> Ints:
        """All trees one way: there may be work enough for compiled code in all of them together."""
        trees = cast("Sequence[Tree]", hypotheses)
        compiled = pays(STEP_DOWN * len(X) * sum(tree.walk.depth for tree in trees))
        total = np.zeros(len(X), dtype=np.int64)
        for tree, coef in zip(trees, coefs, strict=True):
            values = tree.walk.values(X, compiled or tree._compiled)
            total += np.rint(coef * values).astype(np.int64)
        return total

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


@dataclass(frozen=True)
class Walk:
    """A tree as arrays, in which all rows walk down together, one level at a time.

    A leaf is its own child, so that rows that have arrived stay. ``sets`` has the nodes that test for categories.
    """

    feature: Ints
    threshold: Floats
    missing: Bools
    child: Ints  # (below, above) of each node
    value: Floats
    sets: dict[int, CategorySet]
    depth: int

    @classmethod
    def of(cls, root: Node) -> Walk:
        rows: list[tuple[int, float, bool, tuple[int, int], int]] = []
        sets: dict[int, CategorySet] = {}

        def add(node: Node) -> tuple[int, int]:
            """Append a node after its children; its number, and its height."""
            if isinstance(node, Leaf):
                rows.append((0, np.inf, False, (len(rows), len(rows)), node.value))
                return len(rows) - 1, 0
            (below, low), (above, high) = add(node.below), add(node.above)
            test = node.test
            if isinstance(test, CategorySet):
                sets[len(rows)] = test
            threshold = test.threshold if isinstance(test, Cut) else np.inf
            rows.append((test.feature, threshold, test.missing, (below, above), 0))
            return len(rows) - 1, 1 + max(low, high)

        _, depth = add(root)
        feature, threshold, missing, child, value = (np.array(column) for column in zip(*rows, strict=True))
        return cls(feature, threshold.astype(np.float64), missing, child, value.astype(np.float64), sets, depth)

    def values(self, X: Matrix, compiled: bool) -> Floats:
        """The value of the leaf that each row reaches."""
        known = X.dtype == np.float64 and X.shape[1] > self.feature.max()  # numpy refuses other rows
        if known and compiled:
            found = self._compiled_values(X)
            if found is not None:
                return found
        rows, node = np.arange(len(X)), np.full(len(X), len(self.feature) - 1)  # the root stands last
        for _ in range(self.depth):
            x = X[rows, self.feature[node]]
            above = x > self.threshold[node]
            if self.missing.any() and x.dtype.kind == "f":
                above |= np.isnan(x) & self.missing[node]
            for number, test in self.sets.items():
                here = node == number
                above[here] = test.above(x[here])
            node = self.child[node, above.astype(np.int64)]
        return np.asarray(self.value[node])

    def _compiled_values(self, X: Matrix) -> Floats | None:
        """The same by compiled code; None for rows that are better refused by numpy."""
        from ...kernels.compiled.trees import walk

        out = np.empty(len(X))
        numbers, tables = self._set_tables
        found = walk(X, self.feature, self.threshold, self.missing, self.child, self.value, numbers, tables, out)
        return out if found else None

    @cached_property
    def _set_tables(self) -> tuple[Ints, Bools]:
        """For each node the number of its set of categories, or -1; and which categories are in each set."""
        numbers = np.full(len(self.feature), -1)
        numbers[list(self.sets)] = np.arange(len(self.sets))
        tables = np.array([test.table() for test in self.sets.values()], dtype=bool)
        return numbers, tables.reshape(-1, MISSING + 1)


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
    """Greedy tree of depth at most ``max_depth`` over all features and thresholds, by sorting."""

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
