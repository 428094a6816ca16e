"""What is measured of probabilities, and which way is better."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

from agnoboost.basics.typing import Bools, Floats

ECE_BINS = 10
MEASURES = ("accuracy", "auc", "brier", "ece", "seconds")
RANKED = {"accuracy": True, "auc": True, "brier": False}  # whether higher is better


def measures(positive: Floats, truth: Bools, seconds: float) -> list[float]:
    """In the order of ``MEASURES``; ties at one half count as the positive class."""
    return [
        float(np.mean((positive >= 0.5) == truth)),
        float(roc_auc_score(truth, positive)),
        float(np.mean((positive - truth) ** 2)),
        calibration_error(positive, truth),
        seconds,
    ]


def calibration_error(positive: Floats, truth: Bools) -> float:
    """Expected calibration error: mean abs(share of positives - mean probability) over ten equal intervals.

    >>> round(calibration_error(np.array([0.12, 0.14, 0.92, 0.94]), np.array([False, True, True, True])), 3)
    0.22
    """
    place = np.minimum((positive * ECE_BINS).astype(int), ECE_BINS - 1)
    gaps = np.bincount(place, truth - positive, ECE_BINS)
    return float(np.abs(gaps).sum() / len(positive))
