"""Confidence intervals for shares and for their differences."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from .typing import Bools, Floats

NORMAL_95 = 1.96  # the normal quantile of two-sided 95% intervals


def binomial_low(hits: float, count: float, tail: float) -> float:
    """Clopper and Pearson's lower bound: at this probability so many hits, or more, have probability ``tail``.

    Counts need not be whole, where rows count for more or less than one.
    """
    return float(betaincinv(hits, count - hits + 1, tail)) if hits else 0.0


def binomial_high(hits: float, count: float, tail: float) -> float:
    """Clopper and Pearson's upper bound: at this probability so few hits, or fewer, have probability ``tail``."""
    return float(betaincinv(hits + 1, count - hits, 1.0 - tail)) if hits < count else 1.0


def binomial_interval(hits: float, count: float, confidence: float) -> tuple[float, float]:
    """Clopper and Pearson's interval of a probability: exact, whatever the count."""
    tail = (1.0 - confidence) / 2.0
    return binomial_low(hits, count, tail), binomial_high(hits, count, tail)


def wilson(right: Bools, z: float = NORMAL_95) -> tuple[float, float, float]:
    """Share of successes with Wilson's 95% interval.

    >>> [round(v, 3) for v in wilson(np.array([True] * 81 + [False] * 19))]
    [0.81, 0.722, 0.875]
    """
    n, p = len(right), float(np.mean(right))
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return p, float(centre - half), float(centre + half)


def paired_difference(first: Bools | Floats, second: Bools | Floats) -> tuple[float, float]:
    """Mean difference of hits, or of losses, on the same rows, and half the width of its 95% interval."""
    difference = first.astype(float) - second.astype(float)
    return float(difference.mean()), float(NORMAL_95 * difference.std(ddof=1) / np.sqrt(len(difference)))
