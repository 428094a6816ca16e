"""Naive twins of the fast learners: the definition, written down. Slow on purpose; tests compare against them."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from .._typing import Bools, Matrix
from ..batch import Batch
from .parity import Parity
from .stump import Stump
from .tree import Leaf, Split, Tree


def thresholds(X: Matrix, feature: int) -> list[float]:
    """-inf and the midpoints of neighbouring values, in increasing order."""
    values = sorted({float(value) for value in X[:, feature]})
    return [float("-inf")] + [(a + b) / 2 for a, b in pairwise(values)]


def best_stump(batch: Batch) -> Stump:
    """Try every feature, threshold and sign."""
    best, best_edge = Stump(0, float("-inf"), 1), -1.0
    for feature in range(batch.X.shape[1]):
        for threshold in thresholds(batch.X, feature):
            for sign in (1, -1):
                stump = Stump(feature, threshold, sign)
                edge = batch.corr(stump.predict(batch.X))
                if edge > best_edge:
                    best, best_edge = stump, edge
    return best


def best_parity(batch: Batch, degree: int) -> Parity:
    """Try every subset and sign."""
    best, best_edge = Parity((), 1), -1.0
    for size in range(degree + 1):
        for subset in combinations(range(batch.X.shape[1]), size):
            for sign in (1, -1):
                parity = Parity(subset, sign)
                edge = batch.corr(parity.predict(batch.X))
                if edge > best_edge:
                    best, best_edge = parity, edge
    return best


def greedy_tree(batch: Batch, depth: int) -> Tree:
    """At each node, try every split; keep the best if it beats a leaf."""
    return Tree(_node(batch, np.ones(len(batch), dtype=bool), depth))


def _node(batch: Batch, members: Bools, depth: int) -> Leaf | Split:
    def mass(rows: Bools) -> float:
        return float(batch.signed[rows].sum())

    leaf = Leaf(1 if mass(members) >= 0 else -1)
    best, best_score = None, abs(mass(members))
    for feature in range(batch.X.shape[1]) if depth else ():
        for threshold in thresholds(batch.X, feature):
            above = batch.X[:, feature] > threshold
            score = abs(mass(members & above)) + abs(mass(members & ~above))
            if score > best_score:
                best, best_score = (feature, threshold, above), score
    if best is None:
        return leaf
    feature, threshold, above = best
    below_node = _node(batch, members & ~above, depth - 1)
    return Split(feature, threshold, below_node, _node(batch, members & above, depth - 1))
