"""Cut points of features, and the bin numbers of rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .._checks import check_between, check_same_features
from .._typing import Floats, Matrix

MAX_BINS = 255


def midpoints(values: Floats) -> Floats:
    """A cut between each two neighbours of sorted distinct values, so that ``low <= cut < high``.

    >>> midpoints(np.array([0.0, 1.0, 4.0]))
    array([0.5, 2.5])
    """
    low, high = values[:-1], values[1:]
    cut = 0.5 * low + 0.5 * high
    return np.where((cut >= low) & (cut < high), cut, low)  # neighbours in float64 have no number between them


def feature_cuts(X: Matrix, max_bins: int = MAX_BINS) -> list[Floats]:
    """Increasing cuts for each feature: row x is in bin b if exactly b cuts lie below x.

    A feature with at most ``max_bins`` distinct values gets a cut between each two neighbours, so that nothing is
    lost; the others are cut at quantiles.
    """
    check_between(max_bins, 2, MAX_BINS, "max_bins", open_low=False)
    cuts = []
    for column in np.asarray(X, dtype=np.float64).T:
        values = np.unique(column)
        if len(values) > max_bins:
            levels = np.linspace(0.0, 1.0, max_bins + 1)[1:-1]
            low = np.unique(np.quantile(column, levels, method="lower"))
            cuts.append(low[low < values[-1]])
        else:
            cuts.append(midpoints(values))
    return cuts


def bin_rows(X: Matrix, cuts: list[Floats]) -> npt.NDArray[np.uint8]:
    """Bin numbers, one contiguous row of the result for each feature (shape: features, rows)."""
    check_same_features(X.shape[1], len(cuts), "X")
    codes = np.empty((len(cuts), len(X)), dtype=np.uint8)
    for feature, feature_cuts_ in enumerate(cuts):
        # The number of cuts strictly below x.
        codes[feature] = np.searchsorted(feature_cuts_, X[:, feature], side="left")
    return codes
