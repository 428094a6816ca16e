"""Make labels scarce or noisy, for experiments."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .._checks import as_labels, check_between
from .._typing import Floats, Rng


def drop_labels(y: npt.ArrayLike, fraction: float, rng: Rng) -> Floats:
    """Replace this fraction of the labels, chosen at random, by 0 (unlabeled). At least one label stays.

    >>> int((drop_labels(np.ones(100), 0.9, np.random.default_rng(0)) == 0).sum())
    90
    """
    labels = as_labels(y, len(np.asarray(y)))
    check_between(fraction, 0.0, 1.0, "fraction", open_low=False)
    count = min(round(fraction * len(labels)), len(labels) - 1)
    labels[rng.choice(len(labels), size=count, replace=False)] = 0.0
    return labels


def flip_labels(y: npt.ArrayLike, rate: float, rng: Rng) -> Floats:
    """Flip each label independently with probability ``rate``; unlabeled rows (0) stay unlabeled."""
    labels = np.array(y, dtype=np.float64)
    check_between(rate, 0.0, 1.0, "rate", open_low=False)
    return np.where(rng.random(len(labels)) < rate, -labels, labels)
