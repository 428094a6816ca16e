"""Sums of many stumps by one look-up a feature: twin of :meth:`agnoboost.core.learners.stump.Stump.weighted_sum`."""

from __future__ import annotations

from . import kernel
from .binning import below


@kernel
def add_step_functions(X, features, thresholds, heights, missing, total, start, end):
    """Add a step function of each feature to ``total``; thresholds are padded with +inf to 255 columns."""
    for row in range(start, end):
        value = 0
        for which in range(features.size):
            x = X[row, features[which]]
            if x == x:
                value += heights[which, below(thresholds, which, float(x))]
            else:
                value += missing[which]
        total[row] += value
