"""Decision stumps by exact correlation.

Conventions, tested on their boundaries: a stump says ``sign`` where x[feature] > threshold and ``-sign`` elsewhere;
the threshold -inf is the constant ``sign``. Among stumps of equal absolute edge the lowest feature wins, then the
lowest threshold; an edge of 0 takes sign +1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .._memo import LastArray
from .._typing import Bools, Floats, Ints, Matrix, Rng
from ..batch import Batch
from ..kernels.binning import MAX_BINS, bin_rows, feature_cuts, midpoints
from .base import Hypothesis, WeakLearner


@dataclass(frozen=True, slots=True)
class Stump(Hypothesis):
    """``sign`` where x[feature] > threshold, else ``-sign``."""

    feature: int
    threshold: float
    sign: int

    def predict(self, X: Matrix) -> Floats:
        # A float64 scalar, not a Python float: float32 rows must not drag the threshold to their precision.
        above = X[:, self.feature] > np.float64(self.threshold)
        return np.where(above, float(self.sign), -float(self.sign))

    @classmethod
    def weighted_sum(cls, hypotheses: Sequence[Hypothesis], coefs: Sequence[int], X: Matrix) -> Ints:
        """A sum of stumps is a step function of each feature: one look-up a feature, however many stumps."""
        by_feature: dict[int, list[tuple[float, int]]] = {}
        for stump, coef in zip(hypotheses, coefs, strict=True):
            assert isinstance(stump, Stump)
            by_feature.setdefault(stump.feature, []).append((stump.threshold, coef * stump.sign))
        total = np.zeros(len(X), dtype=np.int64)
        for feature, jumps in by_feature.items():
            jumps.sort()
            thresholds = np.array([threshold for threshold, _ in jumps])
            heights = np.array([height for _, height in jumps], dtype=np.int64)
            table = np.concatenate([[0], 2 * np.cumsum(heights)]) - heights.sum()
            total += table[np.searchsorted(thresholds, X[:, feature], side="left")]
        return total


class SortedColumns:
    """Each feature's rows in increasing order, and the cuts between different values.

    Position k of a feature stands for the cut after its k smallest rows; position 0 is the cut at -inf.
    """

    def __init__(self, X: Matrix):
        self.order: Ints = np.argsort(X, axis=0, kind="stable").T.copy()
        self.values: Floats = np.take_along_axis(X.T, self.order, axis=1).astype(np.float64)
        # A cut must lie between two different values.
        self.cut: Bools = np.ones(self.order.shape, dtype=bool)
        self.cut[:, 1:] = self.values[:, 1:] > self.values[:, :-1]

    def left_sums(self, signed: Floats) -> Floats:
        """Signed mass of the rows below each cut (shape: features, rows)."""
        sums = np.zeros(self.order.shape)
        np.cumsum(signed[self.order[:, :-1]], axis=1, out=sums[:, 1:])
        return sums

    def threshold(self, feature: int, position: int) -> float:
        """The number that stands for a cut."""
        if position == 0:
            return float("-inf")
        return float(midpoints(self.values[feature, position - 1 : position + 1])[0])


def best_position(score: Floats, allowed: Bools) -> tuple[int, int]:
    """(feature, position) of the largest score among the allowed ones; ties go to the first."""
    flat = int(np.argmax(np.where(allowed, score, -1.0)))
    feature, position = divmod(flat, score.shape[1])
    return feature, position


@dataclass(frozen=True)
class StumpLearner(WeakLearner):
    """The stump of largest correlation over all features and thresholds, by sorting.

    >>> from agnoboost.batch import Batch
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> batch = Batch(X, np.array([-1.0, -1.0, 1.0, 1.0]), np.full(4, 0.25))
    >>> StumpLearner().fit(batch, np.random.default_rng(0))
    Stump(feature=0, threshold=2.5, sign=1)
    """

    _sorted: LastArray[SortedColumns] = field(default_factory=LastArray, repr=False, compare=False)

    def fit(self, batch: Batch, rng: Rng) -> Stump:
        columns = self._sorted.get(lambda: SortedColumns(batch.X), batch.X)
        edges = batch.signed.sum() - 2.0 * columns.left_sums(batch.signed)
        feature, position = best_position(np.abs(edges), columns.cut)
        sign = 1 if edges[feature, position] >= 0 else -1
        return Stump(feature, columns.threshold(feature, position), sign)


@dataclass(frozen=True)
class HistogramStumpLearner(WeakLearner):
    """The stump of largest correlation over binned thresholds, by histograms.

    It equals :class:`StumpLearner` where features have no more distinct values than bins, and costs less: no sort,
    and one pass over small integers a round. Make it with :meth:`from_data`.
    """

    cuts: tuple[tuple[float, ...], ...]
    _codes: LastArray[npt.NDArray[np.uint8]] = field(default_factory=LastArray, repr=False, compare=False)

    @classmethod
    def from_data(cls, X: Matrix, max_bins: int = MAX_BINS) -> HistogramStumpLearner:
        """Cut the features of ``X``, which should hold all rows that will be seen, labeled or not."""
        return cls(tuple(tuple(cuts.tolist()) for cuts in feature_cuts(X, max_bins)))

    def __repr__(self) -> str:
        return f"HistogramStumpLearner({len(self.cuts)} features, {max(map(len, self.cuts)) + 1} bins)"

    def check(self, X: Matrix) -> None:
        bin_rows(X[:1], self._arrays())

    def _arrays(self) -> list[Floats]:
        return [np.array(cuts) for cuts in self.cuts]

    def fit(self, batch: Batch, rng: Rng) -> Stump:
        codes = self._codes.get(lambda: bin_rows(batch.X, self._arrays()), batch.X)
        bins = max(map(len, self.cuts)) + 1
        # Column b is the signed mass below cut b - 1, so that column 0 is the cut at -inf, as in SortedColumns.
        below = np.zeros((len(codes), bins))
        for feature, column in enumerate(codes):
            sums = np.cumsum(np.bincount(column, weights=batch.signed, minlength=bins))
            below[feature, 1:] = sums[: bins - 1]
        allowed = np.arange(bins) <= np.array([len(cuts) for cuts in self.cuts])[:, None]
        edges = batch.signed.sum() - 2.0 * below
        feature, position = best_position(np.abs(edges), allowed)
        threshold = self.cuts[feature][position - 1] if position else float("-inf")
        return Stump(feature, threshold, 1 if edges[feature, position] >= 0 else -1)
