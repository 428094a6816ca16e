"""Sums of step functions, one a feature: many stumps at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..basics.typing import Floats, Ints, Matrix
from .binning import MAX_BINS, SEARCH, WIDTH
from .dispatch import cores, in_parts, pays


def replayed(X: Matrix, functions: Mapping[int, tuple[Floats, Ints, int]], total: Ints) -> bool:
    """Add step functions of features to ``total`` by compiled code, if that pays; says whether it did.

    A function is (sorted thresholds, values between them, value where missing).
    """
    longest = max((len(thresholds) for thresholds, _, _ in functions.values()), default=0)
    if X.dtype not in (np.float64, np.float32) or longest > MAX_BINS or max(functions, default=0) >= X.shape[1]:
        return False  # numpy refuses rows that have too few columns
    if not pays(SEARCH * len(X) * len(functions)):
        return False
    from .compiled.replay import add_step_functions

    thresholds = np.full((len(functions), MAX_BINS), np.inf)
    heights = np.zeros((len(functions), WIDTH), dtype=np.int64)
    for place, (cuts, values, _) in enumerate(functions.values()):
        thresholds[place, : len(cuts)] = cuts
        heights[place, : len(values)] = values
    missing = np.array([value for _, _, value in functions.values()], dtype=np.int64)
    features = np.array(list(functions), dtype=np.int64)
    in_parts(add_step_functions, len(X), cores(), X, features, thresholds, heights, missing, total)
    return True
