"""Decision stumps by exact correlation.

Conventions, tested on their boundaries: a stump says ``sign`` where x[feature] > threshold and ``-sign`` elsewhere;
the threshold -inf is the constant ``sign``. Among stumps of equal absolute edge the lowest feature wins, then the
lowest threshold; an edge of 0 takes sign +1. Where the value is missing (NaN) a stump says ``missing``: the better
sign on the training rows, or 0 (no opinion) where they had no missing values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...basics.checks import refuse_missing
from ...basics.conventions import level, sign_of
from ...basics.memo import LastArray
from ...basics.typing import Bools, Floats, Ints, Matrix, Rng
from ...kernels.binning import MAX_BINS, MISSING, Bins, histograms, midpoints
from ...kernels.replay import replayed
from ..batch import Batch
from .base import Hypothesis, WeakLearner
from .binned import BinnedLearner


@dataclass(frozen=True, slots=True)
class Stump(Hypothesis):
    """``sign`` where x[feature] > threshold, ``missing`` where it is NaN, else ``-sign``."""

    feature: int
    threshold: float
    sign: int
    missing: int = 0

    def predict(self, X: Matrix) -> Floats:
        column = X[:, self.feature]
        # A float64 scalar, not a Python float: float32 rows must not drag the threshold to their precision.
        values = np.where(column > np.float64(self.threshold), float(self.sign), -float(self.sign))
        if column.dtype.kind == "f":
            values[np.isnan(column)] = self.missing
        return values

    def features(self) -> Sequence[int]:
        constant = self.threshold == -np.inf and self.missing in (0, self.sign)
        return () if constant else (self.feature,)

    @classmethod
    def weighted_sum(cls, hypotheses: Sequence[Hypothesis], coefs: Sequence[int], X: Matrix) -> Ints:
        """A sum of stumps is a step function of each feature: one look-up a feature, however many stumps."""
        total = np.zeros(len(X), dtype=np.int64)
        functions = {feature: cls.step_function(group) for feature, group in _by_feature(hypotheses, coefs).items()}
        if replayed(X, functions, total):
            return total
        for feature, (thresholds, table, missing) in functions.items():
            column = X[:, feature]
            places = np.searchsorted(thresholds, column, side="left")
            if column.dtype.kind == "f":
                places[np.isnan(column)] = len(table)
            total += np.append(table, missing)[places]
        return total

    @staticmethod
    def step_function(group: list[tuple[Stump, int]]) -> tuple[Floats, Ints, int]:
        """Thresholds, the values between them, and the value where missing, of a sum over one feature."""
        group = sorted(group, key=lambda pair: pair[0].threshold)
        thresholds = np.array([stump.threshold for stump, _ in group])
        heights = np.array([coef * stump.sign for stump, coef in group], dtype=np.int64)
        above = 2 * np.cumsum(heights) - heights.sum()
        last = np.append(thresholds[1:] > thresholds[:-1], True)  # of stumps with the same threshold
        return (
            thresholds[last],
            np.append(-heights.sum(), above[last]),
            sum(coef * stump.missing for stump, coef in group),
        )


@dataclass(frozen=True, slots=True)
class CategoryStump(Hypothesis):
    """+1 for the categories in ``plus``, -1 for those in ``minus``, ``missing`` for NaN, and 0 for all others."""

    feature: int
    plus: tuple[int, ...]
    minus: tuple[int, ...]
    missing: int = 0

    def table(self) -> Floats:
        """The value of each category, and of a missing one at the end."""
        values = np.zeros(MISSING + 1)
        values[list(self.plus)], values[list(self.minus)], values[MISSING] = 1.0, -1.0, self.missing
        return values

    def predict(self, X: Matrix) -> Floats:
        return self.table()[category_codes(X[:, self.feature])]

    def features(self) -> Sequence[int]:
        return (self.feature,)

    @classmethod
    def weighted_sum(cls, hypotheses: Sequence[Hypothesis], coefs: Sequence[int], X: Matrix) -> Ints:
        total = np.zeros(len(X), dtype=np.int64)
        for feature, group in _by_feature(hypotheses, coefs).items():
            table = sum(coef * stump.table().astype(np.int64) for stump, coef in group)
            total += np.asarray(table)[category_codes(X[:, feature])]
        return total


def category_codes(column: Matrix) -> Ints:
    """Whole numbers as they are, NaN as ``MISSING``."""
    return np.where(np.isnan(column), MISSING, column).astype(np.int64)


def _by_feature(hypotheses: Sequence[Hypothesis], coefs: Sequence[int]) -> dict[int, list[tuple]]:  # type: ignore[type-arg]
    groups: dict[int, list[tuple]] = {}  # type: ignore[type-arg]
    for stump, coef in zip(hypotheses, coefs, strict=True):
        groups.setdefault(stump.feature, []).append((stump, coef))  # type: ignore[attr-defined]
    return groups


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
    flat = int(np.argmax(np.where(allowed, level(score), -1.0)))
    feature, position = divmod(flat, score.shape[1])
    return feature, position


@dataclass(frozen=True)
class StumpLearner(WeakLearner):
    """The stump of largest correlation over all features and thresholds, by sorting.

    Examples
    --------
    >>> from agnoboost.core.batch import Batch
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> batch = Batch(X, np.array([-1.0, -1.0, 1.0, 1.0]), np.full(4, 0.25))
    >>> StumpLearner().fit(batch, np.random.default_rng(0))
    Stump(feature=0, threshold=2.5, sign=1, missing=0)
    """

    _sorted: LastArray[SortedColumns] = field(default_factory=LastArray, repr=False, compare=False)

    def check(self, X: Matrix) -> None:
        refuse_missing(X, "StumpLearner sorts values and takes no missing ones; HistogramStumpLearner does.")

    def fit(self, batch: Batch, rng: Rng) -> Stump:
        columns = self._sorted.get(lambda: SortedColumns(batch.X), batch.X)
        edges = batch.signed.sum() - 2.0 * columns.left_sums(batch.signed)
        feature, position = best_position(np.abs(edges), columns.cut)
        return Stump(feature, columns.threshold(feature, position), sign_of(edges[feature, position]))


@dataclass(frozen=True, repr=False)
class HistogramStumpLearner(BinnedLearner):
    """The stump of largest correlation over binned thresholds, by histograms.

    It equals :class:`StumpLearner` where features have no more distinct values than bins, and costs less: no sort,
    and one pass over small integers a round. It also takes missing values, which go to the better side, and
    categorical features, whose categories are split into those that correlate with +1 and those with -1 (the best
    split of all in the order of correlation). Without bins a run places them by its own rows; :meth:`from_data` places
    them by any, and takes categorical features.

    Parameters
    ----------
    bins : Bins or None, default=None
        Where columns are cut; None for the rows of the run.
    min_gain : float, default=0.0
        By how much a split must beat the constant.
    """

    min_gain: float = 0.0

    @classmethod
    def from_data(
        cls, X: Matrix | Sequence[Matrix], max_bins: int = MAX_BINS, categorical: Sequence[int] = ()
    ) -> HistogramStumpLearner:
        """Cut the features of ``X``, a table or several: all rows that will be seen, labeled or not."""
        return cls(Bins.from_data(X, max_bins, categorical))

    def with_gain_scaled(self, factor: float) -> HistogramStumpLearner:
        return replace(self, min_gain=factor * self.min_gain)

    def fit(self, batch: Batch, rng: Rng) -> Stump | CategoryStump:
        bins, codes = self.encoded(batch.X)
        sums = histograms(codes, batch.signed)
        known, missing = sums[:, :MISSING], sums[:, MISSING]
        # Position b is the cut below bin b, so that position 0 is the cut at -inf, as in SortedColumns.
        below = np.cumsum(known, axis=1) - known
        edges = known.sum(axis=1)[:, None] - 2.0 * below
        score = np.abs(edges) + np.abs(missing)[:, None]
        for feature in bins.categorical:
            score[feature, 0] = np.abs(sums[feature]).sum()
        feature, position = best_position(score, bins.cut_mask)
        total = float(batch.signed.sum())
        if self.min_gain > 0 and level(score[feature, position]) <= level(abs(total) + self.min_gain):
            return Stump(0, float("-inf"), sign_of(total), sign_of(total))
        opinion = int(np.sign(level(missing[feature])))
        if feature in bins.categorical:
            sides = level(known[feature])
            plus, minus = np.flatnonzero(sides > 0), np.flatnonzero(sides < 0)
            return CategoryStump(feature, tuple(plus.tolist()), tuple(minus.tolist()), opinion)
        threshold = bins.cuts[feature][position - 1] if position else float("-inf")
        return Stump(feature, threshold, sign_of(edges[feature, position]), opinion)
