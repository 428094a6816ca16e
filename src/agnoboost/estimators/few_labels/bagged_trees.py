"""Boosting of small regression trees on bags of rows: all bags grow at the same time.

In each round every bag descends Phi(H) by one tree: rows pull with b_i - a_i * clip(H(x_i), -1, 1), which is minus the
gradient of a_i * psi(H) - b_i * H for the Huber psi, and a leaf moves H by ``step`` times

    (sum of the pulls) / (sum of a_i + ridge),

a Newton step, psi'' being 1 or less. Each node looks at the square root of the number of features. Trees are complete:
a node that is not worth splitting sends all its rows one way.

How many rounds are used is chosen by Phi of the out-of-bag margins: the mean over the bags that have not seen a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...basics.typing import Bools, Floats, Ints, Rng
from ...core.potentials import Huber
from .columns import WIDTH

CHUNK = 4096  # rows that are predicted at a time


@dataclass(frozen=True)
class Growth:
    """How trees are grown; ``ridge`` and ``least`` (what a leaf must hold) are in units of labeled rows."""

    depth: int
    bags: int = 32
    rounds: int = 60
    step: float = 0.2
    ridge: float = 1.0
    least: float = 2.0


@dataclass(frozen=True)
class Splits:
    """One depth of the trees of all bags: a row in bin c goes left if c <= bin (c == bin for categories)."""

    feature: Ints
    bin: Ints

    def goes_right(self, codes: Ints, categorical: Bools, node: Ints, rows: Ints) -> Bools:
        feature = self.feature[node]
        code, bound = codes[feature, rows], self.bin[node]
        return np.where(categorical[feature], code != bound, code > bound)


@dataclass(frozen=True)
class Trees:
    """One tree for each bag."""

    levels: list[Splits]
    leaves: Floats  # bag after bag, from left to right

    def leaf_of(self, codes: Ints, categorical: Bools, bag: Ints, rows: Ints) -> Ints:
        node = bag
        for level in self.levels:
            node = 2 * node + level.goes_right(codes, categorical, node, rows)
        return node


@dataclass(frozen=True)
class BaggedTrees:
    """A boosted ensemble for every bag; its margin is their mean."""

    bags: int
    rounds: list[Trees]
    categorical: Bools

    def margin(self, codes: Ints) -> Floats:
        return np.concatenate(
            [self._margin(codes[:, start : start + CHUNK]) for start in range(0, codes.shape[1], CHUNK)]
        )

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Levels beside each other, one line a round; there is at least one round."""
        levels = [one.levels for one in self.rounds]
        return {
            "feature": np.array([np.concatenate([level.feature for level in each]) for each in levels], dtype=np.int32),
            "bin": np.array([np.concatenate([level.bin for level in each]) for each in levels], dtype=np.uint8),
            "leaves": np.array([one.leaves for one in self.rounds]),
            "bags": np.array(self.bags),
        }

    def _margin(self, codes: Ints) -> Floats:
        bag, rows = _pairs(self.bags, codes.shape[1])
        total = np.zeros(len(bag))
        for trees in self.rounds:
            total += trees.leaves[trees.leaf_of(codes, self.categorical, bag, rows)]
        return np.asarray(total.reshape(self.bags, -1).mean(axis=0))


def grow(
    codes: Ints, categorical: Bools, psi: Floats, pull: Floats, counts: Floats, growth: Growth, rng: Rng
) -> tuple[BaggedTrees, Floats]:
    """The ensemble, and the out-of-bag margin of every row.

    ``counts`` says how often each bag holds each row (shape: bags, rows).
    """
    bag, rows = _pairs(growth.bags, codes.shape[1])
    a, b = (counts * psi).ravel(), (counts * pull).ravel()
    inside = np.flatnonzero(counts.ravel())
    outside = counts == 0
    left_out = np.maximum(outside.sum(axis=0), 1)
    margin, grown = np.zeros(len(bag)), []
    best, kept, found = np.inf, 0, np.zeros(codes.shape[1])
    for _ in range(growth.rounds):
        residual = b - a * np.clip(margin, -1.0, 1.0)
        trees = _grow_one(codes, categorical, a, residual, inside, growth, rng)
        grown.append(trees)
        margin += trees.leaves[trees.leaf_of(codes, categorical, bag, rows)]
        judged = (margin.reshape(outside.shape) * outside).sum(axis=0) / left_out
        potential = float(np.sum(psi * Huber().psi(judged) - pull * judged))
        if potential < best:
            best, kept, found = potential, len(grown), judged
    return BaggedTrees(growth.bags, grown[:kept], categorical), found


def _pairs(bags: int, rows: int) -> tuple[Ints, Ints]:
    """All pairs of a bag and a row."""
    return np.repeat(np.arange(bags), rows), np.tile(np.arange(rows), bags)


def _grow_one(
    codes: Ints, categorical: Bools, a: Floats, residual: Floats, inside: Ints, growth: Growth, rng: Rng
) -> Trees:
    features, count = codes.shape
    node, rows = inside // count, inside % count
    a, residual = a[inside], residual[inside]
    levels = []
    for depth in range(growth.depth):
        looked_at = _candidates(features, growth.bags * 2**depth, rng)
        levels.append(_best_splits(codes, categorical, node, rows, a, residual, looked_at, growth))
        node = 2 * node + levels[-1].goes_right(codes, categorical, node, rows)
    leaves = growth.bags * 2**growth.depth
    pulls, masses = (np.bincount(node, values, leaves) for values in (residual, a))
    return Trees(levels, growth.step * pulls / (masses + growth.ridge))


def _candidates(features: int, nodes: int, rng: Rng) -> Ints:
    """The features that each node looks at: about the square root of their number, in increasing order."""
    width = max(1, round(features**0.5))
    return np.sort(rng.random((nodes, features)).argpartition(width - 1, axis=1)[:, :width], axis=1)


def _best_splits(
    codes: Ints,
    categorical: Bools,
    node: Ints,
    rows: Ints,
    a: Floats,
    residual: Floats,
    looked_at: Ints,
    growth: Growth,
) -> Splits:
    """The split of each node that lowers Phi most, by histograms of all nodes at once."""
    nodes, width = looked_at.shape
    cells = (node[:, None] * width + np.arange(width)) * WIDTH + codes[looked_at[node], rows[:, None]]
    shape = (nodes, width, WIDTH)
    pulls, masses = (
        np.bincount(cells.ravel(), np.repeat(values, width), nodes * width * WIDTH).reshape(shape)
        for values in (residual, a)
    )
    all_pull, all_mass = (sums[:, :1].sum(axis=2, keepdims=True) for sums in (pulls, masses))
    sets = categorical[looked_at][:, :, None]
    left_pull, left_mass = (np.where(sets, sums, sums.cumsum(axis=2)) for sums in (pulls, masses))
    right_pull, right_mass = all_pull - left_pull, all_mass - left_mass
    gain = left_pull**2 / (left_mass + growth.ridge) + right_pull**2 / (right_mass + growth.ridge)
    # Sums of weights come out a little off; and a gain must be more than a rounding error.
    enough = np.minimum(left_mass, right_mass) >= growth.least * (1.0 - 1e-9)
    gain = np.where(enough, gain, -1.0).reshape(nodes, -1)
    best = gain.argmax(axis=1)
    each = np.arange(nodes)
    worth = (all_pull**2 / (all_mass + growth.ridge))[:, 0, 0] * (1.0 + 1e-9) + 1e-12
    which, position = np.divmod(best, WIDTH)
    return Splits(looked_at[each, which], np.where(gain[each, best] > worth, position, WIDTH))
