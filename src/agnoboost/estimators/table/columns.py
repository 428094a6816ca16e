"""Rows as trees see them (bins) and as kernels see them (normal scores)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from ...basics.typing import Floats, Ints, Matrix
from ...kernels.binning import MISSING, Bins
from ...kernels.dispatch import cores

MOST_KNOTS = 1000
RAREST = MISSING - 1  # the bin that the rarest categories share


@dataclass(frozen=True)
class Coder:
    """Bins by the quantiles of all rows, labeled or not; the rarest categories share the last bin."""

    bins: Bins
    ranks: dict[int, Ints]  # for each categorical column the place of each category, the most frequent first
    last: int = RAREST

    @classmethod
    def of(cls, X: Matrix, categorical: list[int], most_bins: int) -> Coder:
        ranks = {}
        for column in categorical:
            values = X[:, column]
            counts = np.bincount(values[~np.isnan(values)].astype(np.int64), minlength=1)
            ranks[column] = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
        return cls(Bins.from_data(X, most_bins, categorical), ranks)

    def encode(self, X: Matrix, threads: int | None = None, compiled: bool = False) -> npt.NDArray[np.uint8]:
        """Bin numbers (shape: features, rows); 255 for missing values."""
        codes = np.empty((len(self.bins), len(X)), dtype=np.uint8)
        self.bins.encode_into(X, codes.T, np.full(len(codes), MISSING, dtype=np.uint8), cores(threads), compiled)
        for column, rank in self.ranks.items():
            place = np.full(MISSING + 1, self.last, dtype=np.uint8)
            place[: len(rank)] = np.minimum(rank, self.last)
            place[MISSING] = MISSING
            codes[column] = place[codes[column]]
        return codes


@dataclass(frozen=True)
class Scores:
    """Numbers as normal scores of their ranks among all rows, which no outlier can stretch; categories as 0/1 columns.

    Missing values are 0, the middle; a column that has some gets a 0/1 column that says where. ``knots`` and ``values``
    hold the scores of each numeric column at some of its values, between which they are interpolated.
    """

    knots: list[Floats]
    values: list[Floats]
    missing: list[bool]
    categories: dict[int, int]  # how many each categorical column has

    @classmethod
    def of(cls, X: Matrix, weight: Floats, categorical: list[int]) -> Scores:
        knots, values = zip(*(_normal_scores(column, weight) for column in X.T), strict=True)
        sizes = {column: int(np.nanmax(X[:, column], initial=-1)) + 1 for column in categorical}
        return cls(list(knots), list(values), [bool(np.isnan(column).any()) for column in X.T], sizes)

    @property
    def columns(self) -> Ints:
        """The column of each score; -1 for the first score, which belongs to none."""
        found = [-1]
        for number, has_gaps in enumerate(self.missing):
            own = self.categories[number] if number in self.categories else int(len(self.knots[number]) > 0)
            found += [number] * (own + has_gaps)
        return np.array(found)

    def transform(self, X: Matrix) -> Floats:
        """Scores (shape: rows, scores)."""
        parts = []
        for number, column in enumerate(X.T):
            gap = np.isnan(column)
            if number in self.categories:
                parts.append((column[:, None] == np.arange(self.categories[number])).astype(np.float64))
            elif len(self.knots[number]):
                parts.append(np.where(gap, 0.0, np.interp(column, self.knots[number], self.values[number]))[:, None])
            if self.missing[number]:
                parts.append(gap[:, None].astype(np.float64))
        return np.hstack([np.zeros((len(X), 1)), *parts])  # of nothing but empty columns something must be left


def _normal_scores(column: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Different values, and the normal quantile of their middle rank; of many values a thousand."""
    known = ~np.isnan(column) & (weight > 0)
    values, place = np.unique(column[known], return_inverse=True)
    mass = np.bincount(place, weight[known], len(values))
    total = mass.sum()
    if total == 0:
        return np.empty(0), np.empty(0)
    rank = np.clip((np.cumsum(mass) - 0.5 * mass) / total, 1e-9, 1.0 - 1e-9)  # whatever the weights
    if len(values) > MOST_KNOTS:
        kept = np.unique(np.linspace(0, len(values) - 1, MOST_KNOTS).astype(np.int64))
        values, rank = values[kept], rank[kept]
    return values, np.asarray(ndtri(rank))
