"""Trees with real-valued leaves, as the tree grower of :mod:`agnoboost.kernels.gradient_trees` leaves them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np

from ...basics.conventions import FINEST
from ...basics.typing import Bools, Floats, Ints, Matrix
from ...kernels.binning import MISSING, Bins
from ...kernels.dispatch import pays
from ...kernels.tree_rounds import GrownNodes
from .base import Hypothesis
from .walk import Walk, units_of_walks


@dataclass(frozen=True, eq=False, slots=True)
class RegressionTree(Hypothesis):
    """A decision tree with leaves in [-1, 1]."""

    binary = False

    walk: Walk
    _compiled: bool = False  # whether kernels are loaded anyway

    def predict(self, X: Matrix) -> Floats:
        return self.walk.values(X, self._compiled or pays(self.walk.seconds(len(X))))

    @classmethod
    def weighted_sum(cls, hypotheses: Sequence[Hypothesis], coefs: Sequence[int], X: Matrix) -> Ints:
        trees = cast("Sequence[RegressionTree]", hypotheses)
        return units_of_walks([tree.walk for tree in trees], coefs, X, any(tree._compiled for tree in trees))

    def features(self) -> Sequence[int]:
        return [int(feature) for feature in np.unique(self.walk.feature[self.walk.tests])]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RegressionTree) and self.walk.key == other.walk.key

    def __hash__(self) -> int:
        return hash(self.walk.key)

    def __reduce__(self) -> tuple[type[RegressionTree], tuple[Walk]]:
        return (RegressionTree, (self.walk,))


def as_hypotheses(bins: Bins, nodes: GrownNodes, compiled: bool = False) -> list[RegressionTree]:
    """Trees on bins as trees on values, their leaves rounded to multiples of 1/FINEST."""
    sizes = nodes.sizes
    feature, low = nodes.feature.astype(np.int64), nodes.low.astype(np.int64)
    inner = nodes.child > 0
    by_set = inner & bins.is_categorical[feature]
    ends = np.cumsum(sizes)
    last = np.repeat(ends - 1, sizes)
    place = np.arange(len(feature)) - np.repeat(ends - sizes, sizes)
    # Codes up to a cut go left, and the missing ones too where the interval starts with them.
    cut = nodes.width.astype(np.int64) - (low == MISSING)
    threshold = np.where(cut < 0, -np.inf, bins.padded_cuts[feature, np.maximum(cut, 0)])
    threshold[by_set | ~inner] = np.inf
    # Turned round, so that children stand before their parents.
    own = np.repeat(sizes, sizes) - 1 - place
    left = np.where(inner, np.repeat(sizes, sizes) - 1 - nodes.child, own)
    right = np.where(inner, left - 1, own)
    child = np.where(by_set[:, None], np.column_stack([right, left]), np.column_stack([left, right]))
    number = np.cumsum(by_set) - 1
    tables = _members(nodes, by_set)
    columns: tuple[Ints | Floats | Bools, ...] = (
        np.where(inner, feature, 0),
        threshold,
        inner & ~by_set & (low != MISSING),
        child,
        np.where(inner, 0.0, np.rint(np.clip(nodes.value, -1.0, 1.0) * FINEST) / FINEST),
    )
    turned = last - place  # where the nodes stand, each tree from its end
    columns = tuple(column[turned] for column in columns)
    group, any_set = np.where(by_set, number, -1)[turned], by_set.any()
    found = []
    for start, end in pairwise([0, *ends.tolist()]):
        parts: list[Any] = [column[start:end] for column in columns]
        mine, sets = group[start:end], tables[:0]
        if any_set and (members := mine[mine >= 0]).size:
            first = members.min()
            mine, sets = np.where(mine >= 0, mine - first, -1), tables[first : members.max() + 1]
        found.append(RegressionTree(Walk(*[*parts, mine, sets]), compiled))
    return found


def _members(nodes: GrownNodes, by_set: Bools) -> Bools:
    """Which categories go left, of every node that divides them; the last entry is for missing values."""
    codes = np.arange(MISSING + 1)
    bits, low, width = nodes.sets[by_set], nodes.low[by_set].astype(np.int64), nodes.width[by_set].astype(np.int64)
    listed = (bits[:, codes >> 6] >> (codes & 63).astype(np.uint64)) & np.uint64(1) > 0
    within = ((codes - low[:, None]) & MISSING) <= width[:, None]
    return np.asarray(np.where(np.any(bits, axis=1, keepdims=True), listed, within))
