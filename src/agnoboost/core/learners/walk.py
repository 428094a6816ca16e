"""Trees as arrays, in which all rows walk down together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...basics.typing import Bools, Floats, Ints, Matrix
from ...kernels.dispatch import cores, in_parts, pays
from .stump import category_codes

STEP_DOWN = 2e-8  # seconds that numpy takes to bring a row one level down
MANY = 2_000_000  # steps down from which on threads share them


@dataclass(frozen=True, eq=False)
class Walk:
    """A tree: x[feature] > threshold goes above, and so do missing values where ``missing`` says so.

    Children stand before their parents, the root last; a leaf is its own child. ``group`` is the number of a node's set
    of categories, or -1: then the categories of the set go above (the last entry of a set is for missing values).
    """

    feature: Ints
    threshold: Floats
    missing: Bools
    child: Ints  # (below, above) of each node
    value: Floats
    group: Ints
    sets: Bools

    @cached_property
    def tests(self) -> Bools:
        """Which nodes are no leaves."""
        return np.asarray(self.child[:, 0] != np.arange(len(self.child)))

    @cached_property
    def key(self) -> tuple[bytes, ...]:
        """What makes two trees equal."""
        return tuple(np.ascontiguousarray(array).tobytes() for array in self.arrays)

    @property
    def arrays(self) -> tuple[Ints | Floats | Bools, ...]:
        """In the order of the fields."""
        return self.feature, self.threshold, self.missing, self.child, self.value, self.group, self.sets

    def seconds(self, rows: int) -> float:
        """About how long numpy takes for so many rows."""
        return STEP_DOWN * rows * len(self.feature).bit_length()

    @cached_property
    def last_feature(self) -> int:
        return int(self.feature.max())

    def values(self, X: Matrix, compiled: bool) -> Floats:
        """The value of the leaf that each row reaches."""
        X = np.ascontiguousarray(X) if compiled else X
        if compiled and _known(X, self.last_feature):
            from ...kernels.compiled.tree_walk import walk

            out = np.empty(len(X))
            if walk(X, *self.arrays, out):
                return out
        rows, node = np.arange(len(X)), np.full(len(X), len(self.feature) - 1)
        tests = self.tests
        moving = rows if tests[-1] else rows[:0]
        while len(moving):
            here = node[moving]
            x = X[moving, self.feature[here]]
            above = x > self.threshold[here]
            if x.dtype.kind == "f":
                above |= np.isnan(x) & self.missing[here]
            by_set = self.group[here] >= 0
            if by_set.any():
                above[by_set] = self.sets[self.group[here[by_set]], category_codes(x[by_set])]
            node[moving] = self.child[here, above.astype(np.int64)]
            moving = moving[tests[node[moving]]]
        return np.asarray(self.value[node])


def units_of_walks(walks: Sequence[Walk], coefs: Sequence[int], X: Matrix, loaded: bool = False) -> Ints:
    """The sum of coef * value over many trees, each rounded to whole units; kernels may be ``loaded`` anyway."""
    total = np.zeros(len(X), dtype=np.int64)
    compiled = loaded or pays(sum(walk.seconds(len(X)) for walk in walks))
    X = np.ascontiguousarray(X) if compiled else X
    if compiled and _known(X, max(walk.last_feature for walk in walks)) and _added(walks, coefs, X, total):
        return total
    total[:] = 0
    for walk, coef in zip(walks, coefs, strict=True):
        total += np.rint(coef * walk.values(X, False)).astype(np.int64)
    return total


def _added(walks: Sequence[Walk], coefs: Sequence[int], X: Matrix, total: Ints) -> bool:
    """The same by compiled code; False for rows that are better refused by numpy."""
    from ...kernels.compiled.tree_walk import add_walks

    feature, threshold, missing, child, value, group, sets = (
        np.concatenate(parts) for parts in zip(*(walk.arrays for walk in walks), strict=True)
    )
    sizes = [len(walk.feature) for walk in walks]
    units = np.rint(np.repeat(coefs, sizes) * value).astype(np.int64)
    ends, set_ends = np.cumsum(sizes), np.cumsum([len(walk.sets) for walk in walks])
    fits = np.ones(1, dtype=bool)
    threads = cores() if len(X) * len(walks) > MANY else 1
    trees = (feature, threshold, missing, child, units, group, sets, ends, set_ends)
    in_parts(add_walks, len(X), threads, X, *trees, fits, total)
    return bool(fits[0])


def _known(X: Matrix, last: int) -> bool:
    """Whether kernels take such rows; numpy refuses those that have too few columns."""
    return X.dtype in (np.float64, np.float32) and X.shape[1] > last
