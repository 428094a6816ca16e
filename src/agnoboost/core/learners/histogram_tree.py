"""Regression trees over binned features as weak hypotheses, with missing values and categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...basics.checks import check_between, check_count, check_positive
from ...basics.conventions import FINEST
from ...basics.memo import LastArray
from ...basics.typing import Matrix, Rng
from ...kernels.binning import MAX_BINS, Bins
from ...kernels.dispatch import LOADING, pays
from ...kernels.gradient_trees import TreeGrowth, grow
from ...kernels.tree_rounds import CountedBatch, GrownNodes, Leaves, TreeRoom, used_nodes
from ...kernels.tree_tables import GrowthRule
from ..batch import Batch
from .base import WeakLearner
from .binned import BinnedLearner
from .regression_tree import RegressionTree, as_hypotheses

KEYS = 2**63  # of random numbers that are drawn for a tree
KEY_BITS = 0xFFFFFFFF  # and what the grower takes of them
_STEP, _CELL = 3e-4, 2e-8  # seconds that numpy takes to divide leaves, and for a feature of a row in it
_COMPILED_CELL = 2e-9  # seconds that compiled code takes for a feature of a row


@dataclass(frozen=True, repr=False)
class HistogramTreeLearner(BinnedLearner):
    """A tree grown for the largest correlation with real-valued leaves; :meth:`from_data` places bins.

    A leaf says the mean label of its rows, (sum of mass * label)/(sum of mass + ``ridge``), so that a split adds by how
    much the sum of (mass * label)^2/(mass + ridge) over the leaves grows: that is the correlation of the tree with its
    batch. Leaves with the most to gain are divided first.

    Missing values go to the side where they add more; a node divides up to four categories into one against the rest,
    and more of them into two sets.

    Parameters
    ----------
    bins : Bins or None
        Where columns are cut; None for the rows of the run.
    max_depth : int
        The most conditions on the way to a leaf.
    max_features : int or None
        Each node looks at so many features only, drawn at random, as in a random forest.
    min_gain : float
        The correlation that a split must add.
    max_leaves : int or None
        None for as many as the depth allows, up to 128.
    ridge, least, smooth : float
        Shares of a batch's mass: what is added to the mass of a leaf, what a leaf must hold, and what is added to the
        ridge when sets of categories are judged.
    reach : float
        What leaves are multiplied with, before they are clipped to [-1, 1].
    """

    binary = False

    max_depth: int = 2
    max_features: int | None = None
    min_gain: float = 0.0
    max_leaves: int | None = None
    ridge: float = 0.0
    least: float = 0.0
    smooth: float = 0.0
    reach: float = 1.0
    _compiled: bool = field(default=False, repr=False, compare=False)
    _table: LastArray[TreeRoom] = field(default_factory=LastArray, repr=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        check_count(self.max_depth, "max_depth")
        check_positive(self.reach, "reach")
        for name in ("max_features", "max_leaves"):
            if getattr(self, name) is not None:
                check_count(getattr(self, name), name)
        for name in ("ridge", "least", "smooth"):
            check_between(getattr(self, name), 0.0, 1.0, name, open_low=False)

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

    def with_gain_scaled(self, factor: float) -> WeakLearner:
        return replace(self, min_gain=factor * self.min_gain, reach=self.reach / factor)

    def fit(self, batch: Batch, rng: Rng) -> RegressionTree:
        bins, codes = self.encoded(batch.X)
        key = int(rng.integers(KEYS)) & KEY_BITS
        counts = CountedBatch.of(batch.mass, batch.target)
        if self._compiled or self._pays(len(batch), 1):
            room = self._table.get(lambda: TreeRoom(codes, bins.is_categorical), codes)
            grown = room.tree(counts, self.rule(*codes.shape), self.leaves, key)
            return as_hypotheses(bins, used_nodes(grown), compiled=True)[0]
        growth, whole = self.growth(len(codes)), counts.whole
        ridge, least, smooth = growth.ridge * whole, growth.least * whole, growth.smooth * whole
        found = grow(
            codes,
            counts.mass,
            counts.pull,
            batch.mass > 0.0,
            replace(growth, seed=key, ridge=ridge, least=least, smooth=smooth),
            categorical=bins.is_categorical,
            compiled=False,
        ).forest
        sets = np.zeros((len(found.value), 4), dtype=np.uint64)
        sets[found.group > 0] = found.sets
        shape = (found.feature, found.low, found.width, found.child, found.value, sets)
        return as_hypotheses(bins, GrownNodes(np.diff(found.nodes), *shape))[0]

    def prepared(self, rows: int, rounds: int) -> HistogramTreeLearner:
        return replace(self, _compiled=True) if self._pays(rows, rounds) else self

    def seconds(self, rows: int, rounds: int) -> float:
        if self._pays(rows, rounds):
            return LOADING + rounds * self.compiled_seconds(rows)
        return rounds * self._numpy_seconds(rows)

    def compiled_seconds(self, rows: int) -> float:
        """About how long compiled code takes for a tree."""
        return _COMPILED_CELL * self.max_depth * rows * self._features

    def _pays(self, rows: int, rounds: int) -> bool:
        """Whether so many trees are better grown by compiled code; the plain grower knows no least gain."""
        return self.min_gain > 0.0 or pays(rounds * self._numpy_seconds(rows))

    def _numpy_seconds(self, rows: int) -> float:
        rule = self.rule(self._features, max(rows, 1))
        steps = self.max_depth if rule.by_level else rule.leaves
        return _STEP * (1 + steps) + _CELL * self.max_depth * rows * rule.looked_at

    @property
    def _features(self) -> int:
        return 1 if self.bins is None else len(self.bins)

    def growth(self, features: int) -> TreeGrowth:
        """How trees are grown, for the grower; in shares of a batch's mass."""
        looked_at = features if self.max_features is None else min(self.max_features, features)
        return TreeGrowth(
            rounds=1,
            leaves=128 if self.max_leaves is None else self.max_leaves,
            depth=self.max_depth,
            step=self.reach,
            ridge=self.ridge,
            least=self.least,
            smooth=self.smooth,
            potential="huber",
            features=looked_at / features,
        )

    def rule(self, features: int, rows: int) -> GrowthRule:
        """The same in numbers."""
        return self.growth(features).rule(features, rows)

    @property
    def leaves(self) -> Leaves:
        return Leaves(self.reach, self.min_gain, FINEST)
