"""Greedy trees over binned features, with missing values and categories.

On bins every test is a set of bins: x goes above if its bin is in the set. A cut is a set of high bins, a split of
categories is a set of categories, and the missing bin is in the set or not. So one table of bins for each node says it
all, and the nodes of a level are worked on together: their histograms in one pass over the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .._checks import check_count
from .._memo import LastArray
from .._typing import Bools, Floats, Ints, Matrix, Rng
from ..batch import Batch
from ..kernels.binning import MAX_BINS, MISSING, WIDTH, Bins
from .base import WeakLearner, level, sign_of
from .tree import CategorySet, Cut, Leaf, Node, Split, Tree


@dataclass(frozen=True)
class HistogramTreeLearner(WeakLearner):
    """Greedy tree of depth at most ``max_depth``; make it with :meth:`from_data`.

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

    def __repr__(self) -> str:
        return f"HistogramTreeLearner({len(self.bins)} features, max_depth={self.max_depth})"

    def check(self, X: Matrix) -> None:
        self.bins.check(X)

    def fit(self, batch: Batch, rng: Rng) -> Tree:
        codes = self._codes.get(lambda: self.bins.encode(batch.X), batch.X)
        rows, node = np.arange(len(batch)), np.zeros(len(batch), dtype=np.int64)
        levels: list[_Level] = []
        totals = np.array([batch.signed.sum()])
        for _ in range(self.max_depth):
            found = self._split(codes, batch.signed, rows, node, totals, rng)
            levels.append(found)
            if not found.splits.any():
                break
            rows, node, totals = found.children(codes, batch.signed, rows, node)
        return Tree(_assemble(levels, totals))

    def _split(
        self, codes: npt.NDArray[np.uint8], signed: Floats, rows: Ints, node: Ints, totals: Floats, rng: Rng
    ) -> _Level:
        """The best test of every node of a level."""
        features = self._candidates(len(totals), rng)  # (nodes, looked at)
        width = features.shape[1]
        places = node[:, None] * width + np.arange(width)
        flat = places * WIDTH + codes[features[node], rows[:, None]]
        cells = np.bincount(flat.ravel(), np.repeat(signed[rows], width), len(totals) * width * WIDTH)
        sums = cells.reshape(len(totals), width, WIDTH).astype(np.float64, copy=False)
        used = int(self.bins.sizes[features].max())  # no position beyond can be chosen
        known, missing = sums[:, :, :used], sums[:, :, MISSING, None]
        below = np.cumsum(known, axis=2) - known
        above = known.sum(axis=2, keepdims=True) - below
        missing_below = np.abs(below + missing) + np.abs(above)
        missing_above = np.abs(below) + np.abs(above + missing)
        score = level(np.maximum(missing_below, missing_above))
        categorical = self.bins.is_categorical[features]
        if categorical.any():
            score[categorical, 0] = level(np.abs(sums[categorical]).sum(axis=1))
        score[~self.bins.cut_mask[features, :used]] = -1.0
        which, position = np.divmod(score.reshape(len(totals), -1).argmax(axis=1), used)
        nodes = np.arange(len(totals))
        table = np.arange(WIDTH) >= position[:, None]
        table[:, MISSING] = level(missing_above[nodes, which, position]) > level(missing_below[nodes, which, position])
        sets = categorical[nodes, which]
        table[sets] = level(sums[nodes, which][sets]) > 0
        splits = score[nodes, which, position] > level(np.abs(totals) + self.min_gain)
        return _Level(self.bins, totals, features[nodes, which], position, table, splits)

    def _candidates(self, nodes: int, rng: Rng) -> Ints:
        """The features that each node looks at, in increasing order."""
        count = len(self.bins)
        if self.max_features is None or self.max_features >= count:
            return np.tile(np.arange(count), (nodes, 1))
        return np.sort(np.argsort(rng.random((nodes, count)), axis=1)[:, : self.max_features], axis=1)


@dataclass(frozen=True)
class _Level:
    """The nodes of one depth: the best test of each, and whether it is worth taking.

    ``table[i]`` says which bins of ``feature[i]`` go above at node i.
    """

    bins: Bins
    totals: Floats
    feature: Ints
    position: Ints
    table: Bools
    splits: Bools

    def children(
        self, codes: npt.NDArray[np.uint8], signed: Floats, rows: Ints, node: Ints
    ) -> tuple[Ints, Ints, Floats]:
        """Rows of nodes that split, the number of their child, and the children's signed masses."""
        inside = self.splits[node]
        rows, node = rows[inside], node[inside]
        above = self.table[node, codes[self.feature[node], rows]]
        first = np.cumsum(self.splits, dtype=np.int64) - self.splits  # place among the nodes that split
        child = np.asarray(2 * first[node] + above, dtype=np.int64)
        masses = np.bincount(child, signed[rows], 2 * int(self.splits.sum()))
        return rows, child, masses.astype(np.float64, copy=False)

    def test(self, node: int) -> Cut | CategorySet:
        feature, position = int(self.feature[node]), int(self.position[node])
        missing = bool(self.table[node, MISSING])
        if feature in self.bins.categorical:
            return CategorySet(feature, tuple(np.flatnonzero(self.table[node, :MISSING]).tolist()), missing)
        threshold = self.bins.cuts[feature][position - 1] if position else float("-inf")
        return Cut(feature, threshold, missing)


def _assemble(levels: list[_Level], totals: Floats) -> Node:
    """The tree, from its lowest level up; ``totals`` are the masses below the last level."""
    below: list[Node] = [Leaf(sign_of(total)) for total in totals] if levels[-1].splits.any() else []
    for found in reversed(levels):
        nodes: list[Node] = []
        place = 0
        for node, (total, splits) in enumerate(zip(found.totals, found.splits, strict=True)):
            if splits:
                nodes.append(Split(found.test(node), below[2 * place], below[2 * place + 1]))
                place += 1
            else:
                nodes.append(Leaf(sign_of(total)))
        below = nodes
    return below[0]
