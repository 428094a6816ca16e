"""Bins: features as small whole numbers, with a bin for missing values.

Numeric features are cut at increasing cuts: x is in bin b if exactly b cuts lie below x. Categorical features hold
whole numbers 0, 1, ... already, which are their bins. NaN is in bin ``MISSING``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .._checks import check_between, check_same_features
from .._typing import Bools, Floats, Matrix

MAX_BINS = 255
MISSING = 255  # one past the last bin
WIDTH = 256  # bins and the missing one


@dataclass(frozen=True)
class Bins:
    """The cuts of every numeric feature, and the features that are categorical."""

    cuts: tuple[tuple[float, ...], ...]
    categorical: frozenset[int] = frozenset()

    @classmethod
    def from_data(cls, X: Matrix, max_bins: int = MAX_BINS, categorical: Sequence[int] = ()) -> Bins:
        """Cuts that separate all values where a feature has no more than ``max_bins``, and quantiles elsewhere."""
        check_between(max_bins, 2, MAX_BINS, "max_bins", open_low=False)
        marked = frozenset(int(feature) for feature in categorical)
        for feature in sorted(marked):
            _check_categories(X, feature)
        return cls(
            tuple(
                () if feature in marked else tuple(_cuts(np.asarray(column, dtype=np.float64), max_bins).tolist())
                for feature, column in enumerate(X.T)
            ),
            marked,
        )

    def __len__(self) -> int:
        return len(self.cuts)

    @cached_property
    def cut_mask(self) -> Bools:
        """Which positions stand for a cut (shape: features, MAX_BINS): 0 is the cut at -inf, b is cut number b - 1."""
        counts = np.array([len(cuts) for cuts in self.cuts])
        return np.asarray(np.arange(MAX_BINS) <= counts[:, None])

    @cached_property
    def is_categorical(self) -> Bools:
        """Whether each feature is categorical."""
        return np.isin(np.arange(len(self)), list(self.categorical))

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many bins a feature can have, the missing one not counted."""
        return np.where(self.is_categorical, MAX_BINS, self.cut_mask.sum(axis=1))

    def encode(self, X: Matrix) -> npt.NDArray[np.uint8]:
        """Bin numbers, one contiguous row of the result for each feature (shape: features, rows)."""
        check_same_features(X.shape[1], len(self), "X")
        codes = np.empty((len(self), len(X)), dtype=np.uint8)
        for feature, cuts in enumerate(self.cuts):
            column = X[:, feature]
            known = ~np.isnan(column) if column.dtype.kind == "f" else np.ones(len(column), dtype=bool)
            if feature in self.categorical:
                codes[feature] = np.where(known, column, MISSING)
            else:  # the number of cuts strictly below x
                codes[feature] = np.where(known, np.searchsorted(np.array(cuts), column, side="left"), MISSING)
        return codes


def midpoints(values: Floats) -> Floats:
    """A cut between each two neighbours of sorted distinct values, so that ``low <= cut < high``.

    >>> midpoints(np.array([0.0, 1.0, 4.0]))
    array([0.5, 2.5])
    """
    low, high = values[:-1], values[1:]
    cut = 0.5 * low + 0.5 * high
    return np.where((cut >= low) & (cut < high), cut, low)  # neighbours in float64 have no number between them


def histograms(codes: npt.NDArray[np.uint8], signed: Floats) -> Floats:
    """Signed mass of every bin of every feature (shape: features, WIDTH); exact, since ``signed`` is on the grid."""
    sums = np.empty((len(codes), WIDTH))
    for feature, column in enumerate(codes):
        sums[feature] = np.bincount(column, weights=signed, minlength=WIDTH)
    return sums


def _cuts(column: Floats, max_bins: int) -> Floats:
    column = column[~np.isnan(column)]
    values = np.unique(column)
    if len(values) <= max_bins:
        return midpoints(values) if len(values) else values
    levels = np.linspace(0.0, 1.0, max_bins + 1)[1:-1]
    low = np.unique(np.quantile(column, levels, method="lower"))
    return np.asarray(low[low < values[-1]])


def _check_categories(X: Matrix, feature: int) -> None:
    if not 0 <= feature < X.shape[1]:
        raise ValueError(f"categorical features must be column numbers below {X.shape[1]}. Got {feature}.")
    column = X[:, feature]
    known = column[~np.isnan(column)] if column.dtype.kind == "f" else column
    if not ((known >= 0) & (known < MAX_BINS) & (known == np.floor(known))).all():
        raise ValueError(
            f"Categorical feature {feature} must hold whole numbers from 0 to {MAX_BINS - 1}, or NaN. Got values from "
            f"{known.min():g} to {known.max():g}. Encode the categories first (rare ones together, if there are many)."
        )
