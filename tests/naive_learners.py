"""Naive twins of the fast learners: the definition, written down. Slow on purpose; tests compare against them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations, pairwise, product

import numpy as np

from agnoboost.basics.conventions import level
from agnoboost.basics.typing import Bools, Floats, Matrix
from agnoboost.core.batch import Batch
from agnoboost.core.learners.parity import Parity
from agnoboost.core.learners.stump import CategoryStump, Stump
from agnoboost.core.learners.tree import CategorySet, Cut, Leaf, Node, Split, Tree


def thresholds(X: Matrix, feature: int) -> list[float]:
    """-inf and the midpoints of neighbouring values, in increasing order."""
    values = sorted({float(value) for value in X[:, feature] if not np.isnan(value)})
    return [float("-inf")] + [(a + b) / 2 for a, b in pairwise(values)]


def best_stump(batch: Batch, categorical: Collection[int] = ()) -> Stump | CategoryStump:
    """Try every feature, threshold (or assignment of categories), sign, and opinion on missing values."""
    best: Stump | CategoryStump = Stump(0, float("-inf"), 1)
    best_edge = -1.0
    for stump in _stumps(batch.X, categorical):
        edge = batch.corr(stump.predict(batch.X))
        if level(edge) > level(best_edge):
            best, best_edge = stump, edge
    return best


def _stumps(X: Matrix, categorical: Collection[int]) -> Iterator[Stump | CategoryStump]:
    for feature in range(X.shape[1]):
        if feature in categorical:
            seen = sorted({int(value) for value in X[:, feature] if not np.isnan(value)})
            for values in product((0, 1, -1), repeat=len(seen)):
                plus = tuple(c for c, value in zip(seen, values, strict=True) if value > 0)
                minus = tuple(c for c, value in zip(seen, values, strict=True) if value < 0)
                for missing in (0, 1, -1):
                    yield CategoryStump(feature, plus, minus, missing)
        else:
            for threshold, sign, missing in product(thresholds(X, feature), (1, -1), (0, 1, -1)):
                yield Stump(feature, threshold, sign, missing)


def best_parity(batch: Batch, degree: int) -> Parity:
    """Try every subset and sign."""
    best, best_edge = Parity((), 1), -1.0
    for size in range(degree + 1):
        for subset in combinations(range(batch.X.shape[1]), size):
            for sign in (1, -1):
                parity = Parity(subset, sign)
                edge = batch.corr(parity.predict(batch.X))
                if level(edge) > level(best_edge):
                    best, best_edge = parity, edge
    return best


def greedy_tree(batch: Batch, depth: int, categorical: Collection[int] = ()) -> Tree:
    """At each node, try every split; keep the best if it beats a leaf."""
    return Tree(_node(batch, np.ones(len(batch), dtype=bool), depth, categorical))


def _node(batch: Batch, members: Bools, depth: int, categorical: Collection[int]) -> Node:
    def mass(rows: Bools) -> float:
        return float(batch.signed[rows].sum())

    leaf = Leaf(1 if level(mass(members)) >= 0 else -1)
    best, best_score = None, abs(mass(members))
    for test in _tests(batch.X, categorical) if depth else ():
        above = test.above(batch.X[:, test.feature])
        score = abs(mass(members & above)) + abs(mass(members & ~above))
        if level(score) > level(best_score):
            best, best_score = test, score
    if best is None:
        return leaf
    above = best.above(batch.X[:, best.feature])
    below_node = _node(batch, members & ~above, depth - 1, categorical)
    return Split(best, below_node, _node(batch, members & above, depth - 1, categorical))


def _tests(X: Matrix, categorical: Collection[int]) -> Iterator[Cut | CategorySet]:
    for feature in range(X.shape[1]):
        if feature in categorical:
            seen = sorted({int(value) for value in X[:, feature] if not np.isnan(value)})
            for size in range(len(seen) + 1):
                for chosen in combinations(seen, size):
                    for missing in (False, True):
                        yield CategorySet(feature, chosen, missing)
        else:
            for threshold, missing in product(thresholds(X, feature), (False, True)):
                yield Cut(feature, threshold, missing)


def regression_values(
    batch: Batch,
    depth: int,
    categorical: Collection[int] = (),
    *,
    ridge: float = 0.0,
    least: float = 0.0,
    min_gain: float = 0.0,
) -> Floats:
    """What the greedy regression tree says of its own rows: at each node every split is tried."""
    said = np.zeros(len(batch))

    def score(rows: Bools) -> float:
        return float(batch.signed[rows].sum()) ** 2 / max(float(batch.mass[rows].sum()) + ridge, 1e-300)

    def grow(members: Bools, depth: int) -> None:
        best, best_gain = None, max(min_gain, 1e-9 * score(members))
        for test in _tests(batch.X, categorical) if depth else ():
            above = test.above(batch.X[:, test.feature])
            sides = members & above, members & ~above
            if min(batch.mass[side].sum() for side in sides) < max(least, 1e-12):
                continue
            gain = sum(map(score, sides)) - score(members)
            if gain > best_gain * (1 + 1e-9):
                best, best_gain = sides, gain
        if best is None:
            said[members] = batch.signed[members].sum() / max(batch.mass[members].sum() + ridge, 1e-300)
        else:
            for side in best:
                grow(side, depth - 1)

    grow(np.ones(len(batch), dtype=bool), depth)
    return said
