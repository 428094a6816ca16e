"""Mean ranks."""

from __future__ import annotations

import numpy as np
from scipy import stats

from agnoboost.basics.typing import Floats


def mean_ranks(values: Floats, higher_is_better: bool) -> Floats:
    """The mean rank of each column over the rows; the best has rank 1, equal values share the mean of their ranks.

    >>> mean_ranks(np.array([[0.9, 0.8, 0.8], [0.7, 0.6, 0.5]]), True).tolist()
    [1.0, 2.25, 2.75]
    """
    return np.asarray(stats.rankdata(-values if higher_is_better else values, axis=1).mean(axis=0))
